// SPDX-License-Identifier: Apache-2.0
// Instances, devices, families and queues as the layer presents them. Knows no command that takes a
// queue or an index of a family.
#include "families_layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// VK_QUEUE_VIDEO_ENCODE_BIT_KHR, which the oldest headers keep for a beta extension.
#define VIDEO_ENCODE_QUEUE 0x40u

static const char *const presented_extensions[] = {
	VK_AMD_BUFFER_MARKER_EXTENSION_NAME,
	VK_AMD_SHADER_FRAGMENT_MASK_EXTENSION_NAME,
	VK_NV_MEMORY_DECOMPRESSION_EXTENSION_NAME,
	VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME,
#ifdef VK_KHR_pipeline_binary
	VK_KHR_PIPELINE_BINARY_EXTENSION_NAME,
#endif
	VK_KHR_VIDEO_QUEUE_EXTENSION_NAME,
	VK_KHR_VIDEO_DECODE_QUEUE_EXTENSION_NAME,
	VK_KHR_VIDEO_DECODE_H264_EXTENSION_NAME,
#ifdef VK_KHR_video_encode_queue
	VK_KHR_VIDEO_ENCODE_QUEUE_EXTENSION_NAME,
	VK_KHR_VIDEO_ENCODE_H264_EXTENSION_NAME,
	VK_KHR_VIDEO_ENCODE_QUANTIZATION_MAP_EXTENSION_NAME,
	VK_KHR_VIDEO_MAINTENANCE_1_EXTENSION_NAME,
#endif
};
#define PRESENTED (sizeof presented_extensions / sizeof *presented_extensions)

struct families_instance *families_instance_of(const void *dispatchable)
{
	return (struct families_instance *)next_instance_of(dispatchable);
}

struct families_device *families_device_of(const void *dispatchable)
{
	return (struct families_device *)next_device_of(dispatchable);
}

PFN_vkVoidFunction families_next(const void *dispatchable, const char *name, const char *alias)
{
	const struct next_device *device = next_device_of(dispatchable);
	PFN_vkVoidFunction found = device->get(device->handle, name);
	return found || !alias ? found : device->get(device->handle, alias);
}

// ---- Instances and families ---------------------------------------------------------------------

#define NEXT(name) ((PFN_##name)instance->next.get(instance->next.handle, #name))

static void load(struct families_instance *instance)
{
	instance->destroy = NEXT(vkDestroyInstance);
	instance->get_families = NEXT(vkGetPhysicalDeviceQueueFamilyProperties);
	instance->get_families2 = NEXT(vkGetPhysicalDeviceQueueFamilyProperties2);
	instance->get_surface_support = NEXT(vkGetPhysicalDeviceSurfaceSupportKHR);
	instance->get_extensions = NEXT(vkEnumerateDeviceExtensionProperties);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkInstance *handle)
{
	struct families_instance *instance = calloc(1, sizeof *instance);
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	VkResult result = next_instance_create(&instance->next, info, allocator, handle);
	if (result == VK_SUCCESS)
		load(instance);
	else
		free(instance);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle,
						   const VkAllocationCallbacks *allocator)
{
	struct families_instance *instance = families_instance_of(handle);
	instance->destroy(handle, allocator);
	next_instance_forget(&instance->next);
	free(instance);
}

static void present(uint32_t family, VkQueueFamilyProperties *properties)
{
	if (family == FAMILIES_VIDEO)
		properties->queueFlags =
			VK_QUEUE_TRANSFER_BIT | VK_QUEUE_VIDEO_DECODE_BIT_KHR | VIDEO_ENCODE_QUEUE;
	else if (family > 0)
		properties->queueFlags &= family == 1
						  ? VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT |
							    VK_QUEUE_SPARSE_BINDING_BIT
						  : VK_QUEUE_TRANSFER_BIT;
	if (properties->queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT) || family == 2)
		properties->queueFlags |= VK_QUEUE_TRANSFER_BIT;
	properties->queueCount = FAMILIES_QUEUES;
}

static uint32_t presented(uint32_t *count, bool asked)
{
	if (!asked || *count > FAMILIES_COUNT)
		*count = FAMILIES_COUNT;
	return asked ? *count : 0;
}

static VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice physical, uint32_t *count,
					       VkQueueFamilyProperties *properties)
{
	for (uint32_t i = 0, all = presented(count, properties); i < all; i++) {
		uint32_t one = 1;
		families_instance_of(physical)->get_families(physical, &one, &properties[i]);
		present(i, &properties[i]);
	}
}

static VKAPI_ATTR void VKAPI_CALL get_families2(VkPhysicalDevice physical, uint32_t *count,
						VkQueueFamilyProperties2 *properties)
{
	for (uint32_t i = 0, all = presented(count, properties); i < all; i++) {
		uint32_t one = 1;
		families_instance_of(physical)->get_families2(physical, &one, &properties[i]);
		present(i, &properties[i].queueFamilyProperties);
	}
}

static VKAPI_ATTR VkResult VKAPI_CALL get_surface_support(VkPhysicalDevice physical,
							  uint32_t family, VkSurfaceKHR surface,
							  VkBool32 *supported)
{
	(void)family;
	return families_instance_of(physical)->get_surface_support(physical, 0, surface, supported);
}

// ---- Extensions ---------------------------------------------------------------------------------

static VKAPI_ATTR VkResult VKAPI_CALL get_extensions(VkPhysicalDevice physical, const char *layer,
						     uint32_t *count,
						     VkExtensionProperties *properties)
{
	const uint32_t room = *count;
	if (!layer && properties && room >= PRESENTED)
		*count = room - (uint32_t)PRESENTED;
	VkResult result =
		families_instance_of(physical)->get_extensions(physical, layer, count, properties);
	if (layer || result != VK_SUCCESS || (properties && *count + PRESENTED > room))
		return result;
	for (size_t i = 0; properties && i < PRESENTED; i++) {
		VkExtensionProperties *to = &properties[*count + i];
		*to = (VkExtensionProperties){.specVersion = 1};
		snprintf(to->extensionName, sizeof to->extensionName, "%s",
			 presented_extensions[i]);
	}
	*count += (uint32_t)PRESENTED;
	return result;
}

static VKAPI_ATTR void VKAPI_CALL write_marker(VkCommandBuffer handle,
					       VkPipelineStageFlagBits stage, VkBuffer buffer,
					       VkDeviceSize offset, uint32_t marker)
{
	(void)stage;
	((PFN_vkCmdFillBuffer)families_next(handle, "vkCmdFillBuffer", NULL))(
		handle, buffer, offset, sizeof marker, marker);
}

static VKAPI_ATTR void VKAPI_CALL write_marker2(VkCommandBuffer handle, VkPipelineStageFlags2 stage,
						VkBuffer buffer, VkDeviceSize offset,
						uint32_t marker)
{
	(void)stage;
	write_marker(handle, 0, buffer, offset, marker);
}

static bool is_presented(const char *name)
{
	for (size_t i = 0; i < PRESENTED; i++)
		if (strcmp(presented_extensions[i], name) == 0)
			return true;
	return false;
}

// The driver knows nothing of these extensions.
static void take_presented(struct families_device *device, VkDeviceCreateInfo *info,
			   const char **names)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		const char *name = info->ppEnabledExtensionNames[i];
		if (!is_presented(name))
			names[kept++] = name;
		else if (strcmp(name, VK_AMD_BUFFER_MARKER_EXTENSION_NAME) == 0)
			device->markers = true;
		else if (strcmp(name, VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME) == 0 ||
			 strcmp(name, "VK_KHR_pipeline_binary") == 0)
			device->pipelines = true;
		else if (strncmp(name, "VK_KHR_video_", strlen("VK_KHR_video_")) == 0)
			device->video = true;
	}
	info->enabledExtensionCount = kept;
	info->ppEnabledExtensionNames = names;
}

// ---- Devices and queues -------------------------------------------------------------------------

static void open_queues(struct families_device *device)
{
	VkDevice handle = device->next.handle;
	((PFN_vkGetDeviceQueue)families_next(handle, "vkGetDeviceQueue", NULL))(handle, 0, 0,
										&device->real);
	memcpy((void *)device->real, &device->next.key, sizeof device->next.key);
	for (uint32_t i = 0; i < FAMILIES_COUNT; i++)
		for (uint32_t j = 0; j < FAMILIES_QUEUES; j++)
			device->queues[i][j] = (struct families_queue){device->next.key, device};
	pthread_mutex_init(&device->lock, NULL);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
						    const VkDeviceCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkDevice *handle)
{
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo real = *info;
	real.queueCreateInfoCount = 1;
	real.pQueueCreateInfos = &queue;
	struct families_device *device = calloc(1, sizeof *device);
	const char **names = calloc(info->enabledExtensionCount + (size_t)1, sizeof *names);
	if (!device || !names)
		abort();
	take_presented(device, &real, names);
	VkResult result = next_device_create(&device->next, physical, &real, allocator, handle);
	free(names);
	if (result == VK_SUCCESS)
		open_queues(device);
	else
		free(device);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle,
						 const VkAllocationCallbacks *allocator)
{
	struct families_device *device = families_device_of(handle);
	((PFN_vkDestroyDevice)families_next(handle, "vkDestroyDevice", NULL))(handle, allocator);
	next_device_forget(&device->next);
	families_held_finish(device);
	pthread_mutex_destroy(&device->lock);
	free(device);
}

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice handle, uint32_t family, uint32_t index,
					    VkQueue *queue)
{
	*queue = (VkQueue)&families_device_of(handle)->queues[family][index];
}

static VKAPI_ATTR void VKAPI_CALL get_queue2(VkDevice handle, const VkDeviceQueueInfo2 *info,
					     VkQueue *queue)
{
	get_queue(handle, info->queueFamilyIndex, info->queueIndex, queue);
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
	{"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)get_families},
	{"vkGetPhysicalDeviceQueueFamilyProperties2", (PFN_vkVoidFunction)get_families2},
	{"vkGetPhysicalDeviceQueueFamilyProperties2KHR", (PFN_vkVoidFunction)get_families2},
	{"vkGetPhysicalDeviceSurfaceSupportKHR", (PFN_vkVoidFunction)get_surface_support},
	{"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)get_extensions},
	{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device},
	{"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
	{"vkGetDeviceQueue", (PFN_vkVoidFunction)get_queue},
	{"vkGetDeviceQueue2", (PFN_vkVoidFunction)get_queue2},
};

static PFN_vkVoidFunction hook_of(const char *name)
{
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	PFN_vkVoidFunction found = families_queue_hook(name);
	if (!found)
		found = families_held_hook(name);
	return found ? found : families_index_hook(name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice handle, const char *name)
{
	if (families_device_of(handle)->markers && strcmp(name, "vkCmdWriteBufferMarkerAMD") == 0)
		return (PFN_vkVoidFunction)write_marker;
	if (families_device_of(handle)->markers && strcmp(name, "vkCmdWriteBufferMarker2AMD") == 0)
		return (PFN_vkVoidFunction)write_marker2;
	PFN_vkVoidFunction video =
		families_device_of(handle)->video ? families_video_hook(name) : NULL;
	if (video)
		return video;
	PFN_vkVoidFunction pipeline =
		families_device_of(handle)->pipelines ? families_pipeline_hook(name) : NULL;
	if (pipeline)
		return pipeline;
	// What the driver has not is not there.
	PFN_vkVoidFunction next = families_device_of(handle)->next.get(handle, name);
	PFN_vkVoidFunction hook = next ? hook_of(name) : NULL;
	return hook ? hook : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance(VkInstance handle, const char *name)
{
	PFN_vkVoidFunction hook = hook_of(name);
	// The loader also asks with an instance that it is only about to make.
	struct families_instance *made = handle ? families_instance_of(handle) : NULL;
	if (!made)
		return hook;
	if (strcmp(name, "vkGetPhysicalDeviceVideoCapabilitiesKHR") == 0)
		return families_video_hook(name);
	PFN_vkVoidFunction next = made->next.get(handle, name);
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
