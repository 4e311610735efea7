// SPDX-License-Identifier: Apache-2.0
// What is shared with other processes or other interfaces: semaphores, fences and memory that are
// exported or imported. Knows that others use them; not what they do.
#include "device_features.h"
#include "objects.h"
#include "record.h"
#include "shared_memory.h"

// Who waits for a signal that was not seen is taken as ordered after everything (runtime/model).
static void note_shared(const char *what, const char *call)
{
	vkr_record_coverage(VKR_COVERAGE_SYNC, 0, 0,
			    "%s is shared with others (%s): all that it could order is treated as "
			    "ordered, so races are missed",
			    what, call);
}

static void note_memory(const char *call)
{
	vkr_record_coverage(VKR_COVERAGE_SYNC, 0, 0,
			    "memory is shared with others (%s): their accesses are not observed, "
			    "so races with these are missed",
			    call);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ImportSemaphoreFdKHR(VkDevice handle,
							const VkImportSemaphoreFdInfoKHR *info)
{
	note_shared("a semaphore", "vkImportSemaphoreFdKHR");
	return vkr_device_of(handle)->next.ImportSemaphoreFdKHR(handle, info);
}

// The host may wait for a sync file by itself, from now on: it is taken to do so. The semaphore is
// as after a wait ("Importing Semaphore Payloads", copy transference).
static void semaphore_copied(struct vkr_layer_device *device, VkSemaphore handle)
{
	const struct vkr_layer_semaphore *kept =
		vkr_handles_get(&device->objects.semaphores, VKR_KEY(handle));
	const struct vkr_trace_semaphore_wait payload = {.semaphore = kept ? kept->id : 0};
	if (kept)
		vkr_record_event(VKR_TRACE_SEMAPHORE_WAIT, &payload, sizeof payload, NULL, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetSemaphoreFdKHR(VkDevice handle,
						     const VkSemaphoreGetFdInfoKHR *info, int *fd)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	note_shared("a semaphore", "vkGetSemaphoreFdKHR");
	VkResult result = device->next.GetSemaphoreFdKHR(handle, info, fd);
	if (result == VK_SUCCESS &&
	    info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT)
		semaphore_copied(device, info->semaphore);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ImportFenceFdKHR(VkDevice handle,
						    const VkImportFenceFdInfoKHR *info)
{
	note_shared("a fence", "vkImportFenceFdKHR");
	return vkr_device_of(handle)->next.ImportFenceFdKHR(handle, info);
}

// As with semaphores; and the fence is reset.
static void fence_copied(struct vkr_layer_device *device, VkFence handle)
{
	const struct vkr_layer_fence *kept =
		vkr_handles_get(&device->objects.fences, VKR_KEY(handle));
	const struct vkr_trace_fence_wait wait = {.fence = kept ? kept->id : 0};
	const struct vkr_trace_fence_reset reset = {.fence = wait.fence};
	if (!kept)
		return;
	vkr_record_event(VKR_TRACE_FENCE_WAIT, &wait, sizeof wait, NULL, 0);
	vkr_record_event(VKR_TRACE_FENCE_RESET, &reset, sizeof reset, NULL, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetFenceFdKHR(VkDevice handle, const VkFenceGetFdInfoKHR *info,
						 int *fd)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	note_shared("a fence", "vkGetFenceFdKHR");
	VkResult result = device->next.GetFenceFdKHR(handle, info, fd);
	if (result == VK_SUCCESS && info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT)
		fence_copied(device, info->fence);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetMemoryFdKHR(VkDevice handle, const VkMemoryGetFdInfoKHR *info,
						  int *fd)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_memory *kept =
		vkr_handles_get(&device->objects.memories, VKR_KEY(info->memory));
	note_memory("vkGetMemoryFdKHR");
	VkResult result = device->next.GetMemoryFdKHR(handle, info, fd);
	if (result == VK_SUCCESS && kept)
		vkr_payload_exported(kept, vkr_payload_file(*fd));
	return result;
}

// Drivers of other systems have hardware buffers too, made of other files.
static bool is_hardware_buffer(const VkMemoryAllocateInfo *info)
{
	const VkExportMemoryAllocateInfo *exported =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
	return vkr_chain_find(info->pNext,
			      VK_STRUCTURE_TYPE_IMPORT_ANDROID_HARDWARE_BUFFER_INFO_ANDROID) ||
	       (exported &&
		exported->handleTypes &
			VK_EXTERNAL_MEMORY_HANDLE_TYPE_ANDROID_HARDWARE_BUFFER_BIT_ANDROID);
}

void vkr_shared_import(uint32_t device, const VkMemoryAllocateInfo *info)
{
	if (vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR))
		note_memory("VkImportMemoryFdInfoKHR");
	if (is_hardware_buffer(info))
		vkr_extension_used(device, "VK_ANDROID_external_memory_android_hardware_buffer");
}
