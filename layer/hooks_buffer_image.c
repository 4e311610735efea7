// SPDX-License-Identifier: Apache-2.0
// Copies between buffers and images: their buffer side, row by row.
// Knows the commands' parameters; images are not modelled.
#include "command_buffer.h"
#include "texel_rows.h"

// Both forms' regions have these members.
#define TEXEL_REGION(image_format, region)                                                         \
	((struct vkr_texel_region){                                                                \
		.format = (image_format),                                                          \
		.aspects = (region).imageSubresource.aspectMask,                                   \
		.offset = (region).bufferOffset,                                                   \
		.row_length = (region).bufferRowLength,                                            \
		.image_height = (region).bufferImageHeight,                                        \
		.extent = (region).imageExtent,                                                    \
		.layers = (region).imageSubresource.layerCount,                                    \
	})

struct image_copy {
	VkBuffer buffer;
	VkImage image;
	bool to_image;
	uint32_t count;
	const VkBufferImageCopy *first; // one of the two
	const VkBufferImageCopy2 *second;
	const char *name;
};

static struct vkr_texel_region region_of(const struct image_copy *copy, VkFormat format, uint32_t i)
{
	return copy->first ? TEXEL_REGION(format, copy->first[i])
			   : TEXEL_REGION(format, copy->second[i]);
}

static void record(struct vkr_command_buffer *buffer, const struct image_copy *copy)
{
	const struct vkr_image *image =
		vkr_handles_get(&buffer->device->images, VKR_KEY(copy->image));
	const struct vkr_buffer *found = vkr_command_find_buffer(buffer, copy->buffer);
	uint64_t ranges = 0;
	for (uint32_t i = 0; image && i < copy->count; i++) {
		struct vkr_texel_region region = region_of(copy, image->format, i);
		uint32_t rows = vkr_texel_rows(&region, NULL);
		ranges += rows;
		if (!rows)
			image = NULL;
	}
	if (!image || !found || ranges > UINT32_MAX) {
		vkr_command_other(buffer, VKR_OTHER_ACCESSES, copy->name);
		return;
	}
	struct vkr_trace_cmd_copy_buffer_image payload = {
		.command = vkr_command_index(buffer),
		.buffer = found->id,
		.to_image = copy->to_image,
		.range_count = (uint32_t)ranges,
	};
	struct vkr_trace_range *out =
		vkr_command_event(buffer, VKR_TRACE_CMD_COPY_BUFFER_IMAGE, &payload, sizeof payload,
				  ranges * sizeof *out);
	for (uint32_t i = 0; out && i < copy->count; i++) {
		struct vkr_texel_region region = region_of(copy, image->format, i);
		out += vkr_texel_rows(&region, out);
	}
}

static struct vkr_device *note(VkCommandBuffer handle, const struct image_copy *copy)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	record(buffer, copy);
	return buffer->device;
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyBufferToImage(VkCommandBuffer handle, VkBuffer buffer,
						    VkImage image, VkImageLayout layout,
						    uint32_t count,
						    const VkBufferImageCopy *regions)
{
	struct image_copy copy = {
		buffer, image, true, count, regions, NULL, "vkCmdCopyBufferToImage"};
	note(handle, &copy)
		->next.CmdCopyBufferToImage(handle, buffer, image, layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyBufferToImage2(VkCommandBuffer handle,
						     const VkCopyBufferToImageInfo2 *info)
{
	struct image_copy copy = {info->srcBuffer,          info->dstImage, true,
				  info->regionCount,        NULL,           info->pRegions,
				  "vkCmdCopyBufferToImage2"};
	note(handle, &copy)->next.CmdCopyBufferToImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImageToBuffer(VkCommandBuffer handle, VkImage image,
						    VkImageLayout layout, VkBuffer buffer,
						    uint32_t count,
						    const VkBufferImageCopy *regions)
{
	struct image_copy copy = {
		buffer, image, false, count, regions, NULL, "vkCmdCopyImageToBuffer"};
	note(handle, &copy)
		->next.CmdCopyImageToBuffer(handle, image, layout, buffer, count, regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImageToBuffer2(VkCommandBuffer handle,
						     const VkCopyImageToBufferInfo2 *info)
{
	struct image_copy copy = {info->dstBuffer,          info->srcImage, false,
				  info->regionCount,        NULL,           info->pRegions,
				  "vkCmdCopyImageToBuffer2"};
	note(handle, &copy)->next.CmdCopyImageToBuffer2(handle, info);
}
