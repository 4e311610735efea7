// SPDX-License-Identifier: Apache-2.0
// Immutable, shared sets of accesses: "all that timeline 2 did in these stages up to position 7".
// Does not know what a set is used for: order, availability, visibility.
//
// The first scope of most dependencies is a prefix of submission order (Vulkan specification,
// "Synchronization and Cache Control", "Synchronization Scopes"); that of others is one interval of
// it (VkSubpassDependency). So a set is a short list of spans, however many commands it covers. The
// empty set is NULL.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A part of one timeline: the accesses of these types and stages at positions in (behind, position]
// and, if memory is not 0, in its bytes [low, high).
struct vkr_queue_span {
	uint32_t timeline, memory;
	uint64_t behind, position; // after 0: a prefix
	uint64_t stages, accesses;
	uint64_t low, high; // 0 and UINT64_MAX where memory is 0
};

struct vkr_queue_clock {
	uint32_t references;
	uint32_t count;
	uint32_t everywhere;          // how many of them, at the front, have memory 0
	struct vkr_queue_span span[]; // the others ascending by everything but the position
};

// A byte of memory, and the range around it for which an answer holds.
struct vkr_verdict_range {
	uint32_t memory;
	bool by_memory; // the answer may be another one for other memory
	uint64_t offset, low, high;
};

struct vkr_queue_clock *vkr_queue_clock_hold(struct vkr_queue_clock *clock);
void vkr_queue_clock_drop(struct vkr_queue_clock *clock);

// The union of two sets in *result, a new reference (often to one of the two).
enum vkr_result vkr_queue_clock_join(struct vkr_queue_clock *a, struct vkr_queue_clock *b,
				     struct vkr_queue_clock **result,
				     struct vkr_error *error) VKR_MUST_USE;

// The set with some stretches more, which it sorts.
enum vkr_result vkr_queue_clock_extend(struct vkr_queue_clock *clock, struct vkr_queue_span *spans,
				       size_t count, struct vkr_queue_clock **result,
				       struct vkr_error *error) VKR_MUST_USE;

// The part of the set that lies within [low, high) of the memory.
enum vkr_result vkr_queue_clock_restrict(const struct vkr_queue_clock *clock, uint32_t memory,
					 uint64_t low, uint64_t high,
					 struct vkr_queue_clock **result,
					 struct vkr_error *error) VKR_MUST_USE;

// Whether an access at a position, of one stage and access bit, is in the set at place->offset;
// narrows place->low and place->high to where the answer is the same.
bool vkr_queue_clock_has(const struct vkr_queue_clock *clock, uint32_t timeline, uint64_t position,
			 uint64_t stage, uint64_t access, struct vkr_verdict_range *place);

bool vkr_queue_clock_equal(const struct vkr_queue_clock *a, const struct vkr_queue_clock *b);
