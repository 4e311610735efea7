// SPDX-License-Identifier: Apache-2.0
// Commands that take a queue: all go to the real one, one at a time. Knows no family.
#include "families_layer.h"

#include <string.h>

// Locks the real queue of one that was handed out.
static VkQueue lock(VkQueue queue)
{
	struct families_device *device = ((struct families_queue *)queue)->device;
	pthread_mutex_lock(&device->lock);
	return device->real;
}

static void unlock(VkQueue queue)
{
	pthread_mutex_unlock(&((struct families_queue *)queue)->device->lock);
}

#define NEXT(name, alias) ((PFN_##name)families_next(queue, #name, alias))

static VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkQueue queue)
{
	VkResult result = NEXT(vkQueueWaitIdle, NULL)(lock(queue));
	unlock(queue);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_sparse(VkQueue queue, uint32_t count,
						  const VkBindSparseInfo *infos, VkFence fence)
{
	VkResult result = NEXT(vkQueueBindSparse, NULL)(lock(queue), count, infos, fence);
	unlock(queue);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL present(VkQueue queue, const VkPresentInfoKHR *info)
{
	VkResult result = NEXT(vkQueuePresentKHR, NULL)(lock(queue), info);
	unlock(queue);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL begin_label(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
	NEXT(vkQueueBeginDebugUtilsLabelEXT, NULL)(lock(queue), label);
	unlock(queue);
}

static VKAPI_ATTR void VKAPI_CALL end_label(VkQueue queue)
{
	NEXT(vkQueueEndDebugUtilsLabelEXT, NULL)(lock(queue));
	unlock(queue);
}

static VKAPI_ATTR void VKAPI_CALL insert_label(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
	NEXT(vkQueueInsertDebugUtilsLabelEXT, NULL)(lock(queue), label);
	unlock(queue);
}

// All queues that were handed out are the real one here, too.
static uint64_t real_object(VkObjectType type, uint64_t handle)
{
	return type == VK_OBJECT_TYPE_QUEUE
		       ? (uint64_t)(uintptr_t)((struct families_queue *)(uintptr_t)handle)
				 ->device->real
		       : handle;
}

static VKAPI_ATTR VkResult VKAPI_CALL set_name(VkDevice queue,
					       const VkDebugUtilsObjectNameInfoEXT *info)
{
	VkDebugUtilsObjectNameInfoEXT real = *info;
	if (info->objectType == VK_OBJECT_TYPE_VIDEO_SESSION_KHR) // is none of the driver's
		return VK_SUCCESS;
	real.objectHandle = real_object(info->objectType, info->objectHandle);
	return NEXT(vkSetDebugUtilsObjectNameEXT, NULL)(queue, &real);
}

static VKAPI_ATTR VkResult VKAPI_CALL set_tag(VkDevice queue,
					      const VkDebugUtilsObjectTagInfoEXT *info)
{
	VkDebugUtilsObjectTagInfoEXT real = *info;
	real.objectHandle = real_object(info->objectType, info->objectHandle);
	return NEXT(vkSetDebugUtilsObjectTagEXT, NULL)(queue, &real);
}

PFN_vkVoidFunction families_queue_hook(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} hooks[] = {
		{"vkQueueWaitIdle", (PFN_vkVoidFunction)wait_idle},
		{"vkQueueBindSparse", (PFN_vkVoidFunction)bind_sparse},
		{"vkQueuePresentKHR", (PFN_vkVoidFunction)present},
		{"vkQueueBeginDebugUtilsLabelEXT", (PFN_vkVoidFunction)begin_label},
		{"vkQueueEndDebugUtilsLabelEXT", (PFN_vkVoidFunction)end_label},
		{"vkQueueInsertDebugUtilsLabelEXT", (PFN_vkVoidFunction)insert_label},
		{"vkSetDebugUtilsObjectNameEXT", (PFN_vkVoidFunction)set_name},
		{"vkSetDebugUtilsObjectTagEXT", (PFN_vkVoidFunction)set_tag},
	};
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	return NULL;
}
