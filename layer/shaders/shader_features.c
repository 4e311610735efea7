// SPDX-License-Identifier: Apache-2.0
#include "shader_features.h"

#include "vkrace/trace.h"

#include <vulkan/vulkan_core.h>

// The part of SPIR-V that is needed here.
enum spirv {
	HEADER_WORDS = 5,
	OP_CAPABILITY = 17,
	OP_ENTRY_POINT = 15,
	OP_EXECUTION_MODE = 16,
	OP_DECORATE = 71,
	OP_MEMBER_DECORATE = 72,
	OP_KILL = 252,
	OP_TERMINATE = 4416,
	OP_DEMOTE = 5380,
	MODE_EARLY_FRAGMENT_TESTS = 9,
	DECORATION_BUILT_IN = 11,
	BUILT_IN_LAYER = 9,
	BUILT_IN_SAMPLE_MASK = 20,
};

// The builtin that an instruction gives to something; UINT32_MAX: none.
static uint32_t built_in(const uint32_t *words, uint32_t op, uint32_t count)
{
	const uint32_t at = op == OP_DECORATE ? 2 : 3;
	if ((op != OP_DECORATE && op != OP_MEMBER_DECORATE) || count != at + 2 ||
	    words[at] != DECORATION_BUILT_IN)
		return UINT32_MAX;
	return words[at + 1];
}

static uint32_t of_fragments(const uint32_t *words, uint32_t op, uint32_t count)
{
	uint32_t flags = 0;
	if (op == OP_KILL || op == OP_TERMINATE || op == OP_DEMOTE ||
	    built_in(words, op, count) == BUILT_IN_SAMPLE_MASK)
		flags |= VKR_SHADER_PARTIAL;
	if (op == OP_EXECUTION_MODE && count > 2 && words[2] == MODE_EARLY_FRAGMENT_TESTS)
		flags |= VKR_SHADER_EARLY;
	return flags;
}

uint32_t vkr_shader_features(const uint32_t *words, size_t word_count, uint32_t stage)
{
	uint32_t flags = 0, entry_points = 0;
	for (size_t at = HEADER_WORDS; at < word_count;) {
		const uint32_t op = words[at] & 0xffff, count = words[at] >> 16;
		if (count == 0 || count > word_count - at)
			break;
		entry_points += op == OP_ENTRY_POINT;
		if (stage == VK_SHADER_STAGE_FRAGMENT_BIT)
			flags |= of_fragments(words + at, op, count);
		else if (built_in(words + at, op, count) == BUILT_IN_LAYER)
			flags |= VKR_SHADER_LAYERS;
		at += count;
	}
	// The mode's entry point is not looked at: without the flag less is known, but nothing is
	// wrong.
	return entry_points == 1 ? flags : flags & ~(uint32_t)VKR_SHADER_EARLY;
}

// Capabilities stand first ("Logical Layout of a Module").
bool vkr_shader_declares(const uint32_t *words, size_t word_count, uint32_t capability)
{
	for (size_t at = HEADER_WORDS;
	     at + 1 < word_count && words[at] == (2u << 16 | OP_CAPABILITY); at += 2)
		if (words[at + 1] == capability)
			return true;
	return false;
}
