// SPDX-License-Identifier: Apache-2.0
// Copies and decompressions whose regions are in memory: recorded, and their regions captured.
// Knows where the parameters are; not what they say.
#include "captures.h"

static VKR_OF_HOOKS struct vkr_device *record(VkCommandBuffer handle,
					      const struct vkr_trace_cmd_copy_memory *copy,
					      uint64_t bytes, VkImage image)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	struct vkr_trace_cmd_copy_memory payload = *copy;
	const struct vkr_image *kept = image ? vkr_command_find_image(buffer, image) : NULL;
	payload.command = vkr_command_index(buffer);
	payload.image = kept ? kept->id : 0;
	if (payload.count)
		vkr_capture(buffer, payload.command, payload.address,
			    (payload.count - 1) * payload.stride + bytes);
	if (payload.count_address)
		vkr_capture(buffer, payload.command, payload.count_address, sizeof(uint32_t));
	vkr_command_event(buffer, VKR_TRACE_CMD_COPY_MEMORY, &payload, sizeof payload, 0);
	return buffer->device;
}

#ifdef VK_KHR_copy_memory_indirect
VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyMemoryIndirectKHR(VkCommandBuffer handle,
							const VkCopyMemoryIndirectInfoKHR *info)
{
	record(handle,
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
	record(handle,
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
	record(handle,
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
	record(handle,
	       &(struct vkr_trace_cmd_copy_memory){.kind = VKR_COPY_MEMORY_TO_IMAGE_NV,
						   .address = address,
						   .stride = stride,
						   .count = count},
	       sizeof(VkCopyMemoryToImageIndirectCommandNV), image)
		->next.CmdCopyMemoryToImageIndirectNV(handle, address, count, stride, image, layout,
						      subresources);
}
#endif

#ifdef VK_EXT_memory_decompression
VKAPI_ATTR void VKAPI_CALL vkr_CmdDecompressMemoryIndirectCountEXT(
	VkCommandBuffer handle, VkMemoryDecompressionMethodFlagsEXT method, VkDeviceAddress address,
	VkDeviceAddress count_address, uint32_t most, uint32_t stride)
{
	record(handle,
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
