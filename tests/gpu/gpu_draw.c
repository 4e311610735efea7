// SPDX-License-Identifier: Apache-2.0
// Knows how to draw through plain Vulkan; nothing of what the tests show.
#include "gpu_draw.h"

#include "fetch_position.spv.h"
#include "one_color.spv.h"
#include "whole_area.spv.h"

#include <stdlib.h>

// Everything that was made, newest first.
struct gpu_draw_object {
	struct gpu_draw_object *next;
	VkObjectType type;
	uint64_t handle;
};

static void destroy(VkDevice device, const struct gpu_draw_object *object)
{
	switch (object->type) {
	case VK_OBJECT_TYPE_IMAGE:
		vkDestroyImage(device, (VkImage)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_IMAGE_VIEW:
		vkDestroyImageView(device, (VkImageView)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_DEVICE_MEMORY:
		vkFreeMemory(device, (VkDeviceMemory)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_SAMPLER:
		vkDestroySampler(device, (VkSampler)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_RENDER_PASS:
		vkDestroyRenderPass(device, (VkRenderPass)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_FRAMEBUFFER:
		vkDestroyFramebuffer(device, (VkFramebuffer)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_PIPELINE_LAYOUT:
		vkDestroyPipelineLayout(device, (VkPipelineLayout)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_DESCRIPTOR_POOL:
		vkDestroyDescriptorPool(device, (VkDescriptorPool)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT:
		vkDestroyDescriptorSetLayout(device, (VkDescriptorSetLayout)object->handle, NULL);
		break;
	case VK_OBJECT_TYPE_PIPELINE:
		vkDestroyPipeline(device, (VkPipeline)object->handle, NULL);
		break;
	default:
		abort();
	}
}

static void finish(struct gpu_test *test)
{
	while (test->draws) {
		struct gpu_draw_object *object = test->draws;
		test->draws = object->next;
		destroy(test->device, object);
		free(object);
	}
}

void gpu_draw_keep(struct gpu_test *test, VkObjectType type, uint64_t handle)
{
	struct gpu_draw_object *object = malloc(sizeof *object);
	if (!object)
		abort();
	*object = (struct gpu_draw_object){test->draws, type, handle};
	test->draws = object;
	test->finish_draws = finish;
}

static VkImageAspectFlags aspects(VkFormat format)
{
	return format == VK_FORMAT_D16_UNORM || format == VK_FORMAT_D32_SFLOAT
		       ? VK_IMAGE_ASPECT_DEPTH_BIT
		       : VK_IMAGE_ASPECT_COLOR_BIT;
}

static void bind_memory(struct gpu_test *test, VkImage image)
{
	VkMemoryRequirements needs;
	vkGetImageMemoryRequirements(test->device, image, &needs);
	VkDeviceMemory memory = gpu_test_allocate(test, &needs, NULL);
	gpu_draw_keep(test, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)memory);
	gpu_test_expect(vkBindImageMemory(test->device, image, memory, 0), "vkBindImageMemory");
}

struct gpu_draw_image gpu_draw_image(struct gpu_test *test, VkFormat format, uint32_t layers,
				     VkSampleCountFlagBits samples, const char *name)
{
	struct gpu_draw_image image = {.format = format, .layers = layers, .samples = samples};
	const bool depth = aspects(format) == VK_IMAGE_ASPECT_DEPTH_BIT;
	const bool stores = format == VK_FORMAT_R8G8B8A8_UNORM && samples == VK_SAMPLE_COUNT_1_BIT;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = depth && test->has_implicit_samples && samples == VK_SAMPLE_COUNT_1_BIT
				 ? VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT
				 : 0,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT, 1},
		.mipLevels = 1,
		.arrayLayers = layers,
		.samples = samples,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
			 (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
				: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
					  (stores ? VK_IMAGE_USAGE_STORAGE_BIT : 0u)),
	};
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &image.handle), "vkCreateImage");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)image.handle, name);
	bind_memory(test, image.handle);
	gpu_draw_keep(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)image.handle);
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = image.handle,
		.viewType = layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
		.format = format,
		.subresourceRange = {aspects(format), 0, 1, 0, layers},
	};
	gpu_test_expect(vkCreateImageView(test->device, &view, NULL, &image.view),
			"vkCreateImageView");
	gpu_draw_keep(test, VK_OBJECT_TYPE_IMAGE_VIEW, (uint64_t)image.view);
	return image;
}

void gpu_draw_general(struct gpu_test *test, const struct gpu_draw_image *image)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->handle,
		.subresourceRange = {aspects(image->format), 0, 1, 0, image->layers},
	};
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

struct attachments {
	VkAttachmentDescription descriptions[3];
	VkAttachmentReference references[3]; // color, depth, resolve
	VkImageView views[3];
	uint32_t count;
};

static const VkAttachmentReference *add(struct attachments *attachments, unsigned role,
					const struct gpu_draw_attachment *attachment)
{
	const uint32_t number = attachments->count;
	if (!attachment->image)
		return NULL;
	attachments->descriptions[number] = (VkAttachmentDescription){
		.format = attachment->image->format,
		.samples = attachment->image->samples,
		.loadOp = attachment->load,
		.storeOp = attachment->store,
		.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		.initialLayout = attachment->initial,
		.finalLayout = attachment->final,
	};
	attachments->views[number] = attachment->image->view;
	attachments->references[role] = (VkAttachmentReference){number, attachment->within};
	attachments->count++;
	return &attachments->references[role];
}

VkFramebuffer gpu_draw_frame(struct gpu_test *test, VkRenderPass pass, const VkImageView *views,
			     uint32_t count, uint32_t layers)
{
	const VkFramebufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.renderPass = pass,
		.attachmentCount = count,
		.pAttachments = views,
		.width = GPU_DRAW_WIDTH,
		.height = GPU_DRAW_HEIGHT,
		.layers = layers,
	};
	VkFramebuffer frame;
	gpu_test_expect(vkCreateFramebuffer(test->device, &info, NULL, &frame),
			"vkCreateFramebuffer");
	gpu_draw_keep(test, VK_OBJECT_TYPE_FRAMEBUFFER, (uint64_t)frame);
	return frame;
}

void gpu_draw_pass_make(struct gpu_test *test, struct gpu_draw_pass *pass)
{
	struct attachments attachments = {.count = 0};
	VkSubpassDescription subpass = {.flags = pass->flags,
					.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
	subpass.pColorAttachments = add(&attachments, 0, &pass->color);
	subpass.colorAttachmentCount = subpass.pColorAttachments != NULL;
	subpass.pDepthStencilAttachment = add(&attachments, 1, &pass->depth);
	subpass.pResolveAttachments = add(&attachments, 2, &pass->resolve);
	if (pass->reads) {
		subpass.inputAttachmentCount = 1;
		subpass.pInputAttachments = subpass.pColorAttachments
						    ? subpass.pColorAttachments
						    : subpass.pDepthStencilAttachment;
	}
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = attachments.count,
		.pAttachments = attachments.descriptions,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = pass->dependency_count,
		.pDependencies = pass->dependencies,
	};
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass->handle),
			"vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass->handle);
	pass->frame = gpu_draw_frame(test, pass->handle, attachments.views, attachments.count,
				     pass->layers ? pass->layers : 1);
}

static void begin_pass(struct gpu_test *test, const struct gpu_draw_pass *pass, VkRect2D area,
		       VkSubpassContents contents)
{
	VkClearValue clear[3] = {{.color = {.float32 = {0, 0, 0, 1}}}};
	if (pass->depth.image)
		clear[pass->color.image ? 1 : 0].depthStencil.depth = 1;
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass->handle,
		.framebuffer = pass->frame,
		.renderArea = area,
		.clearValueCount = 3,
		.pClearValues = clear,
	};
	vkCmdBeginRenderPass(test->commands, &begin, contents);
}

void gpu_draw_begin(struct gpu_test *test, const struct gpu_draw_pass *pass, VkRect2D area)
{
	begin_pass(test, pass, area, VK_SUBPASS_CONTENTS_INLINE);
}

VkCommandBuffer gpu_draw_begin_called(struct gpu_test *test, const struct gpu_draw_pass *pass)
{
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
		.renderPass = pass->handle,
		.framebuffer = pass->frame,
	};
	const VkCommandBuffer primary = test->commands;
	begin_pass(test, pass, gpu_draw_all(), VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
	test->commands = gpu_test_secondary(test, &inherits);
	return primary;
}

void gpu_draw_end_called(struct gpu_test *test, VkCommandBuffer primary)
{
	const VkCommandBuffer secondary = test->commands;
	test->commands = primary;
	gpu_test_execute(test, secondary);
	vkCmdEndRenderPass(test->commands);
}

static VkShaderModule make_module(struct gpu_test *test, const uint32_t *words, size_t bytes)
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

static VkPipelineLayout make_layout(struct gpu_test *test)
{
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	VkPipelineLayout layout;
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &layout),
			"vkCreatePipelineLayout");
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE_LAYOUT, (uint64_t)layout);
	return layout;
}

// The parts of a pipeline that differ between tests.
struct parts {
	VkPipelineShaderStageCreateInfo stages[4];
	uint32_t stage_count, patch_points, area, left;
	VkPipelineLayout layout;
	const void *heap_flags;
	VkVertexInputBindingDescription binding;
	VkVertexInputAttributeDescription attributes[2];
	uint32_t attribute_count;
	VkPipelineColorBlendAttachmentState blend;
	bool orders_input;
	bool passes_depth;
	bool sets_depth;
	bool sets_topology;
};

static const VkPipelineRasterizationStateCreateInfo rasterization = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
	.lineWidth = 1,
};

static VkPipelineDepthStencilStateCreateInfo depth_of(const struct parts *parts)
{
	return (VkPipelineDepthStencilStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
		.depthTestEnable = VK_TRUE,
		.depthWriteEnable = VK_TRUE,
		.depthCompareOp =
			parts->passes_depth ? VK_COMPARE_OP_ALWAYS : VK_COMPARE_OP_LESS_OR_EQUAL,
	};
}

static VkPipelineDynamicStateCreateInfo dynamic_of(const struct parts *parts)
{
	static const VkDynamicState of_depth[2] = {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
						   VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE};
	static const VkDynamicState of_vertices[1] = {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY};
	return (VkPipelineDynamicStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
		.dynamicStateCount = parts->sets_depth ? 2 : 1,
		.pDynamicStates = parts->sets_depth ? of_depth : of_vertices,
	};
}

static VkViewport viewport_of(const struct parts *parts)
{
	return (VkViewport){.x = (float)parts->left,
			    .width = parts->area ? (float)parts->area : GPU_DRAW_WIDTH,
			    .height = parts->area ? (float)parts->area : GPU_DRAW_HEIGHT,
			    .maxDepth = 1};
}

static VkPipelineColorBlendStateCreateInfo blend_of(const struct gpu_draw_pass *pass,
						    const struct parts *parts)
{
	return (VkPipelineColorBlendStateCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.flags =
			parts->orders_input
				? VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT
				: 0,
		.attachmentCount = pass->color.image != NULL,
		.pAttachments = &parts->blend,
	};
}

static VkPipelineRenderingCreateInfo rendering_of(const struct gpu_draw_pass *pass)
{
	return (VkPipelineRenderingCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
		.colorAttachmentCount = pass->dynamic,
		.pColorAttachmentFormats = pass->dynamic ? &pass->color.image->format : NULL,
	};
}

static VkPipeline create(struct gpu_test *test, const struct gpu_draw_pass *pass,
			 const struct parts *parts, bool fetches)
{
	const VkPipelineVertexInputStateCreateInfo vertex = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
		.vertexBindingDescriptionCount = fetches,
		.pVertexBindingDescriptions = &parts->binding,
		.vertexAttributeDescriptionCount = parts->attribute_count,
		.pVertexAttributeDescriptions = parts->attributes,
	};
	const VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = parts->patch_points ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST
						: VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
	};
	const VkPipelineTessellationStateCreateInfo tessellation = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
		.patchControlPoints = parts->patch_points,
	};
	const VkViewport viewport = viewport_of(parts);
	const VkRect2D scissor = gpu_draw_all();
	const VkPipelineViewportStateCreateInfo viewports = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
		.viewportCount = 1,
		.pViewports = &viewport,
		.scissorCount = 1,
		.pScissors = &scissor,
	};
	const VkPipelineMultisampleStateCreateInfo multisample = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
		.rasterizationSamples =
			pass->color.image ? pass->color.image->samples : VK_SAMPLE_COUNT_1_BIT,
	};
	const VkPipelineColorBlendStateCreateInfo blend = blend_of(pass, parts);
	const VkPipelineRenderingCreateInfo rendering = rendering_of(pass);
	const VkPipelineDynamicStateCreateInfo dynamic = dynamic_of(parts);
	const VkPipelineDepthStencilStateCreateInfo depth = depth_of(parts);
	const VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.pNext = pass->dynamic ? &rendering : parts->heap_flags,
		.stageCount = parts->stage_count,
		.pStages = parts->stages,
		.pVertexInputState = &vertex,
		.pInputAssemblyState = &assembly,
		.pTessellationState = parts->patch_points ? &tessellation : NULL,
		.pViewportState = &viewports,
		.pRasterizationState = &rasterization,
		.pMultisampleState = &multisample,
		.pDepthStencilState = &depth,
		.pColorBlendState = &blend,
		.pDynamicState = parts->sets_depth || parts->sets_topology ? &dynamic : NULL,
		.layout = parts->layout,
		.renderPass = pass->handle,
		.subpass = pass->subpass,
	};
	VkPipeline made;
	gpu_test_expect(
		vkCreateGraphicsPipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &made),
		"vkCreateGraphicsPipelines");
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE, (uint64_t)made);
	return made;
}

static VkPipelineLayout layout_of(struct gpu_test *test, const struct gpu_draw_pipeline *pipeline)
{
	if (!pipeline->shader_count)
		return make_layout(test);
	return pipeline->layout ? pipeline->layout : test->layout;
}

VkPipeline gpu_draw_pipeline_make(struct gpu_test *test, const struct gpu_draw_pass *pass,
				  const struct gpu_draw_pipeline *pipeline)
{
	struct parts parts = {
		.binding = {0, pipeline->stride, VK_VERTEX_INPUT_RATE_VERTEX},
		.attributes = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
			       {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}},
		.orders_input = pipeline->orders_input,
		.passes_depth = pipeline->passes_depth,
		.sets_depth = pipeline->sets_depth,
		.attribute_count = pipeline->fetches ? 1u + pipeline->fetches_more : 0,
		.blend = {.blendEnable = pipeline->blends,
			  .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
			  .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
			  .colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
					    VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT},
	};
	if (pipeline->leaves_color)
		parts.blend.colorWriteMask = 0;
	const struct gpu_draw_shader own[2] = {
		{VK_SHADER_STAGE_VERTEX_BIT, pipeline->fetches ? fetch_position : whole_area,
		 pipeline->fetches ? sizeof fetch_position : sizeof whole_area},
		{VK_SHADER_STAGE_FRAGMENT_BIT, one_color, sizeof one_color},
	};
	const struct gpu_draw_shader *shaders = pipeline->shader_count ? pipeline->shaders : own;
	parts.stage_count = pipeline->shader_count ? pipeline->shader_count : 2;
	parts.patch_points = pipeline->patch_points;
	parts.area = pipeline->area;
	parts.left = pipeline->left;
	parts.sets_topology = pipeline->sets_topology;
	parts.heap_flags = pipeline->heap_flags;
	parts.layout = pipeline->heap_flags ? VK_NULL_HANDLE : layout_of(test, pipeline);
	for (uint32_t i = 0; i < parts.stage_count; i++)
		parts.stages[i] = (VkPipelineShaderStageCreateInfo){
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.pNext = pipeline->heap_mappings,
			.stage = shaders[i].stage,
			.module = make_module(test, shaders[i].words, shaders[i].bytes),
			.pName = "main",
		};
	const VkPipeline made = create(test, pass, &parts, pipeline->fetches);
	for (uint32_t i = 0; i < parts.stage_count; i++)
		vkDestroyShaderModule(test->device, parts.stages[i].module, NULL);
	return made;
}

void gpu_draw_bind(struct gpu_test *test, const struct gpu_draw_pass *pass,
		   const struct gpu_draw_pipeline *pipeline)
{
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
			  gpu_draw_pipeline_make(test, pass, pipeline));
	if (pipeline->shader_count && !pipeline->heap_flags)
		vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
					layout_of(test, pipeline), 0, 1,
					pipeline->set ? &pipeline->set : &test->set, 0, NULL);
}

// Of the nearest texel, repeated beyond the edge; with so much anisotropy, 0 for none.
static VkSampler make_sampler(struct gpu_test *test, float anisotropy)
{
	const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
					  .anisotropyEnable = anisotropy > 0,
					  .maxAnisotropy = anisotropy};
	VkSampler sampler;
	gpu_test_expect(vkCreateSampler(test->device, &info, NULL, &sampler), "vkCreateSampler");
	gpu_draw_keep(test, VK_OBJECT_TYPE_SAMPLER, (uint64_t)sampler);
	return sampler;
}

static void write_set(struct gpu_test *test, VkDescriptorSet set, VkDescriptorType type,
		      const struct gpu_draw_image *image, VkSampler sampler)
{
	const VkDescriptorImageInfo view = {sampler, image->view, VK_IMAGE_LAYOUT_GENERAL};
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.descriptorCount = 1,
		.descriptorType = type,
		.pImageInfo = &view,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
}

void gpu_draw_set_anisotropic(struct gpu_test *test, VkDescriptorSet set,
			      const struct gpu_draw_image *image)
{
	write_set(test, set, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, image,
		  make_sampler(test, 2));
}

VkDescriptorSet gpu_draw_set(struct gpu_test *test, const struct gpu_draw_image *image,
			     VkDescriptorType type, VkPipelineLayout *layout)
{
	const VkDescriptorSetLayoutBinding binding = {0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT,
						      NULL};
	const VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding,
	};
	const VkDescriptorPoolSize size = {type, 1};
	const VkDescriptorPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	VkDescriptorSetLayout set_layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
	gpu_test_expect(vkCreateDescriptorSetLayout(test->device, &set_info, NULL, &set_layout),
			"vkCreateDescriptorSetLayout");
	gpu_draw_keep(test, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, (uint64_t)set_layout);
	const VkPipelineLayoutCreateInfo layout_info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &set_layout,
	};
	gpu_test_expect(vkCreatePipelineLayout(test->device, &layout_info, NULL, layout),
			"vkCreatePipelineLayout");
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE_LAYOUT, (uint64_t)*layout);
	gpu_test_expect(vkCreateDescriptorPool(test->device, &pool_info, NULL, &pool),
			"vkCreateDescriptorPool");
	gpu_draw_keep(test, VK_OBJECT_TYPE_DESCRIPTOR_POOL, (uint64_t)pool);
	const VkDescriptorSetAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &set_layout,
	};
	gpu_test_expect(vkAllocateDescriptorSets(test->device, &allocation, &set),
			"vkAllocateDescriptorSets");
	const bool samples = type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	write_set(test, set, type, image, samples ? make_sampler(test, 0) : VK_NULL_HANDLE);
	return set;
}
