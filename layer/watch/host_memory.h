// SPDX-License-Identifier: Apache-2.0
// Two mappings of host-visible memory: the program's, which is watched, and everyone else's.
// Knows how Vulkan allocates and maps; not how accesses are seen.
#pragma once

#include "objects.h"

// Allocates as vkAllocateMemory does; where the memory can be watched from the start, out of memory
// of the layer's, which is then kept->region. Whatever fails in that is as if it had not been
// tried.
VkResult vkr_host_memory_allocate(struct vkr_layer_device *device, const VkMemoryAllocateInfo *info,
				  const VkAllocationCallbacks *allocator, VkDeviceMemory *memory,
				  struct vkr_layer_memory *kept);

// Watches what vkr_host_memory_allocate() made, which has its id now.
void vkr_host_memory_watch(struct vkr_layer_memory *kept);

// The memory was mapped at *data, which becomes what the program shall use.
void vkr_host_memory_map(struct vkr_layer_memory *kept, uint64_t offset, uint64_t bytes,
			 void **data);
void vkr_host_memory_unmap(struct vkr_layer_memory *kept);

// The memory is bound to a sparse resource.
void vkr_host_memory_sparse(struct vkr_layer_memory *kept);

// Before the memory is freed, and after it.
void vkr_host_memory_forget(struct vkr_layer_memory *kept);
void vkr_host_memory_release(struct vkr_layer_memory *kept);

// Lets a buffer or image that is made of `info` be bound to the layer's memory, by `room` in its
// chain; where nothing needs that, or it cannot be, `info` stays as it is. `seen`: an image's
// parameters with those of its chain in their places.
void vkr_host_memory_buffer(const struct vkr_layer_device *device, VkBufferCreateInfo *info,
			    VkExternalMemoryBufferCreateInfo *room);
void vkr_host_memory_image(const struct vkr_layer_device *device, const VkImageCreateInfo *seen,
			   VkImageCreateInfo *info, VkExternalMemoryImageCreateInfo *room);
