// SPDX-License-Identifier: Apache-2.0
// Epochs: what the accesses of one site in one barrier interval of one command have in common, by a
// number that fits into a shadow slot beside an invocation. Knows nothing of locations.
#pragma once

#include "invocation_table.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VKR_EPOCH_BITS 28u
#define VKR_EPOCH_MASK ((1u << VKR_EPOCH_BITS) - 1u)

// One invocation accesses all bytes of a node; any other value is the binary logarithm of the bytes
// that each consecutive invocation accesses.
#define VKR_SHAPE_UNIFORM 31u

// Against which later accesses an epoch's are remembered. A newer non-private access of the
// dispatch stands for an older one that a barrier orders before it, but for what its own invocation
// does privately later: that is in program order after the newer one, and after the older one, of
// another invocation, in no order at all ("Location-Ordered" asks that both be non-private).
enum vkr_against {
	VKR_AGAINST_ALL,
	VKR_AGAINST_PRIVATE,        // private accesses of the workgroup
	VKR_AGAINST_PRIVATE_WRITES, // private writes of the workgroup
};

struct vkr_epoch {
	uint32_t command, site, reference, interval;
	uint32_t other_site, other_interval; // of the second invocation of a pair
	struct vkr_invocation_table *table;  // slots hold places in it; NULL: invocations
	uint32_t high;      // the part of the invocation's number that does not fit into a slot
	uint8_t shape;      // VKR_SHAPE_UNIFORM, or 0 to 12: a page
	uint8_t local_bits; // of an invocation's number: its place in the workgroup
	uint8_t against;    // enum vkr_against
	bool pair;          // the slot names two invocations of one workgroup
	bool invocation;    // made by shader invocations
	bool marked;        // while unused epochs are looked for
	bool used;
};

struct vkr_epochs {
	struct vkr_epoch *items; // index: epoch; 0 is none
	size_t count, capacity;
	uint32_t *table; // open addressing: epochs by content
	size_t table_size, live;
	uint32_t *free_items;
	size_t free_count, free_capacity;
	size_t collect_at; // count of live epochs at which unused ones should be looked for
};

void vkr_epochs_init(struct vkr_epochs *epochs);
void vkr_epochs_finish(struct vkr_epochs *epochs);

uint64_t vkr_epochs_bytes(const struct vkr_epochs *epochs);

// The number of this content, new or old.
enum vkr_result vkr_epochs_find(struct vkr_epochs *epochs, const struct vkr_epoch *content,
				uint32_t *epoch, struct vkr_error *error) VKR_MUST_USE;

// Looking for unused epochs: mark those in use between begin and sweep. Sweep makes the others'
// numbers free for other contents.
void vkr_epochs_begin_collect(struct vkr_epochs *epochs);
enum vkr_result vkr_epochs_sweep(struct vkr_epochs *epochs, struct vkr_error *error) VKR_MUST_USE;
