// SPDX-License-Identifier: Apache-2.0
// Twins of presentation, on a surface without a window: what waits for the presentation engine, and
// what it waits for. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include <stdlib.h>

#define OUTPUT       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define FRAMES       6u
#define MOST_IMAGES  8u
#define COLOR_FORMAT VK_FORMAT_B8G8R8A8_UNORM

struct frame {
	VkSemaphore acquired, rendered;
};

struct presenter {
	VkSurfaceKHR surface;
	VkSwapchainKHR swapchain;
	VkImage images[MOST_IMAGES];
	VkImageView views[MOST_IMAGES];
	uint32_t count, index; // images; the one that was acquired
	uint32_t first;        // image that was acquired first
	bool presented, again; // it was presented; and acquired again
	struct frame frames[FRAMES];
};

static PFN_vkVoidFunction instance_call(struct gpu_test *test, const char *name)
{
	PFN_vkVoidFunction call = vkGetInstanceProcAddr(test->instance, name);
	if (!call)
		gpu_test_skip(name);
	return call;
}

static void make_surface(struct gpu_test *test, struct presenter *presenter)
{
	const VkHeadlessSurfaceCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
	VkBool32 supported = VK_FALSE;
	if (!test->has_headless || !test->has_graphics)
		gpu_test_skip("no surface without a window");
	gpu_test_expect(
		((PFN_vkCreateHeadlessSurfaceEXT)instance_call(test, "vkCreateHeadlessSurfaceEXT"))(
			test->instance, &info, NULL, &presenter->surface),
		"vkCreateHeadlessSurfaceEXT");
	gpu_test_expect(vkGetPhysicalDeviceSurfaceSupportKHR(test->physical, test->family,
							     presenter->surface, &supported),
			"vkGetPhysicalDeviceSurfaceSupportKHR");
	if (!supported)
		gpu_test_skip("the queue cannot present");
}

static void begin(struct gpu_test *test, struct presenter *presenter)
{
	make_surface(test, presenter);
	const VkSwapchainCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = presenter->surface,
		.minImageCount = 2,
		.imageFormat = COLOR_FORMAT,
		.imageExtent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT},
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
		.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
		.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
	};
	gpu_test_expect(vkCreateSwapchainKHR(test->device, &info, NULL, &presenter->swapchain),
			"vkCreateSwapchainKHR");
	presenter->count = MOST_IMAGES;
	gpu_test_expect(vkGetSwapchainImagesKHR(test->device, presenter->swapchain,
						&presenter->count, presenter->images),
			"vkGetSwapchainImagesKHR");
	for (uint32_t i = 0; i < presenter->count; i++) {
		const VkImageViewCreateInfo view = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
			.image = presenter->images[i],
			.viewType = VK_IMAGE_VIEW_TYPE_2D,
			.format = COLOR_FORMAT,
			.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
		};
		gpu_test_expect(vkCreateImageView(test->device, &view, NULL, &presenter->views[i]),
				"vkCreateImageView");
	}
	for (uint32_t i = 0; i < FRAMES; i++)
		presenter->frames[i] =
			(struct frame){gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY),
				       gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY)};
}

static void finish(struct gpu_test *test, struct presenter *presenter)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	for (uint32_t i = 0; i < FRAMES; i++) {
		vkDestroySemaphore(test->device, presenter->frames[i].acquired, NULL);
		vkDestroySemaphore(test->device, presenter->frames[i].rendered, NULL);
	}
	for (uint32_t i = 0; i < presenter->count; i++)
		vkDestroyImageView(test->device, presenter->views[i], NULL);
	vkDestroySwapchainKHR(test->device, presenter->swapchain, NULL);
	vkDestroySurfaceKHR(test->instance, presenter->surface, NULL);
}

static void acquire(struct gpu_test *test, struct presenter *presenter, VkSemaphore semaphore,
		    VkFence fence)
{
	gpu_test_expect(vkAcquireNextImageKHR(test->device, presenter->swapchain, UINT64_MAX,
					      semaphore, fence, &presenter->index),
			"vkAcquireNextImageKHR");
	if (!presenter->presented)
		presenter->first = presenter->index;
}

// Drivers give images out in orders of their own: what is wrong is so once, in the frame that has
// the first frame's image again.
static bool is_wrong(const struct gpu_test *test, struct presenter *presenter)
{
	if (test->fixed || presenter->again || !presenter->presented ||
	    presenter->index != presenter->first)
		return false;
	presenter->again = true;
	return true;
}
// Submits what is recorded. It waits for a semaphore in a stage, and signals one; either may be
// null.
static void submit(struct gpu_test *test, VkSemaphore wait, VkPipelineStageFlags stage,
		   VkSemaphore signal)
{
	VkCommandBuffer commands = gpu_test_end(test);
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
		.signalSemaphoreCount = signal != VK_NULL_HANDLE,
		.pSignalSemaphores = &signal,
	};
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

// `fence` may be NULL.
static void present_with(struct gpu_test *test, struct presenter *presenter, VkSemaphore wait,
			 const VkFence *fence)
{
	const VkSwapchainPresentFenceInfoEXT fences = {
		.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT,
		.swapchainCount = 1,
		.pFences = (VkFence *)(uintptr_t)fence,
	};
	const VkPresentInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
		.pNext = fence ? &fences : NULL,
		.waitSemaphoreCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphores = &wait,
		.swapchainCount = 1,
		.pSwapchains = &presenter->swapchain,
		.pImageIndices = &presenter->index,
	};
	gpu_test_expect(vkQueuePresentKHR(test->queue, &info), "vkQueuePresentKHR");
	presenter->presented = true;
}

static void present(struct gpu_test *test, struct presenter *presenter, VkSemaphore wait)
{
	present_with(test, presenter, wait, NULL);
}

static void transition(struct gpu_test *test, VkImage image, VkPipelineStageFlags from,
		       VkImageLayout old, VkPipelineStageFlags to, VkImageLayout new)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask =
			old == VK_IMAGE_LAYOUT_UNDEFINED ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask =
			old == VK_IMAGE_LAYOUT_UNDEFINED ? VK_ACCESS_TRANSFER_WRITE_BIT : 0,
		.oldLayout = old,
		.newLayout = new,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	vkCmdPipelineBarrier(test->commands, from, to, 0, 0, NULL, 0, NULL, 1, &barrier);
}

// Clears the image that was acquired. `first`: the stage that its first transition waits for.
static void clear(struct gpu_test *test, const struct presenter *presenter,
		  VkPipelineStageFlags first)
{
	const VkImage image = presenter->images[presenter->index];
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkClearColorValue color = {.float32 = {0, 0, 1, 1}};
	transition(test, image, first, VK_IMAGE_LAYOUT_UNDEFINED, TRANSFER,
		   VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
	vkCmdClearColorImage(test->commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1,
			     &all);
	transition(test, image, TRANSFER, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
		   VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
}

// The semaphore is waited for in a stage that the layout transition does not wait for.
static void acquire_stage(struct gpu_test *test)
{
	struct presenter presenter = {0};
	begin(test, &presenter);
	for (uint32_t i = 0; i < FRAMES; i++) {
		const struct frame *frame = &presenter.frames[i];
		acquire(test, &presenter, frame->acquired, VK_NULL_HANDLE);
		clear(test, &presenter,
		      is_wrong(test, &presenter) ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : TRANSFER);
		submit(test, frame->acquired, TRANSFER, frame->rendered);
		present(test, &presenter, frame->rendered);
	}
	finish(test, &presenter);
}

// What is presented is not waited for.
static void present_unwaited(struct gpu_test *test)
{
	struct presenter presenter = {0};
	begin(test, &presenter);
	for (uint32_t i = 0; i < FRAMES; i++) {
		const struct frame *frame = &presenter.frames[i];
		acquire(test, &presenter, frame->acquired, VK_NULL_HANDLE);
		const VkSemaphore rendered =
			is_wrong(test, &presenter) ? VK_NULL_HANDLE : frame->rendered;
		clear(test, &presenter, TRANSFER);
		submit(test, frame->acquired, TRANSFER, rendered);
		present(test, &presenter, rendered);
	}
	finish(test, &presenter);
}

// The acquisition's fence tells the host when the image may be used.
static void acquire_fence(struct gpu_test *test)
{
	struct presenter presenter = {0};
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence;
	begin(test, &presenter);
	gpu_test_expect(vkCreateFence(test->device, &info, NULL, &fence), "vkCreateFence");
	for (uint32_t i = 0; i < FRAMES; i++) {
		const struct frame *frame = &presenter.frames[i];
		acquire(test, &presenter, VK_NULL_HANDLE, fence);
		clear(test, &presenter, TRANSFER);
		const bool wrong = is_wrong(test, &presenter);
		if (wrong)
			submit(test, VK_NULL_HANDLE, 0, frame->rendered);
		gpu_test_expect(vkWaitForFences(test->device, 1, &fence, VK_TRUE, UINT64_MAX),
				"vkWaitForFences");
		gpu_test_expect(vkResetFences(test->device, 1, &fence), "vkResetFences");
		if (!wrong)
			submit(test, VK_NULL_HANDLE, 0, frame->rendered);
		present(test, &presenter, frame->rendered);
	}
	finish(test, &presenter);
	vkDestroyFence(test->device, fence, NULL);
}

// The host reads what the frame wrote behind a fence of its presentation, or behind none.
static void present_fence(struct gpu_test *test)
{
	struct presenter presenter = {0};
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const struct frame *frame = &presenter.frames[0];
	VkFence fence;
	void *mapped;
	if (!test->has_present_fences)
		gpu_test_skip("no fences of presentations");
	begin(test, &presenter);
	gpu_test_expect(vkCreateFence(test->device, &info, NULL, &fence), "vkCreateFence");
	gpu_test_expect(vkMapMemory(test->device, test->data.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	acquire(test, &presenter, frame->acquired, VK_NULL_HANDLE);
	clear(test, &presenter, TRANSFER);
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 64, 7);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
			 VK_ACCESS_HOST_READ_BIT);
	submit(test, frame->acquired, TRANSFER, frame->rendered);
	present_with(test, &presenter, frame->rendered, &fence);
	if (test->fixed)
		gpu_test_expect(vkWaitForFences(test->device, 1, &fence, VK_TRUE, UINT64_MAX),
				"vkWaitForFences");
	(void)*(volatile uint32_t *)mapped;
	if (!test->fixed)
		gpu_test_expect(vkWaitForFences(test->device, 1, &fence, VK_TRUE, UINT64_MAX),
				"vkWaitForFences");
	finish(test, &presenter);
	vkDestroyFence(test->device, fence, NULL);
}

// A render pass that has no dependency from outside: its first transition does not wait for the
// stage in which the submission waits for the semaphore.
static void make_pass(struct gpu_test *test, struct gpu_draw_pass *pass,
		      const struct gpu_draw_image *image, bool waits)
{
	static const VkSubpassDependency dependency = {
		VK_SUBPASS_EXTERNAL, 0, OUTPUT, OUTPUT, 0, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0};
	*pass = (struct gpu_draw_pass){
		.color = {image, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
			  VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
			  VK_IMAGE_LAYOUT_PRESENT_SRC_KHR},
		.dependencies = &dependency,
		.dependency_count = waits};
	gpu_draw_pass_make(test, pass);
}

static void present_pass(struct gpu_test *test)
{
	struct presenter presenter = {0};
	begin(test, &presenter);
	for (uint32_t i = 0; i < FRAMES; i++) {
		const struct frame *frame = &presenter.frames[i];
		struct gpu_draw_pass pass;
		acquire(test, &presenter, frame->acquired, VK_NULL_HANDLE);
		const struct gpu_draw_image image = {.handle = presenter.images[presenter.index],
						     .view = presenter.views[presenter.index],
						     .format = COLOR_FORMAT,
						     .layers = 1,
						     .samples = VK_SAMPLE_COUNT_1_BIT};
		make_pass(test, &pass, &image, !is_wrong(test, &presenter));
		gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){.blends = false});
		gpu_draw_begin(test, &pass, gpu_draw_all());
		vkCmdDraw(test->commands, 3, 1, 0, 0);
		vkCmdEndRenderPass(test->commands);
		submit(test, frame->acquired, OUTPUT, frame->rendered);
		present(test, &presenter, frame->rendered);
	}
	finish(test, &presenter);
}

// Another family presents than the one that has cleared: it must own the image.
static void hand_over(struct gpu_test *test, VkImage image, bool acquires)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = acquires ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
		.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
		.srcQueueFamilyIndex = test->families[GPU_LANE_MAIN],
		.dstQueueFamilyIndex = test->families[GPU_LANE_COMPUTE],
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	vkCmdPipelineBarrier(test->commands, TRANSFER, TRANSFER, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void present_family(struct gpu_test *test)
{
	struct presenter presenter = {0};
	begin(test, &presenter);
	for (uint32_t i = 0; i < FRAMES; i++) {
		const struct frame *frame = &presenter.frames[i];
		VkSemaphore handed = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY);
		acquire(test, &presenter, frame->acquired, VK_NULL_HANDLE);
		const bool right = !is_wrong(test, &presenter);
		clear(test, &presenter, TRANSFER);
		if (right)
			hand_over(test, presenter.images[presenter.index], false);
		submit(test, frame->acquired, TRANSFER, handed);
		gpu_test_use(test, GPU_LANE_COMPUTE);
		if (right)
			hand_over(test, presenter.images[presenter.index], true);
		submit(test, handed, TRANSFER, frame->rendered);
		present(test, &presenter, frame->rendered);
		gpu_test_use(test, GPU_LANE_MAIN);
		gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
		vkDestroySemaphore(test->device, handed, NULL);
	}
	finish(test, &presenter);
}

const struct gpu_twin gpu_present_twins[] = {
	{"acquire_stage", acquire_stage, 0},
	{"acquire_fence", acquire_fence, 0},
	{"present_unwaited", present_unwaited, 0},
	{"present_pass", present_pass, 0},
	{"present_fence", present_fence, 0},
	{"family_present", present_family, 0},
	{NULL, NULL, 0},
};
