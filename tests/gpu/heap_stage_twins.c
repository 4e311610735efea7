// SPDX-License-Identifier: Apache-2.0
// Twins whose descriptors lie in heaps (VK_EXT_descriptor_heap), of stages beside compute, shader
// objects and secondary command buffers. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "gpu_heaps.h"
#include "gpu_rays.h"
#include "twins.h"

#ifdef VK_EXT_descriptor_heap
#include "heap_area.spv.h"
#include "heap_launch.spv.h"
#include "heap_object.spv.h"
#include "heap_pixels.spv.h"

#define PUSHED     8u // the offset of the index that tells the buffer
#define LOAD(name) ((PFN_##name)vkGetDeviceProcAddr(test->device, #name))

static const VkPipelineCreateFlags2CreateInfo heap_flags = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO,
	.flags = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT,
};

static VkDescriptorSetAndBindingMappingEXT by_index(void)
{
	VkDescriptorSetAndBindingMappingEXT found =
		gpu_heaps_mapping(0, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT);
	found.sourceData.pushIndex = (VkDescriptorMappingSourcePushIndexEXT){
		.pushOffset = PUSHED, .heapIndexStride = GPU_HEAPS_SLOT};
	return found;
}

static VkShaderDescriptorSetAndBindingMappingInfoEXT
info_of(const VkDescriptorSetAndBindingMappingEXT *mapping)
{
	return (VkShaderDescriptorSetAndBindingMappingInfoEXT){
		.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT,
		.mappingCount = 1,
		.pMappings = mapping,
	};
}

static void start(struct gpu_test *test, struct gpu_heaps *made)
{
	gpu_heaps_make(test, made);
	gpu_heaps_write_both(test, made);
	gpu_heaps_bind(test, made);
}

// The data for the first of two commands, and for the second of the racy twin.
static void choose(struct gpu_test *test, const struct gpu_heaps *made, uint32_t command)
{
	const uint32_t index = command == 1 && test->fixed;
	gpu_heaps_push(test, made, PUSHED, &index, sizeof index);
}

// Two dispatches, of a kernel that uses all push data there may be, in words that differ between
// them, and one that uses none of the last between them.
static void heap_push_data(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	const VkDescriptorSetAndBindingMappingEXT data = gpu_heaps_at(0, 0),
						  other = gpu_heaps_at(0, 1);
	const uint32_t second[] = {0, 64}, last[] = {0, test->fixed ? 0 : 64}, end = 252;
	gpu_heaps_make(test, &made);
	if (made.properties.maxPushDataSize < 256)
		gpu_test_skip("no 256 bytes of push data");
	gpu_heaps_write_both(test, &made);
	made.pipelines[0] = gpu_heaps_pipeline(test, "push_words", 1, &data);
	made.pipelines[1] = gpu_heaps_pipeline(test, "write_words", 1, &other);
	gpu_heaps_bind(test, &made);
	gpu_heaps_push(test, &made, 0, second, sizeof second);
	gpu_heaps_push(test, &made, end, &last[0], sizeof *last);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, made.pipelines[0]);
	vkCmdDispatch(test->commands, 1, 1, 1);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, made.pipelines[1]);
	vkCmdDispatch(test->commands, 1, 1, 1);
	gpu_heaps_push(test, &made, 4, &second[0], sizeof *second);
	gpu_heaps_push(test, &made, end, &last[1], sizeof *last);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, made.pipelines[0]);
	vkCmdDispatch(test->commands, 1, 1, 1);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
}

// Two draws over the same pixels.
static void heap_drawn(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	struct gpu_draw_pass pass = {0};
	const VkDescriptorSetAndBindingMappingEXT found = by_index();
	const VkShaderDescriptorSetAndBindingMappingInfoEXT mapped = info_of(&found);
	const struct gpu_draw_pipeline pipeline = {
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, heap_area, sizeof heap_area},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, heap_pixels, sizeof heap_pixels}},
		.shader_count = 2,
		.area = 8,
		.heap_flags = &heap_flags,
		.heap_mappings = &mapped,
	};
	start(test, &made);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	gpu_draw_bind(test, &pass, &pipeline);
	for (uint32_t i = 0; i < 2; i++) {
		choose(test, &made, i);
		vkCmdDraw(test->commands, 3, 1, 0, 0);
	}
	vkCmdEndRenderPass(test->commands);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
}

static void dispatch_both(struct gpu_test *test, const struct gpu_heaps *made)
{
	const uint32_t first = 0;
	gpu_heaps_push(test, made, 0, &first, sizeof first);
	for (uint32_t i = 0; i < 2; i++) {
		choose(test, made, i);
		vkCmdDispatch(test->commands, 2, 1, 1);
	}
}

// Two dispatches of a shader object.
static void heap_object_twin(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	const VkDescriptorSetAndBindingMappingEXT found = by_index();
	const VkShaderDescriptorSetAndBindingMappingInfoEXT mapped = info_of(&found);
	const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
	const VkShaderCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.pNext = &mapped,
		.flags = VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT,
		.stage = stage,
		.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
		.codeSize = sizeof heap_object,
		.pCode = heap_object,
		.pName = "main",
	};
	VkShaderEXT shader;
	start(test, &made);
	if (!test->has_objects)
		gpu_test_skip("no shader objects");
	gpu_test_expect(LOAD(vkCreateShadersEXT)(test->device, 1, &info, NULL, &shader),
			"vkCreateShadersEXT");
	LOAD(vkCmdBindShadersEXT)(test->commands, 1, &stage, &shader);
	dispatch_both(test, &made);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
	LOAD(vkDestroyShaderEXT)(test->device, shader, NULL);
}

// Two dispatches of a secondary command buffer, which inherits the heaps.
static void heap_inherited(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	const VkDescriptorSetAndBindingMappingEXT found = by_index();
	const VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = test->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
		.commandBufferCount = 1,
	};
	start(test, &made);
	const VkBindHeapInfoEXT resources = gpu_heaps_info(&made, GPU_RESOURCE_HEAP);
	const VkBindHeapInfoEXT samplers = gpu_heaps_info(&made, GPU_SAMPLER_HEAP);
	const VkCommandBufferInheritanceDescriptorHeapInfoEXT heaps = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT,
		.pSamplerHeapBindInfo = &samplers,
		.pResourceHeapBindInfo = &resources,
	};
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, .pNext = &heaps};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.pInheritanceInfo = &inherits,
	};
	VkCommandBuffer primary = test->commands, secondary;
	made.pipelines[0] = gpu_heaps_pipeline(test, "write_words", 1, &found);
	gpu_test_expect(vkAllocateCommandBuffers(test->device, &allocation, &secondary),
			"vkAllocateCommandBuffers");
	gpu_test_expect(vkBeginCommandBuffer(secondary, &begin), "vkBeginCommandBuffer");
	test->commands = secondary;
	vkCmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_COMPUTE, made.pipelines[0]);
	dispatch_both(test, &made);
	gpu_test_expect(vkEndCommandBuffer(secondary), "vkEndCommandBuffer");
	test->commands = primary;
	vkCmdExecuteCommands(primary, 1, &secondary);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
}

// Two traces, by one pipeline. `record`: a word of the shaders' records.
static void trace_twice(struct gpu_test *test, VkDescriptorSetAndBindingMappingEXT found,
			uint32_t record, bool between)
{
	struct gpu_heaps made = {0};
	const VkShaderDescriptorSetAndBindingMappingInfoEXT mapped = info_of(&found);
	start(test, &made);
	struct gpu_rays *rays = gpu_rays_make(
		test, &(struct gpu_rays_pipeline){.shaders = {{VK_SHADER_STAGE_RAYGEN_BIT_KHR,
							       heap_launch, sizeof heap_launch}},
						  .count = 1,
						  .heap_flags = &heap_flags,
						  .heap_mappings = &mapped,
						  .record = record});
	for (uint32_t i = 0; i < 2; i++) {
		choose(test, &made, i);
		gpu_rays_trace(rays, 8, 2);
		if (between)
			gpu_test_barrier(test, VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR, WRITE,
					 VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR, WRITE);
	}
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
	gpu_heaps_finish(test, &made);
}

static void heap_launched(struct gpu_test *test)
{
	trace_twice(test, by_index(), 0, false);
}

// The shader's record tells the buffer.
static void heap_record(struct gpu_test *test)
{
	VkDescriptorSetAndBindingMappingEXT found = gpu_heaps_mapping(
		0, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT);
	found.sourceData.shaderRecordIndex =
		(VkDescriptorMappingSourceShaderRecordIndexEXT){.heapIndexStride = GPU_HEAPS_SLOT};
	trace_twice(test, found, 1, test->fixed);
}

#define TWIN(name, function) {name, function, 0},
#else
static void skip(struct gpu_test *test)
{
	gpu_test_skip(test->has_heaps ? "" : "headers without descriptor heaps");
}

#define TWIN(name, function) {name, skip, 0},
#endif

// clang-format off
const struct gpu_twin gpu_heap_stage_twins[] = {
	TWIN("heap_push_data", heap_push_data) TWIN("heap_drawn", heap_drawn) TWIN("heap_object", heap_object_twin)
	TWIN("heap_inherited", heap_inherited) TWIN("heap_launched", heap_launched)
	TWIN("heap_record", heap_record)
	{NULL, NULL, 0}};
// clang-format on
