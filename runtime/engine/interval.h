// SPDX-License-Identifier: Apache-2.0
// Order inside one dispatch: which control barriers the current workgroup has passed, and what they
// order. Knows nothing of commands and shadow memory.
//
// A barrier interval is the stretch between two control barriers; barrier n stands between the
// intervals n - 1 and n. Only workgroup-mates are ordered by control barriers, and workgroups are
// fed one by one, so that one such history is enough.
#pragma once

#include "engine.h"

#define VKR_CLASS_COUNT 4u

// The part of an access that matters to its order within a dispatch.
struct vkr_interval_access {
	uint32_t flags; // enum vkr_engine_site_flags
	uint32_t bytes;
	uint32_t reference;
	uint32_t interval;
	uint8_t storage_class, scope;
};

// Barrier numbers, 0 for none. An access in interval i stands before barrier n when n > i.
struct vkr_intervals {
	uint32_t current;                    // interval: barriers passed
	uint32_t ordered[VKR_CLASS_COUNT];   // last one that orders this class
	uint32_t available[VKR_CLASS_COUNT]; // last one that also makes it available
	uint32_t visible[VKR_CLASS_COUNT];   // last one that also makes it visible
	uint32_t seen[VKR_CLASS_COUNT];      // the last available one as of the last visible one
};

enum vkr_relation {
	VKR_SAME_INVOCATION,
	VKR_SAME_SUBGROUP,  // or it may be
	VKR_SAME_WORKGROUP, // of another subgroup
	VKR_OTHER_WORKGROUP,
	VKR_OTHER_COMMAND, // same queue family instance
	VKR_OTHER_FAMILY,
};

void vkr_intervals_begin(struct vkr_intervals *intervals);
void vkr_intervals_barrier(struct vkr_intervals *intervals,
			   const struct vkr_engine_barrier *barrier);

// Whether accesses of this class in an earlier interval happen-before those of now.
bool vkr_intervals_ordered(const struct vkr_intervals *intervals, uint8_t storage_class,
			   uint32_t interval);

// Whether writes of this class in an earlier interval have been made available since.
bool vkr_intervals_available(const struct vkr_intervals *intervals, uint8_t storage_class,
			     uint32_t interval);

// Whether atomics of this class in an earlier interval, of any scope, are ordered before all that
// workgroup-mates do now, be it a plain read.
bool vkr_intervals_settled(const struct vkr_intervals *intervals, uint8_t storage_class,
			   uint32_t interval);

// Whether two accesses are atomics that are ordered mutually; *shortfall where they are atomics but
// not.
bool vkr_atomics_mutual(const struct vkr_interval_access *x, const struct vkr_interval_access *y,
			enum vkr_relation relation, uint32_t *shortfall);

// Whether x, fed earlier, and y of the current workgroup race. At least one writes; both are in one
// dispatch.
enum vkr_race_class vkr_intervals_verdict(const struct vkr_intervals *intervals,
					  const struct vkr_interval_access *x,
					  const struct vkr_interval_access *y,
					  enum vkr_relation relation, uint32_t *shortfall);
