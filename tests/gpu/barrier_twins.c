// SPDX-License-Identifier: Apache-2.0
// Twins of barriers that work together or fall short, and of render passes' dependencies.
// Knows nothing of what is to be reported.
#include "twins.h"

// The write is ordered before the read only by both barriers together, where their stages meet.
static void chained_stages(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, TRANSFER, 0);
	gpu_test_barrier(test, test->fixed ? TRANSFER : INDIRECT, 0, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

// Availability by one barrier, visibility by another.
static void split_dependency(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, 0);
	gpu_test_barrier(test, COMPUTE, 0, COMPUTE, test->fixed ? READ : 0);
	gpu_test_dispatch(test, "read_words", 2, 0);
}

static void update_write_write(struct gpu_test *test)
{
	gpu_test_dispatch(test, "update_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, test->fixed ? READ | WRITE : WRITE);
	gpu_test_dispatch(test, "update_words", 2, 0);
}

static void update_read_write(struct gpu_test *test)
{
	gpu_test_dispatch(test, "update_words", 2, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ | WRITE);
	else
		gpu_test_barrier(test, COMPUTE, READ, COMPUTE, WRITE);
	gpu_test_dispatch(test, "update_words", 2, 0);
}

// Read-modify-writes behind a barrier that nothing is visible to the reads of.
static void exchange_written(struct gpu_test *test)
{
	vkCmdFillBuffer(test->commands, test->data.handle, 0, VK_WHOLE_SIZE, 0);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, WRITE);
	gpu_test_dispatch(test, test->fixed ? "exchange_written_fixed" : "exchange_written_race", 1,
			  0);
}

// What fences of the shaders make available and visible.
static void fence_domain(struct gpu_test *test)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	for (uint32_t at = 0; at < 2; at++) {
		gpu_test_dispatch(test, test->fixed ? "fence_domain_fixed" : "fence_domain_race", 1,
				  at);
		gpu_test_barrier(test, COMPUTE, 0, COMPUTE, 0);
	}
}

// Uniform buffers are read by an access type of their own.
static void uniform_access(struct gpu_test *test)
{
	const VkMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
		.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
		.dstAccessMask =
			test->fixed ? VK_ACCESS_2_UNIFORM_READ_BIT : VK_ACCESS_2_SHADER_READ_BIT,
	};
	const VkDependencyInfo dependency = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1,
		.pMemoryBarriers = &barrier,
	};
	if (!test->has_synchronization2)
		gpu_test_skip("no synchronization2");
	gpu_test_dispatch(test, "write_words", 1, 0);
	vkCmdPipelineBarrier2(test->commands, &dependency);
	gpu_test_dispatch(test, "read_uniform", 1, 0);
}

// The arguments are fetched before any vertex shader could run.
static void indirect_vertex(struct gpu_test *test)
{
	const uint32_t groups[3] = {1, 1, 1};
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof groups, groups);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	else
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT,
				 VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, READ);
	gpu_test_dispatch_indirect(test, "write_result");
}

// Two buffers on one memory.
static void aliased_buffers(struct gpu_test *test)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = test->data.bytes,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkBuffer alias;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &alias), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, alias, &needs);
	gpu_test_expect(vkBindBufferMemory(test->device, alias, test->data.memory, 0),
			"vkBindBufferMemory");
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 64, 7);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
				 VK_ACCESS_TRANSFER_WRITE_BIT);
	vkCmdFillBuffer(test->commands, alias, 0, 64, 8);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyBuffer(test->device, alias, NULL);
}

static VkRenderPass make_pass(struct gpu_test *test)
{
	const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
	const VkSubpassDependency dependencies[2] = {
		{VK_SUBPASS_EXTERNAL, 0, COMPUTE, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, WRITE,
		 READ, 0},
		{0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, COMPUTE, 0, READ,
		 0},
	};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = test->fixed ? 2 : 1,
		.pDependencies = dependencies,
	};
	VkRenderPass pass;
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass), "vkCreateRenderPass");
	return pass;
}

// The pass's external dependencies order what stands before it and behind it.
static void render_pass(struct gpu_test *test)
{
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	VkRenderPass pass = make_pass(test);
	const VkFramebufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.renderPass = pass,
		.width = 16,
		.height = 16,
		.layers = 1,
	};
	VkFramebuffer frame;
	gpu_test_expect(vkCreateFramebuffer(test->device, &info, NULL, &frame),
			"vkCreateFramebuffer");
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass,
		.framebuffer = frame,
		.renderArea = {.extent = {16, 16}},
	};
	gpu_test_dispatch(test, "write_words", 2, 0);
	vkCmdBeginRenderPass(test->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(test->commands);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyFramebuffer(test->device, frame, NULL);
	vkDestroyRenderPass(test->device, pass, NULL);
}

const struct gpu_twin gpu_barrier_twins[] = {
	{"chained_stages", chained_stages, 0},
	{"split_dependency", split_dependency, 0},
	{"update_write_write", update_write_write, 0},
	{"update_read_write", update_read_write, 0},
	{"exchange_written", exchange_written, 0},
	{"fence_domain", fence_domain, 0},
	{"uniform_access", uniform_access, 0},
	{"indirect_vertex", indirect_vertex, 0},
	{"aliased_buffers", aliased_buffers, 0},
	{"render_pass", render_pass, 0},
	{NULL, NULL, 0},
};
