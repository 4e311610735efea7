// SPDX-License-Identifier: Apache-2.0
// Fences, semaphores, idling, presentation: what the program waits for and signals.
// Knows when a wait has returned; not what it orders.
#include "array.h"
#include "call_stack.h"
#include "log_copy.h"
#include "log_drain.h"
#include "log_memory.h"
#include "messages.h"
#include "objects.h"
#include "record.h"

#include <stdlib.h>

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateFence(VkDevice handle, const VkFenceCreateInfo *info,
					       const VkAllocationCallbacks *allocator,
					       VkFence *fence)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateFence(handle, info, allocator, fence);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_fence *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a fence");
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_FENCE);
	struct vkr_trace_fence payload = {
		.fence = kept->id,
		.device = device->id,
		.signaled = (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0,
	};
	vkr_record_event(VKR_TRACE_FENCE, &payload, sizeof payload, NULL, 0);
	vkr_object_keep(&device->objects.fences, VKR_KEY(*fence), kept, "a fence");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyFence(VkDevice handle, VkFence fence,
					    const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_fence *kept = vkr_handles_take(&device->objects.fences, VKR_KEY(fence));
	if (kept) {
		struct vkr_trace_fence_destroy payload = {.fence = kept->id};
		vkr_record_event(VKR_TRACE_FENCE_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyFence(handle, fence, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ResetFences(VkDevice handle, uint32_t count,
					       const VkFence *fences)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	for (uint32_t i = 0; i < count; i++) {
		const struct vkr_layer_fence *kept =
			vkr_handles_get(&device->objects.fences, VKR_KEY(fences[i]));
		struct vkr_trace_fence_reset payload = {.fence = kept ? kept->id : 0};
		if (kept)
			vkr_record_event(VKR_TRACE_FENCE_RESET, &payload, sizeof payload, NULL, 0);
	}
	return device->next.ResetFences(handle, count, fences);
}

// The fence was seen signaled. What is after it is drained first, which is soon: the layer's own
// fence follows the program's.
static void fence_signaled(struct vkr_layer_device *device, VkFence fence)
{
	const struct vkr_layer_fence *kept =
		vkr_handles_get(&device->objects.fences, VKR_KEY(fence));
	if (!kept)
		return;
	if (kept->queue)
		vkr_drain_wait(kept->queue, kept->flight);
	struct vkr_trace_fence_wait payload = {.fence = kept->id};
	vkr_call_stack_record();
	vkr_record_event(VKR_TRACE_FENCE_WAIT, &payload, sizeof payload, NULL, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetFenceStatus(VkDevice handle, VkFence fence)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.GetFenceStatus(handle, fence);
	if (result == VK_SUCCESS)
		fence_signaled(device, fence);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_WaitForFences(VkDevice handle, uint32_t count,
						 const VkFence *fences, VkBool32 all,
						 uint64_t timeout)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const uint64_t begin = vkr_record_time();
	VkResult result = device->next.WaitForFences(handle, count, fences, all, timeout);
	const uint64_t end = vkr_record_time();
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++)
		if (all || count == 1 ||
		    device->next.GetFenceStatus(handle, fences[i]) == VK_SUCCESS)
			fence_signaled(device, fences[i]);
	vkr_record_call(VKR_TIMED_WAIT, 0, begin, end);
	vkr_record_flush();
	vkr_messages_deliver(device);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_QueueWaitIdle(VkQueue handle)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const uint64_t begin = vkr_record_time();
	VkResult result = device->next.QueueWaitIdle(handle);
	const uint64_t end = vkr_record_time();
	struct vkr_layer_queue *queue = vkr_queue_of(handle);
	if (result != VK_SUCCESS || !queue)
		return result;
	vkr_drain_wait(queue, vkr_drain_newest(queue));
	struct vkr_trace_queue_idle payload = {.queue = queue->id};
	vkr_call_stack_record();
	vkr_record_event(VKR_TRACE_QUEUE_IDLE, &payload, sizeof payload, NULL, 0);
	vkr_record_call(VKR_TIMED_WAIT, 0, begin, end);
	vkr_record_flush();
	vkr_messages_deliver(device);
	return result;
}

static void drain_all(struct vkr_layer_device *device)
{
	for (struct vkr_layer_queue *queue = device->queues; queue; queue = queue->next_of_device)
		vkr_drain_wait(queue, vkr_drain_newest(queue));
}

// No queue of the device may be in use meanwhile, the layer's own included (vkDeviceWaitIdle, "Host
// Synchronization"): what it copies is copied before.
VKAPI_ATTR VkResult VKAPI_CALL vkr_DeviceWaitIdle(VkDevice handle)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const uint64_t begin = vkr_record_time();
	if (device->log && device->log->copies)
		drain_all(device);
	vkr_log_copies_enter(device);
	VkResult result = device->next.DeviceWaitIdle(handle);
	vkr_log_copies_leave(device);
	const uint64_t end = vkr_record_time();
	if (result != VK_SUCCESS)
		return result;
	drain_all(device);
	struct vkr_trace_device_idle payload = {.device = device->id};
	vkr_call_stack_record();
	vkr_record_event(VKR_TRACE_DEVICE_IDLE, &payload, sizeof payload, NULL, 0);
	vkr_record_call(VKR_TIMED_WAIT, 0, begin, end);
	vkr_record_flush();
	vkr_messages_deliver(device);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateSemaphore(VkDevice handle,
						   const VkSemaphoreCreateInfo *info,
						   const VkAllocationCallbacks *allocator,
						   VkSemaphore *semaphore)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateSemaphore(handle, info, allocator, semaphore);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_semaphore *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a semaphore");
		return result;
	}
	const VkSemaphoreTypeCreateInfo *type =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
	kept->timeline = type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
	kept->id = vkr_record_id(VKR_OBJECT_SEMAPHORE);
	struct vkr_trace_semaphore payload = {
		.semaphore = kept->id,
		.device = device->id,
		.type = (uint32_t)(type ? type->semaphoreType : VK_SEMAPHORE_TYPE_BINARY),
		.value = type ? type->initialValue : 0,
	};
	vkr_record_event(VKR_TRACE_SEMAPHORE, &payload, sizeof payload, NULL, 0);
	vkr_object_keep(&device->objects.semaphores, VKR_KEY(*semaphore), kept, "a semaphore");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
						const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_semaphore *kept =
		vkr_handles_take(&device->objects.semaphores, VKR_KEY(semaphore));
	if (kept) {
		struct vkr_trace_semaphore_destroy payload = {.semaphore = kept->id};
		vkr_record_event(VKR_TRACE_SEMAPHORE_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroySemaphore(handle, semaphore, allocator);
}

static void record_signal(struct vkr_layer_device *device, VkSemaphore semaphore, uint64_t value)
{
	const struct vkr_layer_semaphore *kept =
		vkr_handles_get(&device->objects.semaphores, VKR_KEY(semaphore));
	const struct vkr_trace_semaphore_signal payload = {
		.semaphore = kept ? kept->id : 0,
		.value = value,
	};
	if (kept)
		vkr_record_event(VKR_TRACE_SEMAPHORE_SIGNAL, &payload, sizeof payload, NULL, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_SignalSemaphore(VkDevice handle,
						   const VkSemaphoreSignalInfo *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	record_signal(device, info->semaphore, info->value);
	return device->next.SignalSemaphore(handle, info);
}

#ifdef VK_NV_low_latency2
// The driver signals the semaphore some time later: who waits for that waits for the thread too.
VKAPI_ATTR VkResult VKAPI_CALL vkr_LatencySleepNV(VkDevice handle, VkSwapchainKHR swapchain,
						  const VkLatencySleepInfoNV *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	record_signal(device, info->signalSemaphore, info->value);
	return device->next.LatencySleepNV(handle, swapchain, info);
}
#endif

// As with fences, what is after the signal is drained first.
static void semaphore_reached(struct vkr_layer_device *device, VkSemaphore handle, uint64_t value)
{
	const struct vkr_layer_semaphore *kept =
		vkr_handles_get(&device->objects.semaphores, VKR_KEY(handle));
	if (!kept)
		return;
	vkr_drain_wait_signal(device, kept->id, value);
	struct vkr_trace_semaphore_wait payload = {.semaphore = kept->id, .value = value};
	vkr_call_stack_record();
	vkr_record_event(VKR_TRACE_SEMAPHORE_WAIT, &payload, sizeof payload, NULL, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
						  uint64_t timeout)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const uint64_t begin = vkr_record_time();
	VkResult result = device->next.WaitSemaphores(handle, info, timeout);
	const uint64_t end = vkr_record_time();
	bool any = info->semaphoreCount > 1 && (info->flags & VK_SEMAPHORE_WAIT_ANY_BIT);
	for (uint32_t i = 0; result == VK_SUCCESS && i < info->semaphoreCount; i++) {
		uint64_t value = info->pValues[i], now;
		if (any && (device->next.GetSemaphoreCounterValue(handle, info->pSemaphores[i],
								  &now) != VK_SUCCESS ||
			    now < value))
			continue;
		semaphore_reached(device, info->pSemaphores[i], value);
	}
	vkr_record_call(VKR_TIMED_WAIT, 0, begin, end);
	vkr_record_flush();
	vkr_messages_deliver(device);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore,
							    uint64_t *value)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.GetSemaphoreCounterValue(handle, semaphore, value);
	if (result == VK_SUCCESS)
		semaphore_reached(device, semaphore, *value);
	return result;
}
