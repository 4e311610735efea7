// SPDX-License-Identifier: Apache-2.0
// The instances, devices and queues by their handles, and the tables of the next layer's commands.
// Knows hooks.def and the loader's dispatch pointers, and not what a hook does.
#include "layer.h"

#include <string.h>

static struct vkr_handles instances, devices, queues;
static struct vkr_layer_device *all_devices;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void init_tables(void)
{
	vkr_handles_init(&instances);
	vkr_handles_init(&devices);
	vkr_handles_init(&queues);
}

static uint64_t dispatch_key(const void *dispatchable)
{
	const void *key;
	memcpy(&key, dispatchable, sizeof key);
	return VKR_KEY(key);
}

struct vkr_instance *vkr_instance_of(const void *dispatchable)
{
	return vkr_handles_get(&instances, dispatch_key(dispatchable));
}

struct vkr_layer_device *vkr_device_of(const void *dispatchable)
{
	return vkr_handles_get(&devices, dispatch_key(dispatchable));
}

VkLayerInstanceCreateInfo *vkr_instance_link(const VkInstanceCreateInfo *info)
{
	for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext) {
		VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)(uintptr_t)at;
		if (at->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
		    link->function == VK_LAYER_LINK_INFO)
			return link;
	}
	return NULL;
}

bool vkr_instance_add(struct vkr_instance *instance)
{
	return vkr_handles_put(&instances, dispatch_key(instance->handle), instance);
}

void vkr_instance_remove(struct vkr_instance *instance)
{
	vkr_handles_take(&instances, dispatch_key(instance->handle));
}

bool vkr_device_add(struct vkr_layer_device *device)
{
	if (!vkr_handles_put(&devices, dispatch_key(device->handle), device))
		return false;
	pthread_mutex_lock(&all_lock);
	device->next_of_process = all_devices;
	all_devices = device;
	pthread_mutex_unlock(&all_lock);
	return true;
}

void vkr_device_remove(struct vkr_layer_device *device)
{
	vkr_handles_take(&devices, dispatch_key(device->handle));
	for (struct vkr_layer_queue *queue = device->queues; queue; queue = queue->next_of_device)
		vkr_handles_take(&queues, VKR_KEY(queue->handle));
	pthread_mutex_lock(&all_lock);
	struct vkr_layer_device **at = &all_devices;
	while (*at && *at != device)
		at = &(*at)->next_of_process;
	if (*at)
		*at = device->next_of_process;
	pthread_mutex_unlock(&all_lock);
}

void vkr_device_each(void (*visit)(struct vkr_layer_device *device))
{
	pthread_mutex_lock(&all_lock);
	struct vkr_layer_device *device = all_devices;
	pthread_mutex_unlock(&all_lock);
	for (; device; device = device->next_of_process)
		visit(device);
}

struct vkr_layer_queue *vkr_queue_of(VkQueue queue)
{
	return vkr_handles_get(&queues, VKR_KEY(queue));
}

bool vkr_queue_add(struct vkr_layer_queue *queue)
{
	return vkr_handles_put(&queues, VKR_KEY(queue->handle), queue);
}

// One type of function pointer stands for all; the table's members have the true ones.
#define VKR_LOAD(table, name, found) ((table)->name = (PFN_vk##name)(found))

void vkr_instance_load(struct vkr_instance *instance, PFN_vkGetInstanceProcAddr get,
		       PFN_GetPhysicalDeviceProcAddr get_physical)
{
	struct vkr_instance_table *next = &instance->next;
	VkInstance handle = instance->handle;
	next->GetInstanceProcAddr = get;
	next->GetPhysicalDeviceProcAddr = get_physical;
#define VKR_INSTANCE(name)      VKR_LOAD(next, name, get(handle, "vk" #name));
#define VKR_INSTANCE_CALL(name) VKR_INSTANCE(name)
#define VKR_INSTANCE_ALIAS(alias, name)                                                            \
	if (!next->name)                                                                           \
		VKR_LOAD(next, name, get(handle, "vk" #alias));
#define VKR_CALL_ALIAS(alias, name) VKR_INSTANCE_ALIAS(alias, name)
#include "hooks.def"
}

void vkr_device_load(struct vkr_layer_device *device, PFN_vkGetDeviceProcAddr get)
{
	struct vkr_device_table *next = &device->next;
	VkDevice handle = device->handle;
#define VKR_DEVICE(name)                              VKR_LOAD(next, name, get(handle, "vk" #name));
#define VKR_DEVICE_OWN(name)                          VKR_DEVICE(name)
#define VKR_DEVICE_CALL(name)                         VKR_DEVICE(name)
#define VKR_OTHER(name, flags, parameters, arguments) VKR_DEVICE(name)
#define VKR_DEVICE_ALIAS(alias, name)                                                              \
	if (!next->name)                                                                           \
		VKR_LOAD(next, name, get(handle, "vk" #alias));
#include "hooks.def"
}

bool vkr_layer_hooks(const char *name)
{
	static const char *const hooked[] = {
#define VKR_GLOBAL(name)                              "vk" #name,
#define VKR_INSTANCE(name)                            "vk" #name,
#define VKR_INSTANCE_ALIAS(alias, name)               "vk" #alias,
#define VKR_DEVICE(name)                              "vk" #name,
#define VKR_DEVICE_OWN(name)                          "vk" #name,
#define VKR_DEVICE_ALIAS(alias, name)                 "vk" #alias,
#define VKR_OTHER(name, flags, parameters, arguments) "vk" #name,
#include "hooks.def"
	};
	for (size_t i = 0; i < sizeof hooked / sizeof *hooked; i++)
		if (strcmp(hooked[i], name) == 0)
			return true;
	return false;
}
