// SPDX-License-Identifier: Apache-2.0
// Rows of texels in a buffer ("Buffer and Image Addressing" of the chapter on copies).
// Knows formats' block sizes; no command and no event.
#include "texel_rows.h"

#include <stdbool.h>

struct block {
	uint32_t bytes, width, height;
};

static uint32_t depth_bytes(VkFormat format)
{
	switch (format) {
	case VK_FORMAT_D16_UNORM:
	case VK_FORMAT_D16_UNORM_S8_UINT:
		return 2;
	case VK_FORMAT_X8_D24_UNORM_PACK32:
	case VK_FORMAT_D32_SFLOAT:
	case VK_FORMAT_D24_UNORM_S8_UINT:
	case VK_FORMAT_D32_SFLOAT_S8_UINT:
		return 4;
	default:
		return 0;
	}
}

static uint32_t plane_bytes(VkFormat format, uint32_t plane)
{
#define VKR_FORMAT(name, bytes, width, height)
#define VKR_PLANE(name, index, bytes)                                                              \
	if (format == name && plane == (index))                                                    \
		return bytes;
#include "formats.def"
#undef VKR_FORMAT
#undef VKR_PLANE
	return 0;
}

static struct block color_block(VkFormat format)
{
	switch (format) {
#define VKR_FORMAT(name, bytes, width, height)                                                     \
	case name:                                                                                 \
		return (struct block){bytes, width, height};
#define VKR_PLANE(name, index, bytes)
#include "formats.def"
#undef VKR_FORMAT
#undef VKR_PLANE
	default:
		return (struct block){0, 1, 1};
	}
}

static struct block block_of(VkFormat format, VkImageAspectFlags aspects)
{
	switch (aspects) {
	case VK_IMAGE_ASPECT_DEPTH_BIT:
		return (struct block){depth_bytes(format), 1, 1};
	case VK_IMAGE_ASPECT_STENCIL_BIT:
		return (struct block){1, 1, 1};
	case VK_IMAGE_ASPECT_PLANE_0_BIT:
		return (struct block){plane_bytes(format, 0), 1, 1};
	case VK_IMAGE_ASPECT_PLANE_1_BIT:
		return (struct block){plane_bytes(format, 1), 1, 1};
	case VK_IMAGE_ASPECT_PLANE_2_BIT:
		return (struct block){plane_bytes(format, 2), 1, 1};
	default:
		return color_block(format);
	}
}

static uint32_t blocks(uint32_t texels, uint32_t block)
{
	return (texels + block - 1) / block;
}

uint32_t vkr_texel_rows(const struct vkr_texel_region *region, struct vkr_trace_range *out)
{
	struct block block = block_of(region->format, region->aspects);
	if (!block.bytes)
		return 0;
	uint32_t width = blocks(region->extent.width, block.width);
	uint32_t height = blocks(region->extent.height, block.height);
	uint32_t row = region->row_length ? blocks(region->row_length, block.width) : width;
	uint32_t image = region->image_height ? blocks(region->image_height, block.height) : height;
	uint64_t slices = (uint64_t)region->extent.depth * region->layers;
	uint64_t bytes = (uint64_t)width * block.bytes;

	struct vkr_trace_range last = {0};
	uint32_t count = 0;
	for (uint64_t z = 0; z < slices; z++) {
		for (uint64_t y = 0; y < height; y++) {
			uint64_t offset = region->offset + (z * image + y) * row * block.bytes;
			bool touches = count && last.offset + last.bytes == offset;
			if (touches)
				last.bytes += bytes;
			else
				last = (struct vkr_trace_range){offset, bytes};
			count += !touches;
			if (out)
				out[count - 1] = last;
		}
	}
	return count;
}
