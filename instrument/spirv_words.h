// SPDX-License-Identifier: Apache-2.0
// Writing SPIR-V: growable words, and types and constants that are made once.
// Knows nothing of what the code written is for.
#pragma once

#include "spirv_module.h"

// A failed allocation sticks: `failed` is looked at once, at the end.
struct vkr_spirv_words {
	uint32_t *items;
	size_t count, capacity;
	bool failed;
};

void vkr_spirv_words_raw(struct vkr_spirv_words *words, const uint32_t *items, size_t count);
void vkr_spirv_words_put(struct vkr_spirv_words *words, SpvOp opcode, const uint32_t *operands,
			 size_t count);
// An instruction whose last operand is a string.
void vkr_spirv_words_put_string(struct vkr_spirv_words *words, SpvOp opcode,
				const uint32_t *operands, size_t count, const char *text);
#define VKR_PUT(words, opcode, ...)                                                                \
	vkr_spirv_words_put(words, opcode, (const uint32_t[]){__VA_ARGS__},                        \
			    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

// New definitions for a module: found in the module, or made once and put into `globals`.
struct vkr_maker {
	const struct vkr_module *module;
	uint32_t next_id;
	uint32_t uint_type; // stands in front of every other global
	bool makes_uint;    // the module has none
	struct vkr_spirv_words globals;
	struct vkr_spirv_words annotations;
};

void vkr_maker_init(struct vkr_maker *maker, const struct vkr_module *module);
void vkr_maker_finish(struct vkr_maker *maker);
uint32_t vkr_maker_id(struct vkr_maker *maker);

// A type that may exist only once: the opcode with these operands (after the result id).
uint32_t vkr_maker_type(struct vkr_maker *maker, SpvOp opcode, const uint32_t *operands,
			size_t count);
uint32_t vkr_maker_vector(struct vkr_maker *maker, uint32_t component, uint32_t count);
uint32_t vkr_maker_pointer(struct vkr_maker *maker, SpvStorageClass storage_class, uint32_t type);
uint32_t vkr_maker_variable(struct vkr_maker *maker, SpvStorageClass storage_class, uint32_t type,
			    uint32_t initializer);

// A 32-bit unsigned constant.
uint32_t vkr_maker_uint(struct vkr_maker *maker, uint32_t value);
// A constant of any integer type.
uint32_t vkr_maker_integer(struct vkr_maker *maker, uint32_t type, uint64_t value);

// Puts an instruction of one operand, or two, after its result's type; its result.
uint32_t vkr_maker_unary(struct vkr_maker *maker, struct vkr_spirv_words *code, SpvOp opcode,
			 uint32_t type, uint32_t a);
uint32_t vkr_maker_binary(struct vkr_maker *maker, struct vkr_spirv_words *code, SpvOp opcode,
			  uint32_t type, uint32_t a, uint32_t b);
