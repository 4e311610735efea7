// SPDX-License-Identifier: Apache-2.0
// The entry points as the loader sees them: the map from names to hooks.
// Knows hooks.def and the loader's protocol, and not what a hook does.
#include "annotations.h"
#include "layer.h"
#include "pass_through.h"

#include <string.h>

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

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkr_GetDeviceProcAddr(VkDevice handle, const char *name)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
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
	if (vkr_process_is_privileged()) {
		pVersionStruct->pfnGetInstanceProcAddr = vkr_pass_through;
		pVersionStruct->pfnGetDeviceProcAddr = NULL;
		pVersionStruct->pfnGetPhysicalDeviceProcAddr = NULL;
		return VK_SUCCESS;
	}
	pVersionStruct->pfnGetInstanceProcAddr = vkr_GetInstanceProcAddr;
	pVersionStruct->pfnGetDeviceProcAddr = vkr_GetDeviceProcAddr;
	pVersionStruct->pfnGetPhysicalDeviceProcAddr = get_physical_device_proc;
	return VK_SUCCESS;
}
