// SPDX-License-Identifier: Apache-2.0
// The formats of the registry, which formats.py makes a table of. Private to this folder.
#pragma once

#include "texel_format.h"

#include <stddef.h>

struct vkr_format_row {
	VkFormat format;
	const char *name;
	uint32_t planes;                   // 0: it is not multi-planar
	uint32_t depth_bits, stencil_bits; // of a depth or stencil format, which has no blocks
	struct vkr_texel_block blocks[3];  // of each plane, or of the color aspect
};

// Ascending.
extern const struct vkr_format_row vkr_format_rows[];
extern const size_t vkr_format_row_count;
