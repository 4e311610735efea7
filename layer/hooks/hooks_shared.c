// SPDX-License-Identifier: Apache-2.0
// What is shared with other processes or other interfaces: semaphores, fences and memory that are
// exported or imported. Knows that others use them; not what they do.
#include "objects.h"
#include "record.h"

// Who waits for a signal that was not seen is taken as ordered behind everything (runtime/model).
static void note_shared(const char *what, const char *call)
{
	vkr_record_coverage(VKR_COVERAGE_SYNC, 0, 0,
			    "%s is shared with others (%s): what it could order is taken as "
			    "ordered, so races are missed",
			    what, call);
}

static void note_memory(const char *call)
{
	vkr_record_coverage(VKR_COVERAGE_SYNC, 0, 0,
			    "memory is shared with others (%s): what they do to it is not seen, so "
			    "races with it are missed",
			    call);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ImportSemaphoreFdKHR(VkDevice handle,
							const VkImportSemaphoreFdInfoKHR *info)
{
	note_shared("a semaphore", "vkImportSemaphoreFdKHR");
	return vkr_device_of(handle)->next.ImportSemaphoreFdKHR(handle, info);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetSemaphoreFdKHR(VkDevice handle,
						     const VkSemaphoreGetFdInfoKHR *info, int *fd)
{
	note_shared("a semaphore", "vkGetSemaphoreFdKHR");
	return vkr_device_of(handle)->next.GetSemaphoreFdKHR(handle, info, fd);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ImportFenceFdKHR(VkDevice handle,
						    const VkImportFenceFdInfoKHR *info)
{
	note_shared("a fence", "vkImportFenceFdKHR");
	return vkr_device_of(handle)->next.ImportFenceFdKHR(handle, info);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetFenceFdKHR(VkDevice handle, const VkFenceGetFdInfoKHR *info,
						 int *fd)
{
	note_shared("a fence", "vkGetFenceFdKHR");
	return vkr_device_of(handle)->next.GetFenceFdKHR(handle, info, fd);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetMemoryFdKHR(VkDevice handle, const VkMemoryGetFdInfoKHR *info,
						  int *fd)
{
	note_memory("vkGetMemoryFdKHR");
	return vkr_device_of(handle)->next.GetMemoryFdKHR(handle, info, fd);
}

void vkr_shared_import(const VkMemoryAllocateInfo *info)
{
	if (vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR))
		note_memory("VkImportMemoryFdInfoKHR");
}
