// SPDX-License-Identifier: Apache-2.0
#include "gpu_heaps.h"

#include <string.h>

#ifdef VK_EXT_descriptor_heap
void *gpu_heaps_map(struct gpu_test *test, VkDeviceMemory memory)
{
	void *mapped;
	gpu_test_expect(vkMapMemory(test->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	memset(mapped, 0, GPU_HEAPS_BYTES);
	return mapped;
}

#define LOAD(name) (PFN_##name) vkGetDeviceProcAddr(test->device, #name)

void gpu_heaps_make(struct gpu_test *test, struct gpu_heaps *made)
{
	static const char *const names[GPU_HEAPS] = {"resource heap", "sampler heap"};
	if (!test->has_heaps)
		gpu_test_skip("no descriptor heaps");
	made->write = LOAD(vkWriteResourceDescriptorsEXT);
	made->write_sampler = LOAD(vkWriteSamplerDescriptorsEXT);
	made->push = LOAD(vkCmdPushDataEXT);
	made->properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_PROPERTIES_EXT;
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &made->properties};
	vkGetPhysicalDeviceProperties2(test->physical, &properties);
	for (int i = 0; i < GPU_HEAPS; i++) {
		made->buffers[i] = gpu_test_addressed(
			test, GPU_HEAPS_BYTES,
			GPU_HEAPS_TRANSFERS | VK_BUFFER_USAGE_DESCRIPTOR_HEAP_BIT_EXT, names[i],
			&made->memories[i]);
		made->addresses[i] = gpu_test_address(test, made->buffers[i]);
		made->mapped[i] = gpu_heaps_map(test, made->memories[i]);
	}
}

void gpu_heaps_finish(struct gpu_test *test, struct gpu_heaps *made)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	for (int i = 0; i < 2; i++)
		vkDestroyPipeline(test->device, made->pipelines[i], NULL);
	for (int i = 0; i < GPU_HEAPS; i++) {
		vkDestroyBuffer(test->device, made->buffers[i], NULL);
		vkFreeMemory(test->device, made->memories[i], NULL);
	}
}

static const struct gpu_test_kernel *kernel_of(const struct gpu_test *test, const char *name)
{
	const struct gpu_test_kernel *kernel = test->kernels;
	while (strcmp(kernel->name, name) != 0)
		kernel++;
	return kernel;
}

VkPipeline gpu_heaps_pipeline(struct gpu_test *test, const char *name, uint32_t count,
			      const VkDescriptorSetAndBindingMappingEXT *mappings)
{
	const struct gpu_test_kernel *kernel = kernel_of(test, name);
	const VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = kernel->bytes,
		.pCode = kernel->words,
	};
	const VkShaderDescriptorSetAndBindingMappingInfoEXT mapped = {
		.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT,
		.pNext = &code,
		.mappingCount = count,
		.pMappings = mappings,
	};
	const VkPipelineCreateFlags2CreateInfo flags = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO,
		.flags = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT,
	};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.pNext = &flags,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .pNext = &mapped,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"},
	};
	VkPipeline pipeline;
	gpu_test_expect(
		vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateComputePipelines");
	return pipeline;
}

// A mapping of one binding of set 0, of all that may be declared there.
VkDescriptorSetAndBindingMappingEXT gpu_heaps_mapping(uint32_t binding,
						      VkDescriptorMappingSourceEXT source)
{
	return (VkDescriptorSetAndBindingMappingEXT){
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT,
		.firstBinding = binding,
		.bindingCount = 1,
		.resourceMask = VK_SPIRV_RESOURCE_TYPE_ALL_EXT,
		.source = source,
	};
}

VkDescriptorSetAndBindingMappingEXT gpu_heaps_at(uint32_t binding, uint32_t slot)
{
	VkDescriptorSetAndBindingMappingEXT made = gpu_heaps_mapping(
		binding, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT);
	made.sourceData.constantOffset = (VkDescriptorMappingSourceConstantOffsetEXT){
		.heapOffset = slot * GPU_HEAPS_SLOT, .heapArrayStride = GPU_HEAPS_SLOT};
	return made;
}

void gpu_heaps_write(struct gpu_test *test, const struct gpu_heaps *made, VkBuffer buffer, void *to)
{
	const VkDeviceAddressRangeEXT range = {gpu_test_address(test, buffer), 1024};
	const VkResourceDescriptorInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT,
		.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.data = {.pAddressRange = &range}};
	const VkHostAddressRangeEXT at = {to, made->properties.bufferDescriptorSize};
	gpu_test_expect(made->write(test->device, 1, &info, &at), "vkWriteResourceDescriptorsEXT");
}

// The data in slot 0, the result in slot 1.
void gpu_heaps_write_both(struct gpu_test *test, const struct gpu_heaps *made)
{
	gpu_heaps_write(test, made, test->data.handle, made->mapped[GPU_RESOURCE_HEAP]);
	gpu_heaps_write(test, made, test->result.handle,
			made->mapped[GPU_RESOURCE_HEAP] + GPU_HEAPS_SLOT);
}

VkBindHeapInfoEXT gpu_heaps_info(const struct gpu_heaps *made, int heap)
{
	const VkPhysicalDeviceDescriptorHeapPropertiesEXT *own = &made->properties;
	return (VkBindHeapInfoEXT){
		.sType = VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT,
		.heapRange = {made->addresses[heap], GPU_HEAPS_BYTES},
		.reservedRangeOffset = GPU_HEAPS_BYTES / 2,
		.reservedRangeSize = heap == GPU_RESOURCE_HEAP
					     ? own->minResourceHeapReservedRange
					     : own->minSamplerHeapReservedRangeWithEmbedded,
	};
}

void gpu_heaps_bind(struct gpu_test *test, const struct gpu_heaps *made)
{
	const VkBindHeapInfoEXT resources = gpu_heaps_info(made, GPU_RESOURCE_HEAP);
	const VkBindHeapInfoEXT samplers = gpu_heaps_info(made, GPU_SAMPLER_HEAP);
	(LOAD(vkCmdBindResourceHeapEXT))(test->commands, &resources);
	(LOAD(vkCmdBindSamplerHeapEXT))(test->commands, &samplers);
}

void gpu_heaps_push(struct gpu_test *test, const struct gpu_heaps *made, uint32_t offset,
		    const void *data, size_t bytes)
{
	const VkPushDataInfoEXT info = {.sType = VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT,
					.offset = offset,
					.data = {data, bytes}};
	made->push(test->commands, &info);
}
#endif
