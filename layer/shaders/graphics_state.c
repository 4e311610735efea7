// SPDX-License-Identifier: Apache-2.0
// What fixed function of a graphics pipeline does, written down. Knows
// VkGraphicsPipelineCreateInfo; no shader.
#include "graphics_state.h"

#include "objects.h"
#include "pipeline_flags.h"
#include "record.h"
#include "texel_format.h"

#include <assert.h>
#include <stdlib.h>

uint32_t vkr_vertex_format_bytes(VkFormat format)
{
	return vkr_format_block(format, VK_IMAGE_ASPECT_COLOR_BIT).bytes;
}

// Where outputs of the shader go in dynamic rendering, by attachment; none: each to its own.
struct locations {
	const uint32_t *items;
	uint32_t count;
};

static struct locations rendering_locations(const void *chain)
{
#ifdef VK_KHR_dynamic_rendering_local_read
	const VkRenderingAttachmentLocationInfoKHR *given =
		vkr_chain_find(chain, VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR);
	if (given && given->pColorAttachmentLocations)
		return (struct locations){given->pColorAttachmentLocations,
					  given->colorAttachmentCount};
#endif
	(void)chain;
	return (struct locations){0};
}

// The state that one call gives, without its libraries.
struct state {
	struct vkr_trace_graphics_state payload;
	const VkPipelineVertexInputStateCreateInfo *vertex;
	const VkPipelineVertexInputDivisorStateCreateInfoEXT *divisors;
	const VkPipelineColorBlendStateCreateInfo *blend;
	const VkPipelineDynamicStateCreateInfo *dynamic;
	struct locations locations;
	uint32_t parts;
	bool meshes;
};

// The recorded state; its arrays follow it, as in the event.
struct vkr_graphics_state {
	struct vkr_trace_graphics_state payload;
	struct vkr_trace_vertex_binding *bindings;
	struct vkr_trace_vertex_attribute *attributes;
	struct vkr_trace_color_blend *blend;
	uint32_t *dynamic;
};

#ifdef VK_EXT_graphics_pipeline_library
#define SAME(part, bit)                                                                            \
	static_assert((uint32_t)VKR_PART_##part ==                                                 \
			      (uint32_t)VK_GRAPHICS_PIPELINE_LIBRARY_##bit##_BIT_EXT,              \
		      "the same bits")
SAME(VERTEX_INPUT, VERTEX_INPUT_INTERFACE);
SAME(PRE_RASTERIZATION, PRE_RASTERIZATION_SHADERS);
SAME(FRAGMENT_SHADER, FRAGMENT_SHADER);
SAME(FRAGMENT_OUTPUT, FRAGMENT_OUTPUT_INTERFACE);
#undef SAME
#endif

uint32_t vkr_graphics_parts(const VkGraphicsPipelineCreateInfo *info)
{
#ifdef VK_EXT_graphics_pipeline_library
	const VkGraphicsPipelineLibraryCreateInfoEXT *parts = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
	const VkPipelineLibraryCreateInfoKHR *libraries =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
	if (parts)
		return parts->flags;
	if (vkr_pipeline_flags(info->pNext, info->flags) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR ||
	    (libraries && libraries->libraryCount))
		return 0;
#endif
	(void)info;
	return VKR_PART_VERTEX_INPUT | VKR_PART_PRE_RASTERIZATION | VKR_PART_FRAGMENT_SHADER |
	       VKR_PART_FRAGMENT_OUTPUT;
}

static bool writes_stencil(const VkStencilOpState *side)
{
	return side->writeMask != 0 &&
	       (side->failOp != VK_STENCIL_OP_KEEP || side->passOp != VK_STENCIL_OP_KEEP ||
		side->depthFailOp != VK_STENCIL_OP_KEEP);
}

// Whether the pipeline reads what it has as input in rasterization order.
static uint32_t order_flags(const VkPipelineColorBlendStateCreateInfo *blend,
			    const VkPipelineDepthStencilStateCreateInfo *depth)
{
	bool ordered = false;
#ifdef VK_EXT_rasterization_order_attachment_access
	const VkPipelineDepthStencilStateCreateFlags either =
		VK_PIPELINE_DEPTH_STENCIL_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS_BIT_EXT |
		VK_PIPELINE_DEPTH_STENCIL_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS_BIT_EXT;
	if (blend)
		ordered =
			blend->flags &
			VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
	if (depth)
		ordered |= (depth->flags & either) != 0;
#endif
	return ordered ? VKR_GRAPHICS_ORDERED_INPUT : 0;
}

static uint32_t depth_flags(const VkPipelineDepthStencilStateCreateInfo *depth)
{
	uint32_t flags = 0;
	if (depth->depthTestEnable)
		flags |= VKR_GRAPHICS_DEPTH_TEST;
	if (depth->depthTestEnable && depth->depthWriteEnable)
		flags |= VKR_GRAPHICS_DEPTH_WRITE;
	if (depth->depthBoundsTestEnable)
		flags |= VKR_GRAPHICS_DEPTH_BOUNDS_TEST;
	if (depth->stencilTestEnable)
		flags |= VKR_GRAPHICS_STENCIL_TEST;
	if (depth->depthCompareOp == VK_COMPARE_OP_ALWAYS)
		flags |= VKR_GRAPHICS_DEPTH_ALWAYS;
	if (depth->front.compareOp == VK_COMPARE_OP_ALWAYS &&
	    depth->back.compareOp == VK_COMPARE_OP_ALWAYS)
		flags |= VKR_GRAPHICS_STENCIL_ALWAYS;
	if (depth->stencilTestEnable &&
	    (writes_stencil(&depth->front) || writes_stencil(&depth->back)))
		flags |= VKR_GRAPHICS_STENCIL_WRITE;
	return flags;
}

static bool is_dynamic(const VkGraphicsPipelineCreateInfo *info, VkDynamicState state)
{
	for (uint32_t i = 0; info->pDynamicState && i < info->pDynamicState->dynamicStateCount; i++)
		if (info->pDynamicState->pDynamicStates[i] == state)
			return true;
	return false;
}

// The attachments that the pipeline is made for; the state of others may be an invalid pointer.
static void attachments_of(struct vkr_layer_device *device,
			   const VkGraphicsPipelineCreateInfo *info, bool *color, bool *depth)
{
	const VkPipelineRenderingCreateInfo *rendering =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
	const struct vkr_layer_render_pass *pass =
		info->renderPass
			? vkr_handles_get(&device->objects.render_passes, VKR_KEY(info->renderPass))
			: NULL;
	*color = *depth = false;
	if (pass && info->subpass < pass->subpass_count) {
		*color = pass->subpass_uses[info->subpass] & VKR_SUBPASS_COLOR;
		*depth = pass->subpass_uses[info->subpass] & VKR_SUBPASS_DEPTH_STENCIL;
	} else if (!info->renderPass && rendering) {
		*color = rendering->colorAttachmentCount > 0;
		*depth = rendering->depthAttachmentFormat != VK_FORMAT_UNDEFINED ||
			 rendering->stencilAttachmentFormat != VK_FORMAT_UNDEFINED;
	}
	// The formats come with the fragment output; the fragment shader's part has the state in
	// either case.
	if (!info->renderPass && !(vkr_graphics_parts(info) & VKR_PART_FRAGMENT_OUTPUT))
		*depth = true;
}

// Returns flags.
static uint32_t read_vertex_input(const VkGraphicsPipelineCreateInfo *info, struct state *state)
{
	uint32_t flags = 0;
	if (info->pInputAssemblyState) {
		state->payload.topology = (uint32_t)info->pInputAssemblyState->topology;
		if (info->pInputAssemblyState->primitiveRestartEnable)
			flags |= VKR_GRAPHICS_PRIMITIVE_RESTART;
	}
	if (!is_dynamic(info, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
		state->vertex = info->pVertexInputState;
	if (state->vertex)
		state->divisors = vkr_chain_find(
			state->vertex->pNext,
			VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT);
	return flags;
}

// Whether a mask of samples leaves some out.
static bool masks_samples(const VkPipelineMultisampleStateCreateInfo *of)
{
	const uint32_t samples = (uint32_t)of->rasterizationSamples;
	for (uint32_t word = 0; of->pSampleMask && word * 32 < samples; word++) {
		const uint32_t here = samples - word * 32;
		const uint32_t all = here >= 32 ? UINT32_MAX : (1u << here) - 1;
		if ((of->pSampleMask[word] & all) != all)
			return true;
	}
	return false;
}

// Without rasterization, and in libraries of other parts, it may point anywhere.
static const VkPipelineMultisampleStateCreateInfo *
samples_of(const VkGraphicsPipelineCreateInfo *info)
{
	const uint32_t parts = vkr_graphics_parts(info);
	if (!(parts & VKR_PART_FRAGMENT_OUTPUT) ||
	    (parts & VKR_PART_PRE_RASTERIZATION && info->pRasterizationState &&
	     info->pRasterizationState->rasterizerDiscardEnable &&
	     !is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE)))
		return NULL;
	return info->pMultisampleState;
}

bool vkr_graphics_samples(const VkGraphicsPipelineCreateInfo *info)
{
	const VkPipelineMultisampleStateCreateInfo *of = samples_of(info);
#ifdef VK_EXT_extended_dynamic_state3
	if (is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT))
		return true;
#endif
	return of && of->rasterizationSamples != VK_SAMPLE_COUNT_1_BIT;
}

// Returns flags.
static uint32_t read_samples(const VkGraphicsPipelineCreateInfo *info)
{
	const VkPipelineMultisampleStateCreateInfo *of = samples_of(info);
	const uint32_t flags = vkr_graphics_samples(info) ? VKR_GRAPHICS_SAMPLES : 0;
#ifdef VK_EXT_extended_dynamic_state3
	if (is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT) ||
	    is_dynamic(info, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT) ||
	    is_dynamic(info, VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT))
		return flags | VKR_GRAPHICS_PARTIAL;
#endif
	const uint32_t count =
		of ? (uint32_t)of->rasterizationSamples << VKR_GRAPHICS_COUNT_SHIFT : 0;
	return flags | count |
	       (of && (of->alphaToCoverageEnable || masks_samples(of)) ? VKR_GRAPHICS_PARTIAL : 0u);
}

static void read_info(struct vkr_layer_device *device, const VkGraphicsPipelineCreateInfo *info,
		      struct state *state)
{
	uint32_t flags = 0;
	bool color, depth;
	attachments_of(device, info, &color, &depth);
	state->parts = vkr_graphics_parts(info);
	state->dynamic = info->pDynamicState;
	for (uint32_t i = 0; state->parts & VKR_PART_PRE_RASTERIZATION && i < info->stageCount; i++)
		state->meshes |= info->pStages[i].stage == VK_SHADER_STAGE_MESH_BIT_EXT;
	if (state->parts & VKR_PART_PRE_RASTERIZATION && info->pRasterizationState &&
	    info->pRasterizationState->rasterizerDiscardEnable)
		flags |= VKR_GRAPHICS_RASTERIZER_DISCARD;
	if (state->parts & VKR_PART_VERTEX_INPUT && !state->meshes)
		flags |= read_vertex_input(info, state);
	// Without rasterization, these need not point anywhere (VkGraphicsPipelineCreateInfo).
	if (!(flags & VKR_GRAPHICS_RASTERIZER_DISCARD) ||
	    is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE)) {
		if (depth && state->parts & VKR_PART_FRAGMENT_SHADER && info->pDepthStencilState)
			flags |= depth_flags(info->pDepthStencilState) |
				 order_flags(NULL, info->pDepthStencilState);
		if (color && state->parts & VKR_PART_FRAGMENT_OUTPUT)
			state->blend = info->pColorBlendState;
	}
	if (state->parts & VKR_PART_FRAGMENT_OUTPUT)
		flags |= read_samples(info);
	state->locations = rendering_locations(info->pNext);
	flags |= order_flags(state->blend, NULL);
	if (state->blend && state->blend->logicOpEnable)
		flags |= VKR_GRAPHICS_LOGIC_OP;
	const VkPipelineRenderingCreateInfo *rendering =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
	if (rendering && !info->renderPass)
		state->payload.view_mask = rendering->viewMask;
	state->payload.flags = flags;
}

static uint32_t divisor_of(const struct state *state, uint32_t binding)
{
	for (uint32_t i = 0; state->divisors && i < state->divisors->vertexBindingDivisorCount; i++)
		if (state->divisors->pVertexBindingDivisors[i].binding == binding)
			return state->divisors->pVertexBindingDivisors[i].divisor;
	return 1;
}

static void fill_vertex(const struct state *state, struct vkr_trace_vertex_binding *bindings,
			struct vkr_trace_vertex_attribute *attributes)
{
	for (uint32_t i = 0; i < state->payload.binding_count; i++) {
		const VkVertexInputBindingDescription *from =
			&state->vertex->pVertexBindingDescriptions[i];
		bindings[i] = (struct vkr_trace_vertex_binding){
			.binding = from->binding,
			.stride = from->stride,
			.instance_rate = from->inputRate == VK_VERTEX_INPUT_RATE_INSTANCE,
			.divisor = divisor_of(state, from->binding)};
	}
	for (uint32_t i = 0; i < state->payload.attribute_count; i++) {
		const VkVertexInputAttributeDescription *from =
			&state->vertex->pVertexAttributeDescriptions[i];
		attributes[i] = (struct vkr_trace_vertex_attribute){
			.location = from->location,
			.binding = from->binding,
			.offset = from->offset,
			.bytes = vkr_vertex_format_bytes(from->format)};
	}
}

static bool goes_nowhere(const struct state *state, uint32_t attachment)
{
	return attachment < state->locations.count &&
	       state->locations.items[attachment] == VK_ATTACHMENT_UNUSED;
}

static void fill_blend(const struct state *state, struct vkr_trace_color_blend *blend)
{
	for (uint32_t i = 0; i < state->payload.blend_count; i++) {
		const VkPipelineColorBlendAttachmentState *from = &state->blend->pAttachments[i];
		blend[i] = (struct vkr_trace_color_blend){
			.flags = (from->blendEnable ? VKR_BLEND_ENABLED : 0u) |
				 (goes_nowhere(state, i) ? VKR_BLEND_NO_LOCATION : 0u),
			.write_mask = from->colorWriteMask};
	}
}

static void count_own(struct state *state)
{
	struct vkr_trace_graphics_state *payload = &state->payload;
	if (state->vertex) {
		payload->binding_count = state->vertex->vertexBindingDescriptionCount;
		payload->attribute_count = state->vertex->vertexAttributeDescriptionCount;
	}
	if (state->blend && state->blend->pAttachments)
		payload->blend_count = state->blend->attachmentCount;
	if (state->dynamic)
		payload->dynamic_count = state->dynamic->dynamicStateCount;
}

// Room for the call's own state and that of its libraries. Each part comes from one of them.
static struct vkr_graphics_state *make_room(const struct state *own,
					    const struct vkr_layer_pipeline *const *libraries,
					    uint32_t library_count)
{
	struct vkr_trace_graphics_state sum = own->payload;
	for (uint32_t i = 0; i < library_count; i++) {
		const struct vkr_graphics_state *library =
			libraries[i] ? libraries[i]->library_state : NULL;
		if (!library) {
			sum.flags |= VKR_GRAPHICS_UNKNOWN;
			continue;
		}
		sum.flags |= library->payload.flags;
		sum.topology |= library->payload.topology;
		sum.view_mask |= library->payload.view_mask;
		sum.binding_count += library->payload.binding_count;
		sum.attribute_count += library->payload.attribute_count;
		sum.blend_count += library->payload.blend_count;
		sum.dynamic_count += library->payload.dynamic_count;
	}
	struct vkr_graphics_state *made =
		calloc(1, sizeof *made + sum.binding_count * sizeof *made->bindings +
				  sum.attribute_count * sizeof *made->attributes +
				  sum.blend_count * sizeof *made->blend +
				  sum.dynamic_count * sizeof *made->dynamic);
	if (!made)
		return NULL;
	made->payload = sum;
	made->bindings = (void *)(made + 1);
	made->attributes = (void *)(made->bindings + sum.binding_count);
	made->blend = (void *)(made->attributes + sum.attribute_count);
	made->dynamic = (void *)(made->blend + sum.blend_count);
	return made;
}

// Appends a library's arrays to those of earlier libraries, whose counts are in `at`.
static void add_library(struct vkr_graphics_state *made, const struct vkr_graphics_state *library,
			struct vkr_trace_graphics_state *at)
{
	const struct vkr_trace_graphics_state *payload = &library->payload;
	for (uint32_t i = 0; i < payload->binding_count; i++)
		made->bindings[at->binding_count++] = library->bindings[i];
	for (uint32_t i = 0; i < payload->attribute_count; i++)
		made->attributes[at->attribute_count++] = library->attributes[i];
	for (uint32_t i = 0; i < payload->blend_count; i++)
		made->blend[at->blend_count++] = library->blend[i];
	for (uint32_t i = 0; i < payload->dynamic_count; i++)
		made->dynamic[at->dynamic_count++] = library->dynamic[i];
}

static void record_state(const struct vkr_graphics_state *made)
{
	const struct vkr_trace_graphics_state *payload = &made->payload;
	const struct vkr_bytes pieces[] = {
		{made->bindings, payload->binding_count * sizeof *made->bindings},
		{made->attributes, payload->attribute_count * sizeof *made->attributes},
		{made->blend, payload->blend_count * sizeof *made->blend},
		{made->dynamic, payload->dynamic_count * sizeof *made->dynamic}};
	vkr_record_pieces(VKR_TRACE_GRAPHICS_STATE, payload, sizeof *payload, pieces, 4);
}

void vkr_record_graphics_state(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
			       const VkGraphicsPipelineCreateInfo *info,
			       const struct vkr_layer_pipeline *const *libraries,
			       uint32_t library_count)
{
	struct state own = {.payload = {.pipeline = pipeline->id}};
	read_info(device, info, &own);
	count_own(&own);
	struct vkr_graphics_state *made = make_room(&own, libraries, library_count);
	if (!made) {
		vkr_record_no_memory("a graphics pipeline");
		return;
	}
	struct vkr_trace_graphics_state at = own.payload;
	fill_vertex(&own, made->bindings, made->attributes);
	fill_blend(&own, made->blend);
	for (uint32_t i = 0; i < at.dynamic_count; i++)
		made->dynamic[i] = (uint32_t)own.dynamic->pDynamicStates[i];
	for (uint32_t i = 0; i < library_count; i++)
		if (libraries[i] && libraries[i]->library_state)
			add_library(made, libraries[i]->library_state, &at);
	record_state(made);
	if (vkr_pipeline_flags(info->pNext, info->flags) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR)
		pipeline->library_state = made;
	else
		free(made);
}
