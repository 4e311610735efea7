// SPDX-License-Identifier: Apache-2.0
// What draws fetch from: vertex and index buffers, and vertex input that is set by commands.
// Knows their parameters; not what a draw fetches.
#include "command_buffer.h"
#include "graphics_state.h"

#include <string.h>

// `sizes` and `strides` may be NULL: the rest of the buffer, the pipeline's stride.
static void record_vertex_buffers(struct vkr_layer_command_buffer *buffer, uint32_t first,
				  uint32_t count, const VkBuffer *buffers,
				  const VkDeviceSize *offsets, const VkDeviceSize *sizes,
				  const VkDeviceSize *strides)
{
	const struct vkr_trace_cmd_bind_vertex_buffers payload = {.first = first,
								  .buffer_count = count};
	struct vkr_trace_vertex_buffer *tail =
		vkr_command_event(buffer, VKR_TRACE_CMD_BIND_VERTEX_BUFFERS, &payload,
				  sizeof payload, count * sizeof *tail);
	for (uint32_t i = 0; tail && i < count; i++)
		tail[i] = (struct vkr_trace_vertex_buffer){
			.buffer = buffers[i] ? vkr_command_buffer_id(buffer, buffers[i]) : 0,
			.stride = strides ? (uint32_t)strides[i] : UINT32_MAX,
			.offset = offsets[i],
			.bytes = sizes ? sizes[i] : VK_WHOLE_SIZE};
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindVertexBuffers(VkCommandBuffer handle, uint32_t first,
						    uint32_t count, const VkBuffer *buffers,
						    const VkDeviceSize *offsets)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_vertex_buffers(buffer, first, count, buffers, offsets, NULL, NULL);
	vkr_command_device(buffer, handle)
		->next.CmdBindVertexBuffers(handle, first, count, buffers, offsets);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindVertexBuffers2(VkCommandBuffer handle, uint32_t first,
						     uint32_t count, const VkBuffer *buffers,
						     const VkDeviceSize *offsets,
						     const VkDeviceSize *sizes,
						     const VkDeviceSize *strides)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_vertex_buffers(buffer, first, count, buffers, offsets, sizes, strides);
	vkr_command_device(buffer, handle)
		->next.CmdBindVertexBuffers2(handle, first, count, buffers, offsets, sizes,
					     strides);
}

static uint32_t index_bytes(VkIndexType type)
{
	switch (type) {
	case VK_INDEX_TYPE_UINT8_EXT:
		return 1;
	case VK_INDEX_TYPE_UINT16:
		return 2;
	case VK_INDEX_TYPE_UINT32:
		return 4;
	default:
		return 0;
	}
}

static void record_index_buffer(struct vkr_layer_command_buffer *buffer, VkBuffer indices,
				VkDeviceSize offset, VkIndexType type)
{
	const struct vkr_trace_cmd_bind_index_buffer payload = {
		.buffer = indices ? vkr_command_buffer_id(buffer, indices) : 0,
		.index_bytes = index_bytes(type),
		.offset = offset,
	};
	vkr_command_event(buffer, VKR_TRACE_CMD_BIND_INDEX_BUFFER, &payload, sizeof payload, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindIndexBuffer(VkCommandBuffer handle, VkBuffer indices,
						  VkDeviceSize offset, VkIndexType type)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_index_buffer(buffer, indices, offset, type);
	vkr_command_device(buffer, handle)->next.CmdBindIndexBuffer(handle, indices, offset, type);
}

#ifdef VK_KHR_maintenance5
VKAPI_ATTR void VKAPI_CALL vkr_CmdBindIndexBuffer2KHR(VkCommandBuffer handle, VkBuffer indices,
						      VkDeviceSize offset, VkDeviceSize bytes,
						      VkIndexType type)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_index_buffer(buffer, indices, offset, type);
	vkr_command_device(buffer, handle)
		->next.CmdBindIndexBuffer2KHR(handle, indices, offset, bytes, type);
}
#endif

#ifdef VK_KHR_device_address_commands
VKAPI_ATTR void VKAPI_CALL vkr_CmdBindIndexBuffer3KHR(VkCommandBuffer handle,
						      const VkBindIndexBuffer3InfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct vkr_trace_cmd_bind_index_buffer payload = {
			.buffer = info->addressRange.address ? VKR_BUFFER_BY_ADDRESS : 0,
			.index_bytes = index_bytes(info->indexType),
			.offset = info->addressRange.address,
		};
		vkr_command_event(buffer, VKR_TRACE_CMD_BIND_INDEX_BUFFER, &payload, sizeof payload,
				  0);
	}
	vkr_command_device(buffer, handle)->next.CmdBindIndexBuffer3KHR(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindVertexBuffers3KHR(VkCommandBuffer handle, uint32_t first,
							uint32_t count,
							const VkBindVertexBuffer3InfoKHR *infos)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const struct vkr_trace_cmd_bind_vertex_buffers payload = {.first = first,
								  .buffer_count = count};
	struct vkr_trace_vertex_buffer *tail =
		buffer ? vkr_command_event(buffer, VKR_TRACE_CMD_BIND_VERTEX_BUFFERS, &payload,
					   sizeof payload, count * sizeof *tail)
		       : NULL;
	for (uint32_t i = 0; tail && i < count; i++) {
		const VkStridedDeviceAddressRangeKHR *range = &infos[i].addressRange;
		tail[i] = (struct vkr_trace_vertex_buffer){
			.buffer = range->address ? VKR_BUFFER_BY_ADDRESS : 0,
			.stride = infos[i].setStride ? (uint32_t)range->stride : UINT32_MAX,
			.offset = range->address,
			.bytes = range->size,
		};
	}
	vkr_command_device(buffer, handle)
		->next.CmdBindVertexBuffers3KHR(handle, first, count, infos);
}
#endif

VKAPI_ATTR void VKAPI_CALL vkr_CmdSetVertexInputEXT(
	VkCommandBuffer handle, uint32_t binding_count,
	const VkVertexInputBindingDescription2EXT *bindings, uint32_t attribute_count,
	const VkVertexInputAttributeDescription2EXT *attributes)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct vkr_trace_cmd_vertex_input payload = {binding_count, attribute_count};
		struct vkr_trace_vertex_binding *to = vkr_command_event(
			buffer, VKR_TRACE_CMD_VERTEX_INPUT, &payload, sizeof payload,
			binding_count * sizeof *to +
				attribute_count * sizeof(struct vkr_trace_vertex_attribute));
		for (uint32_t i = 0; to && i < binding_count; i++)
			to[i] = (struct vkr_trace_vertex_binding){
				.binding = bindings[i].binding,
				.stride = bindings[i].stride,
				.instance_rate =
					bindings[i].inputRate == VK_VERTEX_INPUT_RATE_INSTANCE,
				.divisor = bindings[i].divisor};
		struct vkr_trace_vertex_attribute *read = to ? (void *)(to + binding_count) : NULL;
		for (uint32_t i = 0; read && i < attribute_count; i++)
			read[i] = (struct vkr_trace_vertex_attribute){
				.location = attributes[i].location,
				.binding = attributes[i].binding,
				.offset = attributes[i].offset,
				.bytes = vkr_vertex_format_bytes(attributes[i].format)};
	}
	vkr_command_device(buffer, handle)
		->next.CmdSetVertexInputEXT(handle, binding_count, bindings, attribute_count,
					    attributes);
}
