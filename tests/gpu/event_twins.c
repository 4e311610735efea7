// SPDX-License-Identifier: Apache-2.0
// Twins of events, set by commands and by the host. Knows nothing of what is to be reported.
#include "twins.h"

static VkEvent make_event(struct gpu_test *test)
{
	const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	VkEvent event;
	gpu_test_expect(vkCreateEvent(test->device, &info, NULL, &event), "vkCreateEvent");
	return event;
}

static void finish_event(struct gpu_test *test, VkEvent event)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyEvent(test->device, event, NULL);
}

static void wait_event(struct gpu_test *test, VkEvent event, VkPipelineStageFlags stage,
		       VkAccessFlags from, VkAccessFlags to)
{
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = from,
		.dstAccessMask = to,
	};
	vkCmdWaitEvents(test->commands, 1, &event, stage, COMPUTE, 1, &barrier, 0, NULL, 0, NULL);
}

static void event_stage(struct gpu_test *test)
{
	const VkPipelineStageFlags stage = test->fixed ? COMPUTE : TRANSFER;
	VkEvent event = make_event(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	vkCmdSetEvent(test->commands, event, stage);
	wait_event(test, event, stage, test->fixed ? WRITE : VK_ACCESS_TRANSFER_WRITE_BIT, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	finish_event(test, event);
}

static void event_access(struct gpu_test *test)
{
	VkEvent event = make_event(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	vkCmdSetEvent(test->commands, event, COMPUTE);
	wait_event(test, event, COMPUTE, test->fixed ? WRITE : READ, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	finish_event(test, event);
}

// What stands between the set and the wait is not in the first scope.
static void event_set_early(struct gpu_test *test)
{
	VkEvent event = make_event(test);
	if (!test->fixed)
		vkCmdSetEvent(test->commands, event, COMPUTE);
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (test->fixed)
		vkCmdSetEvent(test->commands, event, COMPUTE);
	wait_event(test, event, COMPUTE, WRITE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	finish_event(test, event);
}

// Set in one submission, waited for in the next, by the second form.
static void event_form2(struct gpu_test *test)
{
	const VkMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
		.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
		.dstAccessMask = test->fixed ? VK_ACCESS_2_SHADER_STORAGE_READ_BIT
					     : VK_ACCESS_2_SHADER_SAMPLED_READ_BIT,
	};
	const VkDependencyInfo dependency = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1,
		.pMemoryBarriers = &barrier,
	};
	if (!test->has_synchronization2)
		gpu_test_skip("no synchronization2");
	VkEvent event = make_event(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	vkCmdSetEvent2(test->commands, event, &dependency);
	gpu_test_submit(test, 1);
	vkCmdWaitEvents2(test->commands, 1, &event, &dependency);
	vkCmdResetEvent2(test->commands, event, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	finish_event(test, event);
}

// The host sets the event after the submission: it orders nothing that the device did before.
static void event_by_host(struct gpu_test *test)
{
	VkEvent event = make_event(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	vkCmdWaitEvents(test->commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, COMPUTE, 0, NULL, 0,
			NULL, 0, NULL);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkSetEvent(test->device, event), "vkSetEvent");
	finish_event(test, event);
}

const struct gpu_twin gpu_event_twins[] = {
	{"event_stage", event_stage, 0},         {"event_access", event_access, 0},
	{"event_set_early", event_set_early, 0}, {"event_form2", event_form2, 0},
	{"event_by_host", event_by_host, 0},     {NULL, NULL, 0},
};
