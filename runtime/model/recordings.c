// SPDX-License-Identifier: Apache-2.0
// What command buffers hold. Knows the commands' bytes, not what they do.
#include "recordings.h"

#include "error.h"
#include "event_payload.h"

#include <stdlib.h>
#include <string.h>

void vkr_recordings_init(struct vkr_recordings *recordings)
{
	*recordings = (struct vkr_recordings){0};
}

void vkr_recordings_finish(struct vkr_recordings *recordings)
{
	for (size_t at = 0; at < recordings->recordings.capacity; at++)
		if (recordings->recordings.slots[at].used)
			vkr_recording_release(
				(struct vkr_recording *)(uintptr_t)recordings->recordings.slots[at]
					.value);
	vkr_map_finish(&recordings->recordings);
	vkr_map_finish(&recordings->newest);
}

struct vkr_recording *vkr_recordings_find(const struct vkr_recordings *recordings, uint32_t id)
{
	uint64_t value = 0;
	return vkr_map_get(&recordings->recordings, id, &value)
		       ? (struct vkr_recording *)(uintptr_t)value
		       : NULL;
}

void vkr_recording_release(struct vkr_recording *recording)
{
	if (--recording->references > 0)
		return;
	vkr_map_finish(&recording->infos);
	free(recording);
}

static void forget_recordings(struct vkr_recordings *recordings, uint32_t command_buffer)
{
	uint64_t id = 0;
	if (!vkr_map_get(&recordings->newest, command_buffer, &id))
		return;
	struct vkr_recording *recording = vkr_recordings_find(recordings, (uint32_t)id);
	vkr_map_remove(&recordings->newest, command_buffer);
	vkr_map_remove(&recordings->recordings, id);
	vkr_recording_release(recording);
}

static enum vkr_result add_recording(struct vkr_recordings *recordings,
				     const struct vkr_trace_recording *made,
				     struct vkr_error *error)
{
	if (made->recording == 0 || vkr_recordings_find(recordings, made->recording) != NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "recording %u is created twice, or is 0", made->recording);
	forget_recordings(recordings, made->command_buffer);
	const uint32_t most = made->event_bytes / (uint32_t)sizeof(struct vkr_trace_event);
	const uint32_t own = made->command_count < most ? made->command_count : most;
	struct vkr_recording *recording =
		calloc(1, sizeof *recording + made->event_bytes + own * sizeof(void *));
	if (recording == NULL)
		return vkr_error_memory(error, "a recording");
	recording->id = made->recording;
	recording->command_buffer = made->command_buffer;
	recording->command_count = made->command_count;
	recording->references = 1;
	recording->event_bytes = made->event_bytes;
	memcpy(recording->events, made + 1, made->event_bytes);
	recording->own_infos = (void *)((char *)recording->events + made->event_bytes);
	recording->own_count = own;
	if (!vkr_map_set(&recordings->recordings, recording->id, (uintptr_t)recording)) {
		vkr_recording_release(recording);
		return vkr_error_memory(error, "a recording");
	}
	if (!vkr_map_set(&recordings->newest, recording->command_buffer, recording->id))
		return vkr_error_memory(error, "a recording");
	return VKR_OK;
}

enum vkr_result vkr_recordings_event(struct vkr_recordings *recordings,
				     const struct vkr_trace_event *event, struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	if (event->type == VKR_TRACE_RECORDING)
		return add_recording(recordings, payload, error);
	if (event->type == VKR_TRACE_COMMAND_BUFFER_DESTROY)
		forget_recordings(
			recordings,
			((const struct vkr_trace_command_buffer_destroy *)payload)->command_buffer);
	return VKR_OK;
}

const struct vkr_trace_event *vkr_recording_next(const struct vkr_recording *recording,
						 const struct vkr_trace_event *event)
{
	const char *first = (const char *)recording->events;
	const char *next = event == NULL ? first : (const char *)event + event->bytes;
	return next < first + recording->event_bytes ? (const void *)next : NULL;
}

struct any {
	const struct vkr_recordings *recordings;
	bool (*is)(const void *user, const struct vkr_trace_event *event);
	const void *user;
};

struct caller {
	const struct vkr_recording *recording;
	const struct caller *next;
};

// A recording that executes itself, if by others, is not valid.
static bool has_any(const struct any *any, const struct vkr_recording *recording,
		    const struct caller *callers)
{
	const struct caller here = {recording, callers};
	const struct vkr_trace_event *event = NULL;
	for (const struct caller *at = callers; at != NULL; at = at->next)
		if (at->recording == recording)
			return false;
	while ((event = vkr_recording_next(recording, event)) != NULL) {
		if (any->is(any->user, event))
			return true;
		if (event->type != VKR_TRACE_CMD_EXECUTE)
			continue;
		const struct vkr_trace_cmd_execute *execute = vkr_event_payload(event);
		const struct vkr_recording *secondary =
			vkr_recordings_find(any->recordings, execute->recording);
		if (secondary != NULL && has_any(any, secondary, &here))
			return true;
	}
	return false;
}

bool vkr_recordings_any(const struct vkr_recordings *recordings,
			const struct vkr_recording *recording,
			bool (*is)(const void *user, const struct vkr_trace_event *event),
			const void *user)
{
	const struct any any = {recordings, is, user};
	return has_any(&any, recording, NULL);
}
