// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: the events of presentation. Knows nothing of what the presentation
// engine does with images. A swapchain's images are IMAGE events with VKR_IMAGE_SWAPCHAIN.
#pragma once

#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_PRESENT_EVENTS(X)                                                                \
	X(ACQUIRE, 260, vkr_trace_acquire, 16)                                                     \
	X(PRESENT, 261, vkr_trace_present, 24)

// vkAcquireNextImageKHR and vkAcquireNextImage2KHR gave the program an image.
struct vkr_trace_acquire {
	uint32_t image; // 0: not known, or shared with the presentation engine
	uint32_t semaphore, fence;
	uint32_t reserved;
};

// vkQueuePresentKHR. Tail: wait_count x uint32_t "wait": semaphores; image_count x uint32_t
// "image": images that are not shared with the presentation engine; fence_count x uint32_t "fence":
// by image, the fence that is signaled once the semaphores were waited for, or 0
// (VK_KHR_swapchain_maintenance1).
struct vkr_trace_present {
	uint32_t submission, queue;
	uint32_t wait_count, image_count;
	uint32_t fence_count; // 0 or image_count
	uint32_t reserved;
};
