// SPDX-License-Identifier: Apache-2.0
// The values of a module's integer and 32-bit float constants, specialization applied.
// Knows no type but what a constant's value needs.
#pragma once

#include "instrument.h"
#include "spirv_module.h"

struct vkr_constants {
	const struct vkr_module *module;
	const struct vkr_specialization *specializations;
	size_t specialization_count;
};

// The value of an integer or boolean constant, signed ones sign-extended to 64 bits, or the bits of
// a 32-bit float; false where the id is no such constant or its operation is not known here.
bool vkr_constant_value(const struct vkr_constants *constants, uint32_t id, uint64_t *value);

// The value of one component of a composite constant.
bool vkr_constant_component(const struct vkr_constants *constants, uint32_t id, uint32_t component,
			    uint64_t *value);

// The result of an operation on two integers of `width` bits, to be cut to the width of its type;
// false if the operation is unknown here, or the result undefined.
bool vkr_constant_operation(SpvOp operation, unsigned width, uint64_t a, uint64_t b,
			    uint64_t *value);
