// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: what a host thread does to images without a queue. Knows nothing of
// what orders it.
#pragma once

#include "vkrace/trace_values.h"

#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_HOST_IMAGE_EVENTS(X)                                                             \
	X(HOST_IMAGE_COPY, 380, vkr_trace_host_image_copy, 16)                                     \
	X(HOST_IMAGE_TRANSFER, 381, vkr_trace_host_image_transfer, 24)                             \
	X(HOST_TRANSITION, 382, vkr_trace_host_transition, 32)

// vkCopyMemoryToImage and vkCopyImageToMemory returned. Tail: box_count x struct
// vkr_trace_image_box.
struct vkr_trace_host_image_copy {
	uint32_t image;
	uint32_t to_image; // 1: the image is written; 0: read
	uint32_t layout;   // VkImageLayout
	uint32_t box_count;
};

// vkCopyImageToImage returned. Tail: region_count x struct vkr_trace_image_region.
struct vkr_trace_host_image_transfer {
	uint32_t source, destination;
	uint32_t source_layout, destination_layout; // VkImageLayout
	uint32_t region_count, reserved;
};

// One of the transitions of vkTransitionImageLayout, which returned.
struct vkr_trace_host_transition {
	uint32_t image;
	uint32_t old_layout, new_layout; // VkImageLayout
	struct vkr_trace_subresources subresources;
};
