// SPDX-License-Identifier: Apache-2.0
#include "image_layout.h"

#include "array.h"
#include "model_objects.h"

#include <stdlib.h>

void vkr_locations_finish(struct vkr_locations *locations)
{
	free(locations->items);
	*locations = (struct vkr_locations){0};
}

static bool add_location(struct vkr_locations *locations, const struct vkr_image_plane *plane,
			 uint64_t offset, uint64_t bytes)
{
	offset += plane->offset;
	if (locations->count > 0) {
		struct vkr_location *last = &locations->items[locations->count - 1];
		if (last->memory == plane->memory && last->offset + last->bytes == offset) {
			last->bytes += bytes;
			return true;
		}
	}
	if (!VKR_ARRAY_RESERVE(locations, 1))
		return false;
	locations->items[locations->count++] = (struct vkr_location){plane->memory, offset, bytes};
	return true;
}

static bool plane_has_aspect(const struct vkr_image_plane *plane, uint32_t aspects)
{
	const uint32_t planes = VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT |
				VK_IMAGE_ASPECT_PLANE_2_BIT;
	return plane->memory != NULL &&
	       ((aspects & plane->aspect) ||
		((aspects & VK_IMAGE_ASPECT_COLOR_BIT) && (plane->aspect & planes)));
}

// A box of blocks of one level.
struct box {
	uint32_t mip, first_layer, layer_count, first[3], count[3];
};

static bool add_rows(const struct vkr_image_plane *plane, const struct vkr_texel_level *level,
		     const struct box *box, uint64_t slice, struct vkr_locations *locations)
{
	const uint64_t row_bytes = (uint64_t)box->count[0] * plane->block.bytes;
	const uint64_t first = slice + (uint64_t)box->first[0] * plane->block.bytes;
	if (row_bytes == level->row_pitch) // whole rows without gaps
		return add_location(locations, plane, first + box->first[1] * level->row_pitch,
				    box->count[1] * row_bytes);
	for (uint32_t y = box->first[1]; y < box->first[1] + box->count[1]; y++)
		if (!add_location(locations, plane, first + y * level->row_pitch, row_bytes))
			return false;
	return true;
}

static bool add_box(const struct vkr_image_plane *plane, const struct box *box,
		    struct vkr_locations *locations)
{
	const struct vkr_texel_level *level = &plane->levels[box->mip];
	if (box->count[0] == 0 || box->count[1] == 0)
		return true;
	for (uint32_t layer = box->first_layer; layer < box->first_layer + box->layer_count;
	     layer++) {
		for (uint32_t z = box->first[2]; z < box->first[2] + box->count[2]; z++) {
			const uint64_t slice =
				level->offset + layer * level->layer_pitch + z * level->slice_pitch;
			if (!add_rows(plane, level, box, slice, locations))
				return false;
		}
	}
	return true;
}

// Clips a range to [0, end).
static uint32_t image_layout_clipped(uint32_t first, uint32_t count, uint32_t end)
{
	if (first >= end)
		return 0;
	return count < end - first ? count : end - first;
}

static bool add_levels(const struct vkr_image *image, const struct vkr_image_plane *plane,
		       const struct vkr_trace_subresources *part, struct vkr_locations *locations)
{
	const uint32_t mips = image_layout_clipped(part->first_mip, part->mip_count, image->mips);
	const uint32_t layers =
		image_layout_clipped(part->first_layer, part->layer_count, image->layers);
	for (uint32_t mip = part->first_mip; layers > 0 && mip < part->first_mip + mips; mip++) {
		const struct vkr_texel_level *level = &plane->levels[mip];
		const uint64_t first = level->offset + part->first_layer * level->layer_pitch;
		// Memory between the rows of a linear image is bound to it too. Its layers may lie
		// between its levels.
		const uint64_t layer_bytes = (level->depth - 1) * level->slice_pitch +
					     (level->height - 1) * level->row_pitch +
					     (uint64_t)level->width * plane->block.bytes;
		const bool together = image->packed || image->mips == 1 || layers == 1;
		if (together && !add_location(locations, plane, first,
					      (layers - 1) * level->layer_pitch + layer_bytes))
			return false;
		for (uint32_t layer = 0; layer < layers && !together; layer++)
			if (!add_location(locations, plane, first + layer * level->layer_pitch,
					  layer_bytes))
				return false;
	}
	return true;
}

bool vkr_image_add_subresources(const struct vkr_image *image,
				const struct vkr_trace_subresources *part,
				struct vkr_locations *locations)
{
	for (uint32_t at = 0; at < image->plane_count; at++)
		if (plane_has_aspect(&image->planes[at], part->aspects) &&
		    !add_levels(image, &image->planes[at], part, locations))
			return false;
	return true;
}

// From texels to blocks of the plane.
static void to_blocks(const struct vkr_image_plane *plane, const struct vkr_image_region *region,
		      struct box *box)
{
	const struct vkr_texel_level *level = &plane->levels[region->mip];
	const bool of_plane = region->aspects == (uint32_t)plane->aspect;
	const uint32_t size[3] = {plane->block.width * (of_plane ? 1 : plane->block.x),
				  plane->block.height * (of_plane ? 1 : plane->block.y), 1};
	const uint32_t end[3] = {level->width, level->height, level->depth};
	for (unsigned at = 0; at < 3; at++) {
		const uint64_t last = (uint64_t)region->offset[at] + region->extent[at];
		const uint64_t last_block = (last + size[at] - 1) / size[at];
		box->first[at] = region->offset[at] / size[at];
		const uint64_t count = region->extent[at] == 0 || last_block <= box->first[at]
					       ? 0
					       : last_block - box->first[at];
		box->count[at] = image_layout_clipped(
			box->first[at], count > UINT32_MAX ? UINT32_MAX : (uint32_t)count, end[at]);
	}
}

struct vkr_image_region vkr_image_region_of(const struct vkr_trace_image_box *box)
{
	struct vkr_image_region region = {.aspects = box->aspects,
					  .mip = box->mip,
					  .first_layer = box->first_layer,
					  .layer_count = box->layer_count};
	for (unsigned at = 0; at < 3; at++) {
		region.offset[at] = box->offset[at];
		region.extent[at] = box->extent[at];
	}
	return region;
}

bool vkr_image_add_region(const struct vkr_image *image, const struct vkr_image_region *region,
			  struct vkr_locations *locations)
{
	if (region->mip >= image->mips)
		return true;
	for (uint32_t at = 0; at < image->plane_count; at++) {
		const struct vkr_image_plane *plane = &image->planes[at];
		if (!plane_has_aspect(plane, region->aspects))
			continue;
		struct box box = {.mip = region->mip,
				  .first_layer = region->first_layer,
				  .layer_count = image_layout_clipped(
					  region->first_layer, region->layer_count, image->layers)};
		to_blocks(plane, region, &box);
		if (!add_box(plane, &box, locations))
			return false;
	}
	return true;
}

bool vkr_image_add_barrier(const struct vkr_image *image, const struct vkr_trace_subresources *part,
			   struct vkr_locations *locations)
{
	if (!image->slices_apart)
		return vkr_image_add_subresources(image, part, locations);
	const uint32_t mips = image_layout_clipped(part->first_mip, part->mip_count, image->mips);
	for (uint32_t at = 0; at < mips; at++) {
		const struct vkr_image_region slices = {
			.aspects = part->aspects,
			.mip = part->first_mip + at,
			.layer_count = 1,
			.offset = {0, 0, part->first_layer},
			.extent = {UINT32_MAX, UINT32_MAX, part->layer_count}};
		if (!vkr_image_add_region(image, &slices, locations))
			return false;
	}
	return true;
}

void vkr_view_extent(const struct vkr_image_view *view, uint32_t mip, uint32_t extent[3])
{
	const struct vkr_image *image = view->image;
	const uint32_t level = view->subresources.first_mip + mip;
	for (unsigned at = 0; at < 3; at++) {
		const uint32_t texels = level < 32 ? image->extent[at] >> level : 0;
		extent[at] = texels > 0 ? texels : 1;
	}
	if (view->type != VK_IMAGE_VIEW_TYPE_3D)
		extent[2] = view->subresources.layer_count;
	else if (view->slice_count > 0)
		extent[2] = view->slice_count;
	else
		extent[2] -= view->first_slice < extent[2] ? view->first_slice : extent[2];
	if (image->plane_count == 0)
		return;
	// A view of one plane counts that plane's texels; one of blocks as texels, blocks ("Image
	// Views": VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT).
	for (uint32_t at = 0; at < image->plane_count; at++) {
		const struct vkr_image_plane *plane = &image->planes[at];
		if (view->subresources.aspects != (uint32_t)plane->aspect || level >= image->mips)
			continue;
		extent[0] = (extent[0] + plane->block.x - 1) / plane->block.x;
		extent[1] = (extent[1] + plane->block.y - 1) / plane->block.y;
		if (view->block.width == 1 && view->block.height == 1 &&
		    plane->block.width * plane->block.height > 1) {
			extent[0] = plane->levels[level].width;
			extent[1] = plane->levels[level].height;
		}
	}
}

uint32_t vkr_view_texel(const struct vkr_image_view *view, const struct vkr_view_texel *texel,
			struct vkr_location locations[VKR_IMAGE_PLANES])
{
	const struct vkr_image *image = view->image;
	const uint32_t mip = view->subresources.first_mip + texel->mip;
	if (texel->mip >= view->subresources.mip_count || texel->sample >= image->samples)
		return 0;
	const bool volume = view->type == VK_IMAGE_VIEW_TYPE_3D;
	const uint32_t depth = volume ? view->slice_count : view->subresources.layer_count;
	if ((!volume || depth > 0) && texel->z >= depth)
		return 0;
	const bool slices = image->type == VK_IMAGE_TYPE_3D;
	const uint32_t z = !slices  ? 0
			   : volume ? view->first_slice + texel->z
				    : view->subresources.first_layer + texel->z;
	const uint32_t layer = slices ? 0 : view->subresources.first_layer + texel->z;
	uint32_t count = 0;
	for (uint32_t at = 0; at < image->plane_count; at++) {
		const struct vkr_image_plane *plane = &image->planes[at];
		const struct vkr_texel_level *level = &plane->levels[mip];
		const struct vkr_texel_block *block = &plane->block;
		if (!plane_has_aspect(plane, view->subresources.aspects))
			continue;
		const bool of_plane = view->subresources.aspects == (uint32_t)plane->aspect;
		const bool of_blocks = view->block.width == 1 && view->block.height == 1 &&
				       block->width * block->height > 1;
		const uint32_t x =
			texel->x / (of_blocks ? 1 : block->width * (of_plane ? 1 : block->x));
		const uint32_t y =
			texel->y / (of_blocks ? 1 : block->height * (of_plane ? 1 : block->y));
		if (x >= level->width || y >= level->height || z >= level->depth)
			continue;
		const uint64_t bytes = block->bytes / image->samples;
		locations[count++] = (struct vkr_location){
			plane->memory,
			plane->offset + level->offset + layer * level->layer_pitch +
				z * level->slice_pitch + y * level->row_pitch +
				(uint64_t)x * block->bytes + texel->sample * bytes,
			bytes};
	}
	return count;
}

static const char *aspect_name(const struct vkr_image *image, const struct vkr_image_plane *plane)
{
	if (image->plane_count == 1)
		return "";
	switch (plane->aspect) {
	case VK_IMAGE_ASPECT_DEPTH_BIT:
		return "depth ";
	case VK_IMAGE_ASPECT_STENCIL_BIT:
		return "stencil ";
	case VK_IMAGE_ASPECT_PLANE_0_BIT:
		return "plane 0 ";
	case VK_IMAGE_ASPECT_PLANE_1_BIT:
		return "plane 1 ";
	default:
		return "plane 2 ";
	}
}

// `offset` counts from the level's first layer.
static bool place_in_level(const struct vkr_image *image, const struct vkr_image_plane *plane,
			   const struct vkr_texel_level *level, uint64_t offset,
			   struct vkr_image_texel *place)
{
	const uint64_t layer =
		image->layers > 1 && level->layer_pitch > 0 ? offset / level->layer_pitch : 0;
	offset -= layer * level->layer_pitch;
	const uint64_t z =
		level->depth > 1 && level->slice_pitch > 0 ? offset / level->slice_pitch : 0;
	offset -= z * level->slice_pitch;
	const uint64_t y = level->row_pitch > 0 ? offset / level->row_pitch : 0;
	offset -= y * level->row_pitch;
	const uint64_t x = offset / plane->block.bytes;
	if (layer >= image->layers || z >= level->depth || y >= level->height)
		return false;
	place->layer = (uint32_t)layer;
	place->z = (uint32_t)z;
	place->y = (uint32_t)y * plane->block.height * plane->block.y;
	place->x = (uint32_t)(x < level->width ? x : level->width - 1) * plane->block.width *
		   plane->block.x;
	place->sample =
		(uint32_t)((offset - x * plane->block.bytes) * image->samples / plane->block.bytes);
	return true;
}

bool vkr_image_place(const struct vkr_image *image, uint32_t memory, uint64_t offset,
		     struct vkr_image_texel *place)
{
	for (uint32_t at = 0; at < image->plane_count; at++) {
		const struct vkr_image_plane *plane = &image->planes[at];
		if (plane->memory == NULL || plane->memory->id != memory || offset < plane->offset)
			continue;
		for (uint32_t mip = 0; mip < image->mips; mip++) {
			const uint64_t within = offset - plane->offset;
			const struct vkr_texel_level *level = &plane->levels[mip];
			*place = (struct vkr_image_texel){aspect_name(image, plane), .mip = mip};
			if (within >= level->offset &&
			    place_in_level(image, plane, level, within - level->offset, place))
				return true;
		}
	}
	return false;
}
