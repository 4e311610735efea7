// SPDX-License-Identifier: Apache-2.0
// Which queue family owns which bytes: ranges that are exclusive, and transfers of them between
// families. Knows positions in the order of commands; not why a transfer was made.
#pragma once

#include "engine.h"

struct vkr_transfer_half {
	uint64_t order;    // among the halves of this memory, from 1; 0: there is none
	uint64_t commands; // that were made before it
	uint64_t tag;
};

// A transfer of a range from one family to another: the last release that nobody has acquired yet,
// and the last that was.
struct vkr_transfer {
	uint64_t low, high;
	uint32_t from, to; // VKR_ENGINE_ANY_FAMILY: somebody outside
	uint64_t key;
	struct vkr_transfer_half released;                         // that nobody has acquired
	struct vkr_transfer_half transferred_from, transferred_to; // that were matched
	struct vkr_transfer_half unmatched;                        // an acquire without a release
};

struct vkr_exclusive_range {
	uint64_t low, high;
	bool exclusive;
};

struct vkr_ownership {
	struct {
		struct vkr_exclusive_range *items; // disjoint, ascending
		size_t count, capacity;
	} ranges;
	struct {
		struct vkr_transfer *items; // ascending by `low`, then by `high`
		size_t count, capacity;
	} transfers;
	struct {
		unsigned char *items; // as many as transfers: questions that are asked find room
		size_t count, capacity;
	} tried;
	uint64_t widest; // of all transfers' ranges: none that begins further back reaches a byte
	uint64_t halves;
};

void vkr_ownership_finish(struct vkr_ownership *ownership);

// From now on, bytes [low, high) belong to an exclusive, or a concurrent, resource. Transfers of
// what was there before end.
enum vkr_result vkr_ownership_range(struct vkr_ownership *ownership, uint64_t low, uint64_t high,
				    bool exclusive, struct vkr_error *error) VKR_MUST_USE;

// A half of a transfer, after this many commands.
enum vkr_result vkr_ownership_transfer(struct vkr_ownership *ownership,
				       const struct vkr_engine_transfer *half, uint64_t commands,
				       struct vkr_error *error) VKR_MUST_USE;

// A write by a family, and a read by one, as commands' numbers.
struct vkr_ownership_question {
	uint32_t from, to;
	uint64_t write, read;
};

// Whether the read finds what was written at `offset`: 0, or enum vkr_engine_shortfall bits. The
// answer holds for [*low, *high), which is narrowed.
uint32_t vkr_ownership_lacks(const struct vkr_ownership *ownership,
			     const struct vkr_ownership_question *question, uint64_t offset,
			     uint64_t *low, uint64_t *high);

// The tag of the half that is there, where one is.
bool vkr_ownership_half(const struct vkr_ownership *ownership,
			const struct vkr_ownership_question *question, uint64_t offset,
			uint64_t *tag);

// Calls `tag` for the tags of all halves that may yet be reported.
void vkr_ownership_tags(const struct vkr_ownership *ownership,
			void (*tag)(void *context, uint64_t tag), void *context);
