// SPDX-License-Identifier: Apache-2.0
// What fixed function of a graphics pipeline does, written down. Knows
// VkGraphicsPipelineCreateInfo; no shader.
#include "graphics_state.h"

#include "arena.h"
#include "objects.h"
#include "record.h"

uint32_t vkr_vertex_format_bytes(VkFormat format)
{
	switch (format) {
#define VKR_FORMAT(name, bytes, width, height)                                                     \
	case name:                                                                                 \
		return (bytes);
#define VKR_PLANE(name, plane, bytes, x, y)
#include "formats.def"
#undef VKR_FORMAT
#undef VKR_PLANE
	default:
		return 0;
	}
}

struct state {
	struct vkr_trace_graphics_state payload;
	const VkPipelineVertexInputStateCreateInfo *vertex;
	const VkPipelineVertexInputDivisorStateCreateInfoEXT *divisors;
	const VkPipelineColorBlendStateCreateInfo *blend;
	const VkPipelineDynamicStateCreateInfo *dynamic;
	bool meshes;
};

static bool writes_stencil(const VkStencilOpState *side)
{
	return side->writeMask != 0 &&
	       (side->failOp != VK_STENCIL_OP_KEEP || side->passOp != VK_STENCIL_OP_KEEP ||
		side->depthFailOp != VK_STENCIL_OP_KEEP);
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

// Which attachments the pipeline is made for; states for others may point nowhere.
static void attachments_of(struct vkr_device *device, const VkGraphicsPipelineCreateInfo *info,
			   bool *color, bool *depth)
{
	const VkPipelineRenderingCreateInfo *rendering =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
	const struct vkr_render_pass *pass =
		info->renderPass
			? vkr_handles_get(&device->render_passes, VKR_KEY(info->renderPass))
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
}

static void read_info(struct vkr_device *device, const VkGraphicsPipelineCreateInfo *info,
		      struct state *state)
{
	uint32_t flags = 0;
	bool color, depth;
	attachments_of(device, info, &color, &depth);
#ifdef VK_KHR_pipeline_library
	// What libraries bring is not looked up; pipelines that are only libraries are not bound.
	if (vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR))
		flags |= VKR_GRAPHICS_UNKNOWN;
#endif
	state->dynamic = info->pDynamicState;
	for (uint32_t i = 0; i < info->stageCount; i++)
		state->meshes |= info->pStages[i].stage == VK_SHADER_STAGE_MESH_BIT_EXT;
	if (info->pRasterizationState && info->pRasterizationState->rasterizerDiscardEnable)
		flags |= VKR_GRAPHICS_RASTERIZER_DISCARD;
	if (info->pInputAssemblyState && !state->meshes) {
		state->payload.topology = (uint32_t)info->pInputAssemblyState->topology;
		if (info->pInputAssemblyState->primitiveRestartEnable)
			flags |= VKR_GRAPHICS_PRIMITIVE_RESTART;
	}
	if (!state->meshes && !is_dynamic(info, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
		state->vertex = info->pVertexInputState;
	if (state->vertex)
		state->divisors = vkr_chain_find(
			state->vertex->pNext,
			VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT);
	// Without rasterization, these need not point anywhere (VkGraphicsPipelineCreateInfo).
	if (!(flags & VKR_GRAPHICS_RASTERIZER_DISCARD) ||
	    is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE)) {
		if (depth && info->pDepthStencilState)
			flags |= depth_flags(info->pDepthStencilState);
		if (color)
			state->blend = info->pColorBlendState;
	}
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

static void fill_blend(const struct state *state, struct vkr_trace_color_blend *blend)
{
	for (uint32_t i = 0; i < state->payload.blend_count; i++) {
		const VkPipelineColorBlendAttachmentState *from = &state->blend->pAttachments[i];
		blend[i] = (struct vkr_trace_color_blend){
			.flags = from->blendEnable ? VKR_BLEND_ENABLED : 0,
			.write_mask = from->colorWriteMask};
	}
}

void vkr_record_graphics_state(struct vkr_device *device, uint32_t pipeline,
			       const VkGraphicsPipelineCreateInfo *info)
{
	struct state state = {.payload = {.pipeline = pipeline}};
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	read_info(device, info, &state);
	struct vkr_trace_graphics_state *payload = &state.payload;
	if (state.vertex) {
		payload->binding_count = state.vertex->vertexBindingDescriptionCount;
		payload->attribute_count = state.vertex->vertexAttributeDescriptionCount;
	}
	if (state.blend && state.blend->pAttachments)
		payload->blend_count = state.blend->attachmentCount;
	if (state.dynamic)
		payload->dynamic_count = state.dynamic->dynamicStateCount;
	struct vkr_trace_vertex_binding *bindings =
		vkr_arena_alloc(&arena, (payload->binding_count + (size_t)1) * sizeof *bindings);
	struct vkr_trace_vertex_attribute *attributes = vkr_arena_alloc(
		&arena, (payload->attribute_count + (size_t)1) * sizeof *attributes);
	struct vkr_trace_color_blend *blend =
		vkr_arena_alloc(&arena, (payload->blend_count + (size_t)1) * sizeof *blend);
	uint32_t *dynamic =
		vkr_arena_alloc(&arena, (payload->dynamic_count + (size_t)1) * sizeof *dynamic);
	if (bindings && attributes && blend && dynamic) {
		fill_vertex(&state, bindings, attributes);
		fill_blend(&state, blend);
		for (uint32_t i = 0; i < payload->dynamic_count; i++)
			dynamic[i] = (uint32_t)state.dynamic->pDynamicStates[i];
		const struct vkr_bytes pieces[] = {
			{bindings, payload->binding_count * sizeof *bindings},
			{attributes, payload->attribute_count * sizeof *attributes},
			{blend, payload->blend_count * sizeof *blend},
			{dynamic, payload->dynamic_count * sizeof *dynamic}};
		vkr_record_pieces(VKR_TRACE_GRAPHICS_STATE, payload, sizeof *payload, pieces, 4);
	} else {
		vkr_record_no_memory("a graphics pipeline");
	}
	vkr_arena_finish(&arena);
}
