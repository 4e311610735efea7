// SPDX-License-Identifier: Apache-2.0
// What layers and extensions there are: the layer itself, and, of the device's extensions, all but
// those that the user hides so that programs do without. Knows their names only.
#include "layer.h"
#include "settings.h"

#include <stdlib.h>
#include <string.h>

// The one extension that the layer itself has.
static VkResult fill_own(const char *name, uint32_t version, uint32_t *count,
			 VkExtensionProperties *properties)
{
	if (properties && *count == 0)
		return VK_INCOMPLETE;
	*count = 1;
	if (properties) {
		*properties = (VkExtensionProperties){.specVersion = version};
		strncpy(properties->extensionName, name, sizeof properties->extensionName - 1);
	}
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_EnumerateInstanceExtensionProperties(
	const char *layer, uint32_t *count, VkExtensionProperties *properties)
{
	return layer && strcmp(layer, VKR_LAYER_NAME) == 0
		       ? fill_own("VK_EXT_layer_settings", 2, count, properties)
		       : VK_ERROR_LAYER_NOT_PRESENT;
}

// Beside the tools that the layers below report.
VKAPI_ATTR VkResult VKAPI_CALL vkr_GetPhysicalDeviceToolProperties(
	VkPhysicalDevice physical, uint32_t *count, VkPhysicalDeviceToolProperties *properties)
{
	PFN_vkGetPhysicalDeviceToolProperties next =
		vkr_instance_of(physical)->next.GetPhysicalDeviceToolProperties;
	if (properties && *count == 0)
		return VK_INCOMPLETE;
	uint32_t others = properties ? *count - 1 : 0;
	const VkResult result =
		next ? next(physical, &others, properties ? properties + 1 : NULL) : VK_SUCCESS;
	if (result < 0)
		return result;
	*count = (next ? others : 0) + 1;
	if (!properties)
		return result;
	const VkPhysicalDeviceToolProperties own = {
		.sType = properties->sType,
		.pNext = properties->pNext,
		.name = "vkrace",
		.version = VKR_VERSION,
		.purposes = VK_TOOL_PURPOSE_VALIDATION_BIT,
		.description = "Finds data races by the Vulkan memory model",
		.layer = VKR_LAYER_NAME,
	};
	*properties = own;
	return result;
}

static bool is_hidden(const char *hidden, const char *name)
{
	const size_t length = strlen(name);
	for (const char *at = hidden; *at;) {
		const size_t word = strcspn(at, ", ");
		if (word == length && memcmp(at, name, length) == 0)
			return true;
		at += word + strspn(at + word, ", ");
	}
	return false;
}

// As vkEnumerateDeviceExtensionProperties, of those that are not hidden.
static VkResult fill_shown(const char *hidden, const VkExtensionProperties *all, uint32_t all_count,
			   uint32_t *count, VkExtensionProperties *properties)
{
	uint32_t shown = 0;
	VkResult result = VK_SUCCESS;
	for (uint32_t i = 0; i < all_count; i++) {
		if (is_hidden(hidden, all[i].extensionName))
			continue;
		if (properties && shown == *count) {
			result = VK_INCOMPLETE;
			break;
		}
		if (properties)
			properties[shown] = all[i];
		shown++;
	}
	*count = shown;
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_EnumerateDeviceExtensionProperties(VkPhysicalDevice physical, const char *layer,
				       uint32_t *count, VkExtensionProperties *properties)
{
	if (layer && strcmp(layer, VKR_LAYER_NAME) == 0)
		return fill_own("VK_EXT_tooling_info", 1, count, properties);
	const char *hidden = vkr_setting_text(VKR_SETTING_HIDE_EXTENSIONS);
	PFN_vkEnumerateDeviceExtensionProperties next =
		vkr_instance_of(physical)->next.EnumerateDeviceExtensionProperties;
	if (!hidden || layer)
		return next(physical, layer, count, properties);
	VkExtensionProperties *all = NULL;
	uint32_t all_count = 0;
	VkResult result;
	do {
		free(all);
		all = NULL;
		result = next(physical, NULL, &all_count, NULL);
		if (result != VK_SUCCESS)
			break;
		all = calloc(all_count + 1, sizeof *all);
		if (!all)
			return VK_ERROR_OUT_OF_HOST_MEMORY;
		result = next(physical, NULL, &all_count, all);
	} while (result == VK_INCOMPLETE);
	if (result == VK_SUCCESS)
		result = fill_shown(hidden, all, all_count, count, properties);
	free(all);
	return result;
}

static VkResult fill_layers(uint32_t *count, VkLayerProperties *properties)
{
	static const VkLayerProperties own = {
		.layerName = VKR_LAYER_NAME,
		.specVersion = VK_MAKE_API_VERSION(0, 1, 3, VK_HEADER_VERSION),
		.implementationVersion = 1,
		.description = "Finds data races by the Vulkan memory model",
	};
	if (!properties) {
		*count = 1;
		return VK_SUCCESS;
	}
	if (*count == 0)
		return VK_INCOMPLETE;
	*count = 1;
	properties[0] = own;
	return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_EnumerateInstanceLayerProperties(uint32_t *count,
								    VkLayerProperties *properties)
{
	return fill_layers(count, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_EnumerateDeviceLayerProperties(VkPhysicalDevice physical,
								  uint32_t *count,
								  VkLayerProperties *properties)
{
	(void)physical;
	return fill_layers(count, properties);
}
