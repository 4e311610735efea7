// SPDX-License-Identifier: Apache-2.0
// Swapchains: their images, and who has these when. Knows vkAcquireNextImageKHR and
// vkQueuePresentKHR; not what the presentation engine does in between.
#include "hooks_image.h"
#include "messages.h"
#include "objects.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

static bool is_shared(VkPresentModeKHR mode)
{
	return mode == VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR ||
	       mode == VK_PRESENT_MODE_SHARED_CONTINUOUS_REFRESH_KHR;
}

// In the mode of its beginning, or in one that it may be switched to as it presents.
static bool may_be_shared(const VkSwapchainCreateInfoKHR *info)
{
	const VkSwapchainPresentModesCreateInfoEXT *modes = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT);
	bool shared = is_shared(info->presentMode);
	for (uint32_t i = 0; modes && i < modes->presentModeCount; i++)
		shared = shared || is_shared(modes->pPresentModes[i]);
	return shared;
}

// The equivalent image ("WSI Swapchain").
static void record_images(struct vkr_layer_device *device, const VkSwapchainCreateInfoKHR *info,
			  const struct vkr_swapchain *swapchain)
{
	const bool is_mutable = info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
	const VkImageCreateInfo equivalent = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = is_mutable ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
					      VK_IMAGE_CREATE_EXTENDED_USAGE_BIT
				    : 0,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = info->imageFormat,
		.extent = {info->imageExtent.width, info->imageExtent.height, 1},
		.mipLevels = 1,
		.arrayLayers = info->imageArrayLayers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = info->imageUsage,
		.sharingMode = info->imageSharingMode,
	};
	for (uint32_t i = 0; i < swapchain->image_count; i++)
		vkr_image_keep(device, swapchain->images[i], &equivalent, VKR_IMAGE_SWAPCHAIN);
}

static void keep_swapchain(struct vkr_layer_device *device, VkSwapchainKHR handle,
			   const VkSwapchainCreateInfoKHR *info)
{
	uint32_t count = 0;
	struct vkr_swapchain *kept = NULL;
	VkResult result = device->next.GetSwapchainImagesKHR(device->handle, handle, &count, NULL);
	if (result == VK_SUCCESS) {
		kept = calloc(1, sizeof *kept + count * sizeof kept->images[0]);
		if (!kept) {
			vkr_record_no_memory("a swapchain");
			return;
		}
		result = device->next.GetSwapchainImagesKHR(device->handle, handle, &count,
							    kept->images);
	}
	if (result != VK_SUCCESS) {
		free(kept);
		vkr_record_coverage(
			VKR_COVERAGE_MEMORY, 0, 0,
			"the images of a swapchain: vkGetSwapchainImagesKHR failed (%d)",
			(int)result);
		return;
	}
	kept->image_count = count;
	kept->is_shared = may_be_shared(info);
	if (kept->is_shared)
		vkr_record_coverage(VKR_COVERAGE_SYNC, 0, 0,
				    "images that are shared with the presentation engine: its "
				    "reads are not observed");
	record_images(device, info, kept);
	vkr_object_keep(&device->objects.swapchains, VKR_KEY(handle), kept, "a swapchain");
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateSwapchainKHR(VkDevice handle,
						      const VkSwapchainCreateInfoKHR *info,
						      const VkAllocationCallbacks *allocator,
						      VkSwapchainKHR *swapchain)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateSwapchainKHR(handle, info, allocator, swapchain);
	if (result == VK_SUCCESS)
		keep_swapchain(device, *swapchain, info);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateSharedSwapchainsKHR(VkDevice handle, uint32_t count,
							     const VkSwapchainCreateInfoKHR *infos,
							     const VkAllocationCallbacks *allocator,
							     VkSwapchainKHR *swapchains)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result =
		device->next.CreateSharedSwapchainsKHR(handle, count, infos, allocator, swapchains);
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++)
		keep_swapchain(device, swapchains[i], &infos[i]);
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR swapchain,
						   const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_swapchain *kept =
		vkr_handles_take(&device->objects.swapchains, VKR_KEY(swapchain));
	for (uint32_t i = 0; kept && i < kept->image_count; i++)
		vkr_image_forget(device, kept->images[i]);
	free(kept);
	device->next.DestroySwapchainKHR(handle, swapchain, allocator);
}

static const struct vkr_layer_image *image_of(struct vkr_layer_device *device,
					      VkSwapchainKHR handle, uint32_t index)
{
	const struct vkr_swapchain *swapchain =
		vkr_handles_get(&device->objects.swapchains, VKR_KEY(handle));
	return swapchain && !swapchain->is_shared && index < swapchain->image_count
		       ? vkr_handles_get(&device->objects.images, VKR_KEY(swapchain->images[index]))
		       : NULL;
}

static void record_acquire(struct vkr_layer_device *device, const VkAcquireNextImageInfoKHR *info,
			   uint32_t index, uint64_t begin)
{
	const uint64_t end = vkr_record_time();
	const struct vkr_layer_semaphore *semaphore =
		vkr_handles_get(&device->objects.semaphores, VKR_KEY(info->semaphore));
	const struct vkr_layer_fence *fence =
		vkr_handles_get(&device->objects.fences, VKR_KEY(info->fence));
	const struct vkr_layer_image *image = image_of(device, info->swapchain, index);
	const struct vkr_trace_acquire payload = {
		.image = image ? image->id : 0,
		.semaphore = semaphore ? semaphore->id : 0,
		.fence = fence ? fence->id : 0,
	};
	vkr_record_event(VKR_TRACE_ACQUIRE, &payload, sizeof payload, NULL, 0);
	vkr_record_call(VKR_TIMED_ACQUIRE, payload.image, begin, end);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_AcquireNextImageKHR(VkDevice handle, VkSwapchainKHR swapchain,
						       uint64_t timeout, VkSemaphore semaphore,
						       VkFence fence, uint32_t *index)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const VkAcquireNextImageInfoKHR info = {
		.swapchain = swapchain, .semaphore = semaphore, .fence = fence};
	const uint64_t begin = vkr_record_time();
	VkResult result = device->next.AcquireNextImageKHR(handle, swapchain, timeout, semaphore,
							   fence, index);
	if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR)
		record_acquire(device, &info, *index, begin);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_AcquireNextImage2KHR(VkDevice handle,
							const VkAcquireNextImageInfoKHR *info,
							uint32_t *index)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const uint64_t begin = vkr_record_time();
	VkResult result = device->next.AcquireNextImage2KHR(handle, info, index);
	if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR)
		record_acquire(device, info, *index, begin);
	return result;
}

// The fences of the swapchains whose images are listed, in the same order. A fence of another is
// one whose signal is not seen.
static void list_fences(struct vkr_layer_device *device, const VkPresentInfoKHR *info,
			const VkSwapchainPresentFenceInfoEXT *fences, uint32_t *list,
			uint32_t *count)
{
	for (uint32_t i = 0; i < info->swapchainCount && i < fences->swapchainCount; i++) {
		const struct vkr_layer_fence *fence =
			vkr_handles_get(&device->objects.fences, VKR_KEY(fences->pFences[i]));
		if (image_of(device, info->pSwapchains[i], info->pImageIndices[i]))
			list[(*count)++] = fence ? fence->id : 0;
	}
}

// Returns the submission's id, 0 where nothing was recorded.
static uint32_t record_present(struct vkr_layer_queue *queue, const VkPresentInfoKHR *info)
{
	struct vkr_layer_device *device = queue->device;
	const VkSwapchainPresentFenceInfoEXT *fences =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
	uint32_t *list = calloc(info->waitSemaphoreCount + 2 * (size_t)info->swapchainCount + 1,
				sizeof *list);
	if (!list) {
		vkr_record_no_memory("a presentation");
		return 0;
	}
	struct vkr_trace_present payload = {.submission = vkr_record_id(VKR_ID_SUBMISSION),
					    .queue = queue->id};
	for (uint32_t i = 0; i < info->waitSemaphoreCount; i++) {
		const struct vkr_layer_semaphore *semaphore = vkr_handles_get(
			&device->objects.semaphores, VKR_KEY(info->pWaitSemaphores[i]));
		list[payload.wait_count++] = semaphore ? semaphore->id : 0;
	}
	for (uint32_t i = 0; i < info->swapchainCount; i++) {
		const struct vkr_layer_image *image =
			image_of(device, info->pSwapchains[i], info->pImageIndices[i]);
		if (image)
			list[payload.wait_count + payload.image_count++] = image->id;
	}
	if (fences)
		list_fences(device, info, fences, list + payload.wait_count + payload.image_count,
			    &payload.fence_count);
	const struct vkr_observed_judge judge = vkr_record_judge();
	vkr_observed_present(&judge);
	vkr_record_event(VKR_TRACE_PRESENT, &payload, sizeof payload, list,
			 (payload.wait_count + (size_t)payload.image_count + payload.fence_count) *
				 sizeof *list);
	free(list);
	return payload.submission;
}

// With these nothing was enqueued; with others the semaphores are waited for all the same
// (vkQueuePresentKHR).
static bool has_failed(VkResult result)
{
	return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
	       result == VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_QueuePresentKHR(VkQueue handle, const VkPresentInfoKHR *info)
{
	struct vkr_layer_queue *queue = vkr_queue_of(handle);
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_trace_submit_failed failed = {.submission =
							 queue ? record_present(queue, info) : 0};
	vkr_record_flush();
	vkr_messages_deliver(device);
	const uint64_t begin = vkr_record_time();
	VkResult result = device->next.QueuePresentKHR(handle, info);
	vkr_record_call(VKR_TIMED_PRESENT, failed.submission, begin, vkr_record_time());
	failed.result = (uint32_t)result;
	if (has_failed(result) && failed.submission)
		vkr_record_event(VKR_TRACE_SUBMIT_FAILED, &failed, sizeof failed, NULL, 0);
	return result;
}
