// SPDX-License-Identifier: Apache-2.0
// Shadow memory: which accesses each byte of a memory object still remembers, stored once where
// neighbours agree. Knows nothing of which accesses race, nor when one replaces another.
//
// Each byte has two slots: its last plain write, and what has read it or changed it atomically
// since. For each of the two a memory object is a tree: a page (4 KiB), lines (64 bytes), words
// (4 bytes), bytes. A slot covers its whole node, or is split into slots for the next smaller
// nodes; the two trees are split apart from one another, and only on demand. shadow_slot.h says
// what a slot holds.
#pragma once

#include "ownership.h"
#include "shadow_share.h"
#include "shadow_slot.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of a tree whose page is in cells, two epochs that would have to be looked up there, the one that
// came last and the one before: the epoch << 4 | its number in the page. 0: not known.
struct vkr_hint {
	uint32_t now, before;
};

struct vkr_page {
	uint64_t write, access; // slots of the page level
	struct vkr_hint write_hint, access_hint;
};

// By offset, disjoint.
struct vkr_mappings {
	struct vkr_mapping *items;
	size_t count, capacity;
};

// A read that may have been made, of a whole range (judge_may_access.c).
struct vkr_may_read {
	uint64_t low, high;
	uint64_t reach; // the highest `high` of all up to this one
	uint32_t epoch;
};

struct vkr_deferred;

struct vkr_shadow {
	uint32_t memory; // number in races
	uint32_t serial; // never used twice: number in dependencies
	bool live, coherent;
	uint64_t bytes;
	size_t page_count;
	// Address space for all pages; only those of blocks in use have ever been written.
	struct vkr_page *pages;
	uint8_t *used;   // by block: 1 once a page of it was to be written
	size_t used_end; // after the last of these
	size_t table_bytes;
	struct vkr_ownership ownership;
	struct vkr_mappings mappings; // most have none
	struct {
		struct vkr_may_read *items; // by `low`
		size_t count, capacity;
	} possible;
	// Writes may be remembered beside what was accessed since the last write.
	bool beside_writes;
	struct vkr_deferred *deferred; // NULL: no reads wait (read_deferral.h)
	struct vkr_share share;
};

// Binary logarithm of the bytes of memory that a block covers.
#define VKR_BLOCK_SHIFT 21u

static inline size_t vkr_shadow_block_count(const struct vkr_shadow *shadow)
{
	return (size_t)(shadow->bytes >> VKR_BLOCK_SHIFT) + 1;
}

// The page of an offset, to be written in.
static inline struct vkr_page *vkr_shadow_page(struct vkr_shadow *shadow, uint64_t offset)
{
	const size_t block = (size_t)(offset >> VKR_BLOCK_SHIFT);
	shadow->used[block] = 1;
	shadow->used_end = block < shadow->used_end ? shadow->used_end : block + 1;
	return &shadow->pages[offset / VKR_PAGE_BYTES];
}

// The next page from *page on of a block in use, in *page; false where there is none.
bool vkr_shadow_next_page(const struct vkr_shadow *shadow, size_t *page);

// Bytes of the tables in use.
uint64_t vkr_shadow_table_bytes(const struct vkr_shadow *shadow);

enum vkr_result vkr_shadow_init(struct vkr_shadow *shadow, uint32_t memory, uint32_t serial,
				uint64_t bytes, bool coherent,
				struct vkr_error *error) VKR_MUST_USE;
void vkr_shadow_finish(struct vkr_shadow *shadow, struct vkr_pool *pool);

// Forgets all accesses, and keeps the nodes of pages for the next ones.
void vkr_shadow_wipe(struct vkr_shadow *shadow, struct vkr_pool *pool);
