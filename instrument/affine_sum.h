// SPDX-License-Identifier: Apache-2.0
// Values that follow from which invocation of a dispatch it is: sums of multiples of the components
// of WorkgroupId and LocalInvocationId. Knows how they are computed, not what they are for.
#pragma once

#include "spirv_types.h"

#include "arena.h"

// All modulo 2^32.
struct vkr_affine_sum {
	uint32_t constant;
	uint32_t by_group[3], by_local[3]; // factors of the components
};

struct vkr_affine_values {
	const struct vkr_module *module;
	const struct vkr_constants *constants;
	const uint32_t *workgroup_size; // of 3
	// By id: of a variable of a function that is written once, as a whole, the id of the value.
	uint32_t *written;
};

// False for lack of memory.
bool vkr_affine_values_init(struct vkr_affine_values *values, const struct vkr_module *module,
			    const struct vkr_constants *constants, const uint32_t *workgroup_size,
			    struct vkr_arena *arena);

// Adds `factor` times the value where it is such a one; else false, and *sum is as it was.
bool vkr_affine_sum_add(const struct vkr_affine_values *values, uint32_t id, uint32_t factor,
			struct vkr_affine_sum *sum);
