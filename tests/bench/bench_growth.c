// SPDX-License-Identifier: Apache-2.0
// One kind of work, as much of it as is asked for: what bench_growth.py runs at several sizes. An
// ordinary Vulkan program without a race; knows nothing of the layer.
//
//   bench_growth KIND COUNT
#include "gpu_test.h"

#include "acquire_release.spv.h"
#include "decoupled.spv.h"
#include "grid_barrier.spv.h"
#include "lock.spv.h"
#include "look_back.spv.h"
#include "tickets.spv.h"
#include "work_queue.spv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES (UINT64_C(64) << 20)
// Drivers end loops after 65,535 rounds.
#define MOST_ROUNDS 65535u

static struct gpu_test_kernel kernels[] = {
	{"lock", lock, sizeof lock, VK_NULL_HANDLE},
	{"acquire_release", acquire_release, sizeof acquire_release, VK_NULL_HANDLE},
	{"tickets", tickets, sizeof tickets, VK_NULL_HANDLE},
	{"look_back", look_back, sizeof look_back, VK_NULL_HANDLE},
	{"decoupled", decoupled, sizeof decoupled, VK_NULL_HANDLE},
	{"work_queue", work_queue, sizeof work_queue, VK_NULL_HANDLE},
	{"grid_barrier", grid_barrier, sizeof grid_barrier, VK_NULL_HANDLE},
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

// Atomics of one round of an invocation, and how many invocations go round; 0: each has one round.
static const struct shape {
	const char *kernel;
	uint32_t atomics, invocations;
} shapes[] = {
	{"lock", 2, 8},         {"acquire_release", 1, 16}, {"tickets", 1, 0},
	{"look_back", 1, 0},    {"decoupled", 3, 0},        {"work_queue", 4, 8},
	{"grid_barrier", 2, 8},
};

struct big_buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
};

static struct big_buffer make_big(struct gpu_test *test)
{
	struct big_buffer made;
	made.handle = gpu_test_addressed(
		test, BYTES, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
		"big", &made.memory);
	const VkDescriptorBufferInfo info = {made.handle, 0, VK_WHOLE_SIZE};
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = test->set,
		.dstBinding = 1,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = &info,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	return made;
}

static void order_fills(struct gpu_test *test)
{
	gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			 VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT |
				 VK_ACCESS_SHADER_WRITE_BIT);
}

static void synchronize(struct gpu_test *test, const struct shape *shape,
			const struct big_buffer *big, uint32_t count)
{
	uint32_t groups = shape->invocations, rounds = count / shape->atomics;
	if (groups == 0)
		groups = strcmp(shape->kernel, "look_back") == 0 ? (uint32_t)sqrt(2.0 * count)
								 : rounds;
	else
		rounds /= groups;
	vkCmdFillBuffer(test->commands, big->handle, 0, VK_WHOLE_SIZE, 0);
	order_fills(test);
	// Several dispatches where one would be cut off; each is one to the judge.
	for (uint32_t left = rounds; left > 0;) {
		const uint32_t now = shape->invocations && left > MOST_ROUNDS ? MOST_ROUNDS : left;
		gpu_test_dispatch(test, shape->kernel, groups, now);
		left = shape->invocations ? left - now : 0;
		gpu_test_barrier(test, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
	}
	gpu_test_submit(test, 1);
}

static void fill(struct gpu_test *test, const struct big_buffer *big, uint32_t count,
		 bool with_barriers)
{
	for (uint32_t at = 0; at < count; at++) {
		vkCmdFillBuffer(test->commands, big->handle, UINT64_C(8) * (at % (BYTES / 8)), 4,
				at);
		if (with_barriers)
			order_fills(test);
	}
	gpu_test_submit(test, 1);
}

// Records one command buffer again and again; with `rounds` it adds by atomics that acquire and
// release, else it fills.
static void submit_frames(struct gpu_test *test, const struct big_buffer *big, uint32_t count,
			  uint32_t rounds)
{
	const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				     .commandBufferCount = 1,
				     .pCommandBuffers = &test->commands};
	VkFence fence;
	gpu_test_expect(vkCreateFence(test->device, &fence_info, NULL, &fence), "vkCreateFence");
	for (uint32_t at = 0; at < count; at++) {
		gpu_test_expect(vkResetCommandPool(test->device, test->pool, 0),
				"vkResetCommandPool");
		gpu_test_expect(vkBeginCommandBuffer(test->commands, &begin),
				"vkBeginCommandBuffer");
		if (rounds)
			gpu_test_dispatch(test, "acquire_release", 16, rounds);
		else
			vkCmdFillBuffer(test->commands, big->handle, 0, 4096, at);
		order_fills(test);
		gpu_test_expect(vkEndCommandBuffer(test->commands), "vkEndCommandBuffer");
		gpu_test_expect(vkQueueSubmit(test->queue, 1, &submit, fence), "vkQueueSubmit");
		gpu_test_expect(vkWaitForFences(test->device, 1, &fence, VK_TRUE, UINT64_MAX),
				"vkWaitForFences");
		gpu_test_expect(vkResetFences(test->device, 1, &fence), "vkResetFences");
	}
	vkDestroyFence(test->device, fence, NULL);
}

int main(int argc, char **argv)
{
	const uint32_t count = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	const struct shape *shape = NULL;
	if (count == 0) {
		fprintf(stderr, "usage: bench_growth KIND COUNT\n");
		return EXIT_FAILURE;
	}
	for (size_t at = 0; at < sizeof shapes / sizeof *shapes; at++)
		if (strcmp(shapes[at].kernel, argv[1]) == 0)
			shape = &shapes[at];
	struct gpu_test test;
	gpu_test_init(&test, kernels, true);
	if (shape && !test.has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	struct big_buffer big = make_big(&test);
	if (shape)
		synchronize(&test, shape, &big, count);
	else if (strcmp(argv[1], "frames") == 0)
		submit_frames(&test, &big, count, 0);
	else if (strcmp(argv[1], "dispatches") == 0)
		submit_frames(&test, &big, (count + 1599) / 1600, 100);
	else
		fill(&test, &big, count, strcmp(argv[1], "fill_barriers") == 0);
	gpu_test_expect(vkDeviceWaitIdle(test.device), "vkDeviceWaitIdle");
	vkDestroyBuffer(test.device, big.handle, NULL);
	vkFreeMemory(test.device, big.memory, NULL);
	gpu_test_finish(&test);
	return EXIT_SUCCESS;
}
