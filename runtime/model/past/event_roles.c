// SPDX-License-Identifier: Apache-2.0
// One table of events. Knows their members; not who needs them.
#include "event_roles.h"

#include "map.h"

#define MAKES(type)         [VKR_TRACE_##type] = {VKR_ROLE_MAKE, VKR_TRACE_##type}
#define CHANGES(type, made) [VKR_TRACE_##type] = {VKR_ROLE_CHANGE, VKR_TRACE_##made}
#define DESTROYS(made)      [VKR_TRACE_##made##_DESTROY] = {VKR_ROLE_DESTROY, VKR_TRACE_##made}
#define IS(type, what)      [VKR_TRACE_##type] = {VKR_ROLE_##what, 0}

static const struct vkr_event_role roles[] = {
	IS(RUN_BEGIN, KEEP),
	IS(THREAD, KEEP),
	IS(DEVICE, KEEP),
	IS(QUEUE, KEEP),
	IS(CALL_PLACE, KEEP),
	IS(SOURCE, KEEP),
	IS(SHADER, KEEP),
	IS(SHADER_CODE, KEEP),
	IS(SHADER_INPUTS, KEEP),
	IS(SHADER_FEEDBACK, KEEP),
	IS(SHADER_SAMPLERS, KEEP),
	IS(SET_LAYOUT, KEEP),
	IS(DESCRIPTOR_ROWS, KEEP),
	IS(PIPELINE_LAYOUT, KEEP),
	IS(HOST_ORDER, KEEP),
	IS(HOST_IGNORE, KEEP),
	IS(VIDEO_SESSION, KEEP),
	IS(VIDEO_SESSION_BIND, KEEP),
	IS(MODULE, LAST),
	IS(COVERAGE, LAST),
	IS(NAME, LAST),
	IS(BUFFER_ADDRESS, LAST),
	IS(STRUCTURE_ADDRESS, LAST),
	IS(SET_WRITE, LAST),
	IS(SET_COPY, LAST),
	MAKES(MEMORY),
	[VKR_TRACE_MEMORY_FREE] = {VKR_ROLE_DESTROY, VKR_TRACE_MEMORY},
	MAKES(BUFFER),
	CHANGES(BUFFER_BIND, BUFFER),
	DESTROYS(BUFFER),
	MAKES(BUFFER_VIEW),
	DESTROYS(BUFFER_VIEW),
	MAKES(IMAGE),
	CHANGES(IMAGE_BIND, IMAGE),
	DESTROYS(IMAGE),
	MAKES(IMAGE_VIEW),
	DESTROYS(IMAGE_VIEW),
	MAKES(SAMPLER),
	DESTROYS(SAMPLER),
	MAKES(SET),
	CHANGES(HEAP, SET),
	DESTROYS(SET),
	MAKES(PIPELINE),
	CHANGES(GRAPHICS_STATE, PIPELINE),
	DESTROYS(PIPELINE),
	MAKES(RENDER_PASS),
	DESTROYS(RENDER_PASS),
	MAKES(FRAMEBUFFER),
	DESTROYS(FRAMEBUFFER),
	MAKES(COMMAND_BUFFER),
	DESTROYS(COMMAND_BUFFER),
	MAKES(FENCE),
	DESTROYS(FENCE),
	MAKES(SEMAPHORE),
	DESTROYS(SEMAPHORE),
	MAKES(EVENT),
	DESTROYS(EVENT),
	MAKES(QUERY_POOL),
	DESTROYS(QUERY_POOL),
	MAKES(STRUCTURE),
	DESTROYS(STRUCTURE),
	IS(RECORDING, RECORDING),
	IS(CALL_STACK, CALL_STACK),
	IS(HOST_ACCESS, HOST),
	IS(HOST_IMAGE_COPY, HOST),
	IS(HOST_IMAGE_TRANSFER, HOST),
	IS(HOST_TRANSITION, HOST),
	IS(HOST_STRUCTURE, HOST),
	IS(QUERY_RESET, HOST),
	IS(GPU_LOG, EXECUTION),
	IS(GPU_COLUMN_LOG, EXECUTION),
	IS(EXECUTION_END, EXECUTION),
	IS(COMMANDS_LOGGED, EXECUTION),
	IS(EXECUTION_LEFT_OUT, EXECUTION),
	IS(SNAPSHOT, EXECUTION),
	IS(STRUCTURE_INSTANCES, EXECUTION),
	IS(HEAP_CHANGED, EXECUTION),
	IS(SUBMIT, PENDING),
	IS(SUBMIT_FAILED, PENDING),
	IS(PRESENT, PENDING),
	IS(ACQUIRE, PENDING),
	IS(SPARSE_BIND, PENDING),
	IS(DEVICE_DESTROY, DROP),
	IS(RUN_END, DROP),
	IS(MAP, DROP),
	IS(UNMAP, DROP),
	IS(FLUSH, DROP),
	IS(INVALIDATE, DROP),
	IS(HOST_RELEASE, DROP),
	IS(HOST_ACQUIRE, DROP),
	IS(FENCE_RESET, DROP),
	IS(FENCE_WAIT, DROP),
	IS(CALL_TIME, DROP),
	IS(QUEUE_IDLE, DROP),
	IS(DEVICE_IDLE, DROP),
	IS(SEMAPHORE_SIGNAL, DROP),
	IS(SEMAPHORE_WAIT, DROP),
	IS(EVENT_SET, DROP),
	IS(EVENT_RESET, DROP),
	IS(EVENT_SEEN, DROP),
	IS(QUERY_SEEN, DROP),
	IS(VOLUME, DROP),
	IS(PAST_TIMELINE, DROP),
	IS(PAST_STATE, DROP),
	IS(PAST_TOKEN, DROP),
	IS(PAST_EVENT, DROP),
	IS(PAST_COUNTER, DROP),
	IS(PAST_END, DROP),
	IS(VOLUME_END, DROP),
};

struct vkr_event_role vkr_event_role(const struct vkr_trace_event *event)
{
	return event->type < sizeof roles / sizeof roles[0]
		       ? roles[event->type]
		       : (struct vkr_event_role){VKR_ROLE_KEEP, 0};
}

uint32_t vkr_event_first_member(const struct vkr_trace_event *event)
{
	return *(const uint32_t *)(event + 1);
}

uint64_t vkr_event_last_key(const struct vkr_trace_event *event)
{
	const uint32_t *members = (const void *)(event + 1);
	const struct vkr_trace_set_write *write = (const void *)members;
	const struct vkr_trace_set_copy *copy = (const void *)members;
	const struct vkr_trace_coverage *coverage = (const void *)members;
	const struct vkr_trace_module *module = (const void *)members;
	uint64_t key = vkr_map_hash(event->type);
	switch (event->type) {
	case VKR_TRACE_SET_WRITE:
		key = vkr_map_hash(VKR_TRACE_SET_WRITE ^ (uint64_t)write->set << 32);
		key = vkr_map_hash(key ^ write->binding ^ (uint64_t)write->element << 32);
		return vkr_map_hash(key ^ write->descriptor_count);
	case VKR_TRACE_SET_COPY: // as a write of what it copies to
		key = vkr_map_hash(VKR_TRACE_SET_WRITE ^ (uint64_t)copy->set << 32);
		key = vkr_map_hash(key ^ copy->binding ^ (uint64_t)copy->element << 32);
		return vkr_map_hash(key ^ copy->descriptor_count);
	case VKR_TRACE_COVERAGE:
		key = vkr_map_hash(key ^ coverage->kind ^ (uint64_t)coverage->object << 32);
		for (uint32_t i = 0; i < coverage->text_bytes; i++)
			key = vkr_map_hash(key ^ ((const unsigned char *)(coverage + 1))[i]);
		return key;
	case VKR_TRACE_MODULE:
		return vkr_map_hash(vkr_map_hash(key ^ module->first) ^ module->end);
	default: // the object, and for names its kind
		key = vkr_map_hash(key ^ members[0] ^ (uint64_t)members[1] << 32);
		return event->type == VKR_TRACE_NAME
			       ? key
			       : vkr_map_hash(key ^ members[2] ^ (uint64_t)members[3] << 32);
	}
}

struct vkr_named_objects vkr_event_named(const struct vkr_trace_event *event)
{
	static const uint16_t named[VKR_OBJECT_KINDS] = {
		[VKR_OBJECT_MEMORY] = VKR_TRACE_MEMORY,
		[VKR_OBJECT_BUFFER] = VKR_TRACE_BUFFER,
		[VKR_OBJECT_BUFFER_VIEW] = VKR_TRACE_BUFFER_VIEW,
		[VKR_OBJECT_SET] = VKR_TRACE_SET,
		[VKR_OBJECT_PIPELINE] = VKR_TRACE_PIPELINE,
		[VKR_OBJECT_COMMAND_BUFFER] = VKR_TRACE_COMMAND_BUFFER,
		[VKR_OBJECT_FENCE] = VKR_TRACE_FENCE,
		[VKR_OBJECT_SEMAPHORE] = VKR_TRACE_SEMAPHORE,
		[VKR_OBJECT_EVENT] = VKR_TRACE_EVENT,
		[VKR_OBJECT_RENDER_PASS] = VKR_TRACE_RENDER_PASS,
		[VKR_OBJECT_IMAGE] = VKR_TRACE_IMAGE,
		[VKR_OBJECT_IMAGE_VIEW] = VKR_TRACE_IMAGE_VIEW,
		[VKR_OBJECT_SAMPLER] = VKR_TRACE_SAMPLER,
		[VKR_OBJECT_FRAMEBUFFER] = VKR_TRACE_FRAMEBUFFER,
		[VKR_OBJECT_QUERY_POOL] = VKR_TRACE_QUERY_POOL,
		[VKR_OBJECT_STRUCTURE] = VKR_TRACE_STRUCTURE,
	};
	const uint32_t *members = (const void *)(event + 1);
	const struct vkr_trace_set_copy *copy = (const void *)members;
	switch (event->type) {
	case VKR_TRACE_SET_WRITE:
		return (struct vkr_named_objects){.type = VKR_TRACE_SET, .id = members[0]};
	case VKR_TRACE_SET_COPY:
		return (struct vkr_named_objects){VKR_TRACE_SET, copy->set, VKR_TRACE_SET,
						  copy->source_set};
	case VKR_TRACE_BUFFER_ADDRESS:
		return (struct vkr_named_objects){.type = VKR_TRACE_BUFFER, .id = members[0]};
	case VKR_TRACE_STRUCTURE_ADDRESS:
		return (struct vkr_named_objects){.type = VKR_TRACE_STRUCTURE, .id = members[0]};
	case VKR_TRACE_NAME:
		return (struct vkr_named_objects){
			.type = members[0] < VKR_OBJECT_KINDS ? named[members[0]] : 0,
			.id = members[1]};
	default:
		return (struct vkr_named_objects){.type = 0};
	}
}
