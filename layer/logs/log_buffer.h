// SPDX-License-Identifier: Apache-2.0
// Buffers of the layer's own, in memory that host and device see alike, or in the device's. Knows
// memory types, imports and addresses; not what is in them.
#pragma once

#include "layer.h"

// With a device address, to be bound to memory that is imported where `import`, and for queues of
// all families that logs are written or copied by. VK_NULL_HANDLE where the driver fails.
VkBuffer vkr_log_buffer_create(struct vkr_layer_device *device, uint64_t bytes,
			       VkBufferUsageFlags usage, bool import);

// Memory for the buffer, host-visible and coherent, bound, and the buffer's address. `import` (may
// be NULL) is what it is made of. False where the driver fails; *memory is the caller's also then.
bool vkr_log_buffer_bind(struct vkr_layer_device *device, VkBuffer buffer, void *import,
			 uint64_t import_bytes, VkDeviceMemory *memory, uint64_t *address);

// Likewise in device memory that the host may not see.
bool vkr_log_buffer_bind_local(struct vkr_layer_device *device, VkBuffer buffer,
			       VkDeviceMemory *memory, uint64_t *address);

// Whether the device has memory of its own, and what host and device see alike is none of it.
bool vkr_log_buffers_are_local(const struct vkr_layer_device *device);

// Bytes of the device's own memory, all programs' together.
uint64_t vkr_log_buffers_local_bytes(const struct vkr_layer_device *device);
