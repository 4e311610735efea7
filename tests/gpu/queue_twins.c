// SPDX-License-Identifier: Apache-2.0
// Twins of semaphores between submissions, on two queues where the device has two. Knows nothing of
// what is to be reported.
#include "twins.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

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

// The wait's stages must cover the reader's.
static void wait_at_stage(struct gpu_test *test, VkSemaphoreType kind)
{
	VkSemaphore semaphore = gpu_test_semaphore(test, kind);
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit_with(test, test->queue, semaphore, 0);
	gpu_test_dispatch(test, "read_words", 2, 0);
	submit_with(test, gpu_test_other_queue(test), semaphore, test->fixed ? COMPUTE : TRANSFER);
	gpu_test_finish_semaphore(test, semaphore);
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

static VkSemaphore make_timeline(struct gpu_test *test)
{
	if (!test->has_timeline)
		gpu_test_skip("no timeline semaphores");
	return gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_TIMELINE);
}

static void signal_from_host(const struct gpu_test *test, VkSemaphore semaphore)
{
	const VkSemaphoreSignalInfo signal = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
		.semaphore = semaphore,
		.value = 1,
	};
	gpu_test_expect(vkSignalSemaphore(test->device, &signal), "vkSignalSemaphore");
}

// The wait is submitted before the host signals.
static void late_signal(struct gpu_test *test)
{
	VkSemaphore semaphore = make_timeline(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit_with(test, test->queue, semaphore, COMPUTE);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	signal_from_host(test, semaphore);
	gpu_test_finish_semaphore(test, semaphore);
}

// More submissions than there are large logs are under way at once, before the host lets the first
// one go on.
static void many_under_way(struct gpu_test *test)
{
	VkSemaphore semaphore = make_timeline(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit_with(test, test->queue, semaphore, COMPUTE);
	for (int i = 0; i < 19; i++) {
		if (test->fixed || i < 18)
			gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
		gpu_test_dispatch(test, "write_words", 2, 0);
		gpu_test_submit(test, 1);
	}
	signal_from_host(test, semaphore);
	gpu_test_finish_semaphore(test, semaphore);
}

// What a submission logs after its first stop fits into no log that is left, unless it waits for
// those before it. The host holds these up: then it is not observed.
static void many_stops(struct gpu_test *test)
{
	VkSemaphore semaphore = make_timeline(test);
	if (test->fixed)
		signal_from_host(test, semaphore);
	gpu_test_dispatch(test, "follow_words", 1, 1);
	submit_with(test, test->queue, semaphore, COMPUTE);
	for (unsigned i = 0; i < 2; i++) {
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
		gpu_test_dispatch(test, "follow_words", 1, 1);
		gpu_test_submit(test, 1);
	}
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	gpu_test_dispatch(test, "follow_words", 1, 1);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	gpu_test_dispatch(test, "follow_words", 64, test->fixed ? 8 : 300000);
	gpu_test_submit(test, 1);
	if (!test->fixed)
		signal_from_host(test, semaphore);
	gpu_test_finish_semaphore(test, semaphore);
}

// The host lies between two submissions: what the first has written is there for the second where
// the host has seen it complete, without any barrier.
static void fence_between(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_expect(vkWaitForFences(test->device, 1, &fence, VK_TRUE, UINT64_MAX),
				"vkWaitForFences");
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	gpu_test_wait(test, fence);
}

// Waits for a fence by asking until it is signaled.
static void fence_polled(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	VkFence fence = gpu_test_submit_fence(test);
	while (test->fixed && vkGetFenceStatus(test->device, fence) == VK_NOT_READY)
		;
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	gpu_test_wait(test, fence);
}

// Waits past Vulkan for a file that `result` says was exported.
static void wait_for_file(VkResult result, int file)
{
	struct pollfd poll_file = {.fd = file, .events = POLLIN};
	gpu_test_expect(result, "exporting a sync file");
	while (file >= 0 && poll(&poll_file, 1, -1) != 1)
		;
	if (file >= 0)
		close(file);
}

// Waits for a sync file that the fence is exported as.
static void fence_exported(struct gpu_test *test)
{
	const PFN_vkGetFenceFdKHR get =
		(PFN_vkGetFenceFdKHR)vkGetDeviceProcAddr(test->device, "vkGetFenceFdKHR");
	const VkExportFenceCreateInfo exported = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
					.pNext = &exported};
	VkFenceGetFdInfoKHR asked = {.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR,
				     .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
	if (!test->has_sync_files)
		gpu_test_skip("no sync files");
	gpu_test_expect(vkCreateFence(test->device, &info, NULL, &asked.fence), "vkCreateFence");
	gpu_test_dispatch(test, "write_words", 2, 0);
	VkCommandBuffer commands = gpu_test_end(test);
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				     .commandBufferCount = 1,
				     .pCommandBuffers = &commands};
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &submit, asked.fence), "vkQueueSubmit");
	if (test->fixed) {
		int file = -1;
		const VkResult result = get(test->device, &asked, &file);
		wait_for_file(result, file);
	}
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyFence(test->device, asked.fence, NULL);
}

// Waits for a sync file that the semaphore is exported as.
static void semaphore_exported(struct gpu_test *test)
{
	const PFN_vkGetSemaphoreFdKHR get =
		(PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(test->device, "vkGetSemaphoreFdKHR");
	const VkExportSemaphoreCreateInfo exported = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
					    .pNext = &exported};
	VkSemaphoreGetFdInfoKHR asked = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
					 .handleType =
						 VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
	if (!test->has_sync_files)
		gpu_test_skip("no sync files");
	gpu_test_expect(vkCreateSemaphore(test->device, &info, NULL, &asked.semaphore),
			"vkCreateSemaphore");
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit_with(test, test->queue, asked.semaphore, 0);
	if (test->fixed) {
		int file = -1;
		const VkResult result = get(test->device, &asked, &file);
		wait_for_file(result, file);
	}
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	gpu_test_finish_semaphore(test, asked.semaphore);
}

static void queue_idle_between(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_expect(vkQueueWaitIdle(test->queue), "vkQueueWaitIdle");
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void device_idle_between(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	gpu_test_dispatch(test, "read_words", 2, 0);
}

// The host waits for the value, or for one that was reached before.
static void timeline_seen(struct gpu_test *test)
{
	if (!test->has_timeline)
		gpu_test_skip("no timeline semaphores");
	VkSemaphore semaphore = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_TIMELINE);
	const uint64_t value = test->fixed ? 1 : 0;
	const VkSemaphoreWaitInfo wait = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.semaphoreCount = 1,
		.pSemaphores = &semaphore,
		.pValues = &value,
	};
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit_with(test, test->queue, semaphore, 0);
	gpu_test_expect(vkWaitSemaphores(test->device, &wait, UINT64_MAX), "vkWaitSemaphores");
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	gpu_test_finish_semaphore(test, semaphore);
}

struct submitter {
	struct gpu_test *test;
	VkCommandBuffer commands;
	VkSemaphore semaphore;
	bool signals;
};

static void *submit_from_thread(void *user)
{
	const struct submitter *by = user;
	const VkPipelineStageFlags stage = by->test->fixed ? COMPUTE : TRANSFER;
	const uint64_t value = 1;
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = !by->signals,
		.pWaitSemaphoreValues = &value,
		.signalSemaphoreValueCount = by->signals,
		.pSignalSemaphoreValues = &value,
	};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = !by->signals,
		.pWaitSemaphores = &by->semaphore,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &by->commands,
		.signalSemaphoreCount = by->signals,
		.pSignalSemaphores = &by->semaphore,
	};
	gpu_test_expect(
		vkQueueSubmit(by->signals ? by->test->queue : gpu_test_other_queue(by->test), 1,
			      &info, VK_NULL_HANDLE),
		"vkQueueSubmit");
	return NULL;
}

// Two threads submit one after the other; the semaphore alone orders what they have submitted.
static void submit_threads(struct gpu_test *test)
{
	pthread_t thread;
	if (!test->has_timeline)
		gpu_test_skip("no timeline semaphores");
	struct submitter writer = {
		test, .semaphore = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_TIMELINE),
		.signals = true};
	struct submitter reader = {test, .semaphore = writer.semaphore};
	gpu_test_dispatch(test, "write_words", 2, 0);
	writer.commands = gpu_test_end(test);
	gpu_test_dispatch(test, "read_words", 2, 0);
	reader.commands = gpu_test_end(test);
	struct submitter *const both[] = {&writer, &reader};
	for (int i = 0; i < 2; i++) {
		if (pthread_create(&thread, NULL, submit_from_thread, both[i]) != 0)
			gpu_test_skip("no threads");
		pthread_join(thread, NULL);
	}
	gpu_test_finish_semaphore(test, writer.semaphore);
}

const struct gpu_twin gpu_queue_twins[] = {
	{"binary_stage", binary_stage, 0},
	{"timeline_stage", timeline_stage, 0},
	{"late_signal", late_signal, 0},
	{"many_under_way", many_under_way, 0},
	{"many_stops", many_stops, 0},
	{"fence_between", fence_between, 0},
	{"fence_polled", fence_polled, 0},
	{"fence_exported", fence_exported, 0},
	{"semaphore_exported", semaphore_exported, 0},
	{"queue_idle_between", queue_idle_between, 0},
	{"device_idle_between", device_idle_between, 0},
	{"timeline_seen", timeline_seen, 0},
	{"submit_threads", submit_threads, 0},
	{NULL, NULL, 0},
};
