// SPDX-License-Identifier: Apache-2.0
// Commands that name queue families: pools, resources, barriers. The driver has one family, so
// nothing is shared and nothing is handed on. Knows no queue.
#include "families_layer.h"

#include <stdlib.h>
#include <string.h>

// Usages of buffers and images, decode's and encode's, of which the driver knows nothing.
#define VIDEO_BUFFERS 0x1e000u
#define VIDEO_IMAGES  0xfc00u

#define NEXT(name, alias) ((PFN_##name)families_next(handle, #name, alias))

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice handle,
						  const VkCommandPoolCreateInfo *info,
						  const VkAllocationCallbacks *allocator,
						  VkCommandPool *pool)
{
	VkCommandPoolCreateInfo real = *info;
	real.queueFamilyIndex = 0;
	return NEXT(vkCreateCommandPool, NULL)(handle, &real, allocator, pool);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice handle, const VkBufferCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkBuffer *buffer)
{
	VkBufferCreateInfo real = *info;
	real.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
	real.queueFamilyIndexCount = 0;
	real.usage &= ~VIDEO_BUFFERS;
	real.usage |= VK_BUFFER_USAGE_TRANSFER_DST_BIT;
	return NEXT(vkCreateBuffer, NULL)(handle, &real, allocator, buffer);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice handle, const VkImageCreateInfo *info,
						   const VkAllocationCallbacks *allocator,
						   VkImage *image)
{
	VkImageCreateInfo real = *info;
	real.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
	real.queueFamilyIndexCount = 0;
	real.usage &= ~VIDEO_IMAGES;
	real.usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
	return NEXT(vkCreateImage, NULL)(handle, &real, allocator, image);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice handle,
						       const VkSwapchainCreateInfoKHR *info,
						       const VkAllocationCallbacks *allocator,
						       VkSwapchainKHR *swapchain)
{
	VkSwapchainCreateInfoKHR real = *info;
	real.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
	real.queueFamilyIndexCount = 0;
	return NEXT(vkCreateSwapchainKHR, NULL)(handle, &real, allocator, swapchain);
}

// ---- Barriers -----------------------------------------------------------------------------------

// A copy of an array of structures that name families, each of which is ignored.
#define COPY_BARRIERS(type, copy, count, from)                                                     \
	type *copy = calloc((count) + (size_t)1, sizeof *copy);                                    \
	if (!copy)                                                                                 \
		abort();                                                                           \
	for (uint32_t i = 0; i < (count); i++) {                                                   \
		copy[i] = (from)[i];                                                               \
		copy[i].srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;                             \
		copy[i].dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;                             \
	}

static VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer handle, VkPipelineStageFlags from,
					  VkPipelineStageFlags to, VkDependencyFlags flags,
					  uint32_t memory_count, const VkMemoryBarrier *memory,
					  uint32_t buffer_count,
					  const VkBufferMemoryBarrier *buffers,
					  uint32_t image_count, const VkImageMemoryBarrier *images)
{
	COPY_BARRIERS(VkBufferMemoryBarrier, real_buffers, buffer_count, buffers)
	COPY_BARRIERS(VkImageMemoryBarrier, real_images, image_count, images)
	NEXT(vkCmdPipelineBarrier, NULL)
	(handle, from, to, flags, memory_count, memory, buffer_count, real_buffers, image_count,
	 real_images);
	free(real_buffers);
	free(real_images);
}

static VKAPI_ATTR void VKAPI_CALL wait_events(VkCommandBuffer handle, uint32_t count,
					      const VkEvent *events, VkPipelineStageFlags from,
					      VkPipelineStageFlags to, uint32_t memory_count,
					      const VkMemoryBarrier *memory, uint32_t buffer_count,
					      const VkBufferMemoryBarrier *buffers,
					      uint32_t image_count,
					      const VkImageMemoryBarrier *images)
{
	COPY_BARRIERS(VkBufferMemoryBarrier, real_buffers, buffer_count, buffers)
	COPY_BARRIERS(VkImageMemoryBarrier, real_images, image_count, images)
	NEXT(vkCmdWaitEvents, NULL)
	(handle, count, events, from, to, memory_count, memory, buffer_count, real_buffers,
	 image_count, real_images);
	free(real_buffers);
	free(real_images);
}

static VkDependencyInfo make_real(const VkDependencyInfo *info)
{
	VkDependencyInfo real = *info;
	COPY_BARRIERS(VkBufferMemoryBarrier2, buffers, info->bufferMemoryBarrierCount,
		      info->pBufferMemoryBarriers)
	COPY_BARRIERS(VkImageMemoryBarrier2, images, info->imageMemoryBarrierCount,
		      info->pImageMemoryBarriers)
	real.pBufferMemoryBarriers = buffers;
	real.pImageMemoryBarriers = images;
	return real;
}

static void free_real(const VkDependencyInfo *real)
{
	free((void *)real->pBufferMemoryBarriers);
	free((void *)real->pImageMemoryBarriers);
}

static VKAPI_ATTR void VKAPI_CALL barrier2(VkCommandBuffer handle, const VkDependencyInfo *info)
{
	const VkDependencyInfo real = make_real(info);
	NEXT(vkCmdPipelineBarrier2, "vkCmdPipelineBarrier2KHR")(handle, &real);
	free_real(&real);
}

static VKAPI_ATTR void VKAPI_CALL set_event2(VkCommandBuffer handle, VkEvent event,
					     const VkDependencyInfo *info)
{
	const VkDependencyInfo real = make_real(info);
	NEXT(vkCmdSetEvent2, "vkCmdSetEvent2KHR")(handle, event, &real);
	free_real(&real);
}

static VKAPI_ATTR void VKAPI_CALL wait_events2(VkCommandBuffer handle, uint32_t count,
					       const VkEvent *events, const VkDependencyInfo *infos)
{
	VkDependencyInfo *real = calloc(count + (size_t)1, sizeof *real);
	if (!real)
		abort();
	for (uint32_t i = 0; i < count; i++)
		real[i] = make_real(&infos[i]);
	NEXT(vkCmdWaitEvents2, "vkCmdWaitEvents2KHR")(handle, count, events, real);
	for (uint32_t i = 0; i < count; i++)
		free_real(&real[i]);
	free(real);
}

PFN_vkVoidFunction families_index_hook(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} hooks[] = {
		{"vkCreateCommandPool", (PFN_vkVoidFunction)create_pool},
		{"vkCreateBuffer", (PFN_vkVoidFunction)create_buffer},
		{"vkCreateImage", (PFN_vkVoidFunction)create_image},
		{"vkCreateSwapchainKHR", (PFN_vkVoidFunction)create_swapchain},
		{"vkCmdPipelineBarrier", (PFN_vkVoidFunction)barrier},
		{"vkCmdWaitEvents", (PFN_vkVoidFunction)wait_events},
		{"vkCmdPipelineBarrier2", (PFN_vkVoidFunction)barrier2},
		{"vkCmdPipelineBarrier2KHR", (PFN_vkVoidFunction)barrier2},
		{"vkCmdSetEvent2", (PFN_vkVoidFunction)set_event2},
		{"vkCmdSetEvent2KHR", (PFN_vkVoidFunction)set_event2},
		{"vkCmdWaitEvents2", (PFN_vkVoidFunction)wait_events2},
		{"vkCmdWaitEvents2KHR", (PFN_vkVoidFunction)wait_events2},
	};
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	return NULL;
}
