// SPDX-License-Identifier: Apache-2.0
// Commands that move memory by its device addresses: recorded, and regions that are in memory
// captured. Knows where the parameters are; not what they say.
#include "snapshots.h"

static VKR_OF_HOOKS struct vkr_layer_device *
hooks_memory_copy_record(VkCommandBuffer handle, const struct vkr_trace_cmd_copy_memory *copy,
			 uint64_t bytes, VkImage image)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	struct vkr_trace_cmd_copy_memory payload = *copy;
	const struct vkr_layer_image *kept = image ? vkr_command_find_image(buffer, image) : NULL;
	payload.command = vkr_command_index(buffer);
	payload.image = kept ? kept->id : 0;
	if (payload.count)
		vkr_layer_snapshot(buffer, payload.command, payload.address,
				   (payload.count - 1) * payload.stride + bytes);
	if (payload.count_address)
		vkr_layer_snapshot(buffer, payload.command, payload.count_address,
				   sizeof(uint32_t));
	vkr_command_event(buffer, VKR_TRACE_CMD_COPY_MEMORY, &payload, sizeof payload, 0);
	return buffer->device;
}

#ifdef VK_KHR_copy_memory_indirect
VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyMemoryIndirectKHR(VkCommandBuffer handle,
							const VkCopyMemoryIndirectInfoKHR *info)
{
	hooks_memory_copy_record(
		handle,
		&(struct vkr_trace_cmd_copy_memory){.kind = VKR_COPY_MEMORY,
						    .address = info->copyAddressRange.address,
						    .stride = info->copyAddressRange.stride,
						    .count = info->copyCount},
		sizeof(VkCopyMemoryIndirectCommandKHR), VK_NULL_HANDLE)
		->next.CmdCopyMemoryIndirectKHR(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyMemoryToImageIndirectKHR(
	VkCommandBuffer handle, const VkCopyMemoryToImageIndirectInfoKHR *info)
{
	hooks_memory_copy_record(
		handle,
		&(struct vkr_trace_cmd_copy_memory){.kind = VKR_COPY_MEMORY_TO_IMAGE,
						    .address = info->copyAddressRange.address,
						    .stride = info->copyAddressRange.stride,
						    .count = info->copyCount},
		sizeof(VkCopyMemoryToImageIndirectCommandKHR), info->dstImage)
		->next.CmdCopyMemoryToImageIndirectKHR(handle, info);
}
#endif

#ifdef VK_NV_copy_memory_indirect
VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyMemoryIndirectNV(VkCommandBuffer handle,
						       VkDeviceAddress address, uint32_t count,
						       uint32_t stride)
{
	hooks_memory_copy_record(handle,
				 &(struct vkr_trace_cmd_copy_memory){.kind = VKR_COPY_MEMORY_NV,
								     .address = address,
								     .stride = stride,
								     .count = count},
				 sizeof(VkCopyMemoryIndirectCommandNV), VK_NULL_HANDLE)
		->next.CmdCopyMemoryIndirectNV(handle, address, count, stride);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyMemoryToImageIndirectNV(
	VkCommandBuffer handle, VkDeviceAddress address, uint32_t count, uint32_t stride,
	VkImage image, VkImageLayout layout, const VkImageSubresourceLayers *subresources)
{
	hooks_memory_copy_record(
		handle,
		&(struct vkr_trace_cmd_copy_memory){.kind = VKR_COPY_MEMORY_TO_IMAGE_NV,
						    .address = address,
						    .stride = stride,
						    .count = count},
		sizeof(VkCopyMemoryToImageIndirectCommandNV), image)
		->next.CmdCopyMemoryToImageIndirectNV(handle, address, count, stride, image, layout,
						      subresources);
}
#endif

#if defined(VK_EXT_memory_decompression) || defined(VK_NV_memory_decompression) ||                 \
	defined(VK_KHR_device_address_commands)
// Room for the regions; NULL where there is none.
static struct vkr_trace_moved *record_regions(struct vkr_layer_command_buffer *buffer,
					      enum vkr_trace_move_form form, uint32_t count)
{
	if (!buffer)
		return NULL;
	const struct vkr_trace_cmd_move payload = {.command = vkr_command_index(buffer),
						   .form = (uint32_t)form,
						   .region_count = count};
	return vkr_command_event(buffer, VKR_TRACE_CMD_MOVE, &payload, sizeof payload,
				 count * sizeof(struct vkr_trace_moved));
}
#endif

#ifdef VK_NV_memory_decompression
VKAPI_ATTR void VKAPI_CALL vkr_CmdDecompressMemoryNV(VkCommandBuffer handle, uint32_t count,
						     const VkDecompressMemoryRegionNV *regions)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_moved *to = record_regions(buffer, VKR_MOVE_DECOMPRESS_NV, count);
	for (uint32_t i = 0; to && i < count; i++)
		to[i] = (struct vkr_trace_moved){regions[i].srcAddress, regions[i].dstAddress,
						 regions[i].compressedSize,
						 regions[i].decompressedSize};
	vkr_command_device(buffer, handle)->next.CmdDecompressMemoryNV(handle, count, regions);
}
#endif

#ifdef VK_EXT_memory_decompression
VKAPI_ATTR void VKAPI_CALL vkr_CmdDecompressMemoryEXT(VkCommandBuffer handle,
						      const VkDecompressMemoryInfoEXT *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_moved *to = record_regions(buffer, VKR_MOVE_DECOMPRESS, info->regionCount);
	for (uint32_t i = 0; to && i < info->regionCount; i++)
		to[i] = (struct vkr_trace_moved){
			info->pRegions[i].srcAddress, info->pRegions[i].dstAddress,
			info->pRegions[i].compressedSize, info->pRegions[i].decompressedSize};
	vkr_command_device(buffer, handle)->next.CmdDecompressMemoryEXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDecompressMemoryIndirectCountEXT(
	VkCommandBuffer handle, VkMemoryDecompressionMethodFlagsEXT method, VkDeviceAddress address,
	VkDeviceAddress count_address, uint32_t most, uint32_t stride)
{
	hooks_memory_copy_record(
		handle,
		&(struct vkr_trace_cmd_copy_memory){.kind = VKR_DECOMPRESS_INDIRECT,
						    .address = address,
						    .stride = stride,
						    .count = most,
						    .count_address = count_address},
		sizeof(VkDecompressMemoryRegionEXT), VK_NULL_HANDLE)
		->next.CmdDecompressMemoryIndirectCountEXT(handle, method, address, count_address,
							   most, stride);
}
#endif

#ifdef VK_KHR_device_address_commands
VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyMemoryKHR(VkCommandBuffer handle,
						const VkCopyDeviceMemoryInfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_moved *to = record_regions(buffer, VKR_MOVE_COPY, info->regionCount);
	for (uint32_t i = 0; to && i < info->regionCount; i++)
		to[i] = (struct vkr_trace_moved){
			info->pRegions[i].srcRange.address, info->pRegions[i].dstRange.address,
			info->pRegions[i].srcRange.size, info->pRegions[i].dstRange.size};
	vkr_command_device(buffer, handle)->next.CmdCopyMemoryKHR(handle, info);
}

static VKR_OF_HOOKS struct vkr_layer_device *record_write(VkCommandBuffer handle,
							  enum vkr_trace_move_form form,
							  VkDeviceAddress address, uint64_t bytes)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_moved *to = record_regions(buffer, form, 1);
	if (to)
		*to = (struct vkr_trace_moved){.destination = address, .destination_bytes = bytes};
	return vkr_command_device(buffer, handle);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdFillMemoryKHR(VkCommandBuffer handle,
						const VkDeviceAddressRangeKHR *range,
						VkAddressCommandFlagsKHR flags, uint32_t data)
{
	record_write(handle, VKR_MOVE_FILL, range->address, range->size)
		->next.CmdFillMemoryKHR(handle, range, flags, data);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdUpdateMemoryKHR(VkCommandBuffer handle,
						  const VkDeviceAddressRangeKHR *range,
						  VkAddressCommandFlagsKHR flags,
						  VkDeviceSize bytes, const void *data)
{
	record_write(handle, VKR_MOVE_UPDATE, range->address, bytes)
		->next.CmdUpdateMemoryKHR(handle, range, flags, bytes, data);
}
#endif
