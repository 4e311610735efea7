// SPDX-License-Identifier: Apache-2.0
#include "pass_through.h"

#include "layer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

bool vkr_process_is_privileged(void)
{
	return getauxval(AT_SECURE) != 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkInstance *handle)
{
	VkLayerInstanceCreateInfo *link = vkr_instance_link(info);
	struct vkr_instance *instance = calloc(1, sizeof *instance);
	if (!link || !link->u.pLayerInfo || !instance) {
		free(instance);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	// As vkr_CreateInstance() does: known before there is anything to destroy.
	instance->handle = *handle;
	instance->next.GetInstanceProcAddr = get;
	if (!create || !vkr_instance_add(instance)) {
		free(instance);
		return VK_ERROR_INITIALIZATION_FAILED;
	}
	VkResult result = create(info, allocator, &instance->handle);
	if (result != VK_SUCCESS) {
		vkr_instance_remove(instance);
		free(instance);
		return result;
	}
	*handle = instance->handle;
	instance->next.DestroyInstance = (PFN_vkDestroyInstance)get(*handle, "vkDestroyInstance");
	return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkr_pass_through(VkInstance handle, const char *name)
{
	if (strcmp(name, "vkCreateInstance") == 0)
		return (PFN_vkVoidFunction)create_instance;
	if (strcmp(name, "vkDestroyInstance") == 0)
		return (PFN_vkVoidFunction)vkr_DestroyInstance;
	if (strcmp(name, "vkGetInstanceProcAddr") == 0)
		return (PFN_vkVoidFunction)vkr_pass_through;
	struct vkr_instance *instance = handle ? vkr_instance_of(handle) : NULL;
	return instance ? instance->next.GetInstanceProcAddr(handle, name) : NULL;
}
