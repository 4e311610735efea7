// SPDX-License-Identifier: Apache-2.0
// A parsed SPIR-V module: its instructions, ids, decorations, names and functions, by index.
// Knows SPIR-V's grammar, nothing of what the rewriter looks for.
#pragma once

#include "arena.h"
#include "opcode.h"
#include "spirv_stream.h"
#include "spirv_tools.h"
#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A decoration of one id, groups expanded. member is UINT32_MAX for the id itself.
struct vkr_decoration {
	uint32_t next; // index + 1 of the id's next one, 0 none
	uint32_t member;
	uint32_t decoration;
	const uint32_t *literals;
	uint32_t literal_count;
};

struct vkr_id {
	uint32_t instruction;  // index + 1 of the defining instruction, 0: not defined
	uint32_t decorations;  // index + 1 of the first, 0 none
	uint32_t name;         // index + 1 of the OpName instruction, 0 none
	uint32_t member_names; // index + 1 of the first OpMemberName, 0 none
};

// Instructions [first, end): OpFunction to OpFunctionEnd, both included.
struct vkr_function {
	uint32_t id;
	uint32_t first, end;
	uint32_t body; // index of the first OpLabel; `end` where the function is only declared
};

// Borrows the words; everything else lies in the arena.
struct vkr_module {
	const uint32_t *words;
	size_t word_count;
	uint32_t version; // of the header: 0x00010300 is SPIR-V 1.3
	uint32_t bound;
	struct vkr_instruction *instructions;
	size_t instruction_count;
	uint32_t *uses; // word offsets of id operands, instruction by instruction
	size_t use_count;
	struct vkr_id *ids; // `bound` of them
	struct vkr_decoration *decorations;
	size_t decoration_count;
	struct vkr_function *functions;
	size_t function_count;
	uint32_t first_global;   // index of the first instruction after the annotations
	uint32_t first_function; // index of the first OpFunction
	uint32_t memory_model;   // index of OpMemoryModel
};

// Reads a module that the validator has accepted.
enum vkr_result vkr_module_read(struct vkr_module *module, struct vkr_arena *arena,
				const uint32_t *words, size_t word_count, uint32_t environment,
				struct vkr_error *error) VKR_MUST_USE;

// The instruction that defines the id.
const struct vkr_instruction *vkr_module_definition(const struct vkr_module *module, uint32_t id);

// The operand word `index` after the instruction's first word.
uint32_t vkr_module_word(const struct vkr_module *module, const struct vkr_instruction *in,
			 uint32_t index);

// Whether a load's or store's memory operands, from this word on, change nothing that other
// invocations see: there are none, or they say how the access is aligned or cached.
bool vkr_module_is_plain(const struct vkr_module *module, const struct vkr_instruction *in,
			 uint32_t operands);

// The operand words from `index` on hold a NUL-terminated string.
const char *vkr_module_string(const struct vkr_module *module, const struct vkr_instruction *in,
			      uint32_t index);

// The id's OpName, or its member's OpMemberName; "" where there is none.
const char *vkr_module_name(const struct vkr_module *module, uint32_t id);
const char *vkr_module_member_name(const struct vkr_module *module, uint32_t id, uint32_t member);

// The first literal of a decoration in *literal (which may be NULL; untouched where the decoration
// has none); false where the id, or its member, is not so decorated. VKR_NO_MEMBER is the id
// itself.
#define VKR_NO_MEMBER UINT32_MAX
bool vkr_module_decorated(const struct vkr_module *module, uint32_t id, uint32_t member,
			  SpvDecoration decoration, uint32_t *literal);

bool vkr_module_capability(const struct vkr_module *module, SpvCapability capability);

// The function with this id, or NULL.
const struct vkr_function *vkr_module_function(const struct vkr_module *module, uint32_t id);

// The function that an OpFunctionCall calls: its index in module->functions.
uint32_t vkr_module_callee(const struct vkr_module *module, const struct vkr_instruction *call);
