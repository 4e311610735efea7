// SPDX-License-Identifier: Apache-2.0
// Copies, blits, resolves and clears of images as accesses of their stages. Knows these commands
// only.
#include "command_walk.h"

#include "error.h"
#include "event_payload.h"
#include "image_layout.h"

static enum vkr_result unknown_object(struct vkr_walk *walk, const char *name)
{
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"%s uses an object whose creation was not recorded", name);
}

static enum vkr_result access_box(struct vkr_walk *walk, const struct vkr_walk_access *access,
				  const struct vkr_image_region *region)
{
	struct vkr_locations *locations = &walk->locations;
	locations->count = 0;
	if (!vkr_image_add_region(access->image, region, locations))
		return vkr_error_memory(walk->error, "a region of an image");
	return vkr_walk_access_image(walk, access, locations);
}

// "Format Compatibility": between formats of different block extents, texels of the source are
// counted; blocks are what both sides have in common.
static uint32_t in_other_blocks(uint32_t texels, uint32_t block, uint32_t other)
{
	return (texels / block + (texels % block != 0)) * other;
}

static void fit_copy(const struct vkr_image *source, const struct vkr_image *destination,
		     const struct vkr_trace_image_region *region, struct vkr_image_region *to)
{
	const struct vkr_texel_block from_block = vkr_format_block(
		(VkFormat)source->format, (VkImageAspectFlagBits)region->source.aspects);
	const struct vkr_texel_block to_block = vkr_format_block(
		(VkFormat)destination->format, (VkImageAspectFlagBits)region->destination.aspects);
	to->extent[0] = in_other_blocks(to->extent[0], from_block.width, to_block.width);
	to->extent[1] = in_other_blocks(to->extent[1], from_block.height, to_block.height);
	// Slices of a 3D image are layers of the other.
	if (source->type != destination->type && destination->type == VK_IMAGE_TYPE_3D)
		to->extent[2] = region->source.layer_count;
}

struct transfer {
	const char *name, *read, *write;
	uint64_t stage;
};

static const struct transfer transfers[] = {
	[VKR_TRANSFER_COPY] = {"vkCmdCopyImage", "copy source", "copy destination",
			       VK_PIPELINE_STAGE_2_COPY_BIT},
	[VKR_TRANSFER_BLIT] = {"vkCmdBlitImage", "blit source", "blit destination",
			       VK_PIPELINE_STAGE_2_BLIT_BIT},
	[VKR_TRANSFER_RESOLVE] = {"vkCmdResolveImage", "resolve source", "resolve destination",
				  VK_PIPELINE_STAGE_2_RESOLVE_BIT},
};

static enum vkr_result between_images(struct vkr_walk *walk,
				      const struct vkr_trace_cmd_image_transfer *command)
{
	const struct vkr_trace_image_region *regions = (const void *)(command + 1);
	const struct transfer *transfer = &transfers[command->kind];
	const struct vkr_image *source = vkr_objects_image(&walk->model->objects, command->source);
	const struct vkr_image *destination =
		vkr_objects_image(&walk->model->objects, command->destination);
	const struct vkr_command_info like = {
		.name = transfer->name, .source = source, .destination = destination};
	if (source == NULL || destination == NULL)
		return unknown_object(walk, transfer->name);
	struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, command->command, VKR_TRACE_CMD_IMAGE_TRANSFER, &like),
		.stage = transfer->stage};
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &access.command);
	for (uint32_t at = 0; at < command->region_count && result == VKR_OK; at++) {
		struct vkr_image_region from = vkr_image_region_of(&regions[at].source);
		struct vkr_image_region to = vkr_image_region_of(&regions[at].destination);
		if (command->kind == VKR_TRANSFER_COPY)
			fit_copy(source, destination, &regions[at], &to);
		access.image = source;
		access.write = false;
		access.operation = transfer->read;
		access.access = VK_ACCESS_2_TRANSFER_READ_BIT;
		result = access_box(walk, &access, &from);
		if (result != VKR_OK)
			break;
		access.image = destination;
		access.write = true;
		access.operation = transfer->write;
		access.access = VK_ACCESS_2_TRANSFER_WRITE_BIT;
		result = access_box(walk, &access, &to);
	}
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access.command);
	return result;
}

static uint32_t image_transfers_blocks(uint32_t texels, uint32_t block)
{
	return texels / block + (texels % block != 0);
}

// The buffer's side ("Buffer and Image Addressing"): rows of blocks, joined where they adjoin.
static enum vkr_result access_rows(struct vkr_walk *walk, struct vkr_walk_access *access,
				   const struct vkr_image *image,
				   const struct vkr_trace_image_rows *rows)
{
	const struct vkr_texel_block block =
		vkr_format_block((VkFormat)image->format, (VkImageAspectFlagBits)rows->box.aspects);
	const uint32_t width = image_transfers_blocks(rows->box.extent[0], block.width);
	const uint32_t height = image_transfers_blocks(rows->box.extent[1], block.height);
	const uint32_t row =
		rows->row_length ? image_transfers_blocks(rows->row_length, block.width) : width;
	const uint32_t slice = rows->image_height
				       ? image_transfers_blocks(rows->image_height, block.height)
				       : height;
	const uint64_t slices = (uint64_t)rows->box.extent[2] * rows->box.layer_count;
	const uint64_t pitch = (uint64_t)row * block.bytes;
	enum vkr_result result = VKR_OK;
	for (uint64_t z = 0; z < slices && result == VKR_OK; z++) {
		const uint64_t first = rows->offset + z * slice * pitch;
		if (first >= access->buffer->bytes)
			break;
		if (row == width) {
			access->offset = first;
			access->bytes = height * pitch;
			result = vkr_walk_access(walk, access);
			continue;
		}
		for (uint64_t y = 0; y < height && result == VKR_OK; y++) {
			access->offset = first + y * pitch;
			access->bytes = (uint64_t)width * block.bytes;
			if (access->offset >= access->buffer->bytes)
				break;
			result = vkr_walk_access(walk, access);
		}
	}
	return result;
}

enum vkr_result vkr_walk_copy_rows(struct vkr_walk *walk, struct vkr_walk_access *read,
				   struct vkr_walk_access *write,
				   const struct vkr_trace_image_rows *rows)
{
	const struct vkr_image_region region = vkr_image_region_of(&rows->box);
	const struct vkr_image *image = read->image != NULL ? read->image : write->image;
	enum vkr_result result = VKR_OK;
	for (int side = 0; side < 2 && result == VKR_OK; side++) {
		struct vkr_walk_access *now = side == 0 ? read : write;
		result = now->image != NULL ? access_box(walk, now, &region)
					    : access_rows(walk, now, image, rows);
	}
	return result;
}

static enum vkr_result with_buffer(struct vkr_walk *walk,
				   const struct vkr_trace_cmd_image_buffer *command)
{
	const struct vkr_trace_image_rows *regions = (const void *)(command + 1);
	const bool to_image = command->to_image;
	const struct vkr_image *image = vkr_objects_image(&walk->model->objects, command->image);
	const struct vkr_buffer *buffer =
		vkr_objects_buffer(&walk->model->objects, command->buffer);
	struct vkr_command_info like = {
		.name = to_image ? "vkCmdCopyBufferToImage" : "vkCmdCopyImageToBuffer",
		.source = to_image ? (const void *)buffer : (const void *)image,
		.destination = to_image ? (const void *)image : (const void *)buffer};
	if (image == NULL || buffer == NULL)
		return unknown_object(walk, like.name);
	const struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, command->command, VKR_TRACE_CMD_IMAGE_BUFFER, &like),
		.stage = VK_PIPELINE_STAGE_2_COPY_BIT};
	struct vkr_walk_access read = access, write = access;
	read.operation = "copy source";
	read.access = VK_ACCESS_2_TRANSFER_READ_BIT;
	write.operation = "copy destination";
	write.write = true;
	write.access = VK_ACCESS_2_TRANSFER_WRITE_BIT;
	(to_image ? &write : &read)->image = image;
	(to_image ? &read : &write)->buffer = buffer;
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &read.command);
	write.command = read.command;
	for (uint32_t at = 0; at < command->region_count && result == VKR_OK; at++)
		result = vkr_walk_copy_rows(walk, &read, &write, &regions[at]);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, read.command);
	return result;
}

static enum vkr_result image_transfers_clear(struct vkr_walk *walk,
					     const struct vkr_trace_cmd_clear_image *command)
{
	const struct vkr_trace_subresources *ranges = (const void *)(command + 1);
	const struct vkr_image *image = vkr_objects_image(&walk->model->objects, command->image);
	const bool color =
		command->range_count == 0 ||
		!(ranges->aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT));
	const struct vkr_command_info like = {.name = color ? "vkCmdClearColorImage"
							    : "vkCmdClearDepthStencilImage",
					      .destination = image};
	if (image == NULL)
		return unknown_object(walk, like.name);
	struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, command->command, VKR_TRACE_CMD_CLEAR_IMAGE, &like),
		.image = image,
		.write = true,
		.operation = "clear",
		.stage = VK_PIPELINE_STAGE_2_CLEAR_BIT,
		.access = VK_ACCESS_2_TRANSFER_WRITE_BIT};
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &access.command);
	for (uint32_t at = 0; at < command->range_count && result == VKR_OK; at++) {
		walk->locations.count = 0;
		if (!vkr_image_add_subresources(image, &ranges[at], &walk->locations))
			return vkr_error_memory(walk->error, "a range of an image");
		result = vkr_walk_access_image(walk, &access, &walk->locations);
	}
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access.command);
	return result;
}

enum vkr_result vkr_walk_image_transfer(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const void *payload = vkr_event_payload(event);
	switch (event->type) {
	case VKR_TRACE_CMD_IMAGE_TRANSFER:
		return between_images(walk, payload);
	case VKR_TRACE_CMD_IMAGE_BUFFER:
		return with_buffer(walk, payload);
	default:
		return image_transfers_clear(walk, payload);
	}
}
