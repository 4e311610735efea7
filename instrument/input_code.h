// SPDX-License-Identifier: Apache-2.0
// Input variables of an entry point: its own or new ones, and who an invocation says it is.
// Knows builtins of stages, not where their values go.
#pragma once

#include "analysis.h"
#include "spirv_words.h"

// A builtin's value as the shader sees it.
enum vkr_input_type {
	VKR_INPUT_UINT, // a 32-bit integer of either signedness
	VKR_INPUT_UVEC3,
	VKR_INPUT_BOOL,
	VKR_INPUT_VEC3,
	VKR_INPUT_VEC4,
	VKR_INPUT_MASK, // SampleMask, an array of 32-bit integers: the first
};

#define VKR_INPUTS_MOST 14u

struct vkr_inputs {
	struct vkr_maker *maker;
	const struct vkr_analysis *analysis;
	uint32_t items[VKR_INPUTS_MOST]; // variables in use: the interface must list them
	uint32_t count;
	uint32_t identity[VKR_IDENTITY_BITS]; // variables by bit, 0 none
	uint32_t subgroup;                    // SubgroupId's variable, 0 none
};

// The entry point's Input variable with this builtin. If the interface lists none, a variable that
// no interface lists is used. 0 if there is none.
uint32_t vkr_input_find(const struct vkr_analysis *analysis, SpvBuiltIn builtin,
			enum vkr_input_type type);

// As vkr_input_find, but makes the input if it is missing, and notes that it is used.
uint32_t vkr_input_make(struct vkr_inputs *inputs, SpvBuiltIn builtin, enum vkr_input_type type);

// Its value, integers as unsigned ones.
uint32_t vkr_input_load(const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
			uint32_t variable, enum vkr_input_type type);

// The entry point's sample mask as output; 0: it has none.
uint32_t vkr_sample_mask_find(const struct vkr_analysis *analysis);

// The type of its words.
uint32_t vkr_sample_mask_type(const struct vkr_module *module, uint32_t variable);

// The identity that invocations of the stage can log: parts that are always available, and parts
// that the entry point's interface has, so that reading them needs no capability and changes
// nothing. 0 for stages on a grid.
uint32_t vkr_identity_of(const struct vkr_analysis *analysis);

// Makes the variables of analysis->identity.
void vkr_identity_make(struct vkr_inputs *inputs);

// Where the fragment stands, in whole pixels: the id of the word of one axis, 0 or 1. Fragment
// shaders only, after vkr_identity_make.
uint32_t vkr_fragment_position(const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
			       uint32_t axis);

// The variable of one bit; 0 where the identity has it not.
uint32_t vkr_identity_variable(const struct vkr_inputs *inputs, enum vkr_identity wanted);

// Loads them, and appends the ids of vkr_identity_total words to `words`. `number`: the value of
// VKR_IDENTITY_NUMBER, which no variable has.
void vkr_identity_load(const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
		       uint32_t number, struct vkr_spirv_words *words);
