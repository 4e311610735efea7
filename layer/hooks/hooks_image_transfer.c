// SPDX-License-Identifier: Apache-2.0
// Copies, blits, resolves and clears of images, in both forms.
// Knows their parameters; not which bytes they access.
#include "buffer_addresses.h"
#include "command_buffer.h"

#include <assert.h>
#include <stddef.h>

static struct vkr_trace_image_box box_between(const struct vkr_layer_image *image,
					      const VkImageSubresourceLayers *layers,
					      const VkOffset3D bounds[2])
{
	const VkOffset3D a = bounds[0], b = bounds[1];
	const VkOffset3D first = {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y,
				  a.z < b.z ? a.z : b.z};
	const VkExtent3D extent = {(uint32_t)((a.x < b.x ? b.x : a.x) - first.x),
				   (uint32_t)((a.y < b.y ? b.y : a.y) - first.y),
				   (uint32_t)((a.z < b.z ? b.z : a.z) - first.z)};
	return vkr_image_box(image, layers, first, extent);
}

// A command between two images, in either form. A region of the second form is a region of the
// first form after the members that name it: `regions` points to the first region, with `stride`
// bytes from one to the next. Members of copies exist in resolves too.
struct between {
	uint32_t kind; // enum vkr_trace_image_transfer
	const char *name;
	VkImage images[2];
	VkImageLayout layouts[2];
	uint32_t count;
	size_t stride;
	const void *regions; // VkImageCopy, VkImageBlit
};

#define SAME_PLACE(second, first, member)                                                          \
	static_assert(offsetof(second, member) - offsetof(second, srcSubresource) ==               \
			      offsetof(first, member),                                             \
		      #second)
SAME_PLACE(VkImageCopy2, VkImageCopy, extent);
SAME_PLACE(VkImageResolve2, VkImageCopy, extent);
SAME_PLACE(VkImageBlit2, VkImageBlit, dstOffsets);
static_assert(sizeof(VkImageResolve) == sizeof(VkImageCopy), "VkImageResolve");

static struct vkr_trace_image_region region_of(const struct between *between,
					       const struct vkr_layer_image *const images[2],
					       uint32_t index)
{
	const void *at = (const char *)between->regions + index * between->stride;
	if (between->kind == VKR_TRANSFER_BLIT) {
		const VkImageBlit *blit = at;
		return (struct vkr_trace_image_region){
			box_between(images[0], &blit->srcSubresource, blit->srcOffsets),
			box_between(images[1], &blit->dstSubresource, blit->dstOffsets)};
	}
	const VkImageCopy *copy = at;
	return (struct vkr_trace_image_region){
		vkr_image_box(images[0], &copy->srcSubresource, copy->srcOffset, copy->extent),
		vkr_image_box(images[1], &copy->dstSubresource, copy->dstOffset, copy->extent)};
}

static VKR_OF_HOOKS struct vkr_layer_device *record_between(VkCommandBuffer handle,
							    const struct between *between)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	const struct vkr_layer_image *const images[2] = {
		vkr_command_find_image(buffer, between->images[0]),
		vkr_command_find_image(buffer, between->images[1])};
	if (!images[0] || !images[1]) {
		vkr_command_other(buffer, VKR_OTHER_ACCESSES, between->name);
		return buffer->device;
	}
	struct vkr_trace_cmd_image_transfer payload = {
		.command = vkr_command_index(buffer),
		.kind = between->kind,
		.source = images[0]->id,
		.destination = images[1]->id,
		.source_layout = (uint32_t)between->layouts[0],
		.destination_layout = (uint32_t)between->layouts[1],
		.region_count = between->count,
	};
	struct vkr_trace_image_region *out =
		vkr_command_event(buffer, VKR_TRACE_CMD_IMAGE_TRANSFER, &payload, sizeof payload,
				  between->count * sizeof *out);
	for (uint32_t i = 0; out && i < between->count; i++)
		out[i] = region_of(between, images, i);
	return buffer->device;
}

// What the first form of a command says, and the second.
#define BETWEEN(kind, name)                                                                        \
	{                                                                                          \
		kind, name, {source, destination}, {source_layout, destination_layout}, count,     \
			sizeof *regions, regions                                                   \
	}
#define BETWEEN2(kind, name)                                                                       \
	{                                                                                          \
		kind, name, {info->srcImage, info->dstImage},                                      \
			{info->srcImageLayout, info->dstImageLayout}, info->regionCount,           \
			sizeof *info->pRegions, &info->pRegions->srcSubresource                    \
	}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImage(VkCommandBuffer handle, VkImage source,
					    VkImageLayout source_layout, VkImage destination,
					    VkImageLayout destination_layout, uint32_t count,
					    const VkImageCopy *regions)
{
	const struct between between = BETWEEN(VKR_TRANSFER_COPY, "vkCmdCopyImage");
	record_between(handle, &between)
		->next.CmdCopyImage(handle, source, source_layout, destination, destination_layout,
				    count, regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImage2(VkCommandBuffer handle, const VkCopyImageInfo2 *info)
{
	const struct between between = BETWEEN2(VKR_TRANSFER_COPY, "vkCmdCopyImage2");
	record_between(handle, &between)->next.CmdCopyImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBlitImage(VkCommandBuffer handle, VkImage source,
					    VkImageLayout source_layout, VkImage destination,
					    VkImageLayout destination_layout, uint32_t count,
					    const VkImageBlit *regions, VkFilter filter)
{
	const struct between between = BETWEEN(VKR_TRANSFER_BLIT, "vkCmdBlitImage");
	record_between(handle, &between)
		->next.CmdBlitImage(handle, source, source_layout, destination, destination_layout,
				    count, regions, filter);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBlitImage2(VkCommandBuffer handle, const VkBlitImageInfo2 *info)
{
	const struct between between = BETWEEN2(VKR_TRANSFER_BLIT, "vkCmdBlitImage2");
	record_between(handle, &between)->next.CmdBlitImage2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdResolveImage(VkCommandBuffer handle, VkImage source,
					       VkImageLayout source_layout, VkImage destination,
					       VkImageLayout destination_layout, uint32_t count,
					       const VkImageResolve *regions)
{
	const struct between between = BETWEEN(VKR_TRANSFER_RESOLVE, "vkCmdResolveImage");
	record_between(handle, &between)
		->next.CmdResolveImage(handle, source, source_layout, destination,
				       destination_layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdResolveImage2(VkCommandBuffer handle,
						const VkResolveImageInfo2 *info)
{
	const struct between between = BETWEEN2(VKR_TRANSFER_RESOLVE, "vkCmdResolveImage2");
	record_between(handle, &between)->next.CmdResolveImage2(handle, info);
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
				       .box = vkr_image_box(image, &(region).imageSubresource,     \
							    (region).imageOffset,                  \
							    (region).imageExtent)})

static VKR_OF_HOOKS void record_rows(VkCommandBuffer handle, const struct rows *rows)
{
	struct vkr_layer_command_buffer *to = vkr_command_buffer_of(handle);
	if (!to)
		return;
	const struct vkr_layer_image *image = vkr_command_find_image(to, rows->image);
	const struct vkr_layer_buffer *buffer = vkr_command_find_buffer(to, rows->buffer);
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

#ifdef VK_KHR_device_address_commands
// The one buffer that all regions are in, and the one layout of theirs; none where there are more.
static struct vkr_buffer_place place_of(struct vkr_layer_device *device,
					const VkCopyDeviceMemoryImageInfoKHR *info)
{
	const struct vkr_buffer_place none = {VK_NULL_HANDLE, 0};
	const VkDeviceMemoryImageCopyKHR *regions = info->pRegions;
	const struct vkr_buffer_place first =
		vkr_buffer_addresses_place(device, regions[0].addressRange.address);
	for (uint32_t i = 1; i < info->regionCount; i++)
		if (vkr_buffer_addresses_place(device, regions[i].addressRange.address).buffer !=
			    first.buffer ||
		    regions[i].imageLayout != regions[0].imageLayout)
			return none;
	return first;
}

// Records a copy between an image and memory named by device addresses.
static VKR_OF_HOOKS struct vkr_layer_device *
record_addressed(VkCommandBuffer handle, const VkCopyDeviceMemoryImageInfoKHR *info, bool to_image,
		 const char *name)
{
	struct vkr_layer_command_buffer *to = vkr_command_buffer_of(handle);
	if (!to)
		return vkr_device_of(handle);
	const struct vkr_buffer_place place = place_of(to->device, info);
	const struct vkr_layer_image *image = vkr_command_find_image(to, info->image);
	const VkDeviceMemoryImageCopyKHR *regions = info->pRegions;
	if (!image || !place.buffer) {
		vkr_command_other(to, VKR_OTHER_ACCESSES, name);
		return to->device;
	}
	const struct vkr_trace_cmd_image_buffer payload = {
		.command = vkr_command_index(to),
		.to_image = to_image,
		.buffer = vkr_command_buffer_id(to, place.buffer),
		.image = image->id,
		.layout = (uint32_t)regions[0].imageLayout,
		.region_count = info->regionCount,
	};
	struct vkr_trace_image_rows *out =
		vkr_command_event(to, VKR_TRACE_CMD_IMAGE_BUFFER, &payload, sizeof payload,
				  info->regionCount * sizeof *out);
	for (uint32_t i = 0; out && i < info->regionCount; i++)
		out[i] = (struct vkr_trace_image_rows){
			.offset = place.offset + (regions[i].addressRange.address -
						  regions[0].addressRange.address),
			.row_length = regions[i].addressRowLength,
			.image_height = regions[i].addressImageHeight,
			.box = vkr_image_box(image, &regions[i].imageSubresource,
					     regions[i].imageOffset, regions[i].imageExtent),
		};
	return to->device;
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyMemoryToImageKHR(VkCommandBuffer handle,
						       const VkCopyDeviceMemoryImageInfoKHR *info)
{
	record_addressed(handle, info, true, "vkCmdCopyMemoryToImageKHR")
		->next.CmdCopyMemoryToImageKHR(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyImageToMemoryKHR(VkCommandBuffer handle,
						       const VkCopyDeviceMemoryImageInfoKHR *info)
{
	record_addressed(handle, info, false, "vkCmdCopyImageToMemoryKHR")
		->next.CmdCopyImageToMemoryKHR(handle, info);
}
#endif

static VKR_OF_HOOKS void record_clear(VkCommandBuffer handle, VkImage cleared, VkImageLayout layout,
				      uint32_t count, const VkImageSubresourceRange *ranges,
				      const char *name)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	const struct vkr_layer_image *image = vkr_command_find_image(buffer, cleared);
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
