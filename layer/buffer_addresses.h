// SPDX-License-Identifier: Apache-2.0
// Which memory is behind a device address, and what it holds where the host can see it.
// Knows buffers with addresses; not what commands do with these.
#pragma once

#include "objects.h"

// The buffer has the address. For lack of memory it is as if it had none.
void vkr_buffer_addresses_add(struct vkr_layer_device *device, VkBuffer buffer, uint64_t address,
			      uint64_t bytes);
void vkr_buffer_addresses_remove(struct vkr_layer_device *device, VkBuffer buffer);
void vkr_buffer_addresses_finish(struct vkr_layer_device *device);

// Around the next one, around vkr_buffer_addresses_bytes(), and around what takes memory away from
// the host: nobody reads it then.
void vkr_buffer_addresses_lock(struct vkr_layer_device *device);
void vkr_buffer_addresses_unlock(struct vkr_layer_device *device);

// A buffer that has the address, or NULL.
const struct vkr_address_range *vkr_buffer_addresses_find(const struct vkr_layer_device *device,
							  uint64_t address);
// The address as an offset in the buffer that has it; no buffer if none has it.
struct vkr_buffer_place {
	VkBuffer buffer;
	VkDeviceSize offset;
};
struct vkr_buffer_place vkr_buffer_addresses_place(struct vkr_layer_device *device,
						   uint64_t address);

// Where the host sees the memory from there on, *bytes of it: up to the buffer's end, but no more
// than *bytes was. NULL where it does not.
const unsigned char *vkr_buffer_addresses_bytes(struct vkr_layer_device *device, uint64_t address,
						uint64_t *bytes);

// Copies what the memory holds now. False where no buffer is there, or no host pointer leads there.
bool vkr_buffer_addresses_read(struct vkr_layer_device *device, uint64_t address, void *to,
			       size_t bytes);

// Whether the memory may hold something else, as the device reads it, than the host sees there as
// it submits that.
bool vkr_buffer_addresses_may_change(struct vkr_layer_device *device, uint64_t address,
				     uint64_t bytes);
