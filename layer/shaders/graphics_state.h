// SPDX-License-Identifier: Apache-2.0
// What fixed function of a graphics pipeline does, written down. Knows
// VkGraphicsPipelineCreateInfo; no shader.
#pragma once

#include "layer.h"

struct vkr_layer_pipeline;

// The parts of a pipeline that come with the call itself rather than from libraries: pointers to
// structures of other parts may be invalid.
enum vkr_graphics_parts {
	VKR_PART_VERTEX_INPUT = 1u << 0, // as VkGraphicsPipelineLibraryFlagBitsEXT
	VKR_PART_PRE_RASTERIZATION = 1u << 1,
	VKR_PART_FRAGMENT_SHADER = 1u << 2,
	VKR_PART_FRAGMENT_OUTPUT = 1u << 3,
};
uint32_t vkr_graphics_parts(const VkGraphicsPipelineCreateInfo *info);

// Whether its fragments have several samples, or may have.
bool vkr_graphics_samples(const VkGraphicsPipelineCreateInfo *info);

// The GRAPHICS_STATE event of a pipeline that was made, with what its libraries bring; one that is
// not known is NULL. A library keeps its own, until it is released.
void vkr_record_graphics_state(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
			       const VkGraphicsPipelineCreateInfo *info,
			       const struct vkr_layer_pipeline *const *libraries,
			       uint32_t library_count);

// Bytes of a vertex attribute; 0 for a format that is not known.
uint32_t vkr_vertex_format_bytes(VkFormat format);
