// SPDX-License-Identifier: Apache-2.0
// Draws: recorded with their parameters. Knows the parameters; not what they fetch and write.
#include "buffer_addresses.h"
#include "log_commands.h"
#include "snapshots.h"

// Whose invocations the draw asks to log that they were: those of vertices, where the call does not
// say which there are.
static uint32_t asked_of(const struct vkr_layer_command_buffer *buffer, uint32_t kind)
{
	const bool tells = kind == VKR_DRAW_VERTICES || kind == VKR_DRAW_MULTI;
	return buffer->asked | (tells ? 0u : (uint32_t)VK_SHADER_STAGE_VERTEX_BIT);
}

// Records a direct draw's event; returns its tail, or NULL. The draw has this many vertices for
// each instance, and finds its block.
static struct vkr_trace_draw *record_draw(struct vkr_layer_command_buffer *buffer, uint32_t kind,
					  uint32_t draws, uint64_t vertices, uint32_t instances,
					  uint32_t first_instance)
{
	const struct vkr_trace_cmd_draw payload = {
		.command = vkr_command_index(buffer),
		.kind = kind,
		.instance_count = instances,
		.first_instance = first_instance,
		.draw_count = draws,
		.asked = asked_of(buffer, kind),
	};
	vkr_log_draw(buffer, payload.command,
		     instances && vertices > UINT64_MAX / instances ? UINT64_MAX
								    : vertices * instances,
		     payload.asked);
	return vkr_command_event(buffer, VKR_TRACE_CMD_DRAW, &payload, sizeof payload,
				 draws * sizeof(struct vkr_trace_draw));
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDraw(VkCommandBuffer handle, uint32_t vertices,
				       uint32_t instances, uint32_t first_vertex,
				       uint32_t first_instance)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_draw *draw = buffer ? record_draw(buffer, VKR_DRAW_VERTICES, 1, vertices,
							   instances, first_instance)
					     : NULL;
	if (draw)
		*draw = (struct vkr_trace_draw){.first = first_vertex, .count = vertices};
	vkr_command_device(buffer, handle)
		->next.CmdDraw(handle, vertices, instances, first_vertex, first_instance);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDrawIndexed(VkCommandBuffer handle, uint32_t indices,
					      uint32_t instances, uint32_t first_index,
					      int32_t vertex_offset, uint32_t first_instance)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_draw *draw = buffer ? record_draw(buffer, VKR_DRAW_INDEXED, 1, indices,
							   instances, first_instance)
					     : NULL;
	if (draw)
		*draw = (struct vkr_trace_draw){.first = first_index,
						.count = indices,
						.vertex_offset = (uint32_t)vertex_offset};
	vkr_command_device(buffer, handle)
		->next.CmdDrawIndexed(handle, indices, instances, first_index, vertex_offset,
				      first_instance);
}

#ifdef VK_EXT_multi_draw
VKAPI_ATTR void VKAPI_CALL vkr_CmdDrawMultiEXT(VkCommandBuffer handle, uint32_t count,
					       const VkMultiDrawInfoEXT *infos, uint32_t instances,
					       uint32_t first_instance, uint32_t stride)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_draw *draws = buffer ? record_draw(buffer, VKR_DRAW_MULTI, count,
							    UINT64_MAX, instances, first_instance)
					      : NULL;
	for (uint32_t i = 0; draws && i < count; i++) {
		const VkMultiDrawInfoEXT *info =
			(const void *)((const char *)infos + (size_t)i * stride);
		draws[i] = (struct vkr_trace_draw){.first = info->firstVertex,
						   .count = info->vertexCount};
	}
	vkr_command_device(buffer, handle)
		->next.CmdDrawMultiEXT(handle, count, infos, instances, first_instance, stride);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDrawMultiIndexedEXT(VkCommandBuffer handle, uint32_t count,
						      const VkMultiDrawIndexedInfoEXT *infos,
						      uint32_t instances, uint32_t first_instance,
						      uint32_t stride, const int32_t *vertex_offset)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_draw *draws = buffer ? record_draw(buffer, VKR_DRAW_MULTI_INDEXED, count,
							    UINT64_MAX, instances, first_instance)
					      : NULL;
	for (uint32_t i = 0; draws && i < count; i++) {
		const VkMultiDrawIndexedInfoEXT *info =
			(const void *)((const char *)infos + (size_t)i * stride);
		draws[i] = (struct vkr_trace_draw){
			.first = info->firstIndex,
			.count = info->indexCount,
			.vertex_offset =
				(uint32_t)(vertex_offset ? *vertex_offset : info->vertexOffset)};
	}
	vkr_command_device(buffer, handle)
		->next.CmdDrawMultiIndexedEXT(handle, count, infos, instances, first_instance,
					      stride, vertex_offset);
}
#endif

struct indirect {
	uint32_t kind;
	VkBuffer arguments, counts;
	VkDeviceSize offset, count_offset;
	uint32_t draws, stride;
};

static bool is_indexed(uint32_t kind)
{
	return kind == VKR_DRAW_INDEXED_INDIRECT || kind == VKR_DRAW_INDEXED_INDIRECT_COUNT;
}

// How many draws there are, and which indices they read, is in memory.
static void draw_snapshot(struct vkr_layer_command_buffer *buffer, uint32_t command,
			  const struct indirect *draw)
{
	if (draw->counts)
		vkr_snapshot_draw(buffer,
				  &(struct vkr_snapshot_source){.command = command,
								.buffer = draw->counts,
								.offset = draw->count_offset,
								.bytes = sizeof(uint32_t),
								.address = VKR_SNAPSHOT_COUNT +
									   draw->count_offset});
	if (is_indexed(draw->kind) && draw->draws > 0)
		vkr_snapshot_draw(buffer,
				  &(struct vkr_snapshot_source){
					  .command = command,
					  .buffer = draw->arguments,
					  .offset = draw->offset,
					  .bytes = (uint64_t)(draw->draws - 1) * draw->stride +
						   sizeof(VkDrawIndexedIndirectCommand),
					  .address = VKR_SNAPSHOT_ARGUMENTS + draw->offset});
}

static VKR_OF_HOOKS struct vkr_layer_device *record_indirect(VkCommandBuffer handle,
							     const struct indirect *draw)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	const struct vkr_trace_cmd_draw_indirect payload = {
		.command = vkr_command_index(buffer),
		.kind = draw->kind,
		.buffer = vkr_command_buffer_id(buffer, draw->arguments),
		.count_buffer = draw->counts ? vkr_command_buffer_id(buffer, draw->counts) : 0,
		.offset = draw->offset,
		.count_offset = draw->count_offset,
		.draw_count = draw->draws,
		.stride = draw->stride,
		.asked = asked_of(buffer, draw->kind),
	};
	draw_snapshot(buffer, payload.command, draw);
	vkr_command_event(buffer, VKR_TRACE_CMD_DRAW_INDIRECT, &payload, sizeof payload, 0);
	vkr_log_draw(buffer, payload.command, UINT64_MAX, payload.asked);
	return buffer->device;
}

// Commands that read their draws from a buffer, and those that read the number of draws too.
#define INDIRECT(name, draw_kind)                                                                  \
	VKAPI_ATTR void VKAPI_CALL vkr_##name(VkCommandBuffer handle, VkBuffer arguments,          \
					      VkDeviceSize offset, uint32_t draws,                 \
					      uint32_t stride)                                     \
	{                                                                                          \
		record_indirect(handle, &(struct indirect){.kind = draw_kind,                      \
							   .arguments = arguments,                 \
							   .offset = offset,                       \
							   .draws = draws,                         \
							   .stride = stride})                      \
			->next.name(handle, arguments, offset, draws, stride);                     \
	}
#define INDIRECT_COUNT(name, draw_kind)                                                            \
	VKAPI_ATTR void VKAPI_CALL vkr_##name(                                                     \
		VkCommandBuffer handle, VkBuffer arguments, VkDeviceSize offset, VkBuffer counts,  \
		VkDeviceSize count_offset, uint32_t draws, uint32_t stride)                        \
	{                                                                                          \
		record_indirect(handle, &(struct indirect){draw_kind, arguments, counts, offset,   \
							   count_offset, draws, stride})           \
			->next.name(handle, arguments, offset, counts, count_offset, draws,        \
				    stride);                                                       \
	}

INDIRECT(CmdDrawIndirect, VKR_DRAW_INDIRECT)
INDIRECT(CmdDrawIndexedIndirect, VKR_DRAW_INDEXED_INDIRECT)
INDIRECT_COUNT(CmdDrawIndirectCount, VKR_DRAW_INDIRECT_COUNT)
INDIRECT_COUNT(CmdDrawIndexedIndirectCount, VKR_DRAW_INDEXED_INDIRECT_COUNT)

#ifdef VK_EXT_transform_feedback
VKAPI_ATTR void VKAPI_CALL vkr_CmdDrawIndirectByteCountEXT(VkCommandBuffer handle,
							   uint32_t instances,
							   uint32_t first_instance,
							   VkBuffer counter, VkDeviceSize offset,
							   uint32_t counter_offset, uint32_t stride)
{
	record_indirect(handle, &(struct indirect){.kind = VKR_DRAW_INDIRECT_BYTE_COUNT,
						   .arguments = counter,
						   .offset = offset,
						   .count_offset = counter_offset |
								   (uint64_t)first_instance << 32,
						   .draws = instances,
						   .stride = stride})
		->next.CmdDrawIndirectByteCountEXT(handle, instances, first_instance, counter,
						   offset, counter_offset, stride);
}
#endif

#ifdef VK_KHR_device_address_commands
// Records an indirect draw by device addresses, if known buffers have them. A count address of 0:
// there is no count.
static VKR_OF_HOOKS struct vkr_layer_device *
record_indirect_at(VkCommandBuffer handle, const struct indirect *draw, VkDeviceAddress arguments,
		   VkDeviceAddress counts, const char *name)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	const struct vkr_buffer_place at = vkr_buffer_addresses_place(buffer->device, arguments),
				      count = vkr_buffer_addresses_place(buffer->device, counts);
	struct indirect placed = *draw;
	placed.arguments = at.buffer;
	placed.offset = at.offset;
	if (counts) {
		placed.counts = count.buffer;
		placed.count_offset = count.offset;
	}
	if (at.buffer && (count.buffer || !counts))
		return record_indirect(handle, &placed);
	vkr_command_other(buffer, VKR_OTHER_ACCESSES, name);
	vkr_command_unobserved(buffer);
	return buffer->device;
}

#define INDIRECT_AT(name, draw_kind)                                                               \
	VKAPI_ATTR void VKAPI_CALL vkr_##name(VkCommandBuffer handle,                              \
					      const VkDrawIndirect2InfoKHR *info)                  \
	{                                                                                          \
		const VkStridedDeviceAddressRangeKHR *range = &info->addressRange;                 \
		record_indirect_at(handle,                                                         \
				   &(struct indirect){.kind = draw_kind,                           \
						      .draws = info->drawCount,                    \
						      .stride = (uint32_t)range->stride},          \
				   range->address, 0, "vk" #name)                                  \
			->next.name(handle, info);                                                 \
	}
#define INDIRECT_COUNT_AT(name, draw_kind)                                                         \
	VKAPI_ATTR void VKAPI_CALL vkr_##name(VkCommandBuffer handle,                              \
					      const VkDrawIndirectCount2InfoKHR *info)             \
	{                                                                                          \
		const VkStridedDeviceAddressRangeKHR *range = &info->addressRange;                 \
		record_indirect_at(handle,                                                         \
				   &(struct indirect){.kind = draw_kind,                           \
						      .draws = info->maxDrawCount,                 \
						      .stride = (uint32_t)range->stride},          \
				   range->address, info->countAddressRange.address, "vk" #name)    \
			->next.name(handle, info);                                                 \
	}

INDIRECT_AT(CmdDrawIndirect2KHR, VKR_DRAW_INDIRECT)
INDIRECT_AT(CmdDrawIndexedIndirect2KHR, VKR_DRAW_INDEXED_INDIRECT)
INDIRECT_AT(CmdDrawMeshTasksIndirect2EXT, VKR_DRAW_MESH_INDIRECT)
INDIRECT_COUNT_AT(CmdDrawIndirectCount2KHR, VKR_DRAW_INDIRECT_COUNT)
INDIRECT_COUNT_AT(CmdDrawIndexedIndirectCount2KHR, VKR_DRAW_INDEXED_INDIRECT_COUNT)
INDIRECT_COUNT_AT(CmdDrawMeshTasksIndirectCount2EXT, VKR_DRAW_MESH_INDIRECT_COUNT)

VKAPI_ATTR void VKAPI_CALL vkr_CmdDrawIndirectByteCount2EXT(
	VkCommandBuffer handle, uint32_t instances, uint32_t first_instance,
	const VkBindTransformFeedbackBuffer2InfoEXT *counter, uint32_t counter_offset,
	uint32_t stride)
{
	record_indirect_at(
		handle,
		&(struct indirect){.kind = VKR_DRAW_INDIRECT_BYTE_COUNT,
				   .count_offset = counter_offset | (uint64_t)first_instance << 32,
				   .draws = instances,
				   .stride = stride},
		counter->addressRange.address, 0, "vkCmdDrawIndirectByteCount2EXT")
		->next.CmdDrawIndirectByteCount2EXT(handle, instances, first_instance, counter,
						    counter_offset, stride);
}
#endif

static VKR_OF_HOOKS struct vkr_layer_device *record_mesh(VkCommandBuffer handle,
							 const struct vkr_trace_cmd_draw_mesh *draw)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	struct vkr_trace_cmd_draw_mesh payload = *draw;
	payload.command = vkr_command_index(buffer);
	payload.asked = buffer->asked;
	vkr_command_event(buffer, VKR_TRACE_CMD_DRAW_MESH, &payload, sizeof payload, 0);
	const uint64_t plane = (uint64_t)draw->groups[0] * draw->groups[1];
	vkr_log_draw(buffer, payload.command,
		     plane && draw->groups[2] > UINT64_MAX / plane ? UINT64_MAX
								   : plane * draw->groups[2],
		     payload.asked);
	return buffer->device;
}

#ifdef VK_NV_mesh_shader
VKAPI_ATTR void VKAPI_CALL vkr_CmdDrawMeshTasksNV(VkCommandBuffer handle, uint32_t count,
						  uint32_t first)
{
	record_mesh(handle, &(struct vkr_trace_cmd_draw_mesh){.kind = VKR_DRAW_MESH_NV,
							      .groups = {count, 1, 1},
							      .first_task = first})
		->next.CmdDrawMeshTasksNV(handle, count, first);
}

INDIRECT(CmdDrawMeshTasksIndirectNV, VKR_DRAW_MESH_INDIRECT_NV)
INDIRECT_COUNT(CmdDrawMeshTasksIndirectCountNV, VKR_DRAW_MESH_INDIRECT_COUNT_NV)
#endif

#ifdef VK_EXT_mesh_shader
VKAPI_ATTR void VKAPI_CALL vkr_CmdDrawMeshTasksEXT(VkCommandBuffer handle, uint32_t x, uint32_t y,
						   uint32_t z)
{
	record_mesh(handle,
		    &(struct vkr_trace_cmd_draw_mesh){.kind = VKR_DRAW_MESH, .groups = {x, y, z}})
		->next.CmdDrawMeshTasksEXT(handle, x, y, z);
}

INDIRECT(CmdDrawMeshTasksIndirectEXT, VKR_DRAW_MESH_INDIRECT)
INDIRECT_COUNT(CmdDrawMeshTasksIndirectCountEXT, VKR_DRAW_MESH_INDIRECT_COUNT)
#endif
