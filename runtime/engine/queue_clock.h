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
	uint64_t readers;   // of what is visible: the types of accesses that see it; else all
	uint64_t low, high; // 0 and UINT64_MAX where memory is 0
};

// Spans with a range; clocks share them.
struct vkr_span_chunk {
	uint32_t references, count;
	uint64_t high;              // no span ends after it
	uint64_t behind;            // the highest one
	uint64_t stages;            // of any span
	uint64_t accesses, readers; // of every span
	struct vkr_queue_span spans[];
};

struct vkr_queue_clock {
	uint32_t references;
	uint32_t count;        // of `span`
	uint64_t range_stages; // of spans with a range
	// Those with a range, ascending by everything but the position: programs name thousands.
	struct {
		struct vkr_span_chunk **items;
		size_t count, capacity;
	} chunks;
	struct vkr_queue_span span[]; // those without one
};

// A part of a clock: what it holds in [low, high) of the memory (0: all of it), for these readers.
struct vkr_clock_part {
	uint32_t memory;
	uint64_t low, high;
	uint64_t readers;
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

// The union of a set with another one, which was `since` when the first one took it in (NULL: it
// never has): costs what has changed since then.
enum vkr_result vkr_queue_clock_join_since(struct vkr_queue_clock *a, struct vkr_queue_clock *b,
					   const struct vkr_queue_clock *since,
					   struct vkr_queue_clock **result,
					   struct vkr_error *error) VKR_MUST_USE;

// The set with some stretches more, which it sorts.
enum vkr_result vkr_queue_clock_extend(struct vkr_queue_clock *clock, struct vkr_queue_span *spans,
				       size_t count, struct vkr_queue_clock **result,
				       struct vkr_error *error) VKR_MUST_USE;

// The union of a set with a part of another one.
enum vkr_result vkr_queue_clock_join_part(struct vkr_queue_clock *clock,
					  struct vkr_queue_clock *from,
					  const struct vkr_clock_part *part,
					  struct vkr_queue_clock **result,
					  struct vkr_error *error) VKR_MUST_USE;

// An access at a position, of one stage and type.
struct vkr_queue_point {
	uint32_t timeline;
	uint64_t position, stage, access;
};

// Whether the set holds an access at place->offset, for one of the readers; narrows place->low and
// place->high to where the answer is the same.
bool vkr_queue_clock_has(const struct vkr_queue_clock *clock, const struct vkr_queue_point *point,
			 uint64_t readers, struct vkr_verdict_range *place);

bool vkr_queue_clock_equal(const struct vkr_queue_clock *a, const struct vkr_queue_clock *b);

// A place in the order of a clock's spans; zero: before the first.
struct vkr_span_cursor {
	uint32_t span;
	size_t chunk; // 1 + its index; 0: among those without a range
};

// The next span, or NULL after the last.
const struct vkr_queue_span *vkr_queue_clock_next(const struct vkr_queue_clock *clock,
						  struct vkr_span_cursor *cursor);
