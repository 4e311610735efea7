// SPDX-License-Identifier: Apache-2.0
// Coverage for device extensions and features that the layer does not model.
// Knows what each can hide or falsely show; nothing of how it is used.
#include "device_features.h"
#include "record.h"

#include <string.h>

static const char *const modelled[] = {
#define VKR_EXTENSION(name) name,
#include "vkrace/extensions.def"
#undef VKR_EXTENSION
};

static const struct effect {
	const char *name, *use, *effect;
} effects[] = {
#define VKR_EFFECT(name, effect)           {name, NULL, effect},
#define VKR_EFFECT_USED(name, use, effect) {name, use, effect},
#include "vkrace/extension_effects.def"
#undef VKR_EFFECT_USED
#undef VKR_EFFECT
};

static bool is_modelled(const char *name)
{
	for (size_t i = 0; i < sizeof modelled / sizeof *modelled; i++)
		if (strcmp(modelled[i], name) == 0)
			return true;
	return false;
}

// NULL for one that this build does not know.
static const struct effect *effect_of(const char *name)
{
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
		if (strcmp(effects[i].name, name) == 0)
			return &effects[i];
	return NULL;
}

// Whether the extension has no effect until the program uses a certain command or feature, and that
// use is reported.
static bool is_told_later(const struct effect *effect)
{
	return effect && effect->use &&
	       (strncmp(effect->use, "vkCmd", 5) != 0 || vkr_layer_hooks(effect->use));
}

void vkr_extension_used(uint32_t device, const char *name)
{
	const struct effect *effect = effect_of(name);
	vkr_record_coverage(
		VKR_COVERAGE_EXTENSION, device, 0, "%s is not modelled: %s", name,
		effect ? effect->effect
		       : "this build does not know it. What it reads and writes may not be "
			 "observed: races with that are missed. What it orders may not be "
			 "observed: accesses that only it orders are reported");
}

// Minor versions after the headers' have commands that no hook is made for.
static void check_version(uint32_t device, uint32_t version)
{
	if (VK_API_VERSION_MAJOR(version) == VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE) &&
	    VK_API_VERSION_MINOR(version) <= VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE))
		return;
	vkr_record_coverage(
		VKR_COVERAGE_EXTENSION, device, 0,
		"Vulkan %u.%u is newer than this build, which knows %u.%u: accesses by its new "
		"commands may not be observed, so that races are missed, and order that they make "
		"may not be observed, so that ordered accesses are reported",
		VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
		VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE),
		VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE));
}

void vkr_extension_coverage(uint32_t device, uint32_t version, const VkDeviceCreateInfo *asked)
{
	check_version(device, version);
	for (uint32_t i = 0; i < asked->enabledExtensionCount; i++) {
		const char *name = asked->ppEnabledExtensionNames[i];
		if (!is_modelled(name) && !is_told_later(effect_of(name)))
			vkr_extension_used(device, name);
	}
	const VkDeviceGroupDeviceCreateInfo *group =
		vkr_chain_find(asked->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
	if (group && group->physicalDeviceCount > 1)
		vkr_record_coverage(VKR_COVERAGE_EXTENSION, device, 0,
				    "a group of %u physical devices: their instances of memory are "
				    "treated as one, so that accesses of two devices to different "
				    "instances may be reported as races",
				    group->physicalDeviceCount);
}
