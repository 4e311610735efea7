// SPDX-License-Identifier: Apache-2.0
#include "texel_format.h"

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

static uint32_t stencil_bytes(VkFormat format)
{
	switch (format) {
	case VK_FORMAT_S8_UINT:
	case VK_FORMAT_D16_UNORM_S8_UINT:
	case VK_FORMAT_D24_UNORM_S8_UINT:
	case VK_FORMAT_D32_SFLOAT_S8_UINT:
		return 1;
	default:
		return 0;
	}
}

static struct vkr_texel_block plane_block(VkFormat format, uint32_t plane)
{
#define VKR_FORMAT(name, bytes, width, height)
#define VKR_PLANE(name, index, bytes, x, y)                                                        \
	if (format == name && plane == (index))                                                    \
		return (struct vkr_texel_block){bytes, 1, 1, x, y};
#include "formats.def"
#undef VKR_FORMAT
#undef VKR_PLANE
	return (struct vkr_texel_block){0, 1, 1, 1, 1};
}

static struct vkr_texel_block color_block(VkFormat format)
{
	switch (format) {
#define VKR_FORMAT(name, bytes, width, height)                                                     \
	case name:                                                                                 \
		return (struct vkr_texel_block){bytes, width, height, 1, 1};
#define VKR_PLANE(name, index, bytes, x, y)
#include "formats.def"
#undef VKR_FORMAT
#undef VKR_PLANE
	default:
		return (struct vkr_texel_block){0, 1, 1, 1, 1};
	}
}

VkImageAspectFlags vkr_format_aspects(VkFormat format)
{
	static const VkImageAspectFlags planes[] = {VK_IMAGE_ASPECT_PLANE_0_BIT,
						    VK_IMAGE_ASPECT_PLANE_1_BIT,
						    VK_IMAGE_ASPECT_PLANE_2_BIT};
	if (color_block(format).bytes)
		return VK_IMAGE_ASPECT_COLOR_BIT;
	VkImageAspectFlags aspects = 0;
	if (depth_bytes(format))
		aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
	if (stencil_bytes(format))
		aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
	for (uint32_t plane = 0; !aspects || plane > 0; plane++) {
		if (plane == 3 || !plane_block(format, plane).bytes)
			break;
		aspects |= planes[plane];
	}
	return aspects;
}

struct vkr_texel_block vkr_format_block(VkFormat format, VkImageAspectFlagBits aspect)
{
	switch (aspect) {
	case VK_IMAGE_ASPECT_DEPTH_BIT:
		return (struct vkr_texel_block){depth_bytes(format), 1, 1, 1, 1};
	case VK_IMAGE_ASPECT_STENCIL_BIT:
		return (struct vkr_texel_block){stencil_bytes(format), 1, 1, 1, 1};
	case VK_IMAGE_ASPECT_PLANE_0_BIT:
		return plane_block(format, 0);
	case VK_IMAGE_ASPECT_PLANE_1_BIT:
		return plane_block(format, 1);
	case VK_IMAGE_ASPECT_PLANE_2_BIT:
		return plane_block(format, 2);
	default:
		return color_block(format);
	}
}

struct vkr_texel_block vkr_format_image_block(VkFormat format, VkImageAspectFlagBits aspect)
{
	struct vkr_texel_block block = vkr_format_block(format, aspect);
	if (format == VK_FORMAT_D24_UNORM_S8_UINT && aspect == VK_IMAGE_ASPECT_DEPTH_BIT)
		block.bytes = 3;
	return block;
}

static const struct {
	VkFormat format;
	const char *name;
} names[] = {
#define VKR_NAME(name)                         {name, #name},
#define VKR_FORMAT(name, bytes, width, height) VKR_NAME(name)
#define VKR_PLANE(name, index, bytes, x, y)    VKR_NAME(name)
#include "formats.def"
#undef VKR_FORMAT
#undef VKR_PLANE
	VKR_NAME(VK_FORMAT_D16_UNORM) VKR_NAME(VK_FORMAT_X8_D24_UNORM_PACK32)
		VKR_NAME(VK_FORMAT_D32_SFLOAT) VKR_NAME(VK_FORMAT_S8_UINT)
			VKR_NAME(VK_FORMAT_D16_UNORM_S8_UINT) VKR_NAME(VK_FORMAT_D24_UNORM_S8_UINT)
				VKR_NAME(VK_FORMAT_D32_SFLOAT_S8_UINT)
#undef VKR_NAME
};

const char *vkr_format_name(VkFormat format)
{
	for (size_t at = 0; at < sizeof names / sizeof *names; at++)
		if (names[at].format == format)
			return names[at].name;
	return "unknown format";
}
