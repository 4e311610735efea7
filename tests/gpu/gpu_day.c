// SPDX-License-Identifier: Apache-2.0
// A program of several frames with five mistakes, as somebody might make them: nothing between two
// dispatches, a barrier with a mask that lacks a bit, two writes by transfers, staging memory that
// is rewritten too early, results that are read back without a barrier to the host. "gpu_day fixed"
// has the code that reports propose for them. Knows nothing of what is reported.
#include "gpu_test.h"

#include "read_words.spv.h"
#include "write_words.spv.h"

#include "vkrace/annotate.h"

#include <string.h>

#define FRAMES 4u
#define BYTES  512u
#define WORDS  (BYTES / 4)

#define COMPUTE  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
#define TRANSFER VK_PIPELINE_STAGE_TRANSFER_BIT

static struct gpu_test_kernel kernels[] = {
	{.name = "write_words", .words = write_words, .bytes = sizeof write_words},
	{.name = "read_words", .words = read_words, .bytes = sizeof read_words},
	{.name = NULL},
};

// Parts of the data buffer.
enum { SIMULATED, EXPORTED, STAGED, SHOWN };

static struct gpu_test test;
static VkPipeline writer, reader;

static void bind(VkPipeline pipeline, uint32_t part)
{
	const uint32_t first = part * WORDS;
	vkCmdBindPipeline(test.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(test.commands, VK_PIPELINE_BIND_POINT_COMPUTE, test.layout, 0, 1,
				&test.set, 0, NULL);
	vkCmdPushConstants(test.commands, test.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof first,
			   &first);
}

// Frames are in order on the device.
static void begin_frame(void)
{
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
					 .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT |
							  VK_ACCESS_MEMORY_WRITE_BIT};
	vkCmdPipelineBarrier(test.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void simulate(void)
{
	bind(writer, SIMULATED);
	vkCmdDispatch(test.commands, 2, 1, 1);
	if (test.fixed)
		vkCmdPipelineBarrier(test.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
				     &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
							.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
							.dstAccessMask = VK_ACCESS_SHADER_READ_BIT},
				     0, NULL, 0, NULL);
	bind(reader, SIMULATED);
	vkCmdDispatch(test.commands, 2, 1, 1);
}

static void export_results(void)
{
	VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				   .srcAccessMask = VK_ACCESS_SHADER_READ_BIT,
				   .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
	if (test.fixed)
		barrier.srcAccessMask |= VK_ACCESS_SHADER_WRITE_BIT;
	const VkBufferCopy region = {EXPORTED * BYTES, EXPORTED * BYTES, BYTES};
	bind(writer, EXPORTED);
	vkCmdDispatch(test.commands, 2, 1, 1);
	vkCmdPipelineBarrier(test.commands, COMPUTE, TRANSFER, 0, 1, &barrier, 0, NULL, 0, NULL);
	vkCmdCopyBuffer(test.commands, test.data.handle, test.result.handle, 1, &region);
}

static void upload(void)
{
	const VkBufferCopy region = {STAGED * BYTES, STAGED * BYTES, BYTES};
	vkCmdFillBuffer(test.commands, test.result.handle, STAGED * BYTES, BYTES, 0);
	if (test.fixed)
		vkCmdPipelineBarrier(
			test.commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
			VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
			&(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					   .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
					   .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT},
			0, NULL, 0, NULL);
	vkCmdCopyBuffer(test.commands, test.data.handle, test.result.handle, 1, &region);
}

static void show(void)
{
	bind(writer, SHOWN);
	vkCmdDispatch(test.commands, 2, 1, 1);
	if (test.fixed)
		vkCmdPipelineBarrier(test.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				     VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
				     &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
							.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
							.dstAccessMask = VK_ACCESS_HOST_READ_BIT},
				     0, NULL, 0, NULL);
}

static void stage(char *mapped, char value)
{
	vkrace_write(mapped + STAGED * BYTES, BYTES);
	memset(mapped + STAGED * BYTES, value, BYTES);
}

// Volatile, so that the reads are made.
static void read_back(const volatile char *mapped)
{
	vkrace_read(mapped + SHOWN * BYTES, BYTES);
	for (size_t at = 0; at < BYTES; at++)
		(void)mapped[SHOWN * BYTES + at];
}

int main(int argc, char **argv)
{
	VkFence fences[FRAMES];
	void *mapped = NULL;
	gpu_test_init(&test, kernels, argc > 1 && strcmp(argv[1], "fixed") == 0);
	writer = gpu_test_pipeline(&test, "write_words", test.layout);
	reader = gpu_test_pipeline(&test, "read_words", test.layout);
	VKRACE_ATTACH(test.device, vkGetDeviceProcAddr);
	gpu_test_expect(vkMapMemory(test.device, test.data.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	for (uint32_t frame = 0; frame < FRAMES; frame++) {
		// Two frames are under way, but there is staging memory for one.
		if (frame >= 2)
			gpu_test_wait(&test, fences[frame - 2]);
		if (test.fixed && frame >= 1)
			vkWaitForFences(test.device, 1, &fences[frame - 1], VK_TRUE, UINT64_MAX);
		stage(mapped, (char)frame);
		begin_frame();
		simulate();
		export_results();
		upload();
		show();
		fences[frame] = gpu_test_submit_fence(&test);
	}
	for (uint32_t frame = FRAMES - 2; frame < FRAMES; frame++)
		gpu_test_wait(&test, fences[frame]);
	read_back(mapped);
	vkDestroyPipeline(test.device, writer, NULL);
	vkDestroyPipeline(test.device, reader, NULL);
	gpu_test_finish(&test);
	return 0;
}
