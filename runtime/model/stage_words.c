// SPDX-License-Identifier: Apache-2.0
#include "stage_words.h"

#include <vulkan/vulkan_core.h>

static bool is_traced(const struct vkr_engine_race *race)
{
	return race->first.stage == VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
}

const char *vkr_stage_words_missing(const struct vkr_engine_race *race)
{
	if (is_traced(race))
		return "nothing orders the invocations of one trace-ray command, but memory "
		       "barriers along a chain of shader calls";
	return race->first.stage == race->second.stage
		       ? "nothing orders the invocations of one stage in a draw"
		       : "nothing orders the invocations of two stages in one draw";
}

const char *vkr_stage_words_change(const struct vkr_engine_race *race)
{
	return is_traced(race)
		       ? "let each invocation access bytes of its own, or use atomics, or do the "
			 "second access in a later command behind a vkCmdPipelineBarrier"
		       : "let each invocation access bytes of its own, or use atomics, or do the "
			 "second access in a later draw behind a vkCmdPipelineBarrier";
}
