// SPDX-License-Identifier: Apache-2.0
// Buffers of the layer's own, in memory that host and device see alike. Knows memory types, imports
// and addresses; not what is in them.
#pragma once

#include "layer.h"

// With a device address, to be bound to memory that is imported where `import`. VK_NULL_HANDLE
// where the driver fails.
VkBuffer vkr_log_buffer_create(struct vkr_layer_device *device, uint64_t bytes,
			       VkBufferUsageFlags usage, bool import);

// Memory for the buffer, host-visible and coherent, bound, and the buffer's address. `import` (may
// be NULL) is what it is made of. False where the driver fails; *memory is the caller's also then.
bool vkr_log_buffer_bind(struct vkr_layer_device *device, VkBuffer buffer, void *import,
			 uint64_t import_bytes, VkDeviceMemory *memory, uint64_t *address);
