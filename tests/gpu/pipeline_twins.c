// SPDX-License-Identifier: Apache-2.0
// Twins of pipelines that are made in other ways than all at once: linked from libraries, derived,
// many of one shader. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include <string.h>

#include "library_read.spv.h"
#include "library_write.spv.h"
#include "library_write_behind.spv.h"

#define AREA 8u

static VkShaderModule make_module(const struct gpu_test *test, const uint32_t *words, size_t bytes)
{
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = bytes,
		.pCode = words,
	};
	VkShaderModule module;
	gpu_test_expect(vkCreateShaderModule(test->device, &info, NULL, &module),
			"vkCreateShaderModule");
	return module;
}

// ---- Libraries ----------------------------------------------------------------------------------

// One part of a pipeline, and what only this part has.
static VkPipeline make_library(struct gpu_test *test, const struct gpu_draw_pass *pass,
			       VkGraphicsPipelineLibraryFlagsEXT part,
			       const VkPipelineShaderStageCreateInfo *stage)
{
	static const VkPipelineVertexInputStateCreateInfo vertex = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
	static const VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	static const VkViewport viewport = {0, 0, AREA, AREA, 0, 1};
	static const VkRect2D scissor = {.extent = {AREA, AREA}};
	static const VkPipelineViewportStateCreateInfo viewports = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		.viewportCount = 1,
		.pViewports = &viewport,
		.scissorCount = 1,
		.pScissors = &scissor};
	static const VkPipelineRasterizationStateCreateInfo rasterization = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.lineWidth = 1};
	static const VkPipelineMultisampleStateCreateInfo multisample = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	static const VkPipelineColorBlendStateCreateInfo blend = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
	static const VkPipelineDepthStencilStateCreateInfo depth = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
	const VkGraphicsPipelineLibraryCreateInfoEXT library = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
		.flags = part};
	const VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = &library,
		.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
		.stageCount = stage ? 1 : 0,
		.pStages = stage,
		.pVertexInputState = &vertex,
		.pInputAssemblyState = &assembly,
		.pViewportState = &viewports,
		.pRasterizationState = &rasterization,
		.pMultisampleState = &multisample,
		.pDepthStencilState = &depth,
		.pColorBlendState = &blend,
		.layout = stage ? test->layout : VK_NULL_HANDLE,
		.renderPass = pass->handle,
	};
	VkPipeline made;
	gpu_test_expect(
		vkCreateGraphicsPipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &made),
		"vkCreateGraphicsPipelines");
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE, (uint64_t)made);
	return made;
}

static VkPipeline shader_library(struct gpu_test *test, const struct gpu_draw_pass *pass,
				 VkShaderStageFlagBits kind, const uint32_t *words, size_t bytes)
{
	const VkPipelineShaderStageCreateInfo stage = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		.stage = kind,
		.module = make_module(test, words, bytes),
		.pName = "main",
	};
	VkPipeline made = make_library(
		test, pass,
		kind == VK_SHADER_STAGE_VERTEX_BIT
			? VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
			: VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
		&stage);
	vkDestroyShaderModule(test->device, stage.module, NULL);
	return made;
}

// Vertices write what fragments read, or words behind it; the stages are of different libraries,
// linked behind the making of both.
static void pipeline_library(struct gpu_test *test)
{
	struct gpu_draw_pass pass = {0};
	if (!test->has_libraries || !test->has_vertex_stores)
		gpu_test_skip("no graphicsPipelineLibrary or vertexPipelineStoresAndAtomics");
	gpu_draw_pass_make(test, &pass);
	const VkPipeline parts[] = {
		make_library(test, &pass,
			     VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT, NULL),
		test->fixed ? shader_library(test, &pass, VK_SHADER_STAGE_VERTEX_BIT,
					     library_write_behind, sizeof library_write_behind)
			    : shader_library(test, &pass, VK_SHADER_STAGE_VERTEX_BIT, library_write,
					     sizeof library_write),
		shader_library(test, &pass, VK_SHADER_STAGE_FRAGMENT_BIT, library_read,
			       sizeof library_read),
		make_library(test, &pass,
			     VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT, NULL),
	};
	const VkPipelineLibraryCreateInfoKHR libraries = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
		.libraryCount = 4,
		.pLibraries = parts,
	};
	const VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = &libraries,
		.layout = test->layout,
	};
	VkPipeline linked;
	gpu_test_expect(
		vkCreateGraphicsPipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &linked),
		"vkCreateGraphicsPipelines");
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE, (uint64_t)linked);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, linked);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, test->layout, 0, 1,
				&test->set, 0, NULL);
	gpu_draw_begin(test, &pass, (VkRect2D){.extent = {AREA, AREA}});
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

// ---- Derivatives --------------------------------------------------------------------------------

static VkPipeline make_compute(struct gpu_test *test, const char *kernel, VkPipeline base)
{
	const struct gpu_test_kernel *found = test->kernels;
	while (strcmp(found->name, kernel) != 0)
		found++;
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.flags = base ? VK_PIPELINE_CREATE_DERIVATIVE_BIT
			      : VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = make_module(test, found->words, found->bytes),
			  .pName = "main"},
		.layout = test->layout,
		.basePipelineHandle = base,
		.basePipelineIndex = -1,
	};
	VkPipeline made;
	gpu_test_expect(
		vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &made),
		"vkCreateComputePipelines");
	vkDestroyShaderModule(test->device, info.stage.module, NULL);
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE, (uint64_t)made);
	return made;
}

static void dispatch(struct gpu_test *test, VkPipeline pipeline)
{
	const uint32_t first = 0;
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
	vkCmdDispatch(test->commands, 2, 1, 1);
}

// The derived pipeline's accesses are those of its own shader.
static void pipeline_derived(struct gpu_test *test)
{
	VkPipeline base = make_compute(test, "write_words", VK_NULL_HANDLE);
	VkPipeline derived = make_compute(test, "read_words", base);
	dispatch(test, base);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	dispatch(test, derived);
}

const struct gpu_twin gpu_pipeline_twins[] = {
	{"pipeline_library", pipeline_library, 0},
	{"pipeline_derived", pipeline_derived, 0},
	{NULL, NULL, 0},
};
