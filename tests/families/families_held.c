// SPDX-License-Identifier: Apache-2.0
// Submissions to queues that are one in truth: a batch that waits for what no queue has been given
// yet is held back, with those behind it, so that it does not stand in the way of what it waits
// for. Knows timeline semaphores; nothing of what batches do.
#include "families_layer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct families_timeline {
	struct families_timeline *next;
	VkSemaphore handle;
	uint64_t value; // that it has, or gets by what the real queue was given
};

// A batch, in the second form.
struct families_held {
	struct families_held *next;
	VkQueue queue; // that it was submitted to
	VkFence fence;
	VkSubmitInfo2 info;
	VkSemaphoreSubmitInfo *semaphores;
	VkCommandBufferSubmitInfo *buffers;
};

#define NEXT(handle, name, alias) ((PFN_##name)families_next(handle, #name, alias))

// ---- Timelines ----------------------------------------------------------------------------------

static struct families_timeline *find(const struct families_device *device, VkSemaphore handle)
{
	struct families_timeline *at = device->timelines;
	while (at && at->handle != handle)
		at = at->next;
	return at;
}

static void raise_to(const struct families_device *device, VkSemaphore handle, uint64_t value)
{
	struct families_timeline *at = find(device, handle);
	if (at && at->value < value)
		at->value = value;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice handle,
						       const VkSemaphoreCreateInfo *info,
						       const VkAllocationCallbacks *allocator,
						       VkSemaphore *semaphore)
{
	struct families_device *device = families_device_of(handle);
	const VkSemaphoreTypeCreateInfo *type = info->pNext;
	while (type && type->sType != VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)
		type = type->pNext;
	const VkResult result =
		NEXT(handle, vkCreateSemaphore, NULL)(handle, info, allocator, semaphore);
	struct families_timeline *made =
		result == VK_SUCCESS && type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE
			? malloc(sizeof *made)
			: NULL;
	if (!made)
		return result;
	pthread_mutex_lock(&device->lock);
	*made = (struct families_timeline){device->timelines, *semaphore, type->initialValue};
	device->timelines = made;
	pthread_mutex_unlock(&device->lock);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice handle, VkSemaphore semaphore,
						    const VkAllocationCallbacks *allocator)
{
	struct families_device *device = families_device_of(handle);
	pthread_mutex_lock(&device->lock);
	struct families_timeline **at = &device->timelines;
	while (*at && (*at)->handle != semaphore)
		at = &(*at)->next;
	struct families_timeline *gone = *at;
	if (gone)
		*at = gone->next;
	pthread_mutex_unlock(&device->lock);
	free(gone);
	NEXT(handle, vkDestroySemaphore, NULL)(handle, semaphore, allocator);
}

// ---- Batches ------------------------------------------------------------------------------------

static void drop(struct families_held *held)
{
	if (!held)
		return;
	free(held->semaphores);
	free(held->buffers);
	free(held);
}

// Makes one of this many semaphores and command buffers.
static struct families_held *make(VkQueue queue, uint32_t waits, uint32_t signals, uint32_t buffers)
{
	struct families_held *held = calloc(1, sizeof *held);
	if (!held)
		return NULL;
	held->queue = queue;
	held->semaphores = calloc((size_t)waits + signals + 1, sizeof *held->semaphores);
	held->buffers = calloc((size_t)buffers + 1, sizeof *held->buffers);
	if (!held->semaphores || !held->buffers) {
		drop(held);
		return NULL;
	}
	held->info = (VkSubmitInfo2){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
				     .waitSemaphoreInfoCount = waits,
				     .pWaitSemaphoreInfos = held->semaphores,
				     .commandBufferInfoCount = buffers,
				     .pCommandBufferInfos = held->buffers,
				     .signalSemaphoreInfoCount = signals,
				     .pSignalSemaphoreInfos = held->semaphores + waits};
	return held;
}

static struct families_held *copy_first(VkQueue queue, const VkSubmitInfo *info)
{
	const VkTimelineSemaphoreSubmitInfo *values = info->pNext, none = {0};
	struct families_held *held = make(queue, info->waitSemaphoreCount,
					  info->signalSemaphoreCount, info->commandBufferCount);
	while (values && values->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
		values = values->pNext;
	if (!values)
		values = &none;
	for (uint32_t i = 0; held && i < info->waitSemaphoreCount; i++)
		held->semaphores[i] =
			(VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
						.semaphore = info->pWaitSemaphores[i],
						.value = i < values->waitSemaphoreValueCount
								 ? values->pWaitSemaphoreValues[i]
								 : 0,
						.stageMask = info->pWaitDstStageMask[i]};
	for (uint32_t i = 0; held && i < info->signalSemaphoreCount; i++)
		held->semaphores[info->waitSemaphoreCount + i] =
			(VkSemaphoreSubmitInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
						.semaphore = info->pSignalSemaphores[i],
						.value = i < values->signalSemaphoreValueCount
								 ? values->pSignalSemaphoreValues[i]
								 : 0,
						.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
	for (uint32_t i = 0; held && i < info->commandBufferCount; i++)
		held->buffers[i] = (VkCommandBufferSubmitInfo){
			.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
			.commandBuffer = info->pCommandBuffers[i]};
	return held;
}

static struct families_held *copy_second(VkQueue queue, const VkSubmitInfo2 *info)
{
	struct families_held *held =
		make(queue, info->waitSemaphoreInfoCount, info->signalSemaphoreInfoCount,
		     info->commandBufferInfoCount);
	for (uint32_t i = 0; held && i < info->waitSemaphoreInfoCount; i++)
		held->semaphores[i] = info->pWaitSemaphoreInfos[i];
	for (uint32_t i = 0; held && i < info->signalSemaphoreInfoCount; i++)
		held->semaphores[info->waitSemaphoreInfoCount + i] = info->pSignalSemaphoreInfos[i];
	for (uint32_t i = 0; held && i < info->commandBufferInfoCount; i++)
		held->buffers[i] = info->pCommandBufferInfos[i];
	return held;
}

// Whether the real queue was given all that the batch waits for. Those of its queue stay in order.
static bool is_ready(const struct families_device *device, const struct families_held *batch)
{
	for (const struct families_held *at = device->held; at && at != batch; at = at->next)
		if (at->queue == batch->queue)
			return false;
	for (uint32_t i = 0; i < batch->info.waitSemaphoreInfoCount; i++) {
		const VkSemaphoreSubmitInfo *wait = &batch->info.pWaitSemaphoreInfos[i];
		const struct families_timeline *of = find(device, wait->semaphore);
		if (of && of->value < wait->value)
			return false;
	}
	return true;
}

static void note_signals(const struct families_device *device, const struct families_held *batch)
{
	for (uint32_t i = 0; i < batch->info.signalSemaphoreInfoCount; i++)
		raise_to(device, batch->info.pSignalSemaphoreInfos[i].semaphore,
			 batch->info.pSignalSemaphoreInfos[i].value);
}

// Those that wait no longer for what is to come. `handle`: any of the device's.
static void release(const void *handle, struct families_device *device)
{
	struct families_held **at = &device->held;
	while (*at) {
		struct families_held *batch = *at;
		if (!is_ready(device, batch)) {
			at = &batch->next;
			continue;
		}
		*at = batch->next;
		// What it fails with comes too late to be told.
		(void)NEXT(handle, vkQueueSubmit2, "vkQueueSubmit2KHR")(device->real, 1,
									&batch->info, batch->fence);
		note_signals(device, batch);
		drop(batch);
		at = &device->held;
	}
}

// Whether the batch is held back from now on; else it is to be passed on, and is dropped.
static bool hold(VkQueue queue, struct families_held *batch, VkFence fence)
{
	struct families_device *device = ((struct families_queue *)queue)->device;
	if (!batch || is_ready(device, batch) ||
	    !NEXT(queue, vkQueueSubmit2, "vkQueueSubmit2KHR")) {
		if (batch)
			note_signals(device, batch);
		drop(batch);
		return false;
	}
	struct families_held **at = &device->held;
	while (*at)
		at = &(*at)->next;
	batch->fence = fence;
	*at = batch;
	return true;
}

// One batch, in one of the two forms.
static VkResult submit_one(VkQueue queue, const VkSubmitInfo *first, const VkSubmitInfo2 *second,
			   VkFence fence)
{
	const VkQueue real = ((struct families_queue *)queue)->device->real;
	assert(first || second);
	if (hold(queue, first ? copy_first(queue, first) : copy_second(queue, second), fence))
		return VK_SUCCESS;
	if (first)
		return NEXT(queue, vkQueueSubmit, NULL)(real, 1, first, fence);
	return NEXT(queue, vkQueueSubmit2, "vkQueueSubmit2KHR")(real, 1, second, fence);
}

// Batches in one of the two forms, one by one: the last one has the fence.
static VkResult submit_each(VkQueue queue, uint32_t count, const VkSubmitInfo *firsts,
			    const VkSubmitInfo2 *seconds, VkFence fence)
{
	struct families_device *device = ((struct families_queue *)queue)->device;
	VkResult result = VK_SUCCESS;
	pthread_mutex_lock(&device->lock);
	for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
		result = submit_one(queue, firsts ? &firsts[i] : NULL, seconds ? &seconds[i] : NULL,
				    i + 1 == count ? fence : VK_NULL_HANDLE);
		release(queue, device);
	}
	pthread_mutex_unlock(&device->lock);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count,
					     const VkSubmitInfo *infos, VkFence fence)
{
	const VkSubmitInfo none = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
	return submit_each(queue, count ? count : 1, count ? infos : &none, NULL, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit2(VkQueue queue, uint32_t count,
					      const VkSubmitInfo2 *infos, VkFence fence)
{
	const VkSubmitInfo2 none = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
	return submit_each(queue, count ? count : 1, NULL, count ? infos : &none, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL signal_semaphore(VkDevice handle,
						       const VkSemaphoreSignalInfo *info)
{
	struct families_device *device = families_device_of(handle);
	const VkResult result =
		NEXT(handle, vkSignalSemaphore, "vkSignalSemaphoreKHR")(handle, info);
	pthread_mutex_lock(&device->lock);
	if (result == VK_SUCCESS)
		raise_to(device, info->semaphore, info->value);
	release(handle, device);
	pthread_mutex_unlock(&device->lock);
	return result;
}

void families_held_finish(struct families_device *device)
{
	while (device->held) {
		struct families_held *gone = device->held;
		device->held = gone->next;
		drop(gone);
	}
	while (device->timelines) {
		struct families_timeline *gone = device->timelines;
		device->timelines = gone->next;
		free(gone);
	}
}

PFN_vkVoidFunction families_held_hook(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} hooks[] = {
		{"vkCreateSemaphore", (PFN_vkVoidFunction)create_semaphore},
		{"vkDestroySemaphore", (PFN_vkVoidFunction)destroy_semaphore},
		{"vkSignalSemaphore", (PFN_vkVoidFunction)signal_semaphore},
		{"vkSignalSemaphoreKHR", (PFN_vkVoidFunction)signal_semaphore},
		{"vkQueueSubmit", (PFN_vkVoidFunction)submit},
		{"vkQueueSubmit2", (PFN_vkVoidFunction)submit2},
		{"vkQueueSubmit2KHR", (PFN_vkVoidFunction)submit2},
	};
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	return NULL;
}
