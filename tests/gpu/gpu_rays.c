// SPDX-License-Identifier: Apache-2.0
#include "gpu_rays.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_BYTES 4096u

enum group {
	GENERATION,
	MISS,
	HIT,
	CALLABLE,
	GROUPS,
};

struct gpu_rays {
	struct gpu_test *test;
	VkDescriptorSetLayout set_layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
	VkPipelineLayout layout;
	VkPipeline pipeline, library, kernel;
	struct gpu_test_buffer table;
	VkStridedDeviceAddressRegionKHR regions[GROUPS];
	VkPhysicalDeviceRayTracingPipelinePropertiesKHR limits;
	bool has_heaps; // and no sets
	uint32_t record;
};

#define CALL(rays, name) ((PFN_##name)vkGetDeviceProcAddr((rays)->test->device, #name))

static void read_limits(struct gpu_rays *rays)
{
	rays->limits = (VkPhysicalDeviceRayTracingPipelinePropertiesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &rays->limits,
	};
	vkGetPhysicalDeviceProperties2(rays->test->physical, &properties);
}

static void make_layout(struct gpu_rays *rays)
{
	VkDescriptorSetLayoutBinding bindings[2] = {
		{.binding = 0, .descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR},
		{.binding = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
	};
	for (uint32_t i = 0; i < 2; i++) {
		bindings[i].descriptorCount = 1;
		bindings[i].stageFlags = VK_SHADER_STAGE_ALL;
	}
	const VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 2,
		.pBindings = bindings,
	};
	gpu_test_expect(
		vkCreateDescriptorSetLayout(rays->test->device, &set_info, NULL, &rays->set_layout),
		"vkCreateDescriptorSetLayout");
	const VkDescriptorSetLayout layouts[2] = {rays->test->set_layout, rays->set_layout};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 2,
		.pSetLayouts = layouts,
	};
	gpu_test_expect(vkCreatePipelineLayout(rays->test->device, &info, NULL, &rays->layout),
			"vkCreatePipelineLayout");
}

static void make_set(struct gpu_rays *rays, const struct gpu_rays_pipeline *pipeline)
{
	const VkDevice device = rays->test->device;
	const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1},
					       {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1}};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 2,
		.pPoolSizes = sizes,
	};
	gpu_test_expect(vkCreateDescriptorPool(device, &pool, NULL, &rays->pool),
			"vkCreateDescriptorPool");
	const VkDescriptorSetAllocateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = rays->pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &rays->set_layout,
	};
	gpu_test_expect(vkAllocateDescriptorSets(device, &wanted, &rays->set),
			"vkAllocateDescriptorSets");
	const VkWriteDescriptorSetAccelerationStructureKHR scene = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
		.accelerationStructureCount = 1,
		.pAccelerationStructures = &pipeline->scene,
	};
	const VkDescriptorImageInfo image = {.imageView = pipeline->image,
					     .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
	VkWriteDescriptorSet writes[2] = {
		{.pNext = &scene, .descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR},
		{.dstBinding = 1,
		 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
		 .pImageInfo = &image},
	};
	for (uint32_t i = 0; i < 2; i++) {
		writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
		writes[i].dstSet = rays->set;
		writes[i].descriptorCount = 1;
	}
	if (pipeline->scene)
		vkUpdateDescriptorSets(device, 1, &writes[0], 0, NULL);
	if (pipeline->image)
		vkUpdateDescriptorSets(device, 1, &writes[1], 0, NULL);
}

// ---- Pipelines ----------------------------------------------------------------------------------

static enum group group_of(VkShaderStageFlagBits stage)
{
	switch (stage) {
	case VK_SHADER_STAGE_RAYGEN_BIT_KHR:
		return GENERATION;
	case VK_SHADER_STAGE_MISS_BIT_KHR:
		return MISS;
	case VK_SHADER_STAGE_CALLABLE_BIT_KHR:
		return CALLABLE;
	default:
		return HIT;
	}
}

// The groups that have shaders, in the order of their kinds; *index: where each kind is.
static uint32_t make_groups(const struct gpu_rays_pipeline *pipeline,
			    VkRayTracingShaderGroupCreateInfoKHR *groups, uint32_t *index)
{
	uint32_t count = 0;
	for (uint32_t kind = 0; kind < GROUPS; kind++) {
		VkRayTracingShaderGroupCreateInfoKHR *group = &groups[count];
		*group = (VkRayTracingShaderGroupCreateInfoKHR){
			.sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
			.type = kind == HIT
					? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR
					: VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
			.generalShader = VK_SHADER_UNUSED_KHR,
			.closestHitShader = VK_SHADER_UNUSED_KHR,
			.anyHitShader = VK_SHADER_UNUSED_KHR,
			.intersectionShader = VK_SHADER_UNUSED_KHR,
		};
		index[kind] = UINT32_MAX;
		for (uint32_t i = 0; i < pipeline->count; i++) {
			const VkShaderStageFlagBits stage = pipeline->shaders[i].stage;
			if (group_of(stage) != kind)
				continue;
			index[kind] = count;
			if (kind != HIT)
				group->generalShader = i;
			else if (stage == VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR)
				group->closestHitShader = i;
			else if (stage == VK_SHADER_STAGE_ANY_HIT_BIT_KHR)
				group->anyHitShader = i;
			else
				group->intersectionShader = i;
		}
		if (group->intersectionShader != VK_SHADER_UNUSED_KHR)
			group->type = VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR;
		count += index[kind] != UINT32_MAX;
	}
	return count;
}

static VkPipeline create(struct gpu_rays *rays, const VkRayTracingPipelineCreateInfoKHR *info,
			 bool deferred)
{
	const VkDevice device = rays->test->device;
	VkPipeline pipeline;
	VkDeferredOperationKHR operation = VK_NULL_HANDLE;
	if (deferred)
		gpu_test_expect(CALL(rays, vkCreateDeferredOperationKHR)(device, NULL, &operation),
				"vkCreateDeferredOperationKHR");
	VkResult result = CALL(rays, vkCreateRayTracingPipelinesKHR)(
		device, operation, VK_NULL_HANDLE, 1, info, NULL, &pipeline);
	if (deferred && result >= 0) {
		do {
			result = CALL(rays, vkDeferredOperationJoinKHR)(device, operation);
		} while (result == VK_THREAD_IDLE_KHR);
		result = CALL(rays, vkGetDeferredOperationResultKHR)(device, operation);
	}
	CALL(rays, vkDestroyDeferredOperationKHR)(device, operation, NULL);
	gpu_test_expect(result, "vkCreateRayTracingPipelinesKHR");
	return pipeline;
}

// Makes the pipeline of a library that has all of it.
static void link_library(struct gpu_rays *rays, VkRayTracingPipelineCreateInfoKHR info,
			 bool deferred)
{
	const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
		.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
		.maxPipelineRayPayloadSize = 16,
		.maxPipelineRayHitAttributeSize = 16,
	};
	info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
	info.pLibraryInterface = &interface;
	rays->library = create(rays, &info, deferred);
	const VkPipelineLibraryCreateInfoKHR libraries = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
		.libraryCount = 1,
		.pLibraries = &rays->library,
	};
	info.flags = 0;
	info.stageCount = info.groupCount = 0;
	info.pLibraryInfo = &libraries;
	rays->pipeline = create(rays, &info, deferred);
}

static uint32_t make_pipeline(struct gpu_rays *rays, const struct gpu_rays_pipeline *pipeline,
			      uint32_t *index)
{
	VkPipelineShaderStageCreateInfo stages[GPU_RAYS_SHADERS];
	VkRayTracingShaderGroupCreateInfoKHR groups[GROUPS];
	for (uint32_t i = 0; i < pipeline->count; i++) {
		const struct gpu_rays_shader *shader = &pipeline->shaders[i];
		const VkShaderModuleCreateInfo code = {
			.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
			.codeSize = shader->bytes,
			.pCode = shader->words,
		};
		stages[i] = (VkPipelineShaderStageCreateInfo){
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.pNext = pipeline->heap_mappings,
			.stage = shader->stage,
			.pName = "main",
		};
		gpu_test_expect(
			vkCreateShaderModule(rays->test->device, &code, NULL, &stages[i].module),
			"vkCreateShaderModule");
	}
	const VkRayTracingPipelineCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
		.pNext = pipeline->heap_flags,
		.stageCount = pipeline->count,
		.pStages = stages,
		.groupCount = make_groups(pipeline, groups, index),
		.pGroups = groups,
		.maxPipelineRayRecursionDepth = 1,
		.layout = rays->has_heaps ? VK_NULL_HANDLE : rays->layout,
	};
	if (pipeline->library)
		link_library(rays, info, pipeline->deferred);
	else
		rays->pipeline = create(rays, &info, pipeline->deferred);
	for (uint32_t i = 0; i < pipeline->count; i++)
		vkDestroyShaderModule(rays->test->device, stages[i].module, NULL);
	return info.groupCount;
}

// ---- Tables -------------------------------------------------------------------------------------

static void make_table(struct gpu_rays *rays, const uint32_t *index, uint32_t count)
{
	struct gpu_test *test = rays->test;
	const uint32_t handle = rays->limits.shaderGroupHandleSize;
	const VkDeviceSize step = rays->limits.shaderGroupBaseAlignment;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = TABLE_BYTES,
		.usage = VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR |
			 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
			 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	const VkMemoryAllocateFlagsInfo addressed = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryRequirements needs;
	char *handles = calloc(count, handle), *mapped;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &rays->table.handle),
			"vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, rays->table.handle, &needs);
	rays->table.memory = gpu_test_allocate(test, &needs, &addressed);
	gpu_test_expect(vkBindBufferMemory(test->device, rays->table.handle, rays->table.memory, 0),
			"vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)rays->table.handle, "table");
	gpu_test_expect(CALL(rays, vkGetRayTracingShaderGroupHandlesKHR)(
				test->device, rays->pipeline, 0, count, count * handle, handles),
			"vkGetRayTracingShaderGroupHandlesKHR");
	gpu_test_expect(vkMapMemory(test->device, rays->table.memory, 0, VK_WHOLE_SIZE, 0,
				    (void **)&mapped),
			"vkMapMemory");
	const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
					      .buffer = rays->table.handle};
	const VkDeviceAddress address = vkGetBufferDeviceAddress(test->device, &of);
	for (uint32_t kind = 0; kind < GROUPS; kind++) {
		if (index[kind] == UINT32_MAX)
			continue;
		memcpy(mapped + kind * step, handles + (size_t)index[kind] * handle, handle);
		memcpy(mapped + kind * step + handle, &rays->record, sizeof rays->record);
		rays->regions[kind] =
			(VkStridedDeviceAddressRegionKHR){address + kind * step, step, step};
	}
	vkUnmapMemory(test->device, rays->table.memory);
	free(handles);
}

struct gpu_rays *gpu_rays_make(struct gpu_test *test, const struct gpu_rays_pipeline *pipeline)
{
	uint32_t index[GROUPS];
	if (!test->has_rays)
		gpu_test_skip("no ray tracing pipelines");
	struct gpu_rays *rays = calloc(1, sizeof *rays);
	if (!rays)
		abort();
	rays->test = test;
	rays->has_heaps = pipeline->heap_flags != NULL;
	rays->record = pipeline->record;
	read_limits(rays);
	make_layout(rays);
	make_set(rays, pipeline);
	if (pipeline->count)
		make_table(rays, index, make_pipeline(rays, pipeline, index));
	return rays;
}

void gpu_rays_finish(struct gpu_rays *rays)
{
	const VkDevice device = rays->test->device;
	gpu_test_expect(vkDeviceWaitIdle(device), "vkDeviceWaitIdle");
	vkDestroyBuffer(device, rays->table.handle, NULL);
	vkFreeMemory(device, rays->table.memory, NULL);
	vkDestroyPipeline(device, rays->pipeline, NULL);
	vkDestroyPipeline(device, rays->library, NULL);
	vkDestroyPipeline(device, rays->kernel, NULL);
	vkDestroyPipelineLayout(device, rays->layout, NULL);
	vkDestroyDescriptorPool(device, rays->pool, NULL);
	vkDestroyDescriptorSetLayout(device, rays->set_layout, NULL);
	free(rays);
}

static void bind(struct gpu_rays *rays, VkPipelineBindPoint point, VkPipeline pipeline)
{
	const struct gpu_test *test = rays->test;
	const VkDescriptorSet sets[2] = {test->set, rays->set};
	vkCmdBindPipeline(test->commands, point, pipeline);
	if (!rays->has_heaps)
		vkCmdBindDescriptorSets(test->commands, point, rays->layout, 0, 2, sets, 0, NULL);
}

void gpu_rays_trace(struct gpu_rays *rays, uint32_t width, uint32_t height)
{
	bind(rays, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, rays->pipeline);
	CALL(rays, vkCmdTraceRaysKHR)
	(rays->test->commands, &rays->regions[GENERATION], &rays->regions[MISS],
	 &rays->regions[HIT], &rays->regions[CALLABLE], width, height, 1);
}

void gpu_rays_trace_indirect(struct gpu_rays *rays, VkDeviceAddress address)
{
	bind(rays, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, rays->pipeline);
	CALL(rays, vkCmdTraceRaysIndirectKHR)
	(rays->test->commands, &rays->regions[GENERATION], &rays->regions[MISS],
	 &rays->regions[HIT], &rays->regions[CALLABLE], address);
}

void gpu_rays_update_table(struct gpu_rays *rays)
{
	const uint32_t bytes = rays->limits.shaderGroupHandleSize;
	char *handle = calloc(1, bytes);
	gpu_test_expect(handle ? CALL(rays, vkGetRayTracingShaderGroupHandlesKHR)(
					 rays->test->device, rays->pipeline, 0, 1, bytes, handle)
			       : VK_ERROR_OUT_OF_HOST_MEMORY,
			"vkGetRayTracingShaderGroupHandlesKHR");
	vkCmdUpdateBuffer(rays->test->commands, rays->table.handle, 0, bytes, handle);
	free(handle);
}

void gpu_rays_dispatch(struct gpu_rays *rays, const char *kernel, uint32_t groups)
{
	if (!rays->kernel)
		rays->kernel = gpu_test_pipeline(rays->test, kernel, rays->layout);
	bind(rays, VK_PIPELINE_BIND_POINT_COMPUTE, rays->kernel);
	vkCmdDispatch(rays->test->commands, groups, 1, 1);
}
