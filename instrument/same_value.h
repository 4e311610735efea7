// SPDX-License-Identifier: Apache-2.0
// Whether two ids have the same value wherever both are defined, as far as their computation shows.
// Knows expressions, not what they are for.
#pragma once

#include "arena.h"
#include "spirv_module.h"

struct vkr_values {
	const struct vkr_module *module;
	bool *is_plain; // by id: a variable of a function, only loaded and stored as a whole
	// By id: the id whose value it has by copying, or by loading what was stored right before;
	// and, of loads, 1 + the index of their block's label.
	uint32_t *sources, *blocks;
};

// False for lack of memory.
bool vkr_values_init(struct vkr_values *values, const struct vkr_module *module,
		     struct vkr_arena *arena);

// True only where it is certain.
bool vkr_same_value(const struct vkr_values *values, uint32_t a, uint32_t b);

// The id whose value this one has by copying, or by loading what was stored right before.
uint32_t vkr_value_source(const struct vkr_values *values, uint32_t id);
