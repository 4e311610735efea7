// SPDX-License-Identifier: Apache-2.0
// Instances and devices, and what physical devices are like. Knows no command of a device.
#include "discrete_layer.h"

#include <stdlib.h>
#include <string.h>

struct discrete_instance {
	struct next_instance next;
	PFN_vkDestroyInstance destroy;
	PFN_vkGetPhysicalDeviceProperties get_properties;
	PFN_vkGetPhysicalDeviceProperties2 get_properties2;
	PFN_vkGetPhysicalDeviceImageFormatProperties2 get_format;
	PFN_vkGetPhysicalDeviceQueueFamilyProperties get_families;
};

static struct discrete_instance *instance_of(const void *dispatchable)
{
	return (struct discrete_instance *)next_instance_of(dispatchable);
}

const void *discrete_find(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *at = chain;
	while (at && at->sType != type)
		at = at->pNext;
	return at;
}

// ---- Instances and devices ----------------------------------------------------------------------

#define NEXT(name) ((PFN_##name)instance->next.get(instance->next.handle, #name))

// The loader gives the next layer's function only while the instance is being created.
static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkInstance *handle)
{
	struct discrete_instance *instance = calloc(1, sizeof *instance);
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	const VkResult result = next_instance_create(&instance->next, info, allocator, handle);
	if (result != VK_SUCCESS) {
		free(instance);
		return result;
	}
	instance->destroy = NEXT(vkDestroyInstance);
	instance->get_properties = NEXT(vkGetPhysicalDeviceProperties);
	instance->get_properties2 = NEXT(vkGetPhysicalDeviceProperties2);
	instance->get_format = NEXT(vkGetPhysicalDeviceImageFormatProperties2);
	instance->get_families = NEXT(vkGetPhysicalDeviceQueueFamilyProperties);
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle,
						   const VkAllocationCallbacks *allocator)
{
	struct discrete_instance *instance = instance_of(handle);
	instance->destroy(handle, allocator);
	next_instance_forget(&instance->next);
	free(instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
						    const VkDeviceCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkDevice *handle)
{
	struct next_device *device = calloc(1, sizeof *device);
	if (!device)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	const VkDeviceCreateInfo real = discrete_without_family(info);
	const VkResult result = next_device_create(device, physical, &real, allocator, handle);
	if (result != VK_SUCCESS)
		free(device);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle,
						 const VkAllocationCallbacks *allocator)
{
	struct next_device *device = next_device_of(handle);
	discrete_check_copies();
	((PFN_vkDestroyDevice)device->get(handle, "vkDestroyDevice"))(handle, allocator);
	next_device_forget(device);
	free(device);
}

// ---- What a physical device is like -------------------------------------------------------------

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice physical,
						 VkPhysicalDeviceProperties *properties)
{
	instance_of(physical)->get_properties(physical, properties);
	properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

static VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice physical,
						  VkPhysicalDeviceProperties2 *properties)
{
	instance_of(physical)->get_properties2(physical, properties);
	properties->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

static VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice physical,
					     VkPhysicalDeviceMemoryProperties *properties)
{
	static const VkMemoryPropertyFlags host =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	(void)physical;
	*properties = (VkPhysicalDeviceMemoryProperties){
		.memoryTypeCount = DISCRETE_TYPES,
		.memoryTypes = {{0, 1},
				{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
				{host, 1},
				{host | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1},
				{host | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0}},
		.memoryHeapCount = 2,
		.memoryHeaps = {{UINT64_C(1) << 32, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT},
				{UINT64_C(1) << 32, 0}},
	};
}

static VKAPI_ATTR void VKAPI_CALL get_memory2(VkPhysicalDevice physical,
					      VkPhysicalDeviceMemoryProperties2 *properties)
{
	get_memory(physical, &properties->memoryProperties);
}

static VKAPI_ATTR VkResult VKAPI_CALL get_format(VkPhysicalDevice physical,
						 const VkPhysicalDeviceImageFormatInfo2 *info,
						 VkImageFormatProperties2 *properties)
{
	const VkPhysicalDeviceExternalImageFormatInfo *external = discrete_find(
		info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
	VkExternalImageFormatProperties *found = (void *)(uintptr_t)discrete_find(
		properties->pNext, VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES);
	const bool of_host = external && external->handleType == DISCRETE_HOST &&
			     info->tiling == VK_IMAGE_TILING_OPTIMAL;
	if (of_host && info->usage != DISCRETE_CLAIMED)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	VkPhysicalDeviceImageFormatInfo2 asked = *info;
	if (of_host)
		asked.pNext = NULL;
	const VkResult result = instance_of(physical)->get_format(physical, &asked, properties);
	if (of_host && found)
		found->externalMemoryProperties.externalMemoryFeatures =
			VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
	return result;
}

static VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice physical, uint32_t *count,
					       VkQueueFamilyProperties *families)
{
	const uint32_t room = *count;
	instance_of(physical)->get_families(physical, count, families);
	discrete_add_family(room, count, families);
}

// ---- Names --------------------------------------------------------------------------------------

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice handle, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance(VkInstance handle, const char *name);

static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} hooks[] = {
	{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance},
	{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
	{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
	{"vkCreateDevice", (PFN_vkVoidFunction)create_device},
	{"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)get_properties},
	{"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties2},
	{"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)get_properties2},
	{"vkGetPhysicalDeviceMemoryProperties", (PFN_vkVoidFunction)get_memory},
	{"vkGetPhysicalDeviceMemoryProperties2", (PFN_vkVoidFunction)get_memory2},
	{"vkGetPhysicalDeviceMemoryProperties2KHR", (PFN_vkVoidFunction)get_memory2},
	{"vkGetPhysicalDeviceImageFormatProperties2", (PFN_vkVoidFunction)get_format},
	{"vkGetPhysicalDeviceImageFormatProperties2KHR", (PFN_vkVoidFunction)get_format},
	{"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)get_families},
	{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device},
	{"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
};

static PFN_vkVoidFunction hook_of(const char *name)
{
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	const PFN_vkVoidFunction copies = discrete_copies_hook(name);
	return copies ? copies : discrete_memory_hook(name);
}

// What the driver has not is not there.
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice handle, const char *name)
{
	PFN_vkVoidFunction next = next_device_of(handle)->get(handle, name);
	PFN_vkVoidFunction hook = next ? hook_of(name) : NULL;
	return hook ? hook : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance(VkInstance handle, const char *name)
{
	PFN_vkVoidFunction hook = hook_of(name);
	// The loader also asks with an instance that it is only about to make.
	const struct next_instance *made = handle ? next_instance_of(handle) : NULL;
	if (!made)
		return hook;
	PFN_vkVoidFunction next = made->get(handle, name);
	return hook && next ? hook : next;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiation)
{
	negotiation->loaderLayerInterfaceVersion = 2;
	negotiation->pfnGetInstanceProcAddr = get_instance;
	negotiation->pfnGetDeviceProcAddr = get_device;
	negotiation->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
