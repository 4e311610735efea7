// SPDX-License-Identifier: Apache-2.0
// What the blocks of texels of a format are (Vulkan specification, "Formats").
// Knows sizes only; no image and no buffer.
#pragma once

#include <stdint.h>

#include <vulkan/vulkan_core.h>

struct vkr_texel_block {
	uint32_t bytes;         // 0: the format is not known, or has no such aspect
	uint32_t width, height; // texels of the plane
	uint32_t x, y;          // texels of the image that one of the plane stands for, each way
};

// COLOR, DEPTH, STENCIL, or the PLANE bits of a multi-planar format. 0: not known.
VkImageAspectFlags vkr_format_aspects(VkFormat format);

// "VK_FORMAT_R8_UNORM"; "unknown format".
const char *vkr_format_name(VkFormat format);

// The block of one aspect, as copies lay it out in buffers.
struct vkr_texel_block vkr_format_block(VkFormat format, VkImageAspectFlagBits aspect);

// The block as an image holds it: depth and stencil apart, without padding where both share a word.
struct vkr_texel_block vkr_format_image_block(VkFormat format, VkImageAspectFlagBits aspect);
