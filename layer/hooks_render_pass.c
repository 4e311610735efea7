// SPDX-License-Identifier: Apache-2.0
// Render passes: the dependencies of their subpasses, and where subpasses begin and end.
// Knows their parameters; not what they order, and not what their attachments are.
#include "log_commands.h"
#include "record.h"

#include <stdlib.h>

// A render pass with room for what its subpasses use; NULL where there is no memory.
static struct vkr_render_pass *new_render_pass(uint32_t subpasses)
{
	struct vkr_render_pass *made = calloc(1, sizeof *made + subpasses);
	if (!made) {
		vkr_record_no_memory("a render pass");
		return NULL;
	}
	made->subpass_count = subpasses;
	return made;
}

static void keep_render_pass(struct vkr_device *device, VkRenderPass handle,
			     struct vkr_render_pass *kept, struct vkr_trace_render_pass payload,
			     const struct vkr_trace_subpass_dependency *dependencies)
{
	kept->id = vkr_record_id(VKR_OBJECT_RENDER_PASS);
	payload.render_pass = kept->id;
	payload.device = device->id;
	payload.subpass_count = kept->subpass_count;
	vkr_record_event(VKR_TRACE_RENDER_PASS, &payload, sizeof payload, dependencies,
			 payload.dependency_count * sizeof *dependencies);
	vkr_object_keep(&device->render_passes, VKR_KEY(handle), kept, "a render pass");
}

static uint8_t uses(bool color, bool depth_stencil)
{
	return (uint8_t)((color ? VKR_SUBPASS_COLOR : 0) |
			 (depth_stencil ? VKR_SUBPASS_DEPTH_STENCIL : 0));
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateRenderPass(VkDevice handle,
						    const VkRenderPassCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkRenderPass *pass)
{
	struct vkr_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateRenderPass(handle, info, allocator, pass);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_render_pass *kept = new_render_pass(info->subpassCount);
	struct vkr_trace_subpass_dependency *list =
		calloc((size_t)info->dependencyCount + 1, sizeof *list);
	if (!list || !kept) {
		vkr_record_no_memory("a render pass");
		free(list);
		free(kept);
		return result;
	}
	for (uint32_t i = 0; i < info->subpassCount; i++)
		kept->subpass_uses[i] = uses(info->pSubpasses[i].colorAttachmentCount > 0,
					     info->pSubpasses[i].pDepthStencilAttachment);
	for (uint32_t i = 0; i < info->dependencyCount; i++) {
		const VkSubpassDependency *from = &info->pDependencies[i];
		list[i] = (struct vkr_trace_subpass_dependency){
			.source = from->srcSubpass,
			.destination = from->dstSubpass,
			.source_stages = from->srcStageMask,
			.source_access = from->srcAccessMask,
			.destination_stages = from->dstStageMask,
			.destination_access = from->dstAccessMask,
			.flags = from->dependencyFlags,
		};
	}
	const struct vkr_trace_render_pass payload = {
		.attachment_count = info->attachmentCount,
		.dependency_count = info->dependencyCount,
	};
	keep_render_pass(device, *pass, kept, payload, list);
	free(list);
	return result;
}

static struct vkr_trace_subpass_dependency second_form(const VkSubpassDependency2 *from)
{
	struct vkr_trace_subpass_dependency to = {
		.source = from->srcSubpass,
		.destination = from->dstSubpass,
		.source_stages = from->srcStageMask,
		.source_access = from->srcAccessMask,
		.destination_stages = from->dstStageMask,
		.destination_access = from->dstAccessMask,
		.flags = from->dependencyFlags,
	};
	const VkMemoryBarrier2 *barrier =
		vkr_chain_find(from->pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
	if (barrier) {
		// It replaces the masks (VkSubpassDependency2).
		to.source_stages = barrier->srcStageMask;
		to.source_access = barrier->srcAccessMask;
		to.destination_stages = barrier->dstStageMask;
		to.destination_access = barrier->dstAccessMask;
	}
	return to;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateRenderPass2(VkDevice handle,
						     const VkRenderPassCreateInfo2 *info,
						     const VkAllocationCallbacks *allocator,
						     VkRenderPass *pass)
{
	struct vkr_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateRenderPass2(handle, info, allocator, pass);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_render_pass *kept = new_render_pass(info->subpassCount);
	struct vkr_trace_subpass_dependency *list =
		calloc((size_t)info->dependencyCount + 1, sizeof *list);
	if (!list || !kept) {
		vkr_record_no_memory("a render pass");
		free(list);
		free(kept);
		return result;
	}
	for (uint32_t i = 0; i < info->subpassCount; i++)
		kept->subpass_uses[i] = uses(info->pSubpasses[i].colorAttachmentCount > 0,
					     info->pSubpasses[i].pDepthStencilAttachment);
	for (uint32_t i = 0; i < info->dependencyCount; i++)
		list[i] = second_form(&info->pDependencies[i]);
	const struct vkr_trace_render_pass payload = {
		.attachment_count = info->attachmentCount,
		.dependency_count = info->dependencyCount,
	};
	keep_render_pass(device, *pass, kept, payload, list);
	free(list);
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyRenderPass(VkDevice handle, VkRenderPass pass,
						 const VkAllocationCallbacks *allocator)
{
	struct vkr_device *device = vkr_device_of(handle);
	struct vkr_render_pass *kept = vkr_handles_take(&device->render_passes, VKR_KEY(pass));
	if (kept) {
		struct vkr_trace_render_pass_destroy payload = {.render_pass = kept->id};
		vkr_record_event(VKR_TRACE_RENDER_PASS_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyRenderPass(handle, pass, allocator);
}

static void record_begin(VkCommandBuffer handle, const VkRenderPassBeginInfo *begin)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	const struct vkr_render_pass *pass =
		vkr_handles_get(&buffer->device->render_passes, VKR_KEY(begin->renderPass));
	struct vkr_trace_cmd_begin_render_pass payload = {
		.command = vkr_command_index(buffer),
		.render_pass = pass ? pass->id : 0,
	};
	vkr_command_event(buffer, VKR_TRACE_CMD_BEGIN_RENDER_PASS, &payload, sizeof payload, 0);
	const VkExtent2D *extent = &begin->renderArea.extent;
	vkr_log_begin_pass(buffer, (uint64_t)extent->width * extent->height);
}

static void record_next(VkCommandBuffer handle)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	struct vkr_trace_cmd_next_subpass payload = {.command = vkr_command_index(buffer)};
	vkr_command_event(buffer, VKR_TRACE_CMD_NEXT_SUBPASS, &payload, sizeof payload, 0);
}

static void record_end(VkCommandBuffer handle)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	struct vkr_trace_cmd_end_render_pass payload = {.command = vkr_command_index(buffer)};
	vkr_command_event(buffer, VKR_TRACE_CMD_END_RENDER_PASS, &payload, sizeof payload, 0);
	vkr_log_end_pass(buffer);
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
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndRenderPass2(VkCommandBuffer handle,
						 const VkSubpassEndInfo *end)
{
	record_end(handle);
	vkr_device_of(handle)->next.CmdEndRenderPass2(handle, end);
}
