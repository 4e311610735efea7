// SPDX-License-Identifier: Apache-2.0
// Conditional rendering, transform feedback and buffer markers.
// Knows their parameters; not what draws write.
#include "command_buffer.h"
#include "record.h"

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginConditionalRenderingEXT(
	VkCommandBuffer handle, const VkConditionalRenderingBeginInfoEXT *info)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		buffer->is_conditional = true;
		struct vkr_trace_cmd_begin_condition payload = {
			.command = vkr_command_index(buffer),
			.buffer = vkr_command_buffer_id(buffer, info->buffer),
			.offset = info->offset,
			.flags = info->flags,
		};
		vkr_command_event(buffer, VKR_TRACE_CMD_BEGIN_CONDITION, &payload, sizeof payload,
				  0);
	}
	vkr_device_of(handle)->next.CmdBeginConditionalRenderingEXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndConditionalRenderingEXT(VkCommandBuffer handle)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		buffer->is_conditional = false;
		struct vkr_trace_cmd_end_condition payload = {.command = vkr_command_index(buffer)};
		vkr_command_event(buffer, VKR_TRACE_CMD_END_CONDITION, &payload, sizeof payload, 0);
	}
	vkr_device_of(handle)->next.CmdEndConditionalRenderingEXT(handle);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindTransformFeedbackBuffersEXT(VkCommandBuffer handle,
								  uint32_t first, uint32_t count,
								  const VkBuffer *buffers,
								  const VkDeviceSize *offsets,
								  const VkDeviceSize *sizes)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_cmd_bind_feedback payload = {.first = first, .buffer_count = count};
	struct vkr_trace_feedback_buffer *tail =
		buffer ? vkr_command_event(buffer, VKR_TRACE_CMD_BIND_FEEDBACK, &payload,
					   sizeof payload, count * sizeof *tail)
		       : NULL;
	for (uint32_t i = 0; tail && i < count; i++)
		tail[i] = (struct vkr_trace_feedback_buffer){
			.buffer = vkr_command_buffer_id(buffer, buffers[i]),
			.offset = offsets[i],
			.bytes = sizes ? sizes[i] : VK_WHOLE_SIZE,
		};
	vkr_device_of(handle)->next.CmdBindTransformFeedbackBuffersEXT(handle, first, count,
								       buffers, offsets, sizes);
}

static VKR_OF_HOOKS void record_feedback(VkCommandBuffer handle, uint32_t operation, uint32_t first,
					 uint32_t count, const VkBuffer *counters,
					 const VkDeviceSize *offsets)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	struct vkr_trace_cmd_feedback payload = {
		.command = vkr_command_index(buffer),
		.operation = operation,
		.first = first,
		.counter_count = counters ? count : 0,
	};
	struct vkr_trace_feedback_buffer *tail =
		vkr_command_event(buffer, VKR_TRACE_CMD_FEEDBACK, &payload, sizeof payload,
				  payload.counter_count * sizeof *tail);
	for (uint32_t i = 0; tail && i < payload.counter_count; i++) {
		tail[i] = (struct vkr_trace_feedback_buffer){
			.buffer = vkr_command_buffer_id(buffer, counters[i]),
			.offset = offsets ? offsets[i] : 0,
			.bytes = sizeof(uint32_t),
		};
		if (counters[i] && !tail[i].buffer)
			vkr_record_coverage(VKR_COVERAGE_COMMAND, buffer->device->id, 0,
					    "a counter of transform feedback lies in a buffer that "
					    "was never seen made: it is taken for none");
	}
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginTransformFeedbackEXT(VkCommandBuffer handle, uint32_t first,
							    uint32_t count,
							    const VkBuffer *counters,
							    const VkDeviceSize *offsets)
{
	record_feedback(handle, VKR_FEEDBACK_BEGIN, first, count, counters, offsets);
	vkr_device_of(handle)->next.CmdBeginTransformFeedbackEXT(handle, first, count, counters,
								 offsets);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndTransformFeedbackEXT(VkCommandBuffer handle, uint32_t first,
							  uint32_t count, const VkBuffer *counters,
							  const VkDeviceSize *offsets)
{
	record_feedback(handle, VKR_FEEDBACK_END, first, count, counters, offsets);
	vkr_device_of(handle)->next.CmdEndTransformFeedbackEXT(handle, first, count, counters,
							       offsets);
}

static VKR_OF_HOOKS void record_marker(VkCommandBuffer handle, VkPipelineStageFlags2 stages,
				       VkBuffer destination, VkDeviceSize offset)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	struct vkr_trace_cmd_marker payload = {
		.command = vkr_command_index(buffer),
		.buffer = vkr_command_buffer_id(buffer, destination),
		.offset = offset,
		.stages = stages,
	};
	vkr_command_event(buffer, VKR_TRACE_CMD_MARKER, &payload, sizeof payload, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdWriteBufferMarkerAMD(VkCommandBuffer handle,
						       VkPipelineStageFlagBits stage,
						       VkBuffer destination, VkDeviceSize offset,
						       uint32_t marker)
{
	record_marker(handle, (VkPipelineStageFlags2)stage, destination, offset);
	vkr_device_of(handle)->next.CmdWriteBufferMarkerAMD(handle, stage, destination, offset,
							    marker);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdWriteBufferMarker2AMD(VkCommandBuffer handle,
							VkPipelineStageFlags2 stage,
							VkBuffer destination, VkDeviceSize offset,
							uint32_t marker)
{
	record_marker(handle, stage, destination, offset);
	vkr_device_of(handle)->next.CmdWriteBufferMarker2AMD(handle, stage, destination, offset,
							     marker);
}
