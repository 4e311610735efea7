// SPDX-License-Identifier: Apache-2.0
// Events: set, reset and waited for by the device, set, reset and looked at by the host.
// Knows their parameters; not what they order.
#include "barriers.h"
#include "record.h"

#include <stdlib.h>

static uint32_t event_id(struct vkr_layer_device *device, VkEvent event)
{
	const struct vkr_layer_event *kept =
		vkr_handles_get(&device->objects.events, VKR_KEY(event));
	return kept ? kept->id : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateEvent(VkDevice handle, const VkEventCreateInfo *info,
					       const VkAllocationCallbacks *allocator,
					       VkEvent *event)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateEvent(handle, info, allocator, event);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_event *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("an event");
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_EVENT);
	struct vkr_trace_sync_event payload = {
		.event = kept->id, .device = device->id, .flags = info->flags};
	vkr_record_event(VKR_TRACE_EVENT, &payload, sizeof payload, NULL, 0);
	vkr_object_keep(&device->objects.events, VKR_KEY(*event), kept, "an event");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyEvent(VkDevice handle, VkEvent event,
					    const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_event *kept = vkr_handles_take(&device->objects.events, VKR_KEY(event));
	if (kept) {
		struct vkr_trace_sync_event_destroy payload = {.event = kept->id};
		vkr_record_event(VKR_TRACE_EVENT_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyEvent(handle, event, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_SetEvent(VkDevice handle, VkEvent event)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_trace_sync_event_set payload = {.event = event_id(device, event)};
	if (payload.event)
		vkr_record_event(VKR_TRACE_EVENT_SET, &payload, sizeof payload, NULL, 0);
	return device->next.SetEvent(handle, event);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ResetEvent(VkDevice handle, VkEvent event)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_trace_sync_event_reset payload = {.event = event_id(device, event)};
	if (payload.event)
		vkr_record_event(VKR_TRACE_EVENT_RESET, &payload, sizeof payload, NULL, 0);
	return device->next.ResetEvent(handle, event);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetEventStatus(VkDevice handle, VkEvent event)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.GetEventStatus(handle, event);
	struct vkr_trace_sync_event_seen payload = {.event = event_id(device, event)};
	if (result == VK_EVENT_SET && payload.event)
		vkr_record_event(VKR_TRACE_EVENT_SEEN, &payload, sizeof payload, NULL, 0);
	return result;
}

static struct vkr_trace_barrier *record_set(struct vkr_layer_command_buffer *buffer, VkEvent event,
					    uint32_t flags, uint32_t form, uint32_t count)
{
	struct vkr_trace_cmd_set_event payload = {
		.command = vkr_command_index(buffer),
		.event = event_id(buffer->device, event),
		.dependency_flags = flags,
		.flags = form,
		.barrier_count = count,
	};
	return vkr_command_event(buffer, VKR_TRACE_CMD_SET_EVENT, &payload, sizeof payload,
				 count * sizeof(struct vkr_trace_barrier));
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdSetEvent(VkCommandBuffer handle, VkEvent event,
					   VkPipelineStageFlags stages)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const struct vkr_barriers source = {.source_stages = stages};
	struct vkr_trace_barrier *to = buffer ? record_set(buffer, event, 0, 0, 1) : NULL;
	if (to)
		vkr_barriers_write_first(buffer, &source, to);
	vkr_device_of(handle)->next.CmdSetEvent(handle, event, stages);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdSetEvent2(VkCommandBuffer handle, VkEvent event,
					    const VkDependencyInfo *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_barrier *to =
		buffer ? record_set(buffer, event, info->dependencyFlags, VKR_BARRIER_SYNC2,
				    vkr_barriers_count_second(info))
		       : NULL;
	if (to)
		vkr_barriers_write_second(buffer, info, to);
	vkr_device_of(handle)->next.CmdSetEvent2(handle, event, info);
}

static VKR_OF_HOOKS void record_reset(VkCommandBuffer handle, VkEvent event,
				      VkPipelineStageFlags2 stages)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return;
	struct vkr_trace_cmd_reset_event payload = {
		.command = vkr_command_index(buffer),
		.event = event_id(buffer->device, event),
		.stages = stages,
	};
	vkr_command_event(buffer, VKR_TRACE_CMD_RESET_EVENT, &payload, sizeof payload, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdResetEvent(VkCommandBuffer handle, VkEvent event,
					     VkPipelineStageFlags stages)
{
	record_reset(handle, event, stages);
	vkr_device_of(handle)->next.CmdResetEvent(handle, event, stages);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdResetEvent2(VkCommandBuffer handle, VkEvent event,
					      VkPipelineStageFlags2 stages)
{
	record_reset(handle, event, stages);
	vkr_device_of(handle)->next.CmdResetEvent2(handle, event, stages);
}

// The tail's list of waits, which the barriers follow. NULL for lack of memory.
static struct vkr_trace_event_wait *record_wait(struct vkr_layer_command_buffer *buffer,
						uint32_t form, uint32_t count,
						const VkEvent *events, uint32_t barriers)
{
	struct vkr_trace_cmd_wait_events payload = {
		.command = vkr_command_index(buffer),
		.flags = form,
		.wait_count = count,
		.barrier_count = barriers,
	};
	struct vkr_trace_event_wait *waits = vkr_command_event(
		buffer, VKR_TRACE_CMD_WAIT_EVENTS, &payload, sizeof payload,
		count * sizeof *waits + barriers * sizeof(struct vkr_trace_barrier));
	for (uint32_t i = 0; waits && i < count; i++)
		waits[i] = (struct vkr_trace_event_wait){event_id(buffer->device, events[i]), 0};
	return waits;
}

VKAPI_ATTR void VKAPI_CALL
vkr_CmdWaitEvents(VkCommandBuffer handle, uint32_t count, const VkEvent *events,
		  VkPipelineStageFlags source_stages, VkPipelineStageFlags destination_stages,
		  uint32_t memory_count, const VkMemoryBarrier *memory, uint32_t buffer_count,
		  const VkBufferMemoryBarrier *buffers, uint32_t image_count,
		  const VkImageMemoryBarrier *images)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const struct vkr_barriers from = {
		source_stages, destination_stages,
		memory_count,  buffer_count,
		image_count,   memory,
		buffers,       images,
	};
	struct vkr_trace_event_wait *waits =
		buffer ? record_wait(buffer, 0, count, events, vkr_barriers_count_first(&from))
		       : NULL;
	if (waits)
		vkr_barriers_write_first(buffer, &from, (void *)(waits + count));
	vkr_device_of(handle)->next.CmdWaitEvents(handle, count, events, source_stages,
						  destination_stages, memory_count, memory,
						  buffer_count, buffers, image_count, images);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdWaitEvents2(VkCommandBuffer handle, uint32_t count,
					      const VkEvent *events, const VkDependencyInfo *infos)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	uint32_t barriers = 0;
	for (uint32_t i = 0; i < count; i++)
		barriers += vkr_barriers_count_second(&infos[i]);
	struct vkr_trace_event_wait *waits =
		buffer ? record_wait(buffer, VKR_BARRIER_SYNC2, count, events, barriers) : NULL;
	struct vkr_trace_barrier *to = waits ? (void *)(waits + count) : NULL;
	for (uint32_t i = 0; waits && i < count; i++) {
		waits[i].barrier_count = vkr_barriers_count_second(&infos[i]);
		vkr_barriers_write_second(buffer, &infos[i], to);
		to += waits[i].barrier_count;
	}
	vkr_device_of(handle)->next.CmdWaitEvents2(handle, count, events, infos);
}
