// SPDX-License-Identifier: Apache-2.0
// Twins of commands that headers of Debian 12 do not have: skipped where the headers or the driver
// lack them. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include <string.h>

#ifdef VK_KHR_maintenance6
// The set's buffers the other way round.
static VkDescriptorSet swapped_set(struct gpu_test *test, VkDescriptorPool *pool)
{
	const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2},
					      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 2,
		.pPoolSizes = sizes,
	};
	gpu_test_expect(vkCreateDescriptorPool(test->device, &info, NULL, pool),
			"vkCreateDescriptorPool");
	const VkDescriptorSetAllocateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = *pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &test->set_layout,
	};
	VkDescriptorSet set;
	gpu_test_expect(vkAllocateDescriptorSets(test->device, &wanted, &set),
			"vkAllocateDescriptorSets");
	const VkDescriptorBufferInfo buffers[] = {{test->result.handle, 0, VK_WHOLE_SIZE},
						  {test->data.handle, 0, VK_WHOLE_SIZE}};
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.descriptorCount = 2,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = buffers,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	return set;
}

// The second dispatch gets its set and its constant by the second forms: without them it would
// touch the words of the first.
static void second_forms(struct gpu_test *test)
{
	PFN_vkCmdBindDescriptorSets2KHR bind = (PFN_vkCmdBindDescriptorSets2KHR)vkGetDeviceProcAddr(
		test->device, "vkCmdBindDescriptorSets2KHR");
	PFN_vkCmdPushConstants2KHR push = (PFN_vkCmdPushConstants2KHR)vkGetDeviceProcAddr(
		test->device, "vkCmdPushConstants2KHR");
	if (!test->has_maintenance6 || !bind || !push)
		gpu_test_skip("no maintenance6");
	VkDescriptorPool pool;
	const VkDescriptorSet set = swapped_set(test, &pool);
	const uint32_t far = 256;
	const VkBindDescriptorSetsInfoKHR swap = {
		.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR,
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.layout = test->layout,
		.descriptorSetCount = 1,
		.pDescriptorSets = &set,
	};
	const VkPushConstantsInfoKHR move = {
		.sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR,
		.layout = test->layout,
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.size = sizeof far,
		.pValues = &far,
	};
	gpu_test_dispatch(test, "write_words", 1, 0);
	bind(test->commands, &swap);
	vkCmdDispatch(test->commands, 1, 1, 1); // writes the other buffer
	if (test->fixed)
		push(test->commands, &move);
	vkCmdDispatch(test->commands, 1, 1, 1); // writes it again, or further on
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyDescriptorPool(test->device, pool, NULL);
}
#else
static void second_forms(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without maintenance6");
}
#endif

#ifdef VK_KHR_device_address_commands
// Vertices by their address, behind a barrier of a range of addresses.
static void vertex_address(struct gpu_test *test)
{
	static const float triangle[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
	if (!test->has_address_commands)
		gpu_test_skip("no device address commands");
	const VkBufferDeviceAddressInfo of = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = test->data.handle,
	};
	const VkDeviceAddressRangeKHR range = {vkGetBufferDeviceAddress(test->device, &of) + 256,
					       sizeof triangle};
	const VkMemoryRangeBarrierKHR barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIER_KHR,
		.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
		.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
		.dstStageMask = test->fixed ? VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT
					    : VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
		.dstAccessMask = test->fixed ? VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT
					     : VK_ACCESS_2_SHADER_READ_BIT,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.addressRange = range,
	};
	const VkMemoryRangeBarriersInfoKHR barriers = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR,
		.memoryRangeBarrierCount = 1,
		.pMemoryRangeBarriers = &barrier,
	};
	const VkDependencyInfo dependency = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.pNext = &barriers,
	};
	const VkBindVertexBuffer3InfoKHR vertices = {
		.sType = VK_STRUCTURE_TYPE_BIND_VERTEX_BUFFER_3_INFO_KHR,
		.addressRange = {range.address, range.size, 0},
	};
	struct gpu_draw_pass pass = {0};
	vkCmdUpdateBuffer(test->commands, test->data.handle, 256, sizeof triangle, triangle);
	vkCmdPipelineBarrier2(test->commands, &dependency);
	((PFN_vkCmdBindVertexBuffers3KHR)vkGetDeviceProcAddr(
		test->device, "vkCmdBindVertexBuffers3KHR"))(test->commands, 0, 1, &vertices);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){.fetches = true, .stride = 16});
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

static VkDeviceAddress address_of(const struct gpu_test *test, VkBuffer buffer)
{
	const VkBufferDeviceAddressInfo of = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = buffer,
	};
	return vkGetBufferDeviceAddress(test->device, &of);
}

// Filled and copied by address.
static void memory_address(struct gpu_test *test)
{
	if (!test->has_address_commands)
		gpu_test_skip("no device address commands");
	const VkDeviceAddressRangeKHR filled = {address_of(test, test->data.handle) + 256, 64};
	const VkDeviceMemoryCopyKHR region = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_COPY_KHR,
		.srcRange = filled,
		.dstRange = {address_of(test, test->result.handle), 64},
	};
	const VkCopyDeviceMemoryInfoKHR copy = {
		.sType = VK_STRUCTURE_TYPE_COPY_DEVICE_MEMORY_INFO_KHR,
		.regionCount = 1,
		.pRegions = &region,
	};
	((PFN_vkCmdFillMemoryKHR)vkGetDeviceProcAddr(test->device, "vkCmdFillMemoryKHR"))(
		test->commands, &filled, 0, 7);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
				 VK_ACCESS_TRANSFER_READ_BIT);
	((PFN_vkCmdCopyMemoryKHR)vkGetDeviceProcAddr(test->device, "vkCmdCopyMemoryKHR"))(
		test->commands, &copy);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}
#else
static void vertex_address(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without VK_KHR_device_address_commands");
}

static void memory_address(struct gpu_test *test)
{
	vertex_address(test);
}
#endif

#ifdef VK_KHR_maintenance5
// A pipeline whose code stands in its stage, and whose flags in the structure of the second ones.
static VkPipeline inline_pipeline(struct gpu_test *test, const char *name)
{
	const struct gpu_test_kernel *kernel = test->kernels;
	while (strcmp(kernel->name, name) != 0)
		kernel++;
	const VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = kernel->bytes,
		.pCode = kernel->words,
	};
	const VkPipelineCreateFlags2CreateInfoKHR flags = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
		.flags = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR,
	};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.pNext = &flags,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .pNext = &code,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"},
		.layout = test->layout,
	};
	VkPipeline pipeline;
	gpu_test_expect(
		vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateComputePipelines");
	return pipeline;
}

static void inline_code(struct gpu_test *test)
{
	const uint32_t first = 0;
	if (!test->has_maintenance5)
		gpu_test_skip("no maintenance5");
	const VkPipeline pipeline = inline_pipeline(test, "write_words");
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, test->layout, 0, 1,
				&test->set, 0, NULL);
	vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
	vkCmdDispatch(test->commands, 2, 1, 1);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	vkCmdDispatch(test->commands, 2, 1, 1);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyPipeline(test->device, pipeline, NULL);
}
#else
static void inline_code(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without maintenance5");
}
#endif

const struct gpu_twin gpu_newer_twins[] = {{"inline_code", inline_code, 0},

					   {"second_forms", second_forms, 0},
					   {"vertex_address", vertex_address, 0},
					   {"memory_address", memory_address, 0},
					   {NULL, NULL, 0}};
