// SPDX-License-Identifier: Apache-2.0
// A frame loop with two frames in flight: gpu_frames FRAMES [race] [wait]. Each frame reads what
// was uploaded before the first, and writes a buffer behind a barrier. "race": in the last frame
// nothing orders the two. "wait": it lasts as long as 60 frames a second do.
#include "gpu_test.h"

#include "read_words.spv.h"
#include "write_words.spv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLIGHTS 2

static struct gpu_test_kernel kernels[] = {
	{.name = "write_words", .words = write_words, .bytes = sizeof write_words},
	{.name = "read_words", .words = read_words, .bytes = sizeof read_words},
	{.name = NULL},
};

struct flight {
	VkCommandBuffer commands;
	VkFence fence;
};

static void make_flight(const struct gpu_test *test, struct flight *flight)
{
	const VkCommandBufferAllocateInfo buffers = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = test->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
					 .flags = VK_FENCE_CREATE_SIGNALED_BIT};
	gpu_test_expect(vkAllocateCommandBuffers(test->device, &buffers, &flight->commands),
			"vkAllocateCommandBuffers");
	gpu_test_expect(vkCreateFence(test->device, &fence, NULL, &flight->fence), "vkCreateFence");
}

static void barrier(VkCommandBuffer commands)
{
	const VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
				     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT |
						      VK_ACCESS_SHADER_WRITE_BIT};
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &all, 0, NULL, 0, NULL);
}

static void draw_frame(struct gpu_test *test, const struct flight *flight, bool racy)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				     .commandBufferCount = 1,
				     .pCommandBuffers = &flight->commands};
	gpu_test_expect(vkWaitForFences(test->device, 1, &flight->fence, VK_TRUE, UINT64_MAX),
			"vkWaitForFences");
	gpu_test_expect(vkResetFences(test->device, 1, &flight->fence), "vkResetFences");
	gpu_test_expect(vkBeginCommandBuffer(flight->commands, &begin), "vkBeginCommandBuffer");
	vkCmdBindDescriptorSets(flight->commands, VK_PIPELINE_BIND_POINT_COMPUTE, test->layout, 0,
				1, &test->set, 0, NULL);
	test->commands = flight->commands;
	barrier(flight->commands);
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (!racy)
		barrier(flight->commands);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_expect(vkEndCommandBuffer(flight->commands), "vkEndCommandBuffer");
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &submit, flight->fence), "vkQueueSubmit");
}

int main(int argc, char **argv)
{
	struct gpu_test test;
	struct flight flights[FLIGHTS];
	const unsigned long frames = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	bool racy = false, waits = false;
	for (int i = 2; i < argc; i++) {
		racy |= strcmp(argv[i], "race") == 0;
		waits |= strcmp(argv[i], "wait") == 0;
	}
	gpu_test_init(&test, kernels, false);
	const VkCommandBuffer first = test.commands;
	vkCmdFillBuffer(first, test.data.handle, 0, VK_WHOLE_SIZE, 1);
	gpu_test_submit(&test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test.device), "vkDeviceWaitIdle");
	for (int i = 0; i < FLIGHTS; i++)
		make_flight(&test, &flights[i]);
	for (unsigned long i = 0; i < frames; i++) {
		draw_frame(&test, &flights[i % FLIGHTS], racy && i + 1 == frames);
		if (waits)
			usleep(1000000 / 60);
	}
	gpu_test_expect(vkDeviceWaitIdle(test.device), "vkDeviceWaitIdle");
	for (int i = 0; i < FLIGHTS; i++)
		vkDestroyFence(test.device, flights[i].fence, NULL);
	test.commands = first;
	gpu_test_finish(&test);
	return EXIT_SUCCESS;
}
