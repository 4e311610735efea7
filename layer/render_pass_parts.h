// SPDX-License-Identifier: Apache-2.0
// Render passes, written down. Knows both forms of their creation; no command.
#pragma once

#include "layer.h"

// Keeps the render pass that was made, and records it.
void vkr_record_render_pass(struct vkr_layer_device *device, VkRenderPass handle,
			    const VkRenderPassCreateInfo2 *info);

// Records a render pass that was created by the first form.
void vkr_record_render_pass_first(struct vkr_layer_device *device, VkRenderPass handle,
				  const VkRenderPassCreateInfo *info);

// The samples that attachments of one have, by the chain of a subpass or of dynamic rendering
// (VK_EXT_multisampled_render_to_single_sampled); 0: one.
uint32_t vkr_implicit_samples(const void *chain);
