// SPDX-License-Identifier: Apache-2.0
// Dynamic state that decides what draws read and write.
// Knows the values; not what follows from them.
#include "command_buffer.h"

// Values of a state from an index on, which is an attachment, or a face of stencil state.
static void record_values(VkCommandBuffer handle, VkDynamicState state, uint32_t first,
			  uint32_t count, const uint32_t *values)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const struct vkr_trace_cmd_set_state payload = {
		.state = (uint32_t)state, .first = first, .value_count = count};
	uint32_t *to = buffer ? vkr_command_event(buffer, VKR_TRACE_CMD_SET_STATE, &payload,
						  sizeof payload, count * sizeof *to)
			      : NULL;
	for (uint32_t i = 0; to && i < count; i++)
		to[i] = values[i];
}

static void record_value(VkCommandBuffer handle, VkDynamicState state, uint32_t value)
{
	record_values(handle, state, 0, 1, &value);
}

#define SET(name, type, state)                                                                     \
	VKAPI_ATTR void VKAPI_CALL vkr_##name(VkCommandBuffer handle, type value)                  \
	{                                                                                          \
		record_value(handle, VK_DYNAMIC_STATE_##state, (uint32_t)value);                   \
		vkr_device_of(handle)->next.name(handle, value);                                   \
	}

SET(CmdSetPrimitiveTopology, VkPrimitiveTopology, PRIMITIVE_TOPOLOGY)
SET(CmdSetRasterizerDiscardEnable, VkBool32, RASTERIZER_DISCARD_ENABLE)
SET(CmdSetDepthTestEnable, VkBool32, DEPTH_TEST_ENABLE)
SET(CmdSetDepthWriteEnable, VkBool32, DEPTH_WRITE_ENABLE)
SET(CmdSetDepthBoundsTestEnable, VkBool32, DEPTH_BOUNDS_TEST_ENABLE)
SET(CmdSetStencilTestEnable, VkBool32, STENCIL_TEST_ENABLE)

// Front faces are index 0, back faces 1.
VKAPI_ATTR void VKAPI_CALL vkr_CmdSetStencilWriteMask(VkCommandBuffer handle,
						      VkStencilFaceFlags faces, uint32_t mask)
{
	for (uint32_t face = 0; face < 2; face++)
		if (faces >> face & 1)
			record_values(handle, VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, face, 1, &mask);
	vkr_device_of(handle)->next.CmdSetStencilWriteMask(handle, faces, mask);
}

// Each face has three operations, one after the other.
VKAPI_ATTR void VKAPI_CALL vkr_CmdSetStencilOp(VkCommandBuffer handle, VkStencilFaceFlags faces,
					       VkStencilOp fail, VkStencilOp pass,
					       VkStencilOp depth_fail, VkCompareOp compare)
{
	const uint32_t operations[] = {(uint32_t)fail, (uint32_t)pass, (uint32_t)depth_fail};
	for (uint32_t face = 0; face < 2; face++)
		if (faces >> face & 1)
			record_values(handle, VK_DYNAMIC_STATE_STENCIL_OP, 3 * face, 3, operations);
	vkr_device_of(handle)->next.CmdSetStencilOp(handle, faces, fail, pass, depth_fail, compare);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdSetColorWriteEnableEXT(VkCommandBuffer handle, uint32_t count,
							 const VkBool32 *enables)
{
	record_values(handle, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT, 0, count, enables);
	vkr_device_of(handle)->next.CmdSetColorWriteEnableEXT(handle, count, enables);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdSetColorWriteMaskEXT(VkCommandBuffer handle, uint32_t first,
						       uint32_t count,
						       const VkColorComponentFlags *masks)
{
	record_values(handle, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, first, count, masks);
	vkr_device_of(handle)->next.CmdSetColorWriteMaskEXT(handle, first, count, masks);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdSetColorBlendEnableEXT(VkCommandBuffer handle, uint32_t first,
							 uint32_t count, const VkBool32 *enables)
{
	record_values(handle, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, first, count, enables);
	vkr_device_of(handle)->next.CmdSetColorBlendEnableEXT(handle, first, count, enables);
}

SET(CmdSetLogicOpEnableEXT, VkBool32, LOGIC_OP_ENABLE_EXT)
