// SPDX-License-Identifier: Apache-2.0
// Which bytes of a sparse resource's stand-in memory a binding gives which memory (Vulkan
// specification, "Sparse Image Memory Binding"). Knows one binding at a time; not what was bound
// before.
#include "sparse_maps.h"

#include "array.h"
#include "image_layout.h"

#include <vulkan/vulkan_core.h>

static bool add_sparse_part(struct vkr_sparse_parts *parts, uint64_t low, uint64_t bytes,
			    uint32_t memory, uint64_t to)
{
	if (bytes == 0 || low > UINT64_MAX - bytes)
		return true;
	if (!VKR_ARRAY_RESERVE(parts, 1))
		return false;
	parts->items[parts->count++] = (struct vkr_mapping){low, low + bytes, memory, to};
	return true;
}

// The blocks of a box, which are consecutive in the memory, x fastest; in each one texels are in
// rows, as in any other image with the same block shape.
struct blocks {
	const struct vkr_image *image;
	const struct vkr_image_plane *plane;
	const struct vkr_trace_sparse_bind *bind;
	uint64_t count[2]; // of blocks along x and y
	uint64_t row_bytes, block_bytes;
	uint64_t rows; // of texel blocks in a slice of a block
	struct vkr_locations locations;
	struct vkr_sparse_parts *parts;
};

static uint64_t sparse_maps_divided(uint64_t value, uint64_t by)
{
	return (value + by - 1) / by;
}

// A row of texel blocks as far as it is in one block.
static bool add_row(struct blocks *blocks, uint32_t x, uint32_t y, uint32_t z)
{
	const struct vkr_trace_sparse_bind *bind = blocks->bind;
	const uint32_t *block = bind->block;
	const uint64_t at =
		((uint64_t)(z / block[2]) * blocks->count[1] + y / block[1]) * blocks->count[0] +
		x / block[0];
	const uint64_t row = (uint64_t)(z % block[2]) * blocks->rows +
			     (y % block[1]) / blocks->plane->block.height;
	const uint32_t left = bind->box_extent[0] - x, height = blocks->plane->block.height;
	const struct vkr_image_region region = {
		.aspects = bind->aspects,
		.mip = bind->mip,
		.first_layer = bind->layer,
		.layer_count = 1,
		.offset = {bind->box_offset[0] + x, bind->box_offset[1] + y,
			   bind->box_offset[2] + z},
		.extent = {left < block[0] ? left : block[0],
			   bind->box_extent[1] - y < height ? bind->box_extent[1] - y : height, 1}};
	blocks->locations.count = 0;
	if (!vkr_image_add_region(blocks->image, &region, &blocks->locations))
		return false;
	// One that is not there is outside of the image.
	return blocks->locations.count == 0 ||
	       add_sparse_part(blocks->parts, blocks->locations.items[0].offset,
			       blocks->locations.items[0].bytes, bind->memory,
			       bind->memory_offset + at * blocks->block_bytes +
				       row * blocks->row_bytes);
}

static bool add_box(struct blocks *blocks)
{
	const struct vkr_trace_sparse_bind *bind = blocks->bind;
	bool whole = true;
	for (uint32_t z = 0; z < bind->box_extent[2] && whole; z++)
		for (uint32_t y = 0; y < bind->box_extent[1] && whole;
		     y += blocks->plane->block.height)
			for (uint32_t x = 0; x < bind->box_extent[0] && whole; x += bind->block[0])
				whole = add_row(blocks, x, y, z);
	return whole;
}

static bool box_parts(const struct vkr_image *image, const struct vkr_trace_sparse_bind *bind,
		      uint32_t *stand_in, struct vkr_sparse_parts *parts)
{
	const uint32_t *block = bind->block;
	const struct vkr_image_plane *plane = NULL;
	for (uint32_t at = 0; at < image->plane_count; at++)
		if (image->planes[at].aspect == (VkImageAspectFlagBits)bind->aspects)
			plane = &image->planes[at];
	if (plane == NULL || plane->memory == NULL || !image->packed || block[0] == 0 ||
	    block[1] == 0 || block[2] == 0 || plane->block.bytes == 0 || plane->block.width == 0 ||
	    plane->block.height == 0)
		return true;
	struct blocks blocks = {.image = image,
				.plane = plane,
				.bind = bind,
				.count = {sparse_maps_divided(bind->box_extent[0], block[0]),
					  sparse_maps_divided(bind->box_extent[1], block[1])},
				.row_bytes = block[0] / plane->block.width * plane->block.bytes,
				.rows = block[1] / plane->block.height,
				.parts = parts};
	blocks.block_bytes = blocks.row_bytes * blocks.rows * block[2];
	*stand_in = plane->memory->id;
	const bool whole = add_box(&blocks);
	vkr_locations_finish(&blocks.locations);
	return whole;
}

// The driver decides where a mip tail's texels are in its memory. If they are placed one after the
// other, they are at the same offsets in all images that were created alike.
static bool tail_parts(const struct vkr_image *image, const struct vkr_trace_sparse_bind *bind,
		       uint32_t *stand_in, struct vkr_sparse_parts *parts)
{
	const bool all = bind->layer == UINT32_MAX;
	const struct vkr_trace_subresources tail = {.aspects = bind->aspects,
						    .first_mip = bind->mip,
						    .mip_count = VK_REMAINING_MIP_LEVELS,
						    .first_layer = all ? 0 : bind->layer,
						    .layer_count =
							    all ? VK_REMAINING_ARRAY_LAYERS : 1};
	struct vkr_locations locations = {0};
	bool whole = vkr_image_add_subresources(image, &tail, &locations);
	uint64_t done = 0;
	for (size_t at = 0; at < locations.count && whole; at++) {
		const struct vkr_location *location = &locations.items[at];
		if (location->bytes > bind->bytes - done)
			break; // more than the driver has: its tail is none of these
		whole = add_sparse_part(parts, location->offset, location->bytes, bind->memory,
					bind->memory_offset + done);
		done += location->bytes;
	}
	*stand_in = image->planes[0].memory->id;
	vkr_locations_finish(&locations);
	return whole;
}

bool vkr_sparse_parts(const struct vkr_model *model, const struct vkr_trace_sparse_bind *bind,
		      uint32_t *stand_in, struct vkr_sparse_parts *parts)
{
	const struct vkr_buffer *buffer = NULL;
	const struct vkr_image *image = NULL;
	const struct vkr_memory *own = NULL;
	*stand_in = 0;
	if (bind->kind == VKR_SPARSE_BUFFER) {
		buffer = vkr_objects_buffer(&model->objects, bind->object);
		own = buffer != NULL ? buffer->memory : NULL;
	} else {
		image = vkr_objects_image(&model->objects, bind->object);
		own = image != NULL && image->plane_count > 0 ? image->planes[0].memory : NULL;
	}
	if (own == NULL || !own->stand_in)
		return true;
	if (bind->kind == VKR_SPARSE_IMAGE)
		return box_parts(image, bind, stand_in, parts);
	if (bind->kind == VKR_SPARSE_TAIL)
		return !image->packed || tail_parts(image, bind, stand_in, parts);
	// Other bytes of images whose blocks are bound are metadata.
	if (image != NULL && image->create_flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT)
		return true;
	*stand_in = own->id;
	return add_sparse_part(parts, bind->offset, bind->bytes, bind->memory, bind->memory_offset);
}
