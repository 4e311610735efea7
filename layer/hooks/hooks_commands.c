// SPDX-License-Identifier: Apache-2.0
// Modelled commands other than dispatches: binds, copies, fills, barriers, calls.
// Knows their parameters; not what they order.
#include "command_buffer.h"
#include "descriptors.h"
#include "log_commands.h"
#include "record.h"
#include "structure_instances.h"

#include <stdlib.h>
#include <string.h>

// `bytes` from `offset` on, VK_WHOLE_SIZE resolved.
static uint64_t range_bytes(const struct vkr_layer_command_buffer *buffer, VkBuffer handle,
			    VkDeviceSize offset, VkDeviceSize bytes)
{
	const struct vkr_layer_buffer *found = vkr_command_find_buffer(buffer, handle);
	return bytes == VK_WHOLE_SIZE && found ? found->bytes - offset : bytes;
}

static uint32_t layout_id(const struct vkr_layer_command_buffer *buffer, VkPipelineLayout handle)
{
	const struct vkr_layer_pipeline_layout *layout =
		vkr_handles_get(&buffer->device->objects.pipeline_layouts, VKR_KEY(handle));
	return layout ? layout->id : 0;
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint point,
					       VkPipeline pipeline)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_layer_device *device = vkr_command_device(buffer, handle);
	if (buffer) {
		struct vkr_layer_pipeline *kept =
			vkr_handles_get(&device->objects.pipelines, VKR_KEY(pipeline));
		struct vkr_trace_cmd_bind_pipeline payload = {
			.bind_point = (uint32_t)point,
			.pipeline = kept ? kept->id : 0,
		};
		vkr_command_event(buffer, VKR_TRACE_CMD_BIND_PIPELINE, &payload, sizeof payload, 0);
		if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
			buffer->compute = kept;
		else if (point == VK_PIPELINE_BIND_POINT_GRAPHICS)
			buffer->graphics = kept;
		else if (point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR)
			buffer->rays = kept;
		// Nothing remains bound of both kinds (vkCmdBindShadersEXT).
		if (point == VK_PIPELINE_BIND_POINT_GRAPHICS)
			memset(buffer->objects, 0, sizeof buffer->objects);
	}
	device->next.CmdBindPipeline(handle, point, pipeline);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindDescriptorSets(VkCommandBuffer handle,
						     VkPipelineBindPoint point,
						     VkPipelineLayout layout, uint32_t first,
						     uint32_t count, const VkDescriptorSet *sets,
						     uint32_t dynamic_count,
						     const uint32_t *dynamic_offsets)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	vkr_command_uses_sets(buffer);
	struct vkr_layer_device *device = vkr_command_device(buffer, handle);
	if (buffer) {
		struct vkr_trace_cmd_bind_sets payload = {
			.bind_point = (uint32_t)point,
			.layout = layout_id(buffer, layout),
			.first_set = first,
			.set_count = count,
			.dynamic_count = dynamic_count,
		};
		uint32_t *tail =
			vkr_command_event(buffer, VKR_TRACE_CMD_BIND_SETS, &payload, sizeof payload,
					  (count + dynamic_count) * sizeof *tail);
		for (uint32_t i = 0; tail && i < count; i++) {
			const struct vkr_layer_set *set =
				vkr_handles_get(&device->objects.sets, VKR_KEY(sets[i]));
			tail[i] = set ? set->id : 0;
		}
		if (tail && dynamic_count)
			memcpy(tail + count, dynamic_offsets, dynamic_count * sizeof *tail);
	}
	device->next.CmdBindDescriptorSets(handle, point, layout, first, count, sets, dynamic_count,
					   dynamic_offsets);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdPushDescriptorSetKHR(VkCommandBuffer handle,
						       VkPipelineBindPoint point,
						       VkPipelineLayout layout, uint32_t set,
						       uint32_t count,
						       const VkWriteDescriptorSet *writes)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	vkr_command_uses_sets(buffer);
	struct vkr_layer_device *device = vkr_command_device(buffer, handle);
	for (uint32_t i = 0; buffer && i < count; i++) {
		bool no_memory =
			writes[i].descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
		struct vkr_trace_cmd_push_set payload = {
			.bind_point = (uint32_t)point,
			.layout = layout_id(buffer, layout),
			.set_number = set,
			.binding = writes[i].dstBinding,
			.element = writes[i].dstArrayElement,
			.type = (uint32_t)writes[i].descriptorType,
			.descriptor_count = no_memory ? 0 : writes[i].descriptorCount,
		};
		struct vkr_trace_descriptor *tail =
			vkr_command_event(buffer, VKR_TRACE_CMD_PUSH_SET, &payload, sizeof payload,
					  payload.descriptor_count * sizeof *tail);
		if (tail)
			vkr_descriptors_of_write(device, &writes[i], tail);
	}
	device->next.CmdPushDescriptorSetKHR(handle, point, layout, set, count, writes);
}

VKAPI_ATTR void VKAPI_CALL
vkr_CmdPushDescriptorSetWithTemplateKHR(VkCommandBuffer handle, VkDescriptorUpdateTemplate template,
					VkPipelineLayout layout, uint32_t set, const void *data)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	vkr_command_uses_sets(buffer);
	struct vkr_layer_device *device = vkr_command_device(buffer, handle);
	const struct vkr_template *kept =
		vkr_handles_get(&device->objects.templates, VKR_KEY(template));
	for (uint32_t i = 0; buffer && kept && i < kept->entry_count; i++) {
		const VkDescriptorUpdateTemplateEntry *entry = &kept->entries[i];
		bool no_memory = entry->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
		struct vkr_trace_cmd_push_set payload = {
			.bind_point = (uint32_t)kept->bind_point,
			.layout = layout_id(buffer, layout),
			.set_number = set,
			.binding = entry->dstBinding,
			.element = entry->dstArrayElement,
			.type = (uint32_t)entry->descriptorType,
			.descriptor_count = no_memory ? 0 : entry->descriptorCount,
		};
		struct vkr_trace_descriptor *tail =
			vkr_command_event(buffer, VKR_TRACE_CMD_PUSH_SET, &payload, sizeof payload,
					  payload.descriptor_count * sizeof *tail);
		if (tail)
			vkr_descriptors_of_entry(device, entry, data, tail);
	}
	device->next.CmdPushDescriptorSetWithTemplateKHR(handle, template, layout, set, data);
}

static void record_copy(struct vkr_layer_command_buffer *buffer, VkBuffer source,
			VkBuffer destination, uint32_t count, struct vkr_trace_copy **tail)
{
	struct vkr_trace_cmd_copy_buffer payload = {
		.command = vkr_command_index(buffer),
		.source = vkr_command_buffer_id(buffer, source),
		.destination = vkr_command_buffer_id(buffer, destination),
		.region_count = count,
	};
	*tail = vkr_command_event(buffer, VKR_TRACE_CMD_COPY_BUFFER, &payload, sizeof payload,
				  count * sizeof **tail);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyBuffer(VkCommandBuffer handle, VkBuffer source,
					     VkBuffer destination, uint32_t count,
					     const VkBufferCopy *regions)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_copy *tail = NULL;
	if (buffer)
		record_copy(buffer, source, destination, count, &tail);
	for (uint32_t i = 0; tail && i < count; i++)
		tail[i] = (struct vkr_trace_copy){regions[i].srcOffset, regions[i].dstOffset,
						  regions[i].size};
	vkr_command_device(buffer, handle)
		->next.CmdCopyBuffer(handle, source, destination, count, regions);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2 *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_copy *tail = NULL;
	if (buffer)
		record_copy(buffer, info->srcBuffer, info->dstBuffer, info->regionCount, &tail);
	for (uint32_t i = 0; tail && i < info->regionCount; i++)
		tail[i] = (struct vkr_trace_copy){info->pRegions[i].srcOffset,
						  info->pRegions[i].dstOffset,
						  info->pRegions[i].size};
	vkr_command_device(buffer, handle)->next.CmdCopyBuffer2(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdFillBuffer(VkCommandBuffer handle, VkBuffer destination,
					     VkDeviceSize offset, VkDeviceSize bytes, uint32_t data)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		struct vkr_trace_cmd_fill_buffer payload = {
			.command = vkr_command_index(buffer),
			.buffer = vkr_command_buffer_id(buffer, destination),
			.offset = offset,
			.bytes = range_bytes(buffer, destination, offset, bytes),
		};
		// The rest of the buffer is rounded down to whole words.
		if (bytes == VK_WHOLE_SIZE)
			payload.bytes &= ~UINT64_C(3);
		vkr_command_event(buffer, VKR_TRACE_CMD_FILL_BUFFER, &payload, sizeof payload, 0);
	}
	vkr_command_device(buffer, handle)
		->next.CmdFillBuffer(handle, destination, offset, bytes, data);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer destination,
					       VkDeviceSize offset, VkDeviceSize bytes,
					       const void *data)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		struct vkr_trace_cmd_update_buffer payload = {
			.command = vkr_command_index(buffer),
			.buffer = vkr_command_buffer_id(buffer, destination),
			.offset = offset,
			.bytes = bytes,
		};
		vkr_command_event(buffer, VKR_TRACE_CMD_UPDATE_BUFFER, &payload, sizeof payload, 0);
	}
	vkr_command_device(buffer, handle)
		->next.CmdUpdateBuffer(handle, destination, offset, bytes, data);
}

// Makes what the called command buffer logs go where the caller's does.
static void record_call(struct vkr_layer_command_buffer *buffer, const struct vkr_call *call)
{
	if (!call->in_pass)
		vkr_log_stop_for(buffer, call->track->words);
	const bool fits = vkr_log_has_room(buffer, call->track);
	if (buffer->track && fits && vkr_track_record_call(buffer->track, buffer->handle, call))
		return;
	vkr_track_silence_call(buffer->handle, call);
	if (!fits)
		vkr_record_coverage(VKR_COVERAGE_LOG, 0, 0,
				    "shaders in a command buffer that a secondary one executes "
				    "are not observed: the log has no room for them");
	else
		vkr_record_no_memory("a call of a secondary command buffer");
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
						  const VkCommandBuffer *secondaries)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const PFN_vkCmdExecuteCommands next =
		vkr_command_device(buffer, handle)->next.CmdExecuteCommands;
	if (buffer)
		buffer->quiet = VK_NULL_HANDLE;
	for (uint32_t i = 0; buffer && i < count; i++) {
		struct vkr_layer_command_buffer *called = vkr_command_buffer_find(secondaries[i]);
		if (!called || !called->recording) {
			vkr_command_other(buffer, VKR_OTHER_ACCESSES | VKR_OTHER_ORDERS,
					  "vkCmdExecuteCommands");
			next(handle, 1, &secondaries[i]);
			continue;
		}
		struct vkr_trace_cmd_execute payload = {
			.command = buffer->commands,
			.recording = called->recording,
		};
		vkr_command_event(buffer, VKR_TRACE_CMD_EXECUTE, &payload, sizeof payload, 0);
		vkr_instances_call(buffer, called);
		// One that continues a render pass, dynamic rendering too, is executed in one.
		const struct vkr_call call = {
			.track = called->track,
			.command_base = buffer->commands,
			.in_pass =
				buffer->render_pass.is_open ||
				called->usage & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT};
		if (vkr_track_logs(called->track))
			record_call(buffer, &call);
		buffer->commands += called->commands;
		// Each alone: what is recorded for a call stands right in front of it.
		next(handle, 1, &secondaries[i]);
	}
	if (!buffer)
		next(handle, count, secondaries);
}
