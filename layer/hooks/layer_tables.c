// SPDX-License-Identifier: Apache-2.0
// The entry points as the loader sees them: the map of names, and the tables of the next layer.
// Knows hooks.def and the loader's protocol, and not what a hook does.
#include "annotations.h"
#include "layer.h"

#include <string.h>

static struct vkr_handles instances, devices, queues;
static struct vkr_device *all_devices;
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

struct vkr_device *vkr_device_of(const void *dispatchable)
{
	return vkr_handles_get(&devices, dispatch_key(dispatchable));
}

bool vkr_instance_add(struct vkr_instance *instance)
{
	return vkr_handles_put(&instances, dispatch_key(instance->handle), instance);
}

void vkr_instance_remove(struct vkr_instance *instance)
{
	vkr_handles_take(&instances, dispatch_key(instance->handle));
}

bool vkr_device_add(struct vkr_device *device)
{
	if (!vkr_handles_put(&devices, dispatch_key(device->handle), device))
		return false;
	pthread_mutex_lock(&all_lock);
	device->next_of_process = all_devices;
	all_devices = device;
	pthread_mutex_unlock(&all_lock);
	return true;
}

void vkr_device_remove(struct vkr_device *device)
{
	vkr_handles_take(&devices, dispatch_key(device->handle));
	for (struct vkr_queue *queue = device->queues; queue; queue = queue->next_of_device)
		vkr_handles_take(&queues, VKR_KEY(queue->handle));
	pthread_mutex_lock(&all_lock);
	struct vkr_device **at = &all_devices;
	while (*at && *at != device)
		at = &(*at)->next_of_process;
	if (*at)
		*at = device->next_of_process;
	pthread_mutex_unlock(&all_lock);
}

void vkr_device_each(void (*visit)(struct vkr_device *device))
{
	pthread_mutex_lock(&all_lock);
	struct vkr_device *device = all_devices;
	pthread_mutex_unlock(&all_lock);
	for (; device; device = device->next_of_process)
		visit(device);
}

struct vkr_queue *vkr_queue_of(VkQueue queue)
{
	return vkr_handles_get(&queues, VKR_KEY(queue));
}

bool vkr_queue_add(struct vkr_queue *queue)
{
	return vkr_handles_put(&queues, VKR_KEY(queue->handle), queue);
}

const void *vkr_chain_find(const void *chain, VkStructureType type)
{
	for (const VkBaseInStructure *at = chain; at; at = at->pNext)
		if (at->sType == type)
			return at;
	return NULL;
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

void vkr_device_load(struct vkr_device *device, PFN_vkGetDeviceProcAddr get)
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

enum hook_level {
	LEVEL_GLOBAL,
	LEVEL_INSTANCE,
	LEVEL_DEVICE,
	LEVEL_DEVICE_OWN,
};

struct hook {
	const char *name;
	PFN_vkVoidFunction function;
	enum hook_level level;
};

static const struct hook hooks[] = {
#define VKR_HOOK(symbol, name, level)                 {"vk" #symbol, (PFN_vkVoidFunction)vkr_##name, level},
#define VKR_GLOBAL(name)                              VKR_HOOK(name, name, LEVEL_GLOBAL)
#define VKR_INSTANCE(name)                            VKR_HOOK(name, name, LEVEL_INSTANCE)
#define VKR_INSTANCE_ALIAS(alias, name)               VKR_HOOK(alias, name, LEVEL_INSTANCE)
#define VKR_DEVICE(name)                              VKR_HOOK(name, name, LEVEL_DEVICE)
#define VKR_DEVICE_OWN(name)                          VKR_HOOK(name, name, LEVEL_DEVICE_OWN)
#define VKR_DEVICE_ALIAS(alias, name)                 VKR_HOOK(alias, name, LEVEL_DEVICE)
#define VKR_OTHER(name, flags, parameters, arguments) VKR_HOOK(name, name, LEVEL_DEVICE)
#include "hooks.def"
};

static const struct hook *find_hook(const char *name)
{
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return &hooks[i];
	return NULL;
}

bool vkr_layer_hooks(const char *name)
{
	return find_hook(name) != NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkr_GetDeviceProcAddr(VkDevice handle, const char *name)
{
	struct vkr_device *device = vkr_device_of(handle);
	if (!device)
		return NULL;
	if (strcmp(name, VKRACE_ANNOTATIONS_NAME) == 0)
		return (PFN_vkVoidFunction)vkr_annotations;
	PFN_vkVoidFunction next = device->next.GetDeviceProcAddr(handle, name);
	const struct hook *hook = find_hook(name);
	if (!hook || hook->level < LEVEL_DEVICE)
		return next;
	bool own = hook->level == LEVEL_DEVICE_OWN && device->instance->debug_utils;
	return next || own ? hook->function : NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkr_GetInstanceProcAddr(VkInstance handle,
								 const char *name)
{
	const struct hook *hook = find_hook(name);
	// Programs ask the loader, which knows what there is without an instance. Layers above ask
	// us, and some for vkCreateDevice without naming one.
	if (hook && (hook->level == LEVEL_GLOBAL || (!handle && hook->level == LEVEL_INSTANCE)))
		return hook->function;
	struct vkr_instance *instance = handle ? vkr_instance_of(handle) : NULL;
	if (!instance)
		return NULL;
	PFN_vkVoidFunction next = instance->next.GetInstanceProcAddr(handle, name);
	return hook && next ? hook->function : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_physical_device_proc(VkInstance handle,
									 const char *name)
{
	struct vkr_instance *instance = vkr_instance_of(handle);
	const struct hook *hook = find_hook(name);
	if (hook && hook->level != LEVEL_INSTANCE)
		return NULL;
	if (!instance || !instance->next.GetPhysicalDeviceProcAddr)
		return NULL;
	PFN_vkVoidFunction next = instance->next.GetPhysicalDeviceProcAddr(handle, name);
	return hook && next ? hook->function : next;
}

// The one symbol that the library exports.
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct);

VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
	if (pVersionStruct->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
	    pVersionStruct->loaderLayerInterfaceVersion < CURRENT_LOADER_LAYER_INTERFACE_VERSION)
		return VK_ERROR_INITIALIZATION_FAILED;
	pVersionStruct->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
	pVersionStruct->pfnGetInstanceProcAddr = vkr_GetInstanceProcAddr;
	pVersionStruct->pfnGetDeviceProcAddr = vkr_GetDeviceProcAddr;
	pVersionStruct->pfnGetPhysicalDeviceProcAddr = get_physical_device_proc;
	return VK_SUCCESS;
}
