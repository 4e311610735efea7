// SPDX-License-Identifier: Apache-2.0
// Render passes and framebuffers: what they are made of, and where subpasses begin and end.
// Knows their parameters; not what they order, and not what is done to their attachments.
#include "log_commands.h"
#include "record.h"
#include "render_pass_parts.h"
#include "snapshots.h"

#include <stdlib.h>

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateRenderPass(VkDevice handle,
						    const VkRenderPassCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkRenderPass *pass)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateRenderPass(handle, info, allocator, pass);
	if (result == VK_SUCCESS)
		vkr_record_render_pass_first(device, *pass, info);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateRenderPass2(VkDevice handle,
						     const VkRenderPassCreateInfo2 *info,
						     const VkAllocationCallbacks *allocator,
						     VkRenderPass *pass)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateRenderPass2(handle, info, allocator, pass);
	if (result == VK_SUCCESS)
		vkr_record_render_pass(device, *pass, info);
	return result;
}

static uint32_t view_id(struct vkr_layer_device *device, VkImageView handle)
{
	const struct vkr_layer_image_view *view =
		vkr_handles_get(&device->objects.image_views, VKR_KEY(handle));
	return view ? view->id : 0;
}

static void record_framebuffer(struct vkr_layer_device *device, uint32_t id,
			       const VkFramebufferCreateInfo *info)
{
	const bool imageless = info->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT;
	const struct vkr_trace_framebuffer payload = {
		.framebuffer = id,
		.device = device->id,
		.flags = info->flags,
		.width = info->width,
		.height = info->height,
		.layers = info->layers,
		.view_count = imageless ? 0 : info->attachmentCount,
	};
	uint32_t *views = calloc((size_t)payload.view_count + 1, sizeof *views);
	if (!views) {
		vkr_record_no_memory("a framebuffer");
		return;
	}
	for (uint32_t i = 0; i < payload.view_count; i++)
		views[i] = view_id(device, info->pAttachments[i]);
	vkr_record_event(VKR_TRACE_FRAMEBUFFER, &payload, sizeof payload, views,
			 payload.view_count * sizeof *views);
	free(views);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateFramebuffer(VkDevice handle,
						     const VkFramebufferCreateInfo *info,
						     const VkAllocationCallbacks *allocator,
						     VkFramebuffer *framebuffer)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateFramebuffer(handle, info, allocator, framebuffer);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_framebuffer *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a framebuffer");
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_FRAMEBUFFER);
	record_framebuffer(device, kept->id, info);
	vkr_object_keep(&device->objects.framebuffers, VKR_KEY(*framebuffer), kept,
			"a framebuffer");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyFramebuffer(VkDevice handle, VkFramebuffer framebuffer,
						  const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_framebuffer *kept =
		vkr_handles_take(&device->objects.framebuffers, VKR_KEY(framebuffer));
	if (kept) {
		struct vkr_trace_framebuffer_destroy payload = {.framebuffer = kept->id};
		vkr_record_event(VKR_TRACE_FRAMEBUFFER_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyFramebuffer(handle, framebuffer, allocator);
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyRenderPass(VkDevice handle, VkRenderPass pass,
						 const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_render_pass *kept =
		vkr_handles_take(&device->objects.render_passes, VKR_KEY(pass));
	if (kept) {
		struct vkr_trace_render_pass_destroy payload = {.render_pass = kept->id};
		vkr_record_event(VKR_TRACE_RENDER_PASS_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyRenderPass(handle, pass, allocator);
}

static VKR_OF_HOOKS void record_begin(VkCommandBuffer handle, const VkRenderPassBeginInfo *begin)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	struct vkr_layer_device *device = buffer->device;
	const struct vkr_layer_render_pass *pass =
		vkr_handles_get(&device->objects.render_passes, VKR_KEY(begin->renderPass));
	const struct vkr_layer_framebuffer *framebuffer =
		vkr_handles_get(&device->objects.framebuffers, VKR_KEY(begin->framebuffer));
	const VkRenderPassAttachmentBeginInfo *given =
		vkr_chain_find(begin->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
	struct vkr_trace_cmd_begin_render_pass payload = {
		.command = vkr_command_index(buffer),
		.render_pass = pass ? pass->id : 0,
		.framebuffer = framebuffer ? framebuffer->id : 0,
		.x = (uint32_t)begin->renderArea.offset.x,
		.y = (uint32_t)begin->renderArea.offset.y,
		.width = begin->renderArea.extent.width,
		.height = begin->renderArea.extent.height,
		.view_count = given ? given->attachmentCount : 0,
	};
	uint32_t *views = vkr_command_event(buffer, VKR_TRACE_CMD_BEGIN_RENDER_PASS, &payload,
					    sizeof payload, payload.view_count * sizeof *views);
	for (uint32_t i = 0; views && i < payload.view_count; i++)
		views[i] = view_id(device, given->pAttachments[i]);
	vkr_log_begin_pass(buffer, (uint64_t)payload.width * payload.height);
	vkr_log_enter_subpass(buffer, begin->renderPass, 0);
}

static VKR_OF_HOOKS void record_next(VkCommandBuffer handle)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	struct vkr_trace_cmd_next_subpass payload = {.command = vkr_command_index(buffer)};
	vkr_command_event(buffer, VKR_TRACE_CMD_NEXT_SUBPASS, &payload, sizeof payload, 0);
	vkr_log_enter_subpass(buffer, buffer->render_pass.handle, buffer->render_pass.subpass + 1);
}

static VKR_OF_HOOKS void record_end(VkCommandBuffer handle)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	struct vkr_trace_cmd_end_render_pass payload = {.command = vkr_command_index(buffer)};
	vkr_command_event(buffer, VKR_TRACE_CMD_END_RENDER_PASS, &payload, sizeof payload, 0);
	vkr_log_end_pass(buffer);
}

static void end_captures(VkCommandBuffer handle)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_find(handle);
	if (buffer)
		vkr_snapshots_end_pass(buffer);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginRenderPass(VkCommandBuffer handle,
						  const VkRenderPassBeginInfo *begin,
						  VkSubpassContents contents)
{
	record_begin(handle, begin);
	vkr_device_of(handle)->next.CmdBeginRenderPass(handle, begin, contents);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginRenderPass2(VkCommandBuffer handle,
						   const VkRenderPassBeginInfo *begin,
						   const VkSubpassBeginInfo *info)
{
	record_begin(handle, begin);
	vkr_device_of(handle)->next.CmdBeginRenderPass2(handle, begin, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdNextSubpass(VkCommandBuffer handle, VkSubpassContents contents)
{
	record_next(handle);
	vkr_device_of(handle)->next.CmdNextSubpass(handle, contents);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdNextSubpass2(VkCommandBuffer handle,
					       const VkSubpassBeginInfo *begin,
					       const VkSubpassEndInfo *end)
{
	record_next(handle);
	vkr_device_of(handle)->next.CmdNextSubpass2(handle, begin, end);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndRenderPass(VkCommandBuffer handle)
{
	record_end(handle);
	vkr_device_of(handle)->next.CmdEndRenderPass(handle);
	end_captures(handle);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndRenderPass2(VkCommandBuffer handle,
						 const VkSubpassEndInfo *end)
{
	record_end(handle);
	vkr_device_of(handle)->next.CmdEndRenderPass2(handle, end);
	end_captures(handle);
}
