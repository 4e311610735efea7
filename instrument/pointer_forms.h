// SPDX-License-Identifier: Apache-2.0
// Pointer types, variables and access chains, whether they say what they point to or not
// (SPV_KHR_untyped_pointers). An opaque value (an image, a sampler, an acceleration structure) is a
// handle to what a descriptor leads to: it counts as a pointer to that descriptor, and the load
// that it comes from as a copy of one. Knows SPIR-V's operands, not where pointers lead.
#pragma once

#include "spirv_module.h"

// A pointer made from another one. Ids.
struct vkr_chain {
	uint32_t base;
	uint32_t base_type;   // what the indices walk through; 0: what the base points to
	uint32_t element;     // index of a whole value of that, 0 none
	uint32_t first_index; // operand word of the first index
	// Of a raw access chain: `element` counts in units of raw_stride bytes, from byte
	// raw_offset on.
	uint32_t raw_stride, raw_offset;
	bool enters_buffer; // from its descriptor in a heap to its start
};

// False where the instruction is no access chain, and no copy of a pointer. OpSampledImage is none:
// it has two.
bool vkr_chain_read(const struct vkr_module *module, const struct vkr_instruction *in,
		    struct vkr_chain *chain);

// Images, sampled images, samplers and acceleration structures.
bool vkr_is_opaque_type(const struct vkr_module *module, uint32_t type);

bool vkr_is_pointer_type(const struct vkr_module *module, uint32_t type);

// The storage class of a pointer type, and what it points to: 0 where it does not say. Of an opaque
// type UniformConstant, and the type itself.
uint32_t vkr_pointer_class(const struct vkr_module *module, uint32_t pointer_type);
uint32_t vkr_pointer_pointee(const struct vkr_module *module, uint32_t pointer_type);

// Whether the instruction declares a variable, and the type of a variable's content; 0: it does not
// say.
bool vkr_is_variable(uint16_t opcode);
uint32_t vkr_variable_type(const struct vkr_module *module, uint32_t variable);

// The type of the data that is copied from one pointer to another: that of the pointer that has a
// type; 0: neither has one.
uint32_t vkr_copied_type(const struct vkr_module *module, uint32_t to, uint32_t from);
