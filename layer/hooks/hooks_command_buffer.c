// SPDX-License-Identifier: Apache-2.0
// Command pools and command buffers: their lives. Knows when a recording begins, ends and is thrown
// away; not what it holds.
#include "call_stack.h"
#include "log_commands.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

// The recording is discarded. Executions of it that are being drained keep its track.
static void forget_recording(struct vkr_layer_command_buffer *buffer)
{
	vkr_track_release(buffer->track);
	buffer->track = NULL;
	buffer->count = 0;
	buffer->commands = 0;
	buffer->recording = 0;
	buffer->lost = false;
	buffer->descriptor_buffers.count = 0;
	buffer->uses_heaps = false;
	vkr_push_data_forget(&buffer->push_data);
	buffer->compute = buffer->graphics = buffer->rays = NULL;
	buffer->video = (struct vkr_layer_video_session){0};
	memset(buffer->objects, 0, sizeof buffer->objects);
	buffer->push.known = 0;
	buffer->is_conditional = false;
	buffer->render_pass.is_open = false;
	buffer->render_pass.handle = VK_NULL_HANDLE;
	buffer->asked = 0;
	buffer->quiet = VK_NULL_HANDLE;
	buffer->render_pass.pixels = buffer->render_pass.words = 0;
	buffer->instances.count = 0;
	buffer->draw_sources.count = 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateCommandPool(VkDevice handle,
						     const VkCommandPoolCreateInfo *info,
						     const VkAllocationCallbacks *allocator,
						     VkCommandPool *pool)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateCommandPool(handle, info, allocator, pool);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_command_pool *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a command pool");
		return result;
	}
	kept->family = info->queueFamilyIndex;
	vkr_object_keep(&device->objects.command_pools, VKR_KEY(*pool), kept, "a command pool");
	return result;
}

static void buffer_destroy(struct vkr_layer_command_buffer *buffer)
{
	struct vkr_trace_command_buffer_destroy payload = {.command_buffer = buffer->id};
	vkr_record_event(VKR_TRACE_COMMAND_BUFFER_DESTROY, &payload, sizeof payload, NULL, 0);
	vkr_command_buffer_forget(buffer->handle);
	*buffer->link = buffer->next;
	if (buffer->next)
		buffer->next->link = buffer->link;
	forget_recording(buffer);
	free(buffer->descriptor_buffers.items);
	free(buffer->push_data.bytes);
	free(buffer->items);
	free(buffer->instances.items);
	free(buffer->draw_sources.items);
	free(buffer);
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyCommandPool(VkDevice handle, VkCommandPool pool,
						  const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_command_pool *kept =
		vkr_handles_take(&device->objects.command_pools, VKR_KEY(pool));
	for (struct vkr_layer_command_buffer *next, *at = kept ? kept->buffers : NULL; at;
	     at = next) {
		next = at->next;
		buffer_destroy(at);
	}
	free(kept);
	device->next.DestroyCommandPool(handle, pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ResetCommandPool(VkDevice handle, VkCommandPool pool,
						    VkCommandPoolResetFlags flags)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_command_pool *kept =
		vkr_handles_get(&device->objects.command_pools, VKR_KEY(pool));
	for (struct vkr_layer_command_buffer *at = kept ? kept->buffers : NULL; at; at = at->next)
		forget_recording(at);
	return device->next.ResetCommandPool(handle, pool, flags);
}

// False for lack of memory.
static bool know_buffer(struct vkr_layer_device *device, const VkCommandBufferAllocateInfo *info,
			VkCommandBuffer handle)
{
	struct vkr_command_pool *pool =
		vkr_handles_get(&device->objects.command_pools, VKR_KEY(info->commandPool));
	struct vkr_layer_command_buffer *buffer = calloc(1, sizeof *buffer);
	if (!buffer || !pool || !vkr_command_buffer_know(handle, buffer)) {
		free(buffer);
		vkr_record_no_memory("a command buffer");
		return false;
	}
	buffer->handle = handle;
	buffer->device = device;
	buffer->pool = pool;
	buffer->id = vkr_record_id(VKR_OBJECT_COMMAND_BUFFER);
	buffer->level = (uint32_t)info->level;
	buffer->next = pool->buffers;
	buffer->link = &pool->buffers;
	if (buffer->next)
		buffer->next->link = &buffer->next;
	pool->buffers = buffer;
	struct vkr_trace_command_buffer payload = {
		.command_buffer = buffer->id,
		.queue_family = pool->family,
		.level = buffer->level,
		.handle = VKR_KEY(handle),
	};
	vkr_record_event(VKR_TRACE_COMMAND_BUFFER, &payload, sizeof payload, NULL, 0);
	return true;
}

static void forget_buffers(uint32_t count, const VkCommandBuffer *freed)
{
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_layer_command_buffer *buffer = vkr_command_buffer_find(freed[i]);
		if (buffer)
			buffer_destroy(buffer);
	}
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_AllocateCommandBuffers(VkDevice handle,
							  const VkCommandBufferAllocateInfo *info,
							  VkCommandBuffer *made)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.AllocateCommandBuffers(handle, info, made);
	bool known = true;
	for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++)
		known &= know_buffer(device, info, made[i]);
	// Nobody would lead shaders that log to where.
	if (!known && device->logging) {
		forget_buffers(info->commandBufferCount, made);
		device->next.FreeCommandBuffers(handle, info->commandPool, info->commandBufferCount,
						made);
		memset(made, 0, info->commandBufferCount * sizeof *made);
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_FreeCommandBuffers(VkDevice handle, VkCommandPool pool,
						  uint32_t count, const VkCommandBuffer *freed)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	forget_buffers(count, freed);
	device->next.FreeCommandBuffers(handle, pool, count, freed);
}

// Whether a primary may execute it where its commands may be discarded.
static bool inherits_condition(const struct vkr_layer_command_buffer *buffer,
			       const VkCommandBufferBeginInfo *info)
{
	const VkCommandBufferInheritanceConditionalRenderingInfoEXT *condition = NULL;
	if (buffer->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY && info->pInheritanceInfo)
		condition = vkr_chain_find(
			info->pInheritanceInfo->pNext,
			VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT);
	return condition && condition->conditionalRenderingEnable;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_BeginCommandBuffer(VkCommandBuffer handle,
						      const VkCommandBufferBeginInfo *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	VkResult result = device->next.BeginCommandBuffer(handle, info);
	if (!buffer || result != VK_SUCCESS)
		return result;
	forget_recording(buffer);
	buffer->usage = info->flags;
	buffer->is_conditional = inherits_condition(buffer, info);
	if (device->logging)
		buffer->track = vkr_track_create(device);
	vkr_heaps_inherit(buffer, info);
	const VkCommandBufferInheritanceInfo *inherited = info->pInheritanceInfo;
	if (buffer->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY && inherited &&
	    info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT && inherited->renderPass)
		vkr_log_enter_subpass(buffer, inherited->renderPass, inherited->subpass);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_EndCommandBuffer(VkCommandBuffer handle)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	VkResult result = device->next.EndCommandBuffer(handle);
	if (!buffer || result != VK_SUCCESS)
		return result;
	if (buffer->push_data.lacks_copy)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	vkr_call_stack_modules();
	buffer->recording = vkr_record_id(VKR_ID_RECORDING);
	if (buffer->lost)
		vkr_record_coverage(VKR_COVERAGE_MEMORY, 0, 0,
				    "no memory for the commands of recording %u",
				    buffer->recording);
	struct vkr_trace_recording payload = {
		.recording = buffer->recording,
		.command_buffer = buffer->id,
		.usage = buffer->usage,
		.command_count = buffer->commands,
		.event_bytes = (uint32_t)buffer->count,
	};
	vkr_record_event(VKR_TRACE_RECORDING, &payload, sizeof payload, buffer->items,
			 buffer->count);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ResetCommandBuffer(VkCommandBuffer handle,
						      VkCommandBufferResetFlags flags)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		forget_recording(buffer);
	return device->next.ResetCommandBuffer(handle, flags);
}
