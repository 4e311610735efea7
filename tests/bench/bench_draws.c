// SPDX-License-Identifier: Apache-2.0
// A correct program that records many small draws each frame: bench_draws FRAMES [DRAWS] prints the
// nanoseconds of recording a frame, and of a frame until its fence (medians). What it runs under is
// decided by who starts it: bench_draws.py.
#include "gpu_draw.h"

#include "draws_frag.spv.h"
#include "draws_vert.spv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WARM_UP        2u
#define DRAWS_A_PASS   100u
#define DRAWS_A_BUFFER 10u
#define DRAWS_A_SET    25u
#define VERTEX_BYTES   16u
#define FIRST_VERTEX   4096u // in test.data, behind what the uniform buffer has
#define BUFFER_STEP    256u
#define VERTEX_BUFFERS 100u
#define INDEX_BYTES    4u

struct frame {
	struct gpu_test test;
	struct gpu_draw_image color;
	struct gpu_draw_pass pass;
	VkPipeline pipelines[2];
	VkCommandPool pool;
	VkFence fence;
	uint32_t draws;
};

static struct gpu_test_kernel kernels[] = {
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void make_pass(struct frame *frame)
{
	static const VkSubpassDependency between = {
		.srcSubpass = VK_SUBPASS_EXTERNAL,
		.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		.dstAccessMask =
			VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
	};
	struct gpu_test *test = &frame->test;
	frame->color =
		gpu_draw_image(test, VK_FORMAT_R8G8B8A8_UNORM, 1, VK_SAMPLE_COUNT_1_BIT, "color");
	frame->pass = (struct gpu_draw_pass){
		.color = {&frame->color, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE,
			  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
			  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
			  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
		.dependencies = &between,
		.dependency_count = 1,
	};
	gpu_draw_pass_make(test, &frame->pass);
	for (uint32_t i = 0; i < 2; i++)
		frame->pipelines[i] = gpu_draw_pipeline_make(
			test, &frame->pass,
			&(struct gpu_draw_pipeline){.fetches = true,
						    .stride = VERTEX_BYTES,
						    .blends = i == 1,
						    .area = 1,
						    .shaders = {{VK_SHADER_STAGE_VERTEX_BIT,
								 draws_vert, sizeof draws_vert},
								{VK_SHADER_STAGE_FRAGMENT_BIT,
								 draws_frag, sizeof draws_frag}},
						    .shader_count = 2});
}

// All vertices are at the origin, and the image has its layout.
static void fill(struct frame *frame)
{
	struct gpu_test *test = &frame->test;
	const VkImageMemoryBarrier begun = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask =
			VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = frame->color.handle,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	vkCmdFillBuffer(test->commands, test->data.handle, 0, VK_WHOLE_SIZE, 0);
	vkCmdFillBuffer(test->commands, test->result.handle, 0, VK_WHOLE_SIZE, 0);
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, NULL, 0, NULL, 1,
			     &begun);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkQueueWaitIdle(test->queue), "vkQueueWaitIdle");
}

static void buffer_barrier(const struct frame *frame, VkCommandBuffer commands, VkDeviceSize offset,
			   VkPipelineStageFlags from_stage, VkAccessFlags from,
			   VkPipelineStageFlags to_stage, VkAccessFlags to)
{
	const VkBufferMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
		.srcAccessMask = from,
		.dstAccessMask = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.buffer = frame->test.data.handle,
		.offset = offset,
		.size = BUFFER_STEP,
	};
	vkCmdPipelineBarrier(commands, from_stage, to_stage, 0, 0, NULL, 1, &barrier, 0, NULL);
}

// New vertices for one of the buffers, behind the passes that have drawn from it.
static void update_vertices(const struct frame *frame, VkCommandBuffer commands, uint32_t buffer)
{
	static const unsigned char zeros[BUFFER_STEP];
	const VkDeviceSize offset = FIRST_VERTEX + (VkDeviceSize)buffer * BUFFER_STEP;
	buffer_barrier(frame, commands, offset, VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, 0,
		       VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
	vkCmdUpdateBuffer(commands, frame->test.data.handle, offset, BUFFER_STEP, zeros);
	buffer_barrier(frame, commands, offset, VK_PIPELINE_STAGE_TRANSFER_BIT,
		       VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_VERTEX_INPUT_BIT,
		       VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
}

static void draw(const struct frame *frame, VkCommandBuffer commands, uint32_t number)
{
	const VkDeviceSize offset =
		FIRST_VERTEX +
		(VkDeviceSize)(number / DRAWS_A_BUFFER % VERTEX_BUFFERS) * BUFFER_STEP;
	if (number % (DRAWS_A_PASS / 2) == 0)
		vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
				  frame->pipelines[number / (DRAWS_A_PASS / 2) % 2]);
	if (number % DRAWS_A_SET == 0)
		vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
					frame->test.layout, 0, 1, &frame->test.set, 0, NULL);
	if (number % DRAWS_A_BUFFER == 0)
		vkCmdBindVertexBuffers(commands, 0, 1, &frame->test.data.handle, &offset);
	if (number % DRAWS_A_PASS == 0)
		vkCmdBindIndexBuffer(commands, frame->test.result.handle, 0, VK_INDEX_TYPE_UINT32);
	if (number % 2)
		vkCmdDrawIndexed(commands, 6, 1, number % 64 * 6, 0, 0);
	else
		vkCmdDraw(commands, 6, 1, number % 8, 0);
}

static void record(struct frame *frame, VkCommandBuffer commands)
{
	const VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	gpu_test_expect(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
	VkCommandBuffer other = frame->test.commands;
	frame->test.commands = commands;
	for (uint32_t first = 0; first < frame->draws; first += DRAWS_A_PASS) {
		update_vertices(frame, commands, first / DRAWS_A_BUFFER % VERTEX_BUFFERS);
		gpu_draw_begin(&frame->test, &frame->pass, gpu_draw_all());
		for (uint32_t i = 0; i < DRAWS_A_PASS; i++)
			draw(frame, commands, first + i);
		vkCmdEndRenderPass(commands);
	}
	frame->test.commands = other;
	gpu_test_expect(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
	return (first > second) - (first < second);
}

static uint64_t median(uint64_t *times, uint32_t count)
{
	qsort(times, count, sizeof *times, compare_times);
	return times[count / 2];
}

static void run(struct frame *frame, uint32_t frames, uint64_t *recording, uint64_t *whole)
{
	struct gpu_test *test = &frame->test;
	VkCommandBuffer commands;
	const VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = frame->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};
	gpu_test_expect(vkAllocateCommandBuffers(test->device, &allocation, &commands),
			"vkAllocateCommandBuffers");
	for (uint32_t i = 0; i < WARM_UP + frames; i++) {
		const uint64_t began = now_ns();
		gpu_test_expect(vkResetCommandPool(test->device, frame->pool, 0),
				"vkResetCommandPool");
		record(frame, commands);
		const uint64_t recorded = now_ns();
		gpu_test_expect(vkQueueSubmit(test->queue, 1, &submit, frame->fence),
				"vkQueueSubmit");
		gpu_test_expect(
			vkWaitForFences(test->device, 1, &frame->fence, VK_TRUE, UINT64_MAX),
			"vkWaitForFences");
		gpu_test_expect(vkResetFences(test->device, 1, &frame->fence), "vkResetFences");
		if (i < WARM_UP)
			continue;
		recording[i - WARM_UP] = recorded - began;
		whole[i - WARM_UP] = now_ns() - began;
	}
}

int main(int argc, char **argv)
{
	struct frame frame = {.draws = argc > 2 ? (uint32_t)atoi(argv[2]) : 10000};
	const uint32_t frames = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
	uint64_t *recording = calloc(frames + 1, sizeof *recording);
	uint64_t *whole = calloc(frames + 1, sizeof *whole);
	if (argc > 3 || frames == 0 || !recording || !whole) {
		fprintf(stderr, "usage: %s FRAMES [DRAWS]\n", argv[0]);
		return 2;
	}
	gpu_test_init(&frame.test, kernels, true);
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = frame.test.family,
	};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	make_pass(&frame);
	gpu_test_expect(vkCreateCommandPool(frame.test.device, &pool, NULL, &frame.pool),
			"vkCreateCommandPool");
	gpu_test_expect(vkCreateFence(frame.test.device, &fence, NULL, &frame.fence),
			"vkCreateFence");
	fill(&frame);
	run(&frame, frames, recording, whole);
	printf("%llu %llu\n", (unsigned long long)median(recording, frames),
	       (unsigned long long)median(whole, frames));
	vkDestroyFence(frame.test.device, frame.fence, NULL);
	vkDestroyCommandPool(frame.test.device, frame.pool, NULL);
	gpu_test_finish(&frame.test);
	free(recording);
	free(whole);
	return EXIT_SUCCESS;
}
