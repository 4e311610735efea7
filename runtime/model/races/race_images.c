// SPDX-License-Identifier: Apache-2.0
// Where in an image a race is, as reports describe it. Knows layouts and names; not how races are
// found.
#include "race_images.h"

#include "model_objects.h"

static const char *aspect_name(VkImageAspectFlagBits aspect)
{
	switch (aspect) {
	case VK_IMAGE_ASPECT_DEPTH_BIT:
		return "DEPTH";
	case VK_IMAGE_ASPECT_STENCIL_BIT:
		return "STENCIL";
	case VK_IMAGE_ASPECT_PLANE_0_BIT:
		return "PLANE_0";
	case VK_IMAGE_ASPECT_PLANE_1_BIT:
		return "PLANE_1";
	case VK_IMAGE_ASPECT_PLANE_2_BIT:
		return "PLANE_2";
	default:
		return "COLOR";
	}
}

struct vkr_image_place vkr_race_no_image(void)
{
	return (struct vkr_image_place){.format = "", .aspect = "", .view = ""};
}

// Where in a layer's level a byte lies; false where it is not in this level of any layer.
static bool find_in_level(const struct vkr_image *image, const struct vkr_image_plane *plane,
			  uint32_t mip, uint64_t offset, struct vkr_image_place *place)
{
	const struct vkr_texel_level *level = &plane->levels[mip];
	if (offset < level->offset)
		return false;
	uint64_t rest = offset - level->offset;
	const uint64_t layer =
		image->layers > 1 && level->layer_pitch > 0 ? rest / level->layer_pitch : 0;
	rest -= layer * level->layer_pitch;
	const uint64_t z =
		level->depth > 1 && level->slice_pitch > 0 ? rest / level->slice_pitch : 0;
	rest -= z * level->slice_pitch;
	const uint64_t y = level->height > 1 && level->row_pitch > 0 ? rest / level->row_pitch : 0;
	rest -= y * level->row_pitch;
	const uint64_t x = rest / plane->block.bytes;
	if (layer >= image->layers || z >= level->depth || y >= level->height || x >= level->width)
		return false;
	rest -= x * plane->block.bytes;
	place->texel[0] = (uint32_t)x * plane->block.width;
	place->texel[1] = (uint32_t)y * plane->block.height;
	place->texel[2] = (uint32_t)z;
	place->layer = (uint32_t)layer;
	place->mip = mip;
	place->sample = (uint32_t)(rest / (plane->block.bytes / image->samples));
	return true;
}

struct vkr_image_place vkr_race_image_place(const struct vkr_image *image,
					    const struct vkr_image_view *view, uint32_t memory,
					    uint64_t offset)
{
	struct vkr_image_place place = vkr_race_no_image();
	for (uint32_t at = 0; at < image->plane_count; at++) {
		const struct vkr_image_plane *plane = &image->planes[at];
		if (plane->memory == NULL || plane->memory->id != memory ||
		    offset < plane->offset || offset - plane->offset >= plane->bytes)
			continue;
		for (uint32_t mip = 0; mip < image->mips; mip++) {
			if (!find_in_level(image, plane, mip, offset - plane->offset, &place))
				continue;
			place.format = vkr_format_name(
				(VkFormat)(view != NULL ? view->format : image->format));
			place.aspect = aspect_name(plane->aspect);
			place.view = view != NULL ? view->name : "";
			return place;
		}
	}
	return place;
}
