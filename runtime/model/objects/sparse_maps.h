// SPDX-License-Identifier: Apache-2.0
// Which bytes of a sparse resource's stand-in memory a binding gives which memory. Knows one
// binding at a time; not what was bound before.
#pragma once

#include "model_state.h"

// Ascending, the caller's: released with free().
struct vkr_sparse_parts {
	struct vkr_mapping *items;
	size_t count, capacity;
};

// The parts of *stand_in that the binding maps: none if it is unknown which bytes those are
// (metadata), or if the resource is destroyed. False for lack of memory.
bool vkr_sparse_parts(const struct vkr_model *model, const struct vkr_trace_sparse_bind *bind,
		      uint32_t *stand_in, struct vkr_sparse_parts *parts);
