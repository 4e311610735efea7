// SPDX-License-Identifier: Apache-2.0
// One place for every block of texels of an image: plane after plane, in each the mip levels, in
// each the array layers, in each slices, rows and blocks, all without gaps. So a range of
// subresources is at most one range of bytes a mip level. Knows sizes; not where an image with a
// layout of its own has its texels.
#pragma once

#include "texel_format.h"

#include <stdbool.h>

#define VKR_IMAGE_PLANES 3

struct vkr_image_shape {
	VkFormat format;
	uint32_t extent[3]; // texels
	uint32_t mips, layers, samples;
};

// A mip level of a plane. Offsets count from the beginning of the plane.
struct vkr_texel_level {
	uint64_t offset; // of layer 0
	uint64_t row_pitch, slice_pitch, layer_pitch;
	uint32_t width, height, depth; // blocks
};

struct vkr_texel_plane {
	VkImageAspectFlagBits aspect;
	struct vkr_texel_block block; // bytes: of all samples
	uint64_t offset, bytes;       // in the image
};

struct vkr_image_packing {
	struct vkr_texel_plane planes[VKR_IMAGE_PLANES];
	uint32_t plane_count;
	uint64_t bytes; // of the image
};

// `levels`: NULL, or room for mips levels of each of VKR_IMAGE_PLANES planes, one plane after the
// other. False: the format is not known, or the image would be larger than an address space.
bool vkr_image_pack(const struct vkr_image_shape *shape, struct vkr_image_packing *packing,
		    struct vkr_texel_level *levels);
