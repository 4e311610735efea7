// SPDX-License-Identifier: Apache-2.0
// What descriptors in heaps stand for, by what they were written from (VK_EXT_descriptor_heap).
// Knows the structures that they are written from; not which bytes they have, nor where.
#pragma once

#include "descriptor_contents.h"

#ifdef VK_EXT_descriptor_heap
// Describes a resource. `before`: what the same bytes stood for until now, or NULL.
void vkr_heap_describe(struct vkr_layer_device *device, const VkResourceDescriptorInfoEXT *info,
		       const struct vkr_described *before, struct vkr_described *to);

// Whether two descriptors that have the same bytes are the same to all but their shaders.
bool vkr_heap_is_same(uint32_t type, const struct vkr_described *is, uint32_t other_type,
		      const struct vkr_described *other);
#endif
