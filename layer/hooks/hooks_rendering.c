// SPDX-License-Identifier: Apache-2.0
// Dynamic rendering, and clears of attachments: recorded with their parameters. Knows the
// parameters; not what is done to attachments.
#include "log_commands.h"
#include "render_pass_parts.h"
#include "snapshots.h"

static uint32_t view_id(struct vkr_layer_device *device, VkImageView handle)
{
	const struct vkr_layer_image_view *view =
		handle ? vkr_handles_get(&device->objects.image_views, VKR_KEY(handle)) : NULL;
	return view ? view->id : 0;
}

static bool is_there(const VkRenderingAttachmentInfo *from)
{
	return from && from->imageView;
}

// Whether a feedback loop is enabled for it in another layout than that for feedback loops.
static bool feeds_back(const VkRenderingAttachmentInfo *from)
{
#ifdef VK_KHR_unified_image_layouts
	const VkAttachmentFeedbackLoopInfoEXT *info =
		vkr_chain_find(from->pNext, VK_STRUCTURE_TYPE_ATTACHMENT_FEEDBACK_LOOP_INFO_EXT);
	return info && info->feedbackLoopEnable;
#else
	(void)from;
	return false;
#endif
}

static struct vkr_trace_rendering_attachment attachment_of(struct vkr_layer_device *device,
							   uint32_t role, uint32_t index,
							   const VkRenderingAttachmentInfo *from)
{
	const bool resolves = from->resolveMode != VK_RESOLVE_MODE_NONE;
	return (struct vkr_trace_rendering_attachment){
		.view = view_id(device, from->imageView),
		.resolve_view = resolves ? view_id(device, from->resolveImageView) : 0,
		.role = role,
		.index = index,
		.layout = (uint32_t)from->imageLayout,
		.resolve_layout = resolves ? (uint32_t)from->resolveImageLayout : 0,
		.load = (uint32_t)from->loadOp,
		.store = (uint32_t)from->storeOp,
		.resolve_mode = (uint32_t)from->resolveMode,
		.flags = feeds_back(from) ? VKR_RENDERING_FEEDBACK_LOOP : 0u,
	};
}

// Whether draws may write to an attachment that no load or store operation covers.
static bool is_alone(const VkRenderingAttachmentInfo *from)
{
	if (!is_there(from))
		return false;
	switch ((uint32_t)from->imageLayout) {
#ifdef VK_EXT_attachment_feedback_loop_layout
	case VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT:
#endif
#ifdef VK_KHR_dynamic_rendering_local_read
	case VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR:
#endif
		return true;
	default: // in GENERAL shaders may read it, too, which is rare
		return feeds_back(from) || (from->loadOp != VK_ATTACHMENT_LOAD_OP_CLEAR &&
					    from->loadOp != VK_ATTACHMENT_LOAD_OP_DONT_CARE &&
					    from->storeOp != VK_ATTACHMENT_STORE_OP_STORE &&
					    from->storeOp != VK_ATTACHMENT_STORE_OP_DONT_CARE);
	}
}

static void ask_fragments(struct vkr_layer_command_buffer *buffer, const VkRenderingInfo *info)
{
	bool asks = is_alone(info->pDepthAttachment) || is_alone(info->pStencilAttachment);
	for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
		asks |= is_alone(&info->pColorAttachments[i]);
	buffer->asked = asks && buffer->device->writes_alone ? VK_SHADER_STAGE_FRAGMENT_BIT : 0;
}

static void begin_log(struct vkr_layer_command_buffer *buffer, const VkRenderingInfo *info)
{
	const VkExtent2D *extent = &info->renderArea.extent;
	const uint32_t views = (uint32_t)__builtin_popcount(info->viewMask);
	const uint64_t pixels =
		(uint64_t)extent->width * extent->height * (views != 0 ? views : info->layerCount);
	if (info->flags & VK_RENDERING_RESUMING_BIT)
		vkr_log_resume_pass(buffer, pixels);
	else
		vkr_log_begin_pass(buffer, pixels);
}

// Attachments that say how coarse fragments are.
struct rates {
	struct vkr_trace_rendering_attachment items[2];
	uint32_t count;
};

static void add_rate(struct vkr_layer_device *device, struct rates *rates, uint32_t role,
		     VkImageView view, VkImageLayout layout, VkExtent2D texel)
{
	if (view)
		rates->items[rates->count++] = (struct vkr_trace_rendering_attachment){
			.view = view_id(device, view),
			.role = role,
			.index = texel.width << 16 | texel.height,
			.layout = (uint32_t)layout};
}

static struct rates rates_of(struct vkr_layer_device *device, const VkRenderingInfo *info)
{
	const VkRenderingFragmentShadingRateAttachmentInfoKHR *rate = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
	const VkRenderingFragmentDensityMapAttachmentInfoEXT *density = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_INFO_EXT);
	struct rates rates = {.count = 0};
	if (rate)
		add_rate(device, &rates, VKR_ATTACHMENT_SHADING_RATE, rate->imageView,
			 rate->imageLayout, rate->shadingRateAttachmentTexelSize);
	if (density)
		add_rate(device, &rates, VKR_ATTACHMENT_DENSITY_MAP, density->imageView,
			 density->imageLayout, (VkExtent2D){0});
	return rates;
}

static void record_begin(struct vkr_layer_command_buffer *buffer, const VkRenderingInfo *info)
{
	const struct rates rates = rates_of(buffer->device, info);
	uint32_t count =
		rates.count + is_there(info->pDepthAttachment) + is_there(info->pStencilAttachment);
	for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
		count += is_there(&info->pColorAttachments[i]);
	const struct vkr_trace_cmd_begin_rendering payload = {
		.command = vkr_command_index(buffer),
		.flags = info->flags,
		.x = (uint32_t)info->renderArea.offset.x,
		.y = (uint32_t)info->renderArea.offset.y,
		.width = info->renderArea.extent.width,
		.height = info->renderArea.extent.height,
		.layer_count = info->layerCount,
		.view_mask = info->viewMask,
		.attachment_count = count,
		.implicit_samples = vkr_implicit_samples(info->pNext),
	};
	struct vkr_trace_rendering_attachment *to =
		vkr_command_event(buffer, VKR_TRACE_CMD_BEGIN_RENDERING, &payload, sizeof payload,
				  count * sizeof *to);
	if (!to)
		return;
	for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
		if (is_there(&info->pColorAttachments[i]))
			*to++ = attachment_of(buffer->device, VKR_ATTACHMENT_COLOR, i,
					      &info->pColorAttachments[i]);
	if (is_there(info->pDepthAttachment))
		*to++ = attachment_of(buffer->device, VKR_ATTACHMENT_DEPTH, 0,
				      info->pDepthAttachment);
	if (is_there(info->pStencilAttachment))
		*to++ = attachment_of(buffer->device, VKR_ATTACHMENT_STENCIL, 0,
				      info->pStencilAttachment);
	for (uint32_t i = 0; i < rates.count; i++)
		*to++ = rates.items[i];
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginRendering(VkCommandBuffer handle,
						 const VkRenderingInfo *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		record_begin(buffer, info);
		begin_log(buffer, info);
		ask_fragments(buffer, info);
		buffer->render_pass.suspends = info->flags & VK_RENDERING_SUSPENDING_BIT;
	}
	vkr_command_device(buffer, handle)->next.CmdBeginRendering(handle, info);
}

static VKR_OF_HOOKS struct vkr_layer_device *record_end(VkCommandBuffer handle)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct vkr_trace_cmd_end_rendering payload = {
			.command = vkr_command_index(buffer)};
		vkr_command_event(buffer, VKR_TRACE_CMD_END_RENDERING, &payload, sizeof payload, 0);
		vkr_log_end_pass(buffer);
	}
	return vkr_command_device(buffer, handle);
}

// Between what is suspended and what resumes it nothing else can stand.
static void end_captures(VkCommandBuffer handle)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_find(handle);
	if (buffer && !buffer->render_pass.suspends)
		vkr_snapshots_end_pass(buffer);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndRendering(VkCommandBuffer handle)
{
	record_end(handle)->next.CmdEndRendering(handle);
	end_captures(handle);
}

#ifdef VK_KHR_maintenance10
// The structures in its chain, offsets of a fragment density map, add no accesses.
VKAPI_ATTR void VKAPI_CALL vkr_CmdEndRendering2KHR(VkCommandBuffer handle,
						   const VkRenderingEndInfoKHR *info)
{
	record_end(handle)->next.CmdEndRendering2KHR(handle, info);
	end_captures(handle);
}
#endif

VKAPI_ATTR void VKAPI_CALL vkr_CmdClearAttachments(VkCommandBuffer handle, uint32_t count,
						   const VkClearAttachment *clears,
						   uint32_t rectangle_count,
						   const VkClearRect *rectangles)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct vkr_trace_cmd_clear_attachments payload = {
			.command = vkr_command_index(buffer),
			.clear_count = count,
			.rectangle_count = rectangle_count};
		struct vkr_trace_clear *to = vkr_command_event(
			buffer, VKR_TRACE_CMD_CLEAR_ATTACHMENTS, &payload, sizeof payload,
			count * sizeof *to +
				rectangle_count * sizeof(struct vkr_trace_clear_rectangle));
		for (uint32_t i = 0; to && i < count; i++)
			to[i] = (struct vkr_trace_clear){.aspects = clears[i].aspectMask,
							 .index = clears[i].colorAttachment};
		struct vkr_trace_clear_rectangle *area = to ? (void *)(to + count) : NULL;
		for (uint32_t i = 0; area && i < rectangle_count; i++)
			area[i] = (struct vkr_trace_clear_rectangle){
				.x = (uint32_t)rectangles[i].rect.offset.x,
				.y = (uint32_t)rectangles[i].rect.offset.y,
				.width = rectangles[i].rect.extent.width,
				.height = rectangles[i].rect.extent.height,
				.first_layer = rectangles[i].baseArrayLayer,
				.layer_count = rectangles[i].layerCount};
	}
	vkr_command_device(buffer, handle)
		->next.CmdClearAttachments(handle, count, clears, rectangle_count, rectangles);
}
