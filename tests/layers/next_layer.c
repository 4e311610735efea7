// SPDX-License-Identifier: Apache-2.0
// Instances and devices of a test layer, and the links to what is behind it. Knows no other
// command.
#include "next_layer.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct next_instance *instances;
static struct next_device *devices;

void *next_key(const void *dispatchable)
{
	void *key;
	memcpy(&key, dispatchable, sizeof key);
	return key;
}

struct next_instance *next_instance_of(const void *dispatchable)
{
	pthread_mutex_lock(&lock);
	struct next_instance *at = instances;
	while (at && at->key != next_key(dispatchable))
		at = at->list;
	pthread_mutex_unlock(&lock);
	return at;
}

struct next_device *next_device_of(const void *dispatchable)
{
	pthread_mutex_lock(&lock);
	struct next_device *at = devices;
	while (at && at->key != next_key(dispatchable))
		at = at->list;
	pthread_mutex_unlock(&lock);
	return at;
}

VkResult next_instance_create(struct next_instance *made, const VkInstanceCreateInfo *info,
			      const VkAllocationCallbacks *allocator, VkInstance *handle)
{
	VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
	while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
			link->function != VK_LAYER_LINK_INFO))
		link = (VkLayerInstanceCreateInfo *)link->pNext;
	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	made->get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	VkResult result = ((PFN_vkCreateInstance)made->get(NULL, "vkCreateInstance"))(
		info, allocator, handle);
	if (result != VK_SUCCESS)
		return result;
	made->handle = *handle;
	made->key = next_key(*handle);
	pthread_mutex_lock(&lock);
	made->list = instances;
	instances = made;
	pthread_mutex_unlock(&lock);
	return VK_SUCCESS;
}

void next_instance_forget(struct next_instance *instance)
{
	pthread_mutex_lock(&lock);
	struct next_instance **at = &instances;
	while (*at != instance)
		at = &(*at)->list;
	*at = instance->list;
	pthread_mutex_unlock(&lock);
}

VkResult next_device_create(struct next_device *made, VkPhysicalDevice physical,
			    const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
			    VkDevice *handle)
{
	const struct next_instance *instance = next_instance_of(physical);
	VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
	while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
			link->function != VK_LAYER_LINK_INFO))
		link = (VkLayerDeviceCreateInfo *)link->pNext;
	if (!link)
		return VK_ERROR_INITIALIZATION_FAILED;
	PFN_vkCreateDevice create =
		(PFN_vkCreateDevice)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(
			instance->handle, "vkCreateDevice");
	made->get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	VkResult result = create(physical, info, allocator, handle);
	if (result != VK_SUCCESS)
		return result;
	made->handle = *handle;
	made->key = next_key(*handle);
	pthread_mutex_lock(&lock);
	made->list = devices;
	devices = made;
	pthread_mutex_unlock(&lock);
	return VK_SUCCESS;
}

void next_device_forget(struct next_device *device)
{
	pthread_mutex_lock(&lock);
	struct next_device **at = &devices;
	while (*at != device)
		at = &(*at)->list;
	*at = device->list;
	pthread_mutex_unlock(&lock);
}
