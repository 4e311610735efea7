// SPDX-License-Identifier: Apache-2.0
// Twins of commands that headers of Debian 12 do not have: skipped where the headers or the driver
// lack them. Knows nothing of what is to be reported.
#include "twins.h"

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

const struct gpu_twin gpu_newer_twins[] = {{"second_forms", second_forms, 0}, {NULL, NULL, 0}};
