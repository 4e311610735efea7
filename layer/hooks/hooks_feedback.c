// SPDX-License-Identifier: Apache-2.0
// Conditional rendering, transform feedback and buffer markers.
// Knows their parameters; not what draws write.
#include "buffer_addresses.h"
#include "command_buffer.h"
#include "record.h"

static void record_condition(struct vkr_layer_command_buffer *buffer, struct vkr_buffer_place at,
			     VkConditionalRenderingFlagsEXT flags)
{
	const struct vkr_trace_cmd_begin_condition payload = {
		.command = vkr_command_index(buffer),
		.buffer = vkr_command_buffer_id(buffer, at.buffer),
		.offset = at.offset,
		.flags = flags,
	};
	buffer->is_conditional = true;
	vkr_command_event(buffer, VKR_TRACE_CMD_BEGIN_CONDITION, &payload, sizeof payload, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginConditionalRenderingEXT(
	VkCommandBuffer handle, const VkConditionalRenderingBeginInfoEXT *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_condition(buffer, (struct vkr_buffer_place){info->buffer, info->offset},
				 info->flags);
	vkr_device_of(handle)->next.CmdBeginConditionalRenderingEXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndConditionalRenderingEXT(VkCommandBuffer handle)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
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
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
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

// `wanted`: there is a counter.
static struct vkr_trace_feedback_buffer counter_at(const struct vkr_layer_command_buffer *buffer,
						   struct vkr_buffer_place place, bool wanted)
{
	const struct vkr_trace_feedback_buffer counter = {
		.buffer = vkr_command_buffer_id(buffer, place.buffer),
		.offset = place.offset,
		.bytes = sizeof(uint32_t),
	};
	if (wanted && !counter.buffer)
		vkr_record_coverage(VKR_COVERAGE_COMMAND, buffer->device->id, 0,
				    "a transform feedback counter lies in a buffer whose creation "
				    "was not recorded: it is ignored");
	return counter;
}

// Room for the counters; NULL where there is none, or no buffer.
static struct vkr_trace_feedback_buffer *record_operation(struct vkr_layer_command_buffer *buffer,
							  uint32_t operation, uint32_t first,
							  uint32_t counters)
{
	if (!buffer)
		return NULL;
	const struct vkr_trace_cmd_feedback payload = {
		.command = vkr_command_index(buffer),
		.operation = operation,
		.first = first,
		.counter_count = counters,
	};
	return vkr_command_event(buffer, VKR_TRACE_CMD_FEEDBACK, &payload, sizeof payload,
				 counters * sizeof(struct vkr_trace_feedback_buffer));
}

static VKR_OF_HOOKS void record_feedback(VkCommandBuffer handle, uint32_t operation, uint32_t first,
					 uint32_t count, const VkBuffer *counters,
					 const VkDeviceSize *offsets)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const uint32_t known = counters ? count : 0;
	struct vkr_trace_feedback_buffer *tail = record_operation(buffer, operation, first, known);
	for (uint32_t i = 0; tail && i < known; i++)
		tail[i] = counter_at(
			buffer, (struct vkr_buffer_place){counters[i], offsets ? offsets[i] : 0},
			counters[i] != VK_NULL_HANDLE);
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

#ifdef VK_KHR_device_address_commands
VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginConditionalRendering2EXT(
	VkCommandBuffer handle, const VkConditionalRenderingBeginInfo2EXT *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_condition(
			buffer,
			vkr_buffer_addresses_place(buffer->device, info->addressRange.address),
			info->flags);
	vkr_command_device(buffer, handle)->next.CmdBeginConditionalRendering2EXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL
vkr_CmdBindTransformFeedbackBuffers2EXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
					const VkBindTransformFeedbackBuffer2InfoEXT *infos)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const struct vkr_trace_cmd_bind_feedback payload = {.first = first, .buffer_count = count};
	struct vkr_trace_feedback_buffer *tail =
		buffer ? vkr_command_event(buffer, VKR_TRACE_CMD_BIND_FEEDBACK, &payload,
					   sizeof payload, count * sizeof *tail)
		       : NULL;
	for (uint32_t i = 0; tail && i < count; i++) {
		const struct vkr_buffer_place at =
			vkr_buffer_addresses_place(buffer->device, infos[i].addressRange.address);
		tail[i] = (struct vkr_trace_feedback_buffer){
			.buffer = vkr_command_buffer_id(buffer, at.buffer),
			.offset = at.offset,
			.bytes = infos[i].addressRange.size,
		};
	}
	vkr_command_device(buffer, handle)
		->next.CmdBindTransformFeedbackBuffers2EXT(handle, first, count, infos);
}

static VKR_OF_HOOKS struct vkr_layer_device *
record_feedback_at(VkCommandBuffer handle, uint32_t operation, uint32_t first, uint32_t count,
		   const VkBindTransformFeedbackBuffer2InfoEXT *counters)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const uint32_t known = counters ? count : 0;
	struct vkr_trace_feedback_buffer *tail = record_operation(buffer, operation, first, known);
	for (uint32_t i = 0; tail && i < known; i++) {
		const VkDeviceAddress address = counters[i].addressRange.address;
		tail[i] = counter_at(buffer, vkr_buffer_addresses_place(buffer->device, address),
				     address != 0);
	}
	return vkr_command_device(buffer, handle);
}

VKAPI_ATTR void VKAPI_CALL
vkr_CmdBeginTransformFeedback2EXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
				  const VkBindTransformFeedbackBuffer2InfoEXT *counters)
{
	record_feedback_at(handle, VKR_FEEDBACK_BEGIN, first, count, counters)
		->next.CmdBeginTransformFeedback2EXT(handle, first, count, counters);
}

VKAPI_ATTR void VKAPI_CALL
vkr_CmdEndTransformFeedback2EXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
				const VkBindTransformFeedbackBuffer2InfoEXT *counters)
{
	record_feedback_at(handle, VKR_FEEDBACK_END, first, count, counters)
		->next.CmdEndTransformFeedback2EXT(handle, first, count, counters);
}
#endif

static VKR_OF_HOOKS void record_marker(VkCommandBuffer handle, VkPipelineStageFlags2 stages,
				       VkBuffer destination, VkDeviceSize offset)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
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

#ifdef VK_KHR_device_address_commands
VKAPI_ATTR void VKAPI_CALL vkr_CmdWriteMarkerToMemoryAMD(VkCommandBuffer handle,
							 const VkMemoryMarkerInfoAMD *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const struct vkr_buffer_place at =
		vkr_buffer_addresses_place(device, info->dstRange.address);
	record_marker(handle, info->stage, at.buffer, at.offset);
	device->next.CmdWriteMarkerToMemoryAMD(handle, info);
}
#endif
