// SPDX-License-Identifier: Apache-2.0
// Knows how to set up compute in Vulkan; nothing of what is computed.
#include "compute_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void compute_check(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	fprintf(stderr, "nbody: %s failed: VkResult %d\n", what, (int)result);
	exit(EXIT_FAILURE);
}

static bool has_debug_utils(void)
{
	VkExtensionProperties all[256];
	uint32_t count = 256;
	bool found = false;
	VkResult result = vkEnumerateInstanceExtensionProperties(NULL, &count, all);
	if (result != VK_SUCCESS && result != VK_INCOMPLETE)
		return false;
	for (uint32_t i = 0; i < count; i++)
		found = found ||
			strcmp(all[i].extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) == 0;
	return found;
}

static void open_instance(struct compute_device *device)
{
	bool named = has_debug_utils();
	const char *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "nbody",
		.apiVersion = VK_API_VERSION_1_1,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.enabledExtensionCount = named,
		.ppEnabledExtensionNames = &extension,
	};
	compute_check(vkCreateInstance(&info, NULL, &device->instance), "vkCreateInstance");
	if (!named)
		return;
	device->set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
		device->instance, "vkSetDebugUtilsObjectNameEXT");
	device->begin_label = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
		device->instance, "vkCmdBeginDebugUtilsLabelEXT");
	device->end_label = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(
		device->instance, "vkCmdEndDebugUtilsLabelEXT");
}

static void open_device(struct compute_device *device)
{
	uint32_t count = 1;
	VkResult result = vkEnumeratePhysicalDevices(device->instance, &count, &device->physical);
	if (result != VK_INCOMPLETE)
		compute_check(count ? result : VK_ERROR_INITIALIZATION_FAILED,
			      "vkEnumeratePhysicalDevices");
	VkQueueFamilyProperties families[16];
	count = 16;
	vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
	while (device->family < count &&
	       !(families[device->family].queueFlags & VK_QUEUE_COMPUTE_BIT))
		device->family++;
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = device->family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	compute_check(vkCreateDevice(device->physical, &info, NULL, &device->device),
		      "vkCreateDevice");
	vkGetDeviceQueue(device->device, device->family, 0, &device->queue);
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = device->family,
	};
	compute_check(vkCreateCommandPool(device->device, &pool, NULL, &device->pool),
		      "vkCreateCommandPool");
}

static void make_layout(struct compute_device *device, uint32_t push_constant_bytes)
{
	const VkDescriptorSetLayoutBinding bindings[2] = {
		{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
		{1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
	};
	const VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 2,
		.pBindings = bindings,
	};
	compute_check(
		vkCreateDescriptorSetLayout(device->device, &set_info, NULL, &device->set_layout),
		"vkCreateDescriptorSetLayout");
	const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constant_bytes};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &device->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};
	compute_check(vkCreatePipelineLayout(device->device, &info, NULL, &device->layout),
		      "vkCreatePipelineLayout");
}

static void make_set(struct compute_device *device)
{
	const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	compute_check(vkCreateDescriptorPool(device->device, &pool, NULL, &device->descriptor_pool),
		      "vkCreateDescriptorPool");
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = device->descriptor_pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &device->set_layout,
	};
	compute_check(vkAllocateDescriptorSets(device->device, &info, &device->set),
		      "vkAllocateDescriptorSets");
}

void compute_init(struct compute_device *device, uint32_t push_constant_bytes)
{
	*device = (struct compute_device){0};
	open_instance(device);
	open_device(device);
	make_layout(device, push_constant_bytes);
	make_set(device);
}

void compute_finish(struct compute_device *device)
{
	vkDestroyCommandPool(device->device, device->pool, NULL);
	vkDestroyDescriptorPool(device->device, device->descriptor_pool, NULL);
	vkDestroyPipelineLayout(device->device, device->layout, NULL);
	vkDestroyDescriptorSetLayout(device->device, device->set_layout, NULL);
	vkDestroyDevice(device->device, NULL);
	vkDestroyInstance(device->instance, NULL);
}

static void set_name(struct compute_device *device, VkObjectType type, uint64_t handle,
		     const char *name)
{
	const VkDebugUtilsObjectNameInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = type,
		.objectHandle = handle,
		.pObjectName = name,
	};
	if (device->set_name)
		compute_check(device->set_name(device->device, &info),
			      "vkSetDebugUtilsObjectNameEXT");
}

// Every implementation has a type that is host-visible and coherent, and buffers may use it.
static uint32_t coherent_type(struct compute_device *device, uint32_t allowed)
{
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties memory;
	vkGetPhysicalDeviceMemoryProperties(device->physical, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
		if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	}
	compute_check(VK_ERROR_FEATURE_NOT_PRESENT, "finding coherent memory");
	return 0;
}

struct compute_buffer compute_make_buffer(struct compute_device *device, VkDeviceSize bytes,
					  const char *name)
{
	struct compute_buffer buffer;
	VkMemoryRequirements needs;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = bytes,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
	};
	compute_check(vkCreateBuffer(device->device, &info, NULL, &buffer.handle),
		      "vkCreateBuffer");
	vkGetBufferMemoryRequirements(device->device, buffer.handle, &needs);
	const VkMemoryAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs.size,
		.memoryTypeIndex = coherent_type(device, needs.memoryTypeBits),
	};
	compute_check(vkAllocateMemory(device->device, &allocation, NULL, &buffer.memory),
		      "vkAllocateMemory");
	compute_check(vkBindBufferMemory(device->device, buffer.handle, buffer.memory, 0),
		      "vkBindBufferMemory");
	compute_check(
		vkMapMemory(device->device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.mapped),
		"vkMapMemory");
	set_name(device, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer.handle, name);
	return buffer;
}

void compute_free_buffer(struct compute_device *device, struct compute_buffer *buffer)
{
	vkDestroyBuffer(device->device, buffer->handle, NULL);
	vkFreeMemory(device->device, buffer->memory, NULL);
}

void compute_bind(struct compute_device *device, const struct compute_buffer *first,
		  const struct compute_buffer *second)
{
	const VkDescriptorBufferInfo buffers[2] = {
		{first->handle, 0, VK_WHOLE_SIZE},
		{second->handle, 0, VK_WHOLE_SIZE},
	};
	VkWriteDescriptorSet writes[2];
	for (uint32_t i = 0; i < 2; i++)
		writes[i] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = device->set,
			.dstBinding = i,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffers[i],
		};
	vkUpdateDescriptorSets(device->device, 2, writes, 0, NULL);
}

VkPipeline compute_make_pipeline(struct compute_device *device, const uint32_t *words, size_t bytes,
				 bool fixed, const char *name)
{
	VkShaderModule module;
	VkPipeline pipeline;
	const VkShaderModuleCreateInfo module_info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = bytes,
		.pCode = words,
	};
	compute_check(vkCreateShaderModule(device->device, &module_info, NULL, &module),
		      "vkCreateShaderModule");
	set_name(device, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module, name);
	const VkBool32 constant = fixed;
	const VkSpecializationMapEntry entry = {.constantID = 0, .size = sizeof constant};
	const VkSpecializationInfo constants = {1, &entry, sizeof constant, &constant};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = module,
			  .pName = "main",
			  .pSpecializationInfo = &constants},
		.layout = device->layout,
	};
	compute_check(
		vkCreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateComputePipelines");
	set_name(device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline, name);
	vkDestroyShaderModule(device->device, module, NULL);
	return pipeline;
}

VkCommandBuffer compute_begin(struct compute_device *device, const char *name)
{
	VkCommandBuffer commands;
	const VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = device->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	compute_check(vkAllocateCommandBuffers(device->device, &allocation, &commands),
		      "vkAllocateCommandBuffers");
	set_name(device, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)commands, name);
	const VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	compute_check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
	return commands;
}

void compute_submit_and_wait(struct compute_device *device, VkCommandBuffer commands)
{
	VkFence fence;
	const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};
	compute_check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
	compute_check(vkCreateFence(device->device, &fence_info, NULL, &fence), "vkCreateFence");
	compute_check(vkQueueSubmit(device->queue, 1, &info, fence), "vkQueueSubmit");
	compute_check(vkWaitForFences(device->device, 1, &fence, VK_TRUE, UINT64_MAX),
		      "vkWaitForFences");
	vkDestroyFence(device->device, fence, NULL);
}

void compute_begin_label(struct compute_device *device, VkCommandBuffer commands, const char *text)
{
	const VkDebugUtilsLabelEXT label = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
		.pLabelName = text,
	};
	if (device->begin_label)
		device->begin_label(commands, &label);
}

void compute_end_label(struct compute_device *device, VkCommandBuffer commands)
{
	if (device->end_label)
		device->end_label(commands);
}
