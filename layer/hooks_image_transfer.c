// SPDX-License-Identifier: Apache-2.0
// Copies, blits, resolves and clears of images, in both forms.
// Knows their parameters; not which bytes they touch.
#include "command_buffer.h"

static struct vkr_trace_image_box box_of(const struct vkr_image *image,
					 const VkImageSubresourceLayers *layers, VkOffset3D offset,
					 VkExtent3D extent)
{
	struct vkr_trace_image_box box = {
		.aspects = layers->aspectMask,
		.mip = layers->mipLevel,
		.first_layer = layers->baseArrayLayer,
		.layer_count = layers->layerCount,
		.offset = {(uint32_t)offset.x, (uint32_t)offset.y, (uint32_t)offset.z},
		.extent = {extent.width, extent.height, extent.depth},
	};
	if (box.layer_count == VK_REMAINING_ARRAY_LAYERS && box.first_layer < image->layers)
		box.layer_count = image->layers - box.first_layer;
	return box;
}

static struct vkr_trace_image_box box_between(const struct vkr_image *image,
					      const VkImageSubresourceLayers *layers,
					      const VkOffset3D bounds[2])
{
	const VkOffset3D a = bounds[0], b = bounds[1];
	const VkOffset3D first = {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y,
				  a.z < b.z ? a.z : b.z};
	const VkExtent3D extent = {(uint32_t)((a.x < b.x ? b.x : a.x) - first.x),
				   (uint32_t)((a.y < b.y ? b.y : a.y) - first.y),
				   (uint32_t)((a.z < b.z ? b.z : a.z) - first.z)};
	return box_of(image, layers, first, extent);
}

// The event of a command between two images; returns room for its regions, or NULL where they are
// not to be written.
static struct vkr_trace_image_region *begin(struct vkr_command_buffer *buffer, uint32_t kind,
					    const struct vkr_image *images[2],
					    const VkImageLayout layouts[2], uint32_t count,
					    const char *name)
{
	if (!images[0] || !images[1]) {
		vkr_command_other(buffer, VKR_OTHER_ACCESSES, name);
		return NULL;
	}
	struct vkr_trace_cmd_image_transfer payload = {
		.command = vkr_command_index(buffer),
		.kind = kind,
		.source = images[0]->id,
		.destination = images[1]->id,
		.source_layout = (uint32_t)layouts[0],
		.destination_layout = (uint32_t)layouts[1],
		.region_count = count,
	};
	return vkr_command_event(buffer, VKR_TRACE_CMD_IMAGE_TRANSFER, &payload, sizeof payload,
				 count * sizeof(struct vkr_trace_image_region));
}

#define FIND(buffer, source, destination)                                                          \
	const struct vkr_image *images[2] = {vkr_command_find_image(buffer, source),               \
					     vkr_command_find_image(buffer, destination)}

// Both forms' regions have these members. A region of a copy or resolve with one extent for both.
#define WRITE_BOXES(out, regions, count)                                                           \
	for (uint32_t i = 0; (out) && i < (count); i++)                                            \
		(out)[i] = (struct vkr_trace_image_region)                                         \
		{                                                                                  \
			box_of(images[0], &(regions)[i].srcSubresource, (regions)[i].srcOffset,    \
			       (regions)[i].extent),                                               \
				box_of(images[1], &(regions)[i].dstSubresource,                    \
				       (regions)[i].dstOffset, (regions)[i].extent)                \
		}
// Of a blit.
#define WRITE_BOUNDS(out, regions, count)                                                          \
	for (uint32_t i = 0; (out) && i < (count); i++)                                            \
		(out)[i] = (struct vkr_trace_image_region)                                         \
		{                                                                                  \
			box_between(images[0], &(regions)[i].srcSubresource,                       \
				    (regions)[i].srcOffsets),                                      \
				box_between(images[1], &(regions)[i].dstSubresource,               \
					    (regions)[i].dstOffsets)                               \
		}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImage(VkCommandBuffer handle, VkImage source,
					    VkImageLayout source_layout, VkImage destination,
					    VkImageLayout destination_layout, uint32_t count,
					    const VkImageCopy *regions)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		FIND(buffer, source, destination);
		struct vkr_trace_image_region *out =
			begin(buffer, VKR_TRANSFER_COPY, images,
			      (VkImageLayout[]){source_layout, destination_layout}, count,
			      "vkCmdCopyImage");
		WRITE_BOXES(out, regions, count);
	}
	vkr_device_of(handle)->next.CmdCopyImage(handle, source, source_layout, destination,
						 destination_layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImage2(VkCommandBuffer handle, const VkCopyImageInfo2 *info)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		FIND(buffer, info->srcImage, info->dstImage);
		struct vkr_trace_image_region *out =
			begin(buffer, VKR_TRANSFER_COPY, images,
			      (VkImageLayout[]){info->srcImageLayout, info->dstImageLayout},
			      info->regionCount, "vkCmdCopyImage2");
		WRITE_BOXES(out, info->pRegions, info->regionCount);
	}
	vkr_device_of(handle)->next.CmdCopyImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBlitImage(VkCommandBuffer handle, VkImage source,
					    VkImageLayout source_layout, VkImage destination,
					    VkImageLayout destination_layout, uint32_t count,
					    const VkImageBlit *regions, VkFilter filter)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		FIND(buffer, source, destination);
		struct vkr_trace_image_region *out =
			begin(buffer, VKR_TRANSFER_BLIT, images,
			      (VkImageLayout[]){source_layout, destination_layout}, count,
			      "vkCmdBlitImage");
		WRITE_BOUNDS(out, regions, count);
	}
	vkr_device_of(handle)->next.CmdBlitImage(handle, source, source_layout, destination,
						 destination_layout, count, regions, filter);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBlitImage2(VkCommandBuffer handle, const VkBlitImageInfo2 *info)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		FIND(buffer, info->srcImage, info->dstImage);
		struct vkr_trace_image_region *out =
			begin(buffer, VKR_TRANSFER_BLIT, images,
			      (VkImageLayout[]){info->srcImageLayout, info->dstImageLayout},
			      info->regionCount, "vkCmdBlitImage2");
		WRITE_BOUNDS(out, info->pRegions, info->regionCount);
	}
	vkr_device_of(handle)->next.CmdBlitImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdResolveImage(VkCommandBuffer handle, VkImage source,
					       VkImageLayout source_layout, VkImage destination,
					       VkImageLayout destination_layout, uint32_t count,
					       const VkImageResolve *regions)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		FIND(buffer, source, destination);
		struct vkr_trace_image_region *out =
			begin(buffer, VKR_TRANSFER_RESOLVE, images,
			      (VkImageLayout[]){source_layout, destination_layout}, count,
			      "vkCmdResolveImage");
		WRITE_BOXES(out, regions, count);
	}
	vkr_device_of(handle)->next.CmdResolveImage(handle, source, source_layout, destination,
						    destination_layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdResolveImage2(VkCommandBuffer handle,
						const VkResolveImageInfo2 *info)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		FIND(buffer, info->srcImage, info->dstImage);
		struct vkr_trace_image_region *out =
			begin(buffer, VKR_TRANSFER_RESOLVE, images,
			      (VkImageLayout[]){info->srcImageLayout, info->dstImageLayout},
			      info->regionCount, "vkCmdResolveImage2");
		WRITE_BOXES(out, info->pRegions, info->regionCount);
	}
	vkr_device_of(handle)->next.CmdResolveImage2(handle, info);
}

// A copy between an image and a buffer.
struct rows {
	VkBuffer buffer;
	VkImage image;
	VkImageLayout layout;
	bool to_image;
	uint32_t count;
	const VkBufferImageCopy *first; // one of the two
	const VkBufferImageCopy2 *second;
	const char *name;
};

#define ROWS(region)                                                                               \
	((struct vkr_trace_image_rows){.offset = (region).bufferOffset,                            \
				       .row_length = (region).bufferRowLength,                     \
				       .image_height = (region).bufferImageHeight,                 \
				       .box = box_of(image, &(region).imageSubresource,            \
						     (region).imageOffset, (region).imageExtent)})

static void record_rows(VkCommandBuffer handle, const struct rows *rows)
{
	struct vkr_command_buffer *to = vkr_command_buffer_of(handle);
	if (!to)
		return;
	const struct vkr_image *image = vkr_command_find_image(to, rows->image);
	const struct vkr_buffer *buffer = vkr_command_find_buffer(to, rows->buffer);
	if (!image || !buffer) {
		vkr_command_other(to, VKR_OTHER_ACCESSES, rows->name);
		return;
	}
	struct vkr_trace_cmd_image_buffer payload = {
		.command = vkr_command_index(to),
		.to_image = rows->to_image,
		.buffer = buffer->id,
		.image = image->id,
		.layout = (uint32_t)rows->layout,
		.region_count = rows->count,
	};
	struct vkr_trace_image_rows *out =
		vkr_command_event(to, VKR_TRACE_CMD_IMAGE_BUFFER, &payload, sizeof payload,
				  rows->count * sizeof *out);
	for (uint32_t i = 0; out && i < rows->count; i++)
		out[i] = rows->first ? ROWS(rows->first[i]) : ROWS(rows->second[i]);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyBufferToImage(VkCommandBuffer handle, VkBuffer buffer,
						    VkImage image, VkImageLayout layout,
						    uint32_t count,
						    const VkBufferImageCopy *regions)
{
	const struct rows rows = {buffer, image,   layout, true,
				  count,  regions, NULL,   "vkCmdCopyBufferToImage"};
	record_rows(handle, &rows);
	vkr_device_of(handle)->next.CmdCopyBufferToImage(handle, buffer, image, layout, count,
							 regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyBufferToImage2(VkCommandBuffer handle,
						     const VkCopyBufferToImageInfo2 *info)
{
	const struct rows rows = {
		info->srcBuffer,   info->dstImage, info->dstImageLayout, true,
		info->regionCount, NULL,           info->pRegions,       "vkCmdCopyBufferToImage2"};
	record_rows(handle, &rows);
	vkr_device_of(handle)->next.CmdCopyBufferToImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImageToBuffer(VkCommandBuffer handle, VkImage image,
						    VkImageLayout layout, VkBuffer buffer,
						    uint32_t count,
						    const VkBufferImageCopy *regions)
{
	const struct rows rows = {buffer, image,   layout, false,
				  count,  regions, NULL,   "vkCmdCopyImageToBuffer"};
	record_rows(handle, &rows);
	vkr_device_of(handle)->next.CmdCopyImageToBuffer(handle, image, layout, buffer, count,
							 regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImageToBuffer2(VkCommandBuffer handle,
						     const VkCopyImageToBufferInfo2 *info)
{
	const struct rows rows = {info->dstBuffer, info->srcImage,           info->srcImageLayout,
				  false,           info->regionCount,        NULL,
				  info->pRegions,  "vkCmdCopyImageToBuffer2"};
	record_rows(handle, &rows);
	vkr_device_of(handle)->next.CmdCopyImageToBuffer2(handle, info);
}

static void record_clear(VkCommandBuffer handle, VkImage cleared, VkImageLayout layout,
			 uint32_t count, const VkImageSubresourceRange *ranges, const char *name)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	const struct vkr_image *image = vkr_command_find_image(buffer, cleared);
	if (!image) {
		vkr_command_other(buffer, VKR_OTHER_ACCESSES, name);
		return;
	}
	struct vkr_trace_cmd_clear_image payload = {
		.command = vkr_command_index(buffer),
		.image = image->id,
		.layout = (uint32_t)layout,
		.range_count = count,
	};
	struct vkr_trace_subresources *out = vkr_command_event(
		buffer, VKR_TRACE_CMD_CLEAR_IMAGE, &payload, sizeof payload, count * sizeof *out);
	for (uint32_t i = 0; out && i < count; i++)
		out[i] = vkr_image_subresources(image, &ranges[i]);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdClearColorImage(VkCommandBuffer handle, VkImage image,
						  VkImageLayout layout,
						  const VkClearColorValue *color, uint32_t count,
						  const VkImageSubresourceRange *ranges)
{
	record_clear(handle, image, layout, count, ranges, "vkCmdClearColorImage");
	vkr_device_of(handle)->next.CmdClearColorImage(handle, image, layout, color, count, ranges);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdClearDepthStencilImage(VkCommandBuffer handle, VkImage image,
							 VkImageLayout layout,
							 const VkClearDepthStencilValue *value,
							 uint32_t count,
							 const VkImageSubresourceRange *ranges)
{
	record_clear(handle, image, layout, count, ranges, "vkCmdClearDepthStencilImage");
	vkr_device_of(handle)->next.CmdClearDepthStencilImage(handle, image, layout, value, count,
							      ranges);
}
