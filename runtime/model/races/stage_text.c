// SPDX-License-Identifier: Apache-2.0
#include "stage_text.h"

#include <vulkan/vulkan_core.h>

static bool is_traced(const struct vkr_engine_race *race)
{
	return race->first.stage == VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
}

// Between invocations of one chain of shader calls (call_order.h).
static const char *missing_in_calls(enum vkr_race_class race_class)
{
	switch (race_class) {
	case VKR_RACE_UNAVAILABLE:
		return "the release barrier between the two, along the chain of shader calls, "
		       "lacks "
		       "MakeAvailable";
	case VKR_RACE_INVISIBLE:
		return "the acquire barrier between the two, along the chain of shader calls, "
		       "lacks "
		       "MakeVisible";
	case VKR_RACE_PRIVATE:
		return "the barriers between the two, along the chain of shader calls, do not "
		       "order "
		       "private accesses";
	case VKR_RACE_REFERENCE:
		return "barriers in shaders make nothing visible through another reference";
	default:
		return "nothing orders the invocations of one trace-ray command, but memory "
		       "barriers along a chain of shader calls";
	}
}

const char *vkr_stage_words_missing(const struct vkr_engine_race *race)
{
	if (is_traced(race))
		return missing_in_calls(race->race_class);
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
