// SPDX-License-Identifier: Apache-2.0
// Which bytes of a memory are judged where the engine judges one part of all memory (shard.h), and
// in which of them accesses conflicted. Knows offsets; nothing of what is remembered of them.
//
// Bytes get their part when a resource is bound to them, or else when they are first accessed: each
// resource is cut into as many slices as there are parts, so that what a workgroup accesses is most
// often of one part. All parts see the same bindings and ranges, and so agree.
#pragma once

#include "map.h"
#include "shard.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_share_range {
	uint64_t low, high;
};

// By offset, disjoint and apart.
struct vkr_share_ranges {
	struct vkr_share_range *items;
	size_t count, capacity;
};

struct vkr_share {
	bool divided; // false: all of it is judged
	// What is judged; what has its part; what all parts judge.
	struct vkr_share_ranges own, placed, common;
	size_t hint;          // index in `own` that was last found
	struct vkr_map noted; // pages in which accesses conflicted
	uint64_t last_noted;  // 1 + the last such page
};

// The share of a new memory with this many bytes. False for lack of memory, like the next ones.
bool vkr_share_init(struct vkr_share *share, const struct vkr_shard *shard, uint32_t serial,
		    uint64_t bytes);
void vkr_share_finish(struct vkr_share *share);

// Bytes of [low, high) that have no part get one. *next: the part that comes next; where `next` is
// NULL, they are of all parts.
bool vkr_share_place(struct vkr_share *share, const struct vkr_shard *shard, uint64_t low,
		     uint64_t high, uint32_t *next);

// The first stretch of [*low, high) that is judged, in *low and *end; false where there is none.
bool vkr_share_next(struct vkr_share *share, uint64_t *low, uint64_t high, uint64_t *end);

// Whether all parts judge [low, high), and the last judge of all does not.
bool vkr_share_is_common(const struct vkr_share *share, uint64_t low, uint64_t high);

static inline bool vkr_share_has(struct vkr_share *share, uint64_t low, uint64_t high)
{
	uint64_t end, at = low;
	return vkr_share_next(share, &at, high, &end) && at == low && end == high;
}

// Accesses conflicted in [low, high).
bool vkr_share_note(struct vkr_share *share, struct vkr_shard *shard, uint32_t serial, uint64_t low,
		    uint64_t high);
// What is remembered of [low, high) is asked for.
bool vkr_share_want(struct vkr_share *share, struct vkr_shard *shard, uint32_t serial, uint64_t low,
		    uint64_t high);
