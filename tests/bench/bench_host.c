// SPDX-License-Identifier: Apache-2.0
// A program that rewrites and reads mapped memory each frame: bench_host BYTES FRAMES [racy] prints
// the nanoseconds of a frame. It is correct, or reads back word by word without a barrier to the
// host. What it runs under is decided by who starts it: bench_host.py.
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUFFERS 2u
#define WARM_UP 5u

static struct gpu_test_kernel kernels[] = {

	{NULL, NULL, 0, VK_NULL_HANDLE},
};

// A buffer with memory of its own, mapped.
struct mapped {
	VkBuffer buffer;
	VkDeviceMemory memory;
	unsigned char *data;
};

static struct mapped make_mapped(struct gpu_test *test, VkDeviceSize bytes)
{
	struct mapped made;
	void *data = NULL;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = bytes,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &made.buffer), "vkCreateBuffer");
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(test->device, made.buffer, &needs);
	VkMemoryAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs.size,
		.memoryTypeIndex = gpu_test_memory_type(test, needs.memoryTypeBits),
	};
	gpu_test_expect(vkAllocateMemory(test->device, &allocation, NULL, &made.memory),
			"vkAllocateMemory");
	gpu_test_expect(vkBindBufferMemory(test->device, made.buffer, made.memory, 0),
			"vkBindBufferMemory");
	gpu_test_expect(vkMapMemory(test->device, made.memory, 0, VK_WHOLE_SIZE, 0, &data),
			"vkMapMemory");
	made.data = data;
	return made;
}

// Copies from one to the other, and brings the result to the host.
static VkCommandBuffer record(struct gpu_test *test, const struct mapped *from,
			      const struct mapped *to, VkDeviceSize bytes, bool racy)
{
	const VkBufferCopy region = {.size = bytes};
	vkCmdCopyBuffer(test->commands, from->buffer, to->buffer, 1, &region);
	if (!racy)
		gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
				 VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
	return gpu_test_end(test);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void read_back(void *to, const void *from, VkDeviceSize bytes, bool racy)
{
	const volatile uint32_t *words = from;
	uint32_t *copy = to;
	if (!racy)
		memcpy(to, from, bytes);
	for (VkDeviceSize i = 0; racy && i < bytes / sizeof *words; i++)
		copy[i] = words[i];
}

// The other pair of buffers is in use while this one is written and read.
static void run(struct gpu_test *test, VkDeviceSize bytes, uint32_t frames, bool racy)
{
	struct mapped from[BUFFERS], to[BUFFERS];
	VkCommandBuffer commands[BUFFERS];
	VkFence fences[BUFFERS];
	const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
					      .flags = VK_FENCE_CREATE_SIGNALED_BIT};
	unsigned char *copy = malloc(bytes);
	uint64_t began = 0;
	for (uint32_t i = 0; i < BUFFERS; i++) {
		from[i] = make_mapped(test, bytes);
		to[i] = make_mapped(test, bytes);
		commands[i] = record(test, &from[i], &to[i], bytes, racy);
		gpu_test_expect(vkCreateFence(test->device, &fence_info, NULL, &fences[i]),
				"vkCreateFence");
	}
	for (uint32_t frame = 0; frame < WARM_UP + frames; frame++) {
		const uint32_t at = frame % BUFFERS;
		const VkSubmitInfo info = {
			.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			.commandBufferCount = 1,
			.pCommandBuffers = &commands[at],
		};
		if (frame == WARM_UP)
			began = now_ns();
		gpu_test_expect(vkWaitForFences(test->device, 1, &fences[at], VK_TRUE, UINT64_MAX),
				"vkWaitForFences");
		gpu_test_expect(vkResetFences(test->device, 1, &fences[at]), "vkResetFences");
		if (copy)
			read_back(copy, to[at].data, bytes, racy);
		memset(from[at].data, (int)frame, bytes);
		gpu_test_expect(vkQueueSubmit(test->queue, 1, &info, fences[at]), "vkQueueSubmit");
	}
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	printf("%llu\n", (unsigned long long)((now_ns() - began) / frames));
	for (uint32_t i = 0; i < BUFFERS; i++) {
		vkDestroyFence(test->device, fences[i], NULL);
		vkDestroyBuffer(test->device, from[i].buffer, NULL);
		vkDestroyBuffer(test->device, to[i].buffer, NULL);
		vkFreeMemory(test->device, from[i].memory, NULL);
		vkFreeMemory(test->device, to[i].memory, NULL);
	}
	free(copy);
}

int main(int argc, char **argv)
{
	struct gpu_test test;
	const bool racy = argc == 4 && strcmp(argv[3], "racy") == 0;
	const bool given = argc == 3 || racy;
	const unsigned long long bytes = given ? strtoull(argv[1], NULL, 0) : 0;
	const unsigned long frames = given ? strtoul(argv[2], NULL, 0) : 0;
	if (!bytes || !frames || frames > UINT32_MAX - WARM_UP) {
		fprintf(stderr, "usage: bench_host BYTES FRAMES [racy]\n");
		return EXIT_FAILURE;
	}
	gpu_test_init(&test, kernels, true);
	run(&test, bytes, (uint32_t)frames, racy);
	gpu_test_finish(&test);
	return EXIT_SUCCESS;
}
