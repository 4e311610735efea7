// SPDX-License-Identifier: Apache-2.0
// Copies of acceleration structures, to and from memory too, and questions about them, by the
// device. Knows the parameters; not what is read and written.
#include "command_buffer.h"

static uint32_t structure_id(const struct vkr_layer_command_buffer *buffer,
			     VkAccelerationStructureKHR handle)
{
	const struct vkr_layer_structure *kept =
		vkr_handles_get(&buffer->device->objects.structures, VKR_KEY(handle));
	return kept ? kept->id : 0;
}

static void record_copy(struct vkr_layer_command_buffer *buffer,
			VkCopyAccelerationStructureModeKHR mode, VkAccelerationStructureKHR source,
			VkAccelerationStructureKHR destination, VkDeviceAddress address)
{
	const struct vkr_trace_cmd_copy_structure payload = {
		.command = vkr_command_index(buffer),
		.mode = (uint32_t)mode,
		.source = structure_id(buffer, source),
		.destination = structure_id(buffer, destination),
		.address = address,
	};
	vkr_command_event(buffer, VKR_TRACE_CMD_COPY_STRUCTURE, &payload, sizeof payload, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyAccelerationStructureKHR(
	VkCommandBuffer handle, const VkCopyAccelerationStructureInfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_copy(buffer, info->mode, info->src, info->dst, 0);
	vkr_command_device(buffer, handle)->next.CmdCopyAccelerationStructureKHR(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyAccelerationStructureToMemoryKHR(
	VkCommandBuffer handle, const VkCopyAccelerationStructureToMemoryInfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_copy(buffer, info->mode, info->src, VK_NULL_HANDLE, info->dst.deviceAddress);
	vkr_command_device(buffer, handle)
		->next.CmdCopyAccelerationStructureToMemoryKHR(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyMemoryToAccelerationStructureKHR(
	VkCommandBuffer handle, const VkCopyMemoryToAccelerationStructureInfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_copy(buffer, info->mode, VK_NULL_HANDLE, info->dst, info->src.deviceAddress);
	vkr_command_device(buffer, handle)
		->next.CmdCopyMemoryToAccelerationStructureKHR(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdWriteAccelerationStructuresPropertiesKHR(
	VkCommandBuffer handle, uint32_t count, const VkAccelerationStructureKHR *structures,
	VkQueryType type, VkQueryPool pool, uint32_t first)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct vkr_layer_query_pool *kept =
			vkr_handles_get(&buffer->device->objects.query_pools, VKR_KEY(pool));
		const struct vkr_trace_cmd_structure_properties payload = {
			.command = vkr_command_index(buffer),
			.pool = kept ? kept->id : 0,
			.first = first,
			.type = (uint32_t)type,
			.structure_count = count,
		};
		uint32_t *ids = vkr_command_event(buffer, VKR_TRACE_CMD_STRUCTURE_PROPERTIES,
						  &payload, sizeof payload, count * sizeof *ids);
		for (uint32_t i = 0; ids && i < count; i++)
			ids[i] = structure_id(buffer, structures[i]);
	}
	vkr_command_device(buffer, handle)
		->next.CmdWriteAccelerationStructuresPropertiesKHR(handle, count, structures, type,
								   pool, first);
}
