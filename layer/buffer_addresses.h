// SPDX-License-Identifier: Apache-2.0
// Which memory is behind a device address, and what it holds where the host can see it.
// Knows buffers with addresses; not what commands do with these.
#pragma once

#include "objects.h"

// The buffer has the address. For lack of memory it is as if it had none.
void vkr_addresses_add(struct vkr_device *device, VkBuffer buffer, uint64_t address,
		       uint64_t bytes);
void vkr_addresses_remove(struct vkr_device *device, VkBuffer buffer);
void vkr_addresses_finish(struct vkr_device *device);

// Copies what the memory holds now. False where no buffer is there, or no host pointer leads there.
bool vkr_addresses_read(struct vkr_device *device, uint64_t address, void *to, size_t bytes);
