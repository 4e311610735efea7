// SPDX-License-Identifier: Apache-2.0
// Which descriptors bytes in descriptor buffers encode. Knows the bytes that vkGetDescriptorEXT
// gave; not where they are read from.
#pragma once

#include "descriptor_buffers.h"

// The descriptor that some bytes encode.
struct vkr_described {
	struct vkr_trace_descriptor content;
	uint32_t viewed; // whose view is of the layer's making: a buffer or an image; 0: none
};

// Describes a buffer by its address. Texels: with a view, that of `before` (which may be NULL)
// where it is of the same buffer.
void vkr_describe_address(struct vkr_layer_device *device, const VkDescriptorAddressInfoEXT *info,
			  bool texels, const struct vkr_described *before,
			  struct vkr_described *to);

struct vkr_descriptor_buffers {
	VkPhysicalDeviceDescriptorBufferPropertiesEXT properties;
	bool robust; // robustBufferAccess is enabled
	pthread_mutex_t lock;
	struct vkr_handles known;            // hash of bytes -> struct vkr_known_descriptor
	struct vkr_descriptor_shape *shapes; // each is there until the end
};

// The descriptors of a binding, one after the other.
struct vkr_descriptor_row {
	uint32_t binding, type, count;
	uint32_t bytes;  // of one
	uint64_t offset; // of the first, in the set
};

struct vkr_descriptor_shape {
	struct vkr_descriptor_shape *next;
	uint32_t layout; // id
	uint64_t bytes;
	struct vkr_handles places; // address + 1 -> place
	uint32_t row_count;
	struct vkr_descriptor_row rows[];
};

struct vkr_descriptor_place {
	uint32_t set; // id
	struct vkr_descriptor_shape *shape;
	uint64_t address;
	unsigned char *seen; // what was recorded last
	uint64_t seen_bytes;
};

// Records what has changed in the place since it was seen last. The lock is held.
void vkr_descriptor_contents_record(struct vkr_descriptor_buffers *all,
				    struct vkr_descriptor_place *place, const unsigned char *now,
				    uint64_t bytes);
