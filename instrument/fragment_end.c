// SPDX-License-Identifier: Apache-2.0
#include "fragment_end.h"

#include "log_build.h"

#define ALL_SAMPLES UINT32_MAX

static bool may_stop(const struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	for (size_t f = 0; f < module->function_count; f++)
		for (uint32_t i = module->functions[f].first;
		     analysis->reached[f] && i < module->functions[f].end; i++) {
			const uint16_t opcode = module->instructions[i].opcode;
			if (opcode == SpvOpKill || opcode == SpvOpTerminateInvocation ||
			    opcode == SpvOpDemoteToHelperInvocation)
				return true;
		}
	return false;
}

bool vkr_fragment_end_told(const struct vkr_analysis *analysis)
{
	return analysis->options->asks && analysis->identity & VKR_IDENTITY_FRAGMENT &&
	       (analysis->options->asks_samples || may_stop(analysis) ||
		vkr_sample_mask_find(analysis));
}

void vkr_fragment_end_make(struct vkr_log_code *code)
{
	struct vkr_maker *maker = code->maker;
	code->finish = vkr_maker_id(maker);
	code->leaves = vkr_sample_mask_find(code->analysis);
	if (!code->analysis->options->asks_samples)
		return;
	code->covered = vkr_identity_variable(&code->inputs, VKR_IDENTITY_COVERAGE);
	if (!code->covered)
		code->covered = vkr_input_make(&code->inputs, SpvBuiltInSampleMask, VKR_INPUT_MASK);
}

// The first word of the sample mask that the shader leaves: 32 samples.
static uint32_t load_left(struct vkr_log_code *code)
{
	struct vkr_maker *maker = code->maker;
	uint32_t type = vkr_sample_mask_type(maker->module, code->leaves);
	uint32_t pointer = vkr_build_binary(code, SpvOpAccessChain,
					    vkr_maker_pointer(maker, SpvStorageClassOutput, type),
					    code->leaves, vkr_build_number(code, 0));
	uint32_t value = vkr_build_load(code, type, pointer);
	return type == maker->uint_type
		       ? value
		       : vkr_build_unary(code, SpvOpBitcast, maker->uint_type, value);
}

// A fragment that was demoted, or lost its log, does not come to the store.
void vkr_fragment_end_write(struct vkr_log_code *code)
{
	struct vkr_maker *maker = code->maker;
	uint32_t u = maker->uint_type, boolean = code->types.bool_type;
	vkr_build_open_function(code, code->finish, 0);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(maker));
	const bool shares = code->analysis->shares;
	uint32_t first = vkr_build_load(code, u, shares ? code->sharing.told : code->first);
	uint32_t has_chunk =
		vkr_build_binary(code, SpvOpINotEqual, boolean, first, vkr_build_number(code, 0));
	uint32_t merge =
		vkr_build_open_if(code, vkr_build_binary(code, SpvOpLogicalAnd, boolean, has_chunk,
							 vkr_build_alive(code)));
	uint32_t mask = vkr_build_number(code, ALL_SAMPLES);
	if (code->covered)
		mask = vkr_build_load_input(code, code->covered, VKR_INPUT_MASK);
	if (code->leaves)
		mask = vkr_build_binary(code, SpvOpBitwiseAnd, u, mask, load_left(code));
	uint32_t word = VKR_CHUNK_HEADER_WORDS;
	for (uint32_t low = 1; low < VKR_IDENTITY_END; low <<= 1)
		if (code->analysis->identity & low)
			word += vkr_identity_words((enum vkr_identity)low);
	uint32_t at =
		shares ? vkr_build_word_at(code, vkr_build_log_origin(code), first)
		       : vkr_build_log_at(code, vkr_build_binary(code, SpvOpIAdd, u, first,
								 vkr_build_number(code, word)));
	VKR_PUT(&code->functions, SpvOpStore, at, mask, SpvMemoryAccessAlignedMask, 4);
	vkr_build_close_if(code, merge);
	vkr_build_close_function(code);
}
