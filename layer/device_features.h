// SPDX-License-Identifier: Apache-2.0
// What the layer adds to a VkDeviceCreateInfo for shader logging, without the program seeing it.
// Knows features and extensions; not what the log is for.
#pragma once

#include "arena.h"
#include "layer.h"

struct vkr_device_plan {
	VkDeviceCreateInfo info; // to create the device with
	bool logging;            // what shader logging needs is enabled in `info`
	bool device_addresses_ext, external_host_memory; // as in struct vkr_layer_device
	VkShaderStageFlags logged_stages;                // as in struct vkr_layer_device
	struct {
		bool is_there;
		uint32_t family, index;
	} copy_queue;     // copy_queue.h
	char reason[160]; // where logging is not possible
	struct vkr_arena arena;
};

// Plans the creation of a device of `version` (the lesser of instance and physical device) as the
// program asked for it. The program's structures are copied where they change. Always usable: where
// logging is not possible, `info` is the program's.
void vkr_device_plan_init(struct vkr_device_plan *plan, const struct vkr_instance *instance,
			  VkPhysicalDevice physical, uint32_t version,
			  const VkDeviceCreateInfo *asked);

void vkr_device_plan_finish(struct vkr_device_plan *plan);

// Whether the extension `name` is among those that `info` enables.
bool vkr_device_enables(const VkDeviceCreateInfo *info, const char *name);

// Coverage for what the program enables and the layer does not model (extension_coverage.c).
// `version`: of Vulkan, as the program may use it.
void vkr_extension_coverage(uint32_t device, uint32_t version, const VkDeviceCreateInfo *asked);

// Coverage for an extension that is not modelled, where something of it is used.
void vkr_extension_used(uint32_t device, const char *name);
