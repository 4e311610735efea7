// SPDX-License-Identifier: Apache-2.0
#include "image_packing.h"

// Far below what a uint64_t holds, so that sums of a few sizes do not overflow.
#define LARGEST_IMAGE (UINT64_C(1) << 60)
#define MOST_MIPS     32u // of a 32-bit extent

static uint32_t image_packing_divided(uint32_t texels, uint32_t by)
{
	return texels / by + (texels % by != 0);
}

static bool image_packing_multiply(uint64_t a, uint64_t b, uint64_t *product)
{
	return !__builtin_mul_overflow(a, b, product) && *product <= LARGEST_IMAGE;
}

// "Image Mip Level Sizing" of the chapter on resources: halves, rounded down, at least 1.
static uint32_t of_mip(uint32_t extent, uint32_t mip)
{
	return extent >> mip ? extent >> mip : 1;
}

static bool pack_level(const struct vkr_image_shape *shape, const struct vkr_texel_block *block,
		       uint32_t mip, struct vkr_texel_level *level)
{
	const uint32_t width = image_packing_divided(of_mip(shape->extent[0], mip), block->x);
	const uint32_t height = image_packing_divided(of_mip(shape->extent[1], mip), block->y);
	level->width = image_packing_divided(width, block->width);
	level->height = image_packing_divided(height, block->height);
	level->depth = of_mip(shape->extent[2], mip);
	return image_packing_multiply(level->width, block->bytes, &level->row_pitch) &&
	       image_packing_multiply(level->row_pitch, level->height, &level->slice_pitch);
}

static bool pack_plane(const struct vkr_image_shape *shape, struct vkr_texel_plane *plane,
		       struct vkr_texel_level *levels)
{
	for (uint32_t mip = 0; mip < shape->mips; mip++) {
		struct vkr_texel_level level = {.offset = plane->bytes};
		uint64_t bytes;
		if (!pack_level(shape, &plane->block, mip, &level) ||
		    !image_packing_multiply(level.slice_pitch, level.depth, &level.layer_pitch) ||
		    !image_packing_multiply(level.layer_pitch, shape->layers, &bytes) ||
		    bytes > LARGEST_IMAGE - plane->bytes)
			return false;
		plane->bytes += bytes;
		if (levels)
			levels[mip] = level;
	}
	return true;
}

bool vkr_image_pack(const struct vkr_image_shape *shape, struct vkr_image_packing *packing,
		    struct vkr_texel_level *levels)
{
	*packing = (struct vkr_image_packing){0};
	const VkImageAspectFlags aspects = vkr_format_aspects(shape->format);
	if (!aspects || shape->mips > MOST_MIPS)
		return false;
	for (VkImageAspectFlags left = aspects; left; left &= left - 1) {
		struct vkr_texel_plane *plane = &packing->planes[packing->plane_count];
		plane->aspect = (VkImageAspectFlagBits)(left & -left);
		plane->block = vkr_format_image_block(shape->format, plane->aspect);
		plane->offset = packing->bytes;
		uint64_t block_bytes;
		if (!image_packing_multiply(plane->block.bytes, shape->samples, &block_bytes) ||
		    block_bytes > UINT32_MAX)
			return false;
		plane->block.bytes = (uint32_t)block_bytes;
		if (!pack_plane(shape, plane,
				levels ? levels + (size_t)packing->plane_count * shape->mips
				       : NULL) ||
		    plane->bytes > LARGEST_IMAGE - packing->bytes)
			return false;
		packing->bytes += plane->bytes;
		packing->plane_count++;
	}
	return true;
}
