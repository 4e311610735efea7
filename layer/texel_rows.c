// SPDX-License-Identifier: Apache-2.0
// Rows of texels in a buffer ("Buffer and Image Addressing" of the chapter on copies).
// Knows formats' block sizes; no command and no event.
#include "texel_rows.h"

#include "texel_format.h"

#include <stdbool.h>

static uint32_t blocks(uint32_t texels, uint32_t block)
{
	return (texels + block - 1) / block;
}

uint32_t vkr_texel_rows(const struct vkr_texel_region *region, struct vkr_trace_range *out)
{
	struct vkr_texel_block block =
		vkr_format_block(region->format, (VkImageAspectFlagBits)region->aspects);
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
