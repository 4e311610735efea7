// SPDX-License-Identifier: Apache-2.0
// Images that the layer comes to know. Knows what they are made of; not who uses them.
#pragma once

#include "layer.h"

// Records an image that exists, and keeps it under its handle. `flags`: enum vkr_trace_image_flags;
// a swapchain image gets memory that represents its own.
void vkr_image_keep(struct vkr_layer_device *device, VkImage handle, const VkImageCreateInfo *info,
		    uint32_t flags);

// Records that the image is gone.
void vkr_image_forget(struct vkr_layer_device *device, VkImage handle);
