// SPDX-License-Identifier: Apache-2.0
// Dispatches and draws of a program, each with a pipeline and a descriptor set of its own: shaders
// are told apart by the names of their modules. Knows what each shader is given, not what it does.
#include "play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play_buffer_buffer.spv.h"
#include "play_buffer_texels.spv.h"
#include "play_constants_buffer.spv.h"
#include "play_fetch.spv.h"
#include "play_fragment_buffer.spv.h"
#include "play_fragment_constants.spv.h"
#include "play_fragment_input.spv.h"
#include "play_fragment_picture.spv.h"
#include "play_fragment_plain.spv.h"
#include "play_fragment_write.spv.h"
#include "play_nothing.spv.h"
#include "play_picture_buffer.spv.h"
#include "play_texels_buffer.spv.h"
#include "play_vertex.spv.h"

struct shader {
	const uint32_t *words;
	size_t bytes;
};
#define SHADER(name)                                                                               \
	{                                                                                          \
		name, sizeof name                                                                  \
	}
#define WORDS 2048u // of the longest shader

// By the line's `shader`.
static const struct shader kernels[] = {
	SHADER(play_buffer_buffer), SHADER(play_constants_buffer), SHADER(play_picture_buffer),
	SHADER(play_texels_buffer), SHADER(play_buffer_texels),    SHADER(play_nothing),
};
static const struct shader fragments[] = {
	SHADER(play_fragment_plain),     SHADER(play_fragment_buffer),
	SHADER(play_fragment_constants), SHADER(play_fragment_picture),
	SHADER(play_fragment_write),     SHADER(play_fragment_input),
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const VkDescriptorType descriptors[] = {
	VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
	VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,  VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
};
static const char *const descriptor_keys[] = {"read",   "write",   "uniform",
					      "texels", "picture", "input"};
#define SETS        64u
#define GROUP_BYTES 64u // of a workgroup, or a draw

void play_make_layouts(struct play *play)
{
	VkDevice device = play->test->device;
	VkDescriptorSetLayoutBinding bindings[COUNT(descriptors)];
	VkDescriptorPoolSize sizes[COUNT(descriptors)];
	for (uint32_t at = 0; at < COUNT(descriptors); at++) {
		const bool input = descriptors[at] == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
		bindings[at] = (VkDescriptorSetLayoutBinding){
			.binding = at,
			.descriptorType = descriptors[at],
			.descriptorCount = 1,
			.stageFlags =
				input ? VK_SHADER_STAGE_FRAGMENT_BIT
				      : VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT,
		};
		sizes[at] = (VkDescriptorPoolSize){descriptors[at], SETS};
	}
	const VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = COUNT(descriptors),
		.pBindings = bindings,
	};
	gpu_test_expect(vkCreateDescriptorSetLayout(device, &set, NULL, &play->set_layout),
			"vkCreateDescriptorSetLayout");
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &play->set_layout,
	};
	gpu_test_expect(vkCreatePipelineLayout(device, &layout, NULL, &play->layout),
			"vkCreatePipelineLayout");
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = SETS,
		.poolSizeCount = COUNT(descriptors),
		.pPoolSizes = sizes,
	};
	gpu_test_expect(vkCreateDescriptorPool(device, &pool, NULL, &play->descriptors),
			"vkCreateDescriptorPool");
}

void play_finish_layouts(struct play *play)
{
	vkDestroyDescriptorPool(play->test->device, play->descriptors, NULL);
	vkDestroyPipelineLayout(play->test->device, play->layout, NULL);
	vkDestroyDescriptorSetLayout(play->test->device, play->set_layout, NULL);
}

// Objects are given by number from 1 on; 0: the shader has none there.
static void bind(struct play *play, const struct play_line *line, VkPipelineBindPoint point)
{
	const VkDescriptorSetAllocateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = play->descriptors,
		.descriptorSetCount = 1,
		.pSetLayouts = &play->set_layout,
	};
	VkDescriptorSet set;
	gpu_test_expect(vkAllocateDescriptorSets(play->test->device, &wanted, &set),
			"vkAllocateDescriptorSets");
	// What is accessed, and no more: others take it that all is that is bound.
	const uint32_t groups = play_number(line, "groups");
	const VkDeviceSize bytes = (groups ? groups : 1) * (VkDeviceSize)GROUP_BYTES;
	for (uint32_t at = 0; at < COUNT(descriptors); at++) {
		const char *key = descriptor_keys[at];
		const uint64_t number = play_value(line, key);
		char offset_key[24];
		snprintf(offset_key, sizeof offset_key, "%s_at", key);
		if (number == 0)
			continue;
		const bool of_buffer = at < 3;
		struct play_line view = {.count = 3,
					 .words = {{"image", number - 1},
						   {"mip", play_value(line, "mip")},
						   {"layer", play_value(line, "layer")}}};
		const VkDescriptorBufferInfo buffer = {
			play->buffers[(number - 1) % PLAY_OBJECTS].handle,
			play_value(line, offset_key), bytes};
		const VkDescriptorImageInfo image = {VK_NULL_HANDLE,
						     of_buffer ? VK_NULL_HANDLE
							       : play_view(play, &view, "image"),
						     VK_IMAGE_LAYOUT_GENERAL};
		const VkWriteDescriptorSet write = {
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = set,
			.dstBinding = at,
			.descriptorCount = 1,
			.descriptorType = descriptors[at],
			.pBufferInfo = of_buffer ? &buffer : NULL,
			.pImageInfo = of_buffer ? NULL : &image,
		};
		vkUpdateDescriptorSets(play->test->device, 1, &write, 0, NULL);
	}
	vkCmdBindDescriptorSets(play->commands, point, play->layout, 0, 1, &set, 0, NULL);
}

// Puts the program and the line in place of the "play.comp" of every path: races are told by places
// in the source.
static void number_source(const struct play *play, const struct play_line *line, char *bytes,
			  size_t size)
{
	char text[sizeof "play.comp"];
	const size_t length = sizeof text - 1;
	snprintf(text, sizeof text, "%06" PRIu64 ".%02u", play->program % 1000000,
		 line->number % 100);
	for (char *at = bytes; at + length < bytes + size; at++)
		if (memcmp(at, "play.comp", length) == 0 || memcmp(at, "play.frag", length) == 0)
			memcpy(at, text, length);
}

static VkShaderModule module_of(struct play *play, const struct play_line *line,
				const struct shader *shader)
{
	uint32_t words[WORDS];
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = shader->bytes,
		.pCode = words,
	};
	VkShaderModule module;
	if (shader->bytes > sizeof words)
		exit(EXIT_FAILURE);
	memcpy(words, shader->words, shader->bytes);
	number_source(play, line, (char *)words, shader->bytes);
	gpu_test_expect(vkCreateShaderModule(play->test->device, &info, NULL, &module),
			"vkCreateShaderModule");
	return module;
}

static VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits bit, VkShaderModule module)
{
	return (VkPipelineShaderStageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		.stage = bit,
		.module = module,
		.pName = "main",
	};
}

static void dispatch(struct play *play, const struct play_line *line)
{
	VkDevice device = play->test->device;
	VkShaderModule module =
		module_of(play, line, &kernels[play_value(line, "shader") % COUNT(kernels)]);
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module),
		.layout = play->layout,
	};
	VkPipeline pipeline;
	gpu_test_expect(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
			"vkCreateComputePipelines");
	vkDestroyShaderModule(device, module, NULL);
	play_keep(play, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline);
	vkCmdBindPipeline(play->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	bind(play, line, VK_PIPELINE_BIND_POINT_COMPUTE);
	if (play_is(line, "dispatch_indirect"))
		vkCmdDispatchIndirect(play->commands, play_buffer(play, line, "from")->handle,
				      play_value(line, "from_at"));
	else
		vkCmdDispatch(play->commands, play_number(line, "groups"), 1, 1);
}

// ---- Draws --------------------------------------------------------------------------------------

struct fixed_state {
	VkPipelineVertexInputStateCreateInfo input;
	VkPipelineInputAssemblyStateCreateInfo assembly;
	VkPipelineViewportStateCreateInfo viewport;
	VkPipelineRasterizationStateCreateInfo raster;
	VkPipelineMultisampleStateCreateInfo samples;
	VkPipelineDepthStencilStateCreateInfo depth;
	VkPipelineColorBlendAttachmentState color;
	VkPipelineColorBlendStateCreateInfo blend;
	VkPipelineRenderingCreateInfo rendering;
};

static const VkViewport area_viewport = {0, 0, PLAY_SIDE, PLAY_SIDE, 0, 1};
static const VkRect2D area = {{0, 0}, {PLAY_SIDE, PLAY_SIDE}};
static const VkVertexInputBindingDescription binding = {0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};

static void set_tests(const struct play_line *line, VkPipelineDepthStencilStateCreateInfo *depth)
{
	const VkStencilOpState stencil = {
		.passOp = play_value(line, "stencil_write") ? VK_STENCIL_OP_REPLACE
							    : VK_STENCIL_OP_KEEP,
		.compareOp = VK_COMPARE_OP_ALWAYS,
		.compareMask = 255,
		.writeMask = 255,
	};
	*depth = (VkPipelineDepthStencilStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
		.depthTestEnable = play_value(line, "depth_test") != 0,
		.depthWriteEnable = play_value(line, "depth_write") != 0,
		.depthCompareOp = VK_COMPARE_OP_ALWAYS,
		.stencilTestEnable = play_value(line, "stencil_test") != 0,
		.front = stencil,
		.back = stencil,
	};
}

static void set_color(const struct play *play, const struct play_line *line,
		      struct fixed_state *state)
{
	const bool blends = play_value(line, "blend");
	state->color = (VkPipelineColorBlendAttachmentState){
		.blendEnable = blends,
		.srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
		.dstColorBlendFactor = blends ? VK_BLEND_FACTOR_ONE : VK_BLEND_FACTOR_ZERO,
		.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
		.dstAlphaBlendFactor = blends ? VK_BLEND_FACTOR_ONE : VK_BLEND_FACTOR_ZERO,
		.colorWriteMask = play_value(line, "masked") ? 0 : 15,
	};
	state->blend = (VkPipelineColorBlendStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = play->color_count,
		.pAttachments = &state->color,
	};
	state->rendering = (VkPipelineRenderingCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
		.colorAttachmentCount = play->color_count,
		.pColorAttachmentFormats = &play->pass_color,
		.depthAttachmentFormat = play->pass_depth,
		.stencilAttachmentFormat = play->pass_depth,
	};
}

static void set_state(const struct play *play, const struct play_line *line,
		      struct fixed_state *state)
{
	const bool fetches = play_value(line, "vertices");
	state->input = (VkPipelineVertexInputStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
		.vertexBindingDescriptionCount = fetches,
		.pVertexBindingDescriptions = &binding,
		.vertexAttributeDescriptionCount = fetches,
		.pVertexAttributeDescriptions = &attribute,
	};
	state->assembly = (VkPipelineInputAssemblyStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
	};
	state->viewport = (VkPipelineViewportStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		.viewportCount = 1,
		.pViewports = &area_viewport,
		.scissorCount = 1,
		.pScissors = &area,
	};
	state->raster = (VkPipelineRasterizationStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.cullMode = VK_CULL_MODE_NONE,
		.lineWidth = 1,
	};
	state->samples = (VkPipelineMultisampleStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples = play->pass_samples,
	};
	set_tests(line, &state->depth);
	set_color(play, line, state);
}

static void bind_pipeline(struct play *play, const struct play_line *line)
{
	static const struct shader plain = SHADER(play_vertex), fetches = SHADER(play_fetch);
	VkDevice device = play->test->device;
	struct fixed_state state;
	set_state(play, line, &state);
	const VkPipelineShaderStageCreateInfo stages[] = {
		stage(VK_SHADER_STAGE_VERTEX_BIT,
		      module_of(play, line, play_value(line, "vertices") ? &fetches : &plain)),
		stage(VK_SHADER_STAGE_FRAGMENT_BIT,
		      module_of(play, line,
				&fragments[play_value(line, "shader") % COUNT(fragments)])),
	};
	const VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = play->pass ? NULL : &state.rendering,
		.stageCount = 2,
		.pStages = stages,
		.pVertexInputState = &state.input,
		.pInputAssemblyState = &state.assembly,
		.pViewportState = &state.viewport,
		.pRasterizationState = &state.raster,
		.pMultisampleState = &state.samples,
		.pDepthStencilState = &state.depth,
		.pColorBlendState = &state.blend,
		.layout = play->layout,
		.renderPass = play->pass,
		.subpass = play->subpass,
	};
	VkPipeline pipeline;
	gpu_test_expect(
		vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateGraphicsPipelines");
	for (uint32_t at = 0; at < 2; at++)
		vkDestroyShaderModule(device, stages[at].module, NULL);
	play_keep(play, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline);
	vkCmdBindPipeline(play->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	bind(play, line, VK_PIPELINE_BIND_POINT_GRAPHICS);
}

// Buffers are given by number from 1 on.
static VkBuffer given(const struct play *play, const struct play_line *line, const char *key)
{
	return play->buffers[(play_value(line, key) - 1) % PLAY_OBJECTS].handle;
}

static void draw(struct play *play, const struct play_line *line)
{
	bind_pipeline(play, line);
	if (play_value(line, "vertices")) {
		const VkBuffer buffer = given(play, line, "vertices");
		const VkDeviceSize at = play_value(line, "vertices_at");
		vkCmdBindVertexBuffers(play->commands, 0, 1, &buffer, &at);
	}
	if (play_value(line, "indices")) {
		vkCmdBindIndexBuffer(play->commands, given(play, line, "indices"),
				     play_value(line, "indices_at"), VK_INDEX_TYPE_UINT32);
		vkCmdDrawIndexed(play->commands, 3, 1, 0, 0, 0);
	} else if (play_value(line, "arguments")) {
		vkCmdDrawIndirect(play->commands, given(play, line, "arguments"),
				  play_value(line, "arguments_at"), 1, 16);
	} else {
		vkCmdDraw(play->commands, 3, 1, 0, 0);
	}
}

bool play_shader(struct play *play, const struct play_line *line)
{
	if (play_is(line, "dispatch") || play_is(line, "dispatch_indirect"))
		dispatch(play, line);
	else if (play_is(line, "draw"))
		draw(play, line);
	else
		return false;
	return true;
}
