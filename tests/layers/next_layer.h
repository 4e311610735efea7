// SPDX-License-Identifier: Apache-2.0
// The loader's plumbing of a layer for tests: its instances and devices, and what is behind it.
// Knows no command but those that make them; nothing of what a layer is for.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

// First in what a layer knows of an instance or device of its own.
struct next_instance {
	void *key; // the loader's, first in every dispatchable object
	struct next_instance *list;
	PFN_vkGetInstanceProcAddr get;
	VkInstance handle;
};

struct next_device {
	void *key;
	struct next_device *list;
	PFN_vkGetDeviceProcAddr get;
	VkDevice handle;
};

void *next_key(const void *dispatchable);

// What was kept for the instance or device that the handle belongs to; NULL: nothing.
struct next_instance *next_instance_of(const void *dispatchable);
struct next_device *next_device_of(const void *dispatchable);

// Makes one in the layers behind this one and keeps it in `made`, which is the caller's.
VkResult next_instance_create(struct next_instance *made, const VkInstanceCreateInfo *info,
			      const VkAllocationCallbacks *allocator, VkInstance *handle);
VkResult next_device_create(struct next_device *made, VkPhysicalDevice physical,
			    const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
			    VkDevice *handle);

void next_instance_forget(struct next_instance *instance);
void next_device_forget(struct next_device *device);
