// SPDX-License-Identifier: Apache-2.0
// How a shader finds the addresses of its block and cell: members added to its push constants, or a
// uniform buffer. Knows the program's push-constant block, not what the address is for.
#pragma once

#include "log_code.h"

struct vkr_push_block {
	struct vkr_block_source source;
	uint32_t variable;      // the program's own push-constant variable, 0 none
	uint32_t structure;     // its type
	uint32_t new_structure; // the same with the place's members
	uint32_t member_count;  // of `structure`
	uint32_t new_pointer;
	bool is_moved;    // with descriptor heaps: the program's push data are in memory
	uint32_t untyped; // its pointer type where that has no type, else 0
	struct vkr_spirv_words definition; // stands in place of the OpVariable
};

// Chooses and makes the variable. VKR_ERROR_UNSUPPORTED where the program's push constants reach
// into the place, or are used in a way that does not let them grow.
enum vkr_result vkr_block_source_make(struct vkr_push_block *push, struct vkr_maker *maker,
				      const struct vkr_analysis *analysis,
				      struct vkr_error *error) VKR_MUST_USE;
void vkr_block_source_finish(struct vkr_push_block *push);

// Appends a global instruction as it has to be where push data are in memory. False where it is as
// it was: nothing is appended.
bool vkr_block_source_global(const struct vkr_push_block *push, const struct vkr_module *module,
			     const struct vkr_instruction *in, struct vkr_spirv_words *out);

// Replaces the load of the whole push-constant block by a load of the enlarged block, and extracts
// the program's members; for a variable without a type, by a load of that value at its start.
void vkr_block_source_load(const struct vkr_push_block *push, struct vkr_maker *maker,
			   const struct vkr_instruction *load, struct vkr_spirv_words *code);
