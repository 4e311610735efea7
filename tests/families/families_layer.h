// SPDX-License-Identifier: Apache-2.0
// A layer for tests, below vkrace: it presents one queue family of the driver as three, with
// several queues each, all on one real queue, and a family of video; VK_AMD_buffer_marker by fills,
// video sessions whose operations do nothing, pipelines of modules' identifiers and of binaries,
// and extensions that are there to be enabled. Knows handles and the loader's plumbing; nothing of
// what the tests show.
#pragma once

#include "next_layer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define FAMILIES_COUNT  4u // all that the real one can; compute and transfer; transfer; video
#define FAMILIES_VIDEO  3u
#define FAMILIES_QUEUES 2u // in each

struct families_queue {
	void *dispatch; // the loader's, first in every dispatchable object
	struct families_device *device;
};

struct families_instance {
	struct next_instance next;
	// The next layer's: the loader tells them while the instance is being made.
	PFN_vkDestroyInstance destroy;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties get_families;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties2 get_families2;
	PFN_vkGetPhysicalDeviceSurfaceSupportKHR get_surface_support; // NULL: there is none
	PFN_vkEnumerateDeviceExtensionProperties get_extensions;
};

struct families_device {
	struct next_device next;
	VkQueue real;
	bool markers, video, pipelines; // were enabled
	pthread_mutex_t lock;           // of the real queue and the lists
	struct families_timeline *timelines;
	struct families_held *held; // in the order in which they were submitted
	struct families_queue queues[FAMILIES_COUNT][FAMILIES_QUEUES];
};

struct families_instance *families_instance_of(const void *dispatchable);
struct families_device *families_device_of(const void *dispatchable);

// The next layer's command of the device, of either name; the second may be NULL.
PFN_vkVoidFunction families_next(const void *dispatchable, const char *name, const char *alias);

// Forgets what is still held back.
void families_held_finish(struct families_device *device);

// A hook by name, or NULL.
PFN_vkVoidFunction families_queue_hook(const char *name);
PFN_vkVoidFunction families_held_hook(const char *name);
PFN_vkVoidFunction families_index_hook(const char *name);
PFN_vkVoidFunction families_video_hook(const char *name);
PFN_vkVoidFunction families_pipeline_hook(const char *name);
