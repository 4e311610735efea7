// SPDX-License-Identifier: Apache-2.0
// Knows how to reach a compute device through plain Vulkan; nothing of what the tests show.
#include "gpu_test.h"

#include "gpu_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES  65536u
#define UNIFORM_BYTES 256u

void gpu_test_expect(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	fprintf(stderr, "%s failed: VkResult %d\n", what, (int)result);
	exit(EXIT_FAILURE);
}

void gpu_test_skip(const char *reason)
{
	fprintf(stderr, "skipped: %s\n", reason);
	exit(GPU_TEST_SKIPPED);
}

void gpu_test_name(const struct gpu_test *test, VkObjectType type, uint64_t handle,
		   const char *name)
{
	const VkDebugUtilsObjectNameInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = type,
		.objectHandle = handle,
		.pObjectName = name,
	};
	if (test->set_name)
		gpu_test_expect(test->set_name(test->device, &info),
				"vkSetDebugUtilsObjectNameEXT");
}

static bool mappable(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type)
{
	return memory->memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
}

uint32_t gpu_test_memory_type(const struct gpu_test *test, uint32_t allowed)
{
	VkPhysicalDeviceMemoryProperties memory;
	uint32_t first = 0;
	vkGetPhysicalDeviceMemoryProperties(test->physical, &memory);
	while (!(allowed >> first & 1))
		first++;
	for (uint32_t type = first; type < memory.memoryTypeCount; type++)
		if (allowed >> type & 1 && mappable(&memory, type))
			return type;
	return first;
}

bool gpu_test_mappable(const struct gpu_test *test, uint32_t allowed)
{
	VkPhysicalDeviceMemoryProperties memory;
	vkGetPhysicalDeviceMemoryProperties(test->physical, &memory);
	return mappable(&memory, gpu_test_memory_type(test, allowed));
}

VkDeviceMemory gpu_test_allocate(const struct gpu_test *test, const VkMemoryRequirements *needs,
				 const void *chain)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = chain,
		.allocationSize = needs->size,
	};
	VkDeviceMemory memory;
	info.memoryTypeIndex = gpu_test_memory_type(test, needs->memoryTypeBits);
	gpu_test_expect(vkAllocateMemory(test->device, &info, NULL, &memory), "vkAllocateMemory");
	return memory;
}

static void make_buffer(struct gpu_test *test, struct gpu_test_buffer *buffer, const char *name)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = BUFFER_BYTES,
		.usage =
			VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
			VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
			VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
			VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
			(test->has_conditional ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT
					       : 0u) |
			(test->has_feedback
				 ? VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
					   VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT
				 : 0u) |
			(test->has_addresses ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u),
	};
	const VkMemoryAllocateFlagsInfo addressed = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	buffer->bytes = BUFFER_BYTES;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &buffer->handle),
			"vkCreateBuffer");
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(test->device, buffer->handle, &needs);
	buffer->memory = gpu_test_allocate(test, &needs, test->has_addresses ? &addressed : NULL);
	gpu_test_expect(vkBindBufferMemory(test->device, buffer->handle, buffer->memory, 0),
			"vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->handle, name);
}

static void make_layout(struct gpu_test *test)
{
	VkDescriptorSetLayoutBinding bindings[3] = {{0}};
	for (uint32_t i = 0; i < 3; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){
			.binding = i,
			.descriptorType = i == 2 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
						 : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.descriptorCount = 1,
			.stageFlags = VK_SHADER_STAGE_ALL,
		};
	const VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 3,
		.pBindings = bindings,
	};
	gpu_test_expect(
		vkCreateDescriptorSetLayout(test->device, &set_info, NULL, &test->set_layout),
		"vkCreateDescriptorSetLayout");
	const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &test->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &test->layout),
			"vkCreatePipelineLayout");
}

static void make_set(struct gpu_test *test)
{
	const VkDescriptorPoolSize sizes[2] = {
		{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2},
		{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
	};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 2,
		.pPoolSizes = sizes,
	};
	gpu_test_expect(vkCreateDescriptorPool(test->device, &pool, NULL, &test->descriptor_pool),
			"vkCreateDescriptorPool");
	const VkDescriptorSetAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = test->descriptor_pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &test->set_layout,
	};
	gpu_test_expect(vkAllocateDescriptorSets(test->device, &allocation, &test->set),
			"vkAllocateDescriptorSets");
	const VkDescriptorBufferInfo buffers[2] = {
		{test->data.handle, 0, VK_WHOLE_SIZE},
		{test->result.handle, 0, VK_WHOLE_SIZE},
	};
	const VkDescriptorBufferInfo uniform = {test->data.handle, 0, UNIFORM_BYTES};
	const VkWriteDescriptorSet writes[2] = {
		{
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = test->set,
			.descriptorCount = 2, // runs on into binding 1
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = buffers,
		},
		{
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = test->set,
			.dstBinding = 2,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
			.pBufferInfo = &uniform,
		},
	};
	vkUpdateDescriptorSets(test->device, 2, writes, 0, NULL);
}

static void begin(struct gpu_test *test)
{
	const VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = test->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	gpu_test_expect(vkAllocateCommandBuffers(test->device, &allocation, &test->commands),
			"vkAllocateCommandBuffers");
	const VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
	};
	gpu_test_expect(vkBeginCommandBuffer(test->commands, &info), "vkBeginCommandBuffer");
	if (test->queue != test->queues[GPU_LANE_TRANSFER] &&
	    test->queue != test->queues[GPU_LANE_VIDEO])
		vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
					test->layout, 0, 1, &test->set, 0, NULL);
}

void gpu_test_use(struct gpu_test *test, enum gpu_test_lane lane)
{
	if (test->families[lane] == VK_QUEUE_FAMILY_IGNORED)
		gpu_test_skip("the device has no such queue family");
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = test->families[lane],
	};
	if (!test->pools[lane])
		gpu_test_expect(vkCreateCommandPool(test->device, &pool, NULL, &test->pools[lane]),
				"vkCreateCommandPool");
	test->pool = test->pools[lane];
	test->queue = test->queues[lane];
	begin(test);
}

void gpu_test_init(struct gpu_test *test, struct gpu_test_kernel *kernels, bool fixed)
{
	*test = (struct gpu_test){.kernels = kernels, .fixed = fixed};
	gpu_device_open(test);
	make_buffer(test, &test->data, "data");
	make_buffer(test, &test->result, "result");
	make_layout(test);
	make_set(test);
	gpu_test_use(test, GPU_LANE_MAIN);
}

static void finish_buffer(struct gpu_test *test, struct gpu_test_buffer *buffer)
{
	vkDestroyBuffer(test->device, buffer->handle, NULL);
	vkFreeMemory(test->device, buffer->memory, NULL);
}

void gpu_test_finish(struct gpu_test *test)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	if (test->finish_draws)
		test->finish_draws(test);
	for (struct gpu_test_kernel *kernel = test->kernels; kernel->name; kernel++)
		vkDestroyPipeline(test->device, kernel->pipeline, NULL);
	for (int lane = 0; lane < GPU_LANES; lane++)
		vkDestroyCommandPool(test->device, test->pools[lane], NULL);
	vkDestroyDescriptorPool(test->device, test->descriptor_pool, NULL);
	vkDestroyPipelineLayout(test->device, test->layout, NULL);
	vkDestroyDescriptorSetLayout(test->device, test->set_layout, NULL);
	finish_buffer(test, &test->data);
	finish_buffer(test, &test->result);
	vkDestroyDevice(test->device, NULL);
	vkDestroyInstance(test->instance, NULL);
}

static struct gpu_test_kernel *find_kernel(struct gpu_test *test, const char *name)
{
	struct gpu_test_kernel *kernel = test->kernels;
	while (kernel->name && strcmp(kernel->name, name) != 0)
		kernel++;
	if (!kernel->name) {
		fprintf(stderr, "no kernel %s\n", name);
		exit(EXIT_FAILURE);
	}
	return kernel;
}

VkBuffer gpu_test_addressed(const struct gpu_test *test, VkDeviceSize bytes,
			    VkBufferUsageFlags usage, const char *name, VkDeviceMemory *memory)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = bytes,
		.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
	};
	const VkMemoryAllocateFlagsInfo addressed = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkBuffer made;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &made), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, made, &needs);
	*memory = gpu_test_allocate(test, &needs, &addressed);
	gpu_test_expect(vkBindBufferMemory(test->device, made, *memory, 0), "vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)made, name);
	return made;
}

VkDeviceAddress gpu_test_address(const struct gpu_test *test, VkBuffer buffer)
{
	const VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
	return vkGetBufferDeviceAddress(test->device, &info);
}

VkPipeline gpu_test_pipeline(struct gpu_test *test, const char *name, VkPipelineLayout layout)
{
	const struct gpu_test_kernel *kernel = find_kernel(test, name);
	const VkShaderModuleCreateInfo module_info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = kernel->bytes,
		.pCode = kernel->words,
	};
	VkShaderModule module;
	VkPipeline pipeline;
	gpu_test_expect(vkCreateShaderModule(test->device, &module_info, NULL, &module),
			"vkCreateShaderModule");
	gpu_test_name(test, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module, kernel->name);
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.flags = test->pipeline_flags,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = module,
			  .pName = "main"},
		.layout = layout,
	};
	gpu_test_expect(
		vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateComputePipelines");
	gpu_test_name(test, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline, kernel->name);
	vkDestroyShaderModule(test->device, module, NULL);
	return pipeline;
}

static void bind_kernel(struct gpu_test *test, const char *name, uint32_t first)
{
	struct gpu_test_kernel *kernel = find_kernel(test, name);
	if (!kernel->pipeline)
		kernel->pipeline = gpu_test_pipeline(test, name, test->layout);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
	vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
}

VkDescriptorSet gpu_test_swapped_set(struct gpu_test *test, VkDescriptorPool *pool)
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

VkCommandBuffer gpu_test_secondary(struct gpu_test *test,
				   const VkCommandBufferInheritanceInfo *inherits)
{
	const VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = test->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
		.commandBufferCount = 1,
	};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = inherits->renderPass || inherits->pNext
				 ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT
				 : VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
		.pInheritanceInfo = inherits,
	};
	VkCommandBuffer secondary;
	gpu_test_expect(vkAllocateCommandBuffers(test->device, &allocation, &secondary),
			"vkAllocateCommandBuffers");
	gpu_test_expect(vkBeginCommandBuffer(secondary, &begin), "vkBeginCommandBuffer");
	return secondary;
}

void gpu_test_execute(struct gpu_test *test, VkCommandBuffer secondary)
{
	gpu_test_expect(vkEndCommandBuffer(secondary), "vkEndCommandBuffer");
	vkCmdExecuteCommands(test->commands, 1, &secondary);
}

void gpu_test_dispatch(struct gpu_test *test, const char *kernel, uint32_t groups, uint32_t first)
{
	bind_kernel(test, kernel, first);
	vkCmdDispatch(test->commands, groups, 1, 1);
}

void gpu_test_dispatch_indirect(struct gpu_test *test, const char *kernel)
{
	bind_kernel(test, kernel, 0);
	vkCmdDispatchIndirect(test->commands, test->data.handle, 0);
}

void gpu_test_barrier(struct gpu_test *test, VkPipelineStageFlags from_stage, VkAccessFlags from,
		      VkPipelineStageFlags to_stage, VkAccessFlags to)
{
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = from,
		.dstAccessMask = to,
	};
	vkCmdPipelineBarrier(test->commands, from_stage, to_stage, 0, 1, &barrier, 0, NULL, 0,
			     NULL);
}

void gpu_test_barrier_range(struct gpu_test *test, VkDeviceSize offset, VkDeviceSize bytes)
{
	const VkBufferMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.buffer = test->data.handle,
		.offset = offset,
		.size = bytes,
	};
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 1, &barrier, 0,
			     NULL);
}

VkCommandBuffer gpu_test_end(struct gpu_test *test)
{
	VkCommandBuffer ended = test->commands;
	gpu_test_expect(vkEndCommandBuffer(ended), "vkEndCommandBuffer");
	begin(test);
	return ended;
}

VkFence gpu_test_submit_fence(struct gpu_test *test)
{
	const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkCommandBuffer ended = gpu_test_end(test);
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &ended,
	};
	VkFence fence;
	gpu_test_expect(vkCreateFence(test->device, &fence_info, NULL, &fence), "vkCreateFence");
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &info, fence), "vkQueueSubmit");
	return fence;
}

void gpu_test_wait(struct gpu_test *test, VkFence fence)
{
	gpu_test_expect(vkWaitForFences(test->device, 1, &fence, VK_TRUE, UINT64_MAX),
			"vkWaitForFences");
	vkDestroyFence(test->device, fence, NULL);
}

VkSemaphore gpu_test_semaphore(struct gpu_test *test, VkSemaphoreType type)
{
	const VkSemaphoreTypeCreateInfo of_type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = type,
	};
	const VkSemaphoreCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
		.pNext = type == VK_SEMAPHORE_TYPE_BINARY ? NULL : &of_type,
	};
	VkSemaphore semaphore;
	gpu_test_expect(vkCreateSemaphore(test->device, &info, NULL, &semaphore),
			"vkCreateSemaphore");
	return semaphore;
}

void gpu_test_finish_semaphore(struct gpu_test *test, VkSemaphore semaphore)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroySemaphore(test->device, semaphore, NULL);
}

void gpu_test_submit(struct gpu_test *test, uint32_t times)
{
	VkCommandBuffer ended = gpu_test_end(test);
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &ended,
	};
	for (uint32_t i = 0; i < times; i++)
		gpu_test_expect(vkQueueSubmit(test->queue, 1, &info, VK_NULL_HANDLE),
				"vkQueueSubmit");
}
