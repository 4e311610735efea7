// SPDX-License-Identifier: Apache-2.0
// Sparse, immutable sets of events: which events of which agents happen-before something. Knows
// agents as numbers and their events as positions; not what the events were.
#pragma once

#include "arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How an entry stands for events of its agent.
enum vkr_clock_kind {
	VKR_CLOCK_ALL,       // every event up to the position
	VKR_CLOCK_QUALIFIED, // up to the position, those that the set of storage classes covers
	VKR_CLOCK_ACQUIRED,  // up to the position, acquires that have the whole set in their
			     // semantics
	VKR_CLOCK_SINGLE,    // the one event at the position
	VKR_CLOCK_GROUP,     // every event of every agent of the group that begins with this agent
	VKR_CLOCK_KINDS,
};

// A persistent treap: nodes are ordered by (agent, kind), SINGLE entries also by position, with a
// hash of that as heap order, so that one set of entries has one shape. Clocks that differ little
// share all nodes except the paths to the differences: a lock that a million invocations pass on
// costs a few nodes each, not a million. Nodes live as long as their arena. NULL is the empty
// clock.
struct vkr_clock {
	const struct vkr_clock *less, *greater;
	uint64_t key; // agent * VKR_CLOCK_KINDS + kind
	uint64_t position;
};

// The clock's entry of that agent and kind, of SINGLE the one at that position; or NULL.
const struct vkr_clock *vkr_clock_find(const struct vkr_clock *clock, uint64_t agent,
				       enum vkr_clock_kind kind, uint64_t position);

// Sets of storage classes are masks 1 to 15 of four classes (Vulkan specification, "Memory
// Semantics"). Inter-thread-happens-before<SC> needs every one of them, not only the single classes
// and the pairs: a chain that passes through accesses of three classes by way of
// system-synchronizes-with holds only for an SC with all three. Set 0 is what is reached by
// system-synchronizes-with alone.
#define VKR_CLOCK_SETS 16

// Bits of sets: the choice of clocks in a view.
#define VKR_SETS_ALL    UINT16_C(0xffff)
#define VKR_SETS_THREAD UINT16_C(0xfffe) // all but set 0

// The sets that `semantics` has all of: SC is a subset of it, and not empty.
uint16_t vkr_sets_within(unsigned semantics);

// The sets that hold the storage class (one bit, or none: then no set).
uint16_t vkr_sets_with(unsigned storage_class);

// One clock a set of storage classes; NULL is the empty view. Immutable, shared like clocks, and
// equal clocks share memory.
struct vkr_vector_clock {
	const struct vkr_clock *clocks[VKR_CLOCK_SETS];
};

// Where memory ran out, `failed` is set for good and results are meaningless.
struct vkr_clock_arena {
	struct vkr_arena arena;
	bool failed;
};

// left, and of right the clocks in `sets`. Returns left where that adds nothing.
const struct vkr_vector_clock *vkr_vector_clock_join(struct vkr_clock_arena *memory,
						     const struct vkr_vector_clock *left,
						     const struct vkr_vector_clock *right,
						     uint16_t sets);

// view, and in the clocks of `sets` one more entry.
const struct vkr_vector_clock *vkr_vector_clock_add(struct vkr_clock_arena *memory,
						    const struct vkr_vector_clock *vector,
						    uint64_t agent, enum vkr_clock_kind kind,
						    uint64_t position, uint16_t sets);
