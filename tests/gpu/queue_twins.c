// SPDX-License-Identifier: Apache-2.0
// Twins of semaphores between submissions, on two queues where the device has two. Knows nothing of
// what is to be reported.
#include "twins.h"

static VkSemaphore make_semaphore(struct gpu_test *test, VkSemaphoreType kind)
{
	const VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = kind,
	};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
		.pNext = &type,
	};
	VkSemaphore semaphore;
	gpu_test_expect(vkCreateSemaphore(test->device, &info, NULL, &semaphore),
			"vkCreateSemaphore");
	return semaphore;
}

// Submits what is recorded; it signals the semaphore to 1, or waits for that at `stage`.
static void submit_with(struct gpu_test *test, VkQueue queue, VkSemaphore semaphore,
			VkPipelineStageFlags stage)
{
	const uint64_t value = 1;
	const bool wait = stage != 0;
	VkCommandBuffer commands = gpu_test_end(test);
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = wait,
		.pWaitSemaphoreValues = &value,
		.signalSemaphoreValueCount = !wait,
		.pSignalSemaphoreValues = &value,
	};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = wait,
		.pWaitSemaphores = &semaphore,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
		.signalSemaphoreCount = !wait,
		.pSignalSemaphores = &semaphore,
	};
	gpu_test_expect(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

static void finish_semaphore(struct gpu_test *test, VkSemaphore semaphore)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroySemaphore(test->device, semaphore, NULL);
}

// The wait's stages must cover the reader's.
static void wait_at_stage(struct gpu_test *test, VkSemaphoreType kind)
{
	VkSemaphore semaphore = make_semaphore(test, kind);
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit_with(test, test->queue, semaphore, 0);
	gpu_test_dispatch(test, "read_words", 2, 0);
	submit_with(test, test->other_queue, semaphore, test->fixed ? COMPUTE : TRANSFER);
	finish_semaphore(test, semaphore);
}

static void binary_stage(struct gpu_test *test)
{
	wait_at_stage(test, VK_SEMAPHORE_TYPE_BINARY);
}

static void timeline_stage(struct gpu_test *test)
{
	if (!test->has_timeline)
		gpu_test_skip("no timeline semaphores");
	wait_at_stage(test, VK_SEMAPHORE_TYPE_TIMELINE);
}

// The wait is submitted before the host signals.
static void late_signal(struct gpu_test *test)
{
	if (!test->has_timeline)
		gpu_test_skip("no timeline semaphores");
	VkSemaphore semaphore = make_semaphore(test, VK_SEMAPHORE_TYPE_TIMELINE);
	const VkSemaphoreSignalInfo signal = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
		.semaphore = semaphore,
		.value = 1,
	};
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit_with(test, test->queue, semaphore, COMPUTE);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkSignalSemaphore(test->device, &signal), "vkSignalSemaphore");
	finish_semaphore(test, semaphore);
}

const struct gpu_twin gpu_queue_twins[] = {
	{"binary_stage", binary_stage, 0},
	{"timeline_stage", timeline_stage, 0},
	{"late_signal", late_signal, 0},
	{NULL, NULL, 0},
};
