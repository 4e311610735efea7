// SPDX-License-Identifier: Apache-2.0
// SPIRV-Tools' parser and names (spirv_validity.h has its validator).
// Knows nothing of modules beyond single instructions.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The set of an OpExtInst.
enum vkr_ext_set {
	VKR_EXT_NONE,
	VKR_EXT_GLSL_STD_450,
	VKR_EXT_SHADER_DEBUG_INFO, // NonSemantic.Shader.DebugInfo.100
	VKR_EXT_OTHER,
};

struct vkr_instruction {
	uint32_t at; // first word in the module
	uint16_t opcode;
	uint16_t length;    // words
	uint32_t type;      // result type id, 0 none
	uint32_t result;    // result id, 0 none
	uint32_t first_use; // in vkr_parsed.uses
	uint16_t use_count; // operands that are ids, without type and result
	uint16_t ext_set;   // enum vkr_ext_set
};

// An operand that is the id of a scope or of memory semantics.
struct vkr_scope_use {
	uint32_t at; // word in the module
	bool is_semantics;
};

// What parsing finds, to be released with vkr_parsed_finish.
struct vkr_parsed {
	uint32_t version, bound;
	struct {
		struct vkr_instruction *items;
		size_t count, capacity;
	} instructions;
	struct {
		uint32_t *items; // word offsets of id operands, instruction by instruction
		size_t count, capacity;
	} uses;
	struct {
		struct vkr_scope_use *items;
		size_t count, capacity;
	} scopes;
	uint32_t words; // read so far
};

enum vkr_result vkr_spirv_parse(const uint32_t *words, size_t word_count, uint32_t environment,
				struct vkr_parsed *parsed, struct vkr_error *error) VKR_MUST_USE;

void vkr_parsed_finish(struct vkr_parsed *parsed);

// The validator's environment for a Vulkan version, VK_MAKE_API_VERSION's bits.
uint32_t vkr_spirv_environment(uint32_t api_version);

// The opcode's name without "Op".
const char *vkr_spirv_opcode_name(uint16_t opcode);
