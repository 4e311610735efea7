// SPDX-License-Identifier: Apache-2.0
#include "log_uniforms.h"

#include "log_build.h"

#include <stdlib.h>

#define BLOCK_UNIFORMS VKR_WORD_OF(vkr_gpu_block, uniforms)

// Loads what all invocations load alike.
static uint32_t load_uniform(struct vkr_log_code *code, const struct vkr_uniform_draft *draft)
{
	const uint32_t pointer = vkr_maker_id(code->maker);
	struct vkr_spirv_words operands = {0};
	vkr_spirv_words_raw(&operands,
			    (const uint32_t[]){draft->pointer_type, pointer, draft->variable}, 3);
	for (uint32_t at = 0; at < draft->index_count; at++) {
		const uint32_t index = draft->chooser && draft->indices[at] == draft->chooser
					       ? vkr_build_number(code, draft->element)
					       : draft->indices[at];
		vkr_spirv_words_raw(&operands, &index, 1);
	}
	vkr_spirv_words_put(&code->functions, SpvOpAccessChain, operands.items, operands.count);
	code->functions.failed |= operands.failed;
	free(operands.items);
	return vkr_build_load(code, draft->type, pointer);
}

// A component of a loaded value as a word.
static uint32_t word_of(struct vkr_log_code *code, const struct vkr_uniform_draft *draft,
			uint32_t value, uint32_t component)
{
	const struct vkr_module *module = code->analysis->module;
	const struct vkr_instruction *type = vkr_module_definition(module, draft->type);
	uint32_t of = draft->type, word = value;
	if (type->opcode == SpvOpTypeVector) {
		of = vkr_module_word(module, type, 2);
		word = vkr_maker_id(code->maker);
		VKR_PUT(&code->functions, SpvOpCompositeExtract, of, word, value, component);
	}
	return of == code->maker->uint_type
		       ? word
		       : vkr_build_unary(code, SpvOpBitcast, code->maker->uint_type, word);
}

void vkr_log_uniforms_tell(struct vkr_log_code *code, uint32_t block, uint32_t invocation)
{
	const struct vkr_analysis *analysis = code->analysis;
	const uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	const uint32_t place = vkr_build_load_word(code, block, BLOCK_UNIFORMS);
	const uint32_t teller = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, u, teller, vkr_build_place_at(code, block, place),
		SpvMemoryAccessAlignedMask, 4);
	const uint32_t is_told =
		vkr_build_binary(code, SpvOpINotEqual, boolean, place, vkr_build_number(code, 0));
	const uint32_t is_self = vkr_build_binary(code, SpvOpIEqual, boolean, invocation, teller);
	const uint32_t merge = vkr_build_open_if(
		code, vkr_build_binary(code, SpvOpLogicalAnd, boolean, is_told, is_self));
	for (uint32_t i = 0; i < analysis->uniform_count; i++) {
		const struct vkr_uniform_draft *draft = &analysis->uniforms[i];
		const uint32_t value = load_uniform(code, draft);
		for (uint32_t c = 0; c < draft->words; c++) {
			const uint32_t at =
				vkr_build_binary(code, SpvOpIAdd, u, place,
						 vkr_build_number(code, 1 + draft->first + c));
			VKR_PUT(&code->functions, SpvOpStore, vkr_build_place_at(code, block, at),
				word_of(code, draft, value, c), SpvMemoryAccessAlignedMask, 4);
		}
	}
	vkr_build_close_if(code, merge);
}
