// SPDX-License-Identifier: Apache-2.0
#include "texel_format.h"

#include "format_table.h"
#include "search.h"

// A row without blocks for a format that is not known.
static const struct vkr_format_row *row_of(VkFormat format)
{
	static const struct vkr_format_row unknown = {.name = "unknown format"};
	size_t at = 0;
	VKR_SEARCH(at, vkr_format_row_count, i, vkr_format_rows[i].format < format);
	return at < vkr_format_row_count && vkr_format_rows[at].format == format
		       ? &vkr_format_rows[at]
		       : &unknown;
}

VkImageAspectFlags vkr_format_aspects(VkFormat format)
{
	static const VkImageAspectFlags planes[] = {
		0, VK_IMAGE_ASPECT_PLANE_0_BIT,
		VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT,
		VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT |
			VK_IMAGE_ASPECT_PLANE_2_BIT};
	const struct vkr_format_row *row = row_of(format);
	VkImageAspectFlags aspects = planes[row->planes];
	if (row->depth_bits)
		aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
	if (row->stencil_bits)
		aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
	if (!row->planes && row->blocks[0].bytes)
		aspects |= VK_IMAGE_ASPECT_COLOR_BIT;
	return aspects;
}

struct vkr_texel_block vkr_format_block(VkFormat format, VkImageAspectFlagBits aspect)
{
	const struct vkr_format_row *row = row_of(format);
	struct vkr_texel_block block = {0, 1, 1, 1, 1};
	uint32_t plane = 0;
	switch (aspect) {
	case VK_IMAGE_ASPECT_DEPTH_BIT: // 24 bits are copied as 32 ("Copying Data Between Buffers
					// and Images")
		block.bytes = row->depth_bits == 24 ? 4 : row->depth_bits / 8;
		return block;
	case VK_IMAGE_ASPECT_STENCIL_BIT:
		block.bytes = row->stencil_bits / 8;
		return block;
	case VK_IMAGE_ASPECT_PLANE_2_BIT:
		plane = 2;
		break;
	case VK_IMAGE_ASPECT_PLANE_1_BIT:
		plane = 1;
		break;
	case VK_IMAGE_ASPECT_PLANE_0_BIT:
		break;
	default:
		return !row->planes && row->blocks[0].bytes ? row->blocks[0] : block;
	}
	return plane < row->planes ? row->blocks[plane] : block;
}

struct vkr_texel_block vkr_format_image_block(VkFormat format, VkImageAspectFlagBits aspect)
{
	struct vkr_texel_block block = vkr_format_block(format, aspect);
	if (format == VK_FORMAT_D24_UNORM_S8_UINT && aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
		block.bytes = 3;
	return block;
}

const char *vkr_format_name(VkFormat format)
{
	return row_of(format)->name;
}
