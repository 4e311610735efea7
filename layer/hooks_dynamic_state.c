// SPDX-License-Identifier: Apache-2.0
// States that commands set, as far as they decide what draws read and write. Knows their values;
// not which pipelines take them.
#include "command_buffer.h"

static struct vkr_device *record(VkCommandBuffer handle, VkDynamicState state, uint32_t value)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	const struct vkr_trace_cmd_set_state payload = {.state = (uint32_t)state, .value_count = 1};
	uint32_t *to = vkr_command_event(buffer, VKR_TRACE_CMD_SET_STATE, &payload, sizeof payload,
					 sizeof *to);
	if (to)
		*to = value;
	return buffer->device;
}

#define SET(name, type, state)                                                                     \
	VKAPI_ATTR void VKAPI_CALL vkr_CmdSet##name(VkCommandBuffer handle, type value)            \
	{                                                                                          \
		record(handle, VK_DYNAMIC_STATE_##state, (uint32_t)value)                          \
			->next.CmdSet##name(handle, value);                                        \
	}

SET(PrimitiveTopology, VkPrimitiveTopology, PRIMITIVE_TOPOLOGY)
SET(DepthTestEnable, VkBool32, DEPTH_TEST_ENABLE)
SET(DepthWriteEnable, VkBool32, DEPTH_WRITE_ENABLE)
SET(DepthBoundsTestEnable, VkBool32, DEPTH_BOUNDS_TEST_ENABLE)
SET(StencilTestEnable, VkBool32, STENCIL_TEST_ENABLE)
SET(RasterizerDiscardEnable, VkBool32, RASTERIZER_DISCARD_ENABLE)
