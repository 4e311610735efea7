// SPDX-License-Identifier: Apache-2.0
// Which bytes of a buffer a copy between it and an image touches.
// Knows formats' block sizes; no command and no event.
#pragma once

#include "vkrace/trace.h"

#include <vulkan/vulkan.h>

struct vkr_texel_region {
	VkFormat format;
	VkImageAspectFlags aspects;
	uint64_t offset;
	uint32_t row_length, image_height; // texels; 0: as tight as the extent
	VkExtent3D extent;
	uint32_t layers;
};

// The number of ranges that the region consists of (rows, joined where they touch); 0 for a format
// that is not known. Where `out` is not NULL it gets them.
uint32_t vkr_texel_rows(const struct vkr_texel_region *region, struct vkr_trace_range *out);
