// SPDX-License-Identifier: Apache-2.0
// The code that reads and writes marks of texels (include/vkrace/gpu_log.h). Knows which texels
// filters of samplers read; not which reads have marks.
//
// Which filter a sampler has, shaders do not know. A record is needed if one of the texels that a
// nearest or a linear filter reads has no mark; where implementations may differ on what is read
// (texel_footprint.c), it is one of these. A texel gets its mark where both filters surely read it.
// Samples that reach beyond the image, or of images with several levels, are always needed.
#pragma once

#include "log_code.h"

// Makes the variable.
void vkr_log_texels_init(struct vkr_log_code *code);

// In `begin`: finds the marks where the condition `is_some` is met, as the cell (its address) says;
// there are none.
void vkr_log_texels_begin(struct vkr_log_code *code, uint32_t cell, uint32_t is_some);
void vkr_log_texels_nowhere(struct vkr_log_code *code);

// The operands of the two functions below: words. An offset is not among them: a site's is the same
// in all of its samples, and a mark stands for the texel that it leads to.
enum vkr_texel_operand {
	VKR_OPERAND_SITE, // the number of the site
	// Of a sample: 32-bit floats, the layer too; else integers. The layer is 0 where there are
	// none.
	VKR_OPERAND_X,
	VKR_OPERAND_Y,
	VKR_OPERAND_LAYER,
	VKR_OPERAND_LEVEL, // as it is logged; 0 for VKR_LEVEL_BASE
	VKR_OPERAND_WIDTH, // of the view's level 0
	VKR_OPERAND_HEIGHT,
	VKR_OPERAND_LAYERS, // 1 where there are none
	// Of samples alone:
	VKR_OPERAND_LEVELS,  // of the view; 1 for VKR_LEVEL_BASE
	VKR_OPERAND_GATHERS, // 1: a linear filter's texels are read even where they weigh nothing
};

#define VKR_SAMPLE_OPERANDS ((uint32_t)VKR_OPERAND_GATHERS + 1)
#define VKR_FETCH_OPERANDS  ((uint32_t)VKR_OPERAND_LAYERS + 1)

// The function that finds out whether a sample, or a fetch of one texel, makes the record under way
// needed, and marks what it reads: void(operands...).
uint32_t vkr_log_texels_sample(struct vkr_log_code *code);
uint32_t vkr_log_texels_fetch(struct vkr_log_code *code);
