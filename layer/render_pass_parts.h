// SPDX-License-Identifier: Apache-2.0
// Render passes, written down. Knows both forms of their creation; no command.
#pragma once

#include "layer.h"

// Keeps the render pass that was made, and records it.
void vkr_record_render_pass(struct vkr_device *device, VkRenderPass handle,
			    const VkRenderPassCreateInfo2 *info);

// The same of the first form.
void vkr_record_render_pass_first(struct vkr_device *device, VkRenderPass handle,
				  const VkRenderPassCreateInfo *info);
