// SPDX-License-Identifier: Apache-2.0
// What fixed function of a graphics pipeline does, written down. Knows
// VkGraphicsPipelineCreateInfo; no shader.
#pragma once

#include "layer.h"

// The GRAPHICS_STATE event of a pipeline that was made.
void vkr_record_graphics_state(struct vkr_device *device, uint32_t pipeline,
			       const VkGraphicsPipelineCreateInfo *info);

// Bytes of a vertex attribute; 0 for a format that is not known.
uint32_t vkr_vertex_format_bytes(VkFormat format);
