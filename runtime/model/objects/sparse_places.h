// SPDX-License-Identifier: Apache-2.0
// What memory is bound behind which bytes of sparse resources now. Knows ranges; not what binds
// them, nor when.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of a resource with memory behind them.
struct vkr_sparse_place {
	uint64_t resource; // the caller's number
	uint64_t low, high;
	uint64_t memory; // the caller's number, 0: none
	uint64_t memory_low;
	bool mapped; // who accesses these bytes is known to access the memory
	// Not 0: which bytes those are is known only among resources of the same number, bound to
	// the same place.
	uint64_t shape;
};

struct vkr_sparse_places {
	struct {
		struct vkr_sparse_place *items; // by resource, then by offset; disjoint
		size_t count, capacity;
	} of_resources;
	struct {
		struct vkr_sparse_place *items; // the same by memory, then by offset there
		size_t count, capacity;
	} of_memory;
	uint64_t widest; // of all: none that begins further back in the memory reaches a byte
};

void vkr_sparse_places_finish(struct vkr_sparse_places *places);

// Binds the place, and unbinds what was bound to these bytes before. *shared: the memory is bound
// to another resource, too, and one of the two is not mapped, or has another shape. False for lack
// of memory.
bool vkr_sparse_places_bind(struct vkr_sparse_places *places, const struct vkr_sparse_place *place,
			    bool *shared);
