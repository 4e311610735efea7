// SPDX-License-Identifier: Apache-2.0
#include "shader_features.h"

#include "spirv_stream.h"

#include "vkrace/trace.h"

#include <vulkan/vulkan_core.h>

// The builtin that an instruction gives to something; UINT32_MAX: none.
static uint32_t built_in(const struct vkr_spirv_stream *at)
{
	const uint32_t word = at->opcode == SpvOpDecorate ? 2 : 3;
	if ((at->opcode != SpvOpDecorate && at->opcode != SpvOpMemberDecorate) ||
	    at->length != word + 2 || at->in[word] != SpvDecorationBuiltIn)
		return UINT32_MAX;
	return at->in[word + 1];
}

static uint32_t of_fragments(const struct vkr_spirv_stream *at)
{
	uint32_t flags = 0;
	if (at->opcode == SpvOpKill || at->opcode == SpvOpTerminateInvocation ||
	    at->opcode == SpvOpDemoteToHelperInvocation || built_in(at) == SpvBuiltInSampleMask)
		flags |= VKR_SHADER_PARTIAL;
	if (at->opcode == SpvOpExecutionMode && at->length > 2 &&
	    at->in[2] == SpvExecutionModeEarlyFragmentTests)
		flags |= VKR_SHADER_EARLY;
	return flags;
}

uint32_t vkr_shader_features(const uint32_t *words, size_t word_count, uint32_t stage)
{
	struct vkr_spirv_stream at = vkr_spirv_stream_of(words, word_count);
	uint32_t flags = 0, entry_points = 0;
	while (vkr_spirv_stream_next(&at)) {
		entry_points += at.opcode == SpvOpEntryPoint;
		if (stage == VK_SHADER_STAGE_FRAGMENT_BIT)
			flags |= of_fragments(&at);
		else if (built_in(&at) == SpvBuiltInLayer)
			flags |= VKR_SHADER_LAYERS;
	}
	// The mode's entry point is not looked at: without the flag less is known, but nothing is
	// wrong.
	return entry_points == 1 ? flags : flags & ~(uint32_t)VKR_SHADER_EARLY;
}

// Capabilities stand first ("Logical Layout of a Module").
bool vkr_shader_declares(const uint32_t *words, size_t word_count, uint32_t capability)
{
	struct vkr_spirv_stream at = vkr_spirv_stream_of(words, word_count);
	while (vkr_spirv_stream_next(&at) && at.opcode == SpvOpCapability)
		if (at.length > 1 && at.in[1] == capability)
			return true;
	return false;
}
