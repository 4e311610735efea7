// SPDX-License-Identifier: Apache-2.0
// Looks through recordings for waits for events. Knows in which order commands are executed; not
// what they do.
#include "event_needs.h"

#include "array.h"
#include "event_payload.h"
#include "model_state.h"

#include <stdlib.h>

void vkr_event_needs_finish(struct vkr_event_needs *needs)
{
	free(needs->items);
}

// NULL for lack of memory.
static struct vkr_event_need *need_of(struct vkr_event_needs *needs, uint32_t event)
{
	for (size_t at = 0; at < needs->count; at++)
		if (needs->items[at].event == event)
			return &needs->items[at];
	if (!VKR_ARRAY_RESERVE(needs, 1))
		return NULL;
	needs->items[needs->count] = (struct vkr_event_need){.event = event};
	return &needs->items[needs->count++];
}

static bool add_waits(struct vkr_event_needs *needs,
		      const struct vkr_trace_cmd_wait_events *command)
{
	const struct vkr_trace_event_wait *waits = (const void *)(command + 1);
	for (uint32_t at = 0; at < command->wait_count; at++) {
		struct vkr_event_need *need = need_of(needs, waits[at].event);
		if (need == NULL)
			return false;
		need->needed = need->needed || !need->set_inside;
	}
	return true;
}

static bool add_change(struct vkr_event_needs *needs, uint32_t event, bool set)
{
	struct vkr_event_need *need = need_of(needs, event);
	if (need == NULL)
		return false;
	need->set_inside = set;
	return true;
}

struct caller {
	const struct vkr_recording *recording;
	const struct caller *next;
};

static bool add_event_need(struct vkr_event_needs *needs, const struct vkr_model *model,
			   const struct vkr_recording *recording, const struct caller *callers)
{
	const struct caller here = {recording, callers};
	const struct vkr_trace_event *event = NULL;
	bool added = true;
	for (const struct caller *at = callers; at != NULL; at = at->next)
		if (at->recording == recording)
			return true;
	while (added && (event = vkr_recording_next(recording, event)) != NULL) {
		const void *payload = vkr_event_payload(event);
		if (event->type == VKR_TRACE_CMD_WAIT_EVENTS) {
			added = add_waits(needs, payload);
		} else if (event->type == VKR_TRACE_CMD_SET_EVENT) {
			const struct vkr_trace_cmd_set_event *set = payload;
			added = add_change(needs, set->event, true);
		} else if (event->type == VKR_TRACE_CMD_RESET_EVENT) {
			const struct vkr_trace_cmd_reset_event *reset = payload;
			added = add_change(needs, reset->event, false);
		} else if (event->type == VKR_TRACE_CMD_EXECUTE) {
			const struct vkr_trace_cmd_execute *execute = payload;
			const struct vkr_recording *secondary =
				vkr_recordings_find(&model->recordings, execute->recording);
			added = secondary == NULL || add_event_need(needs, model, secondary, &here);
		}
	}
	return added;
}

bool vkr_event_needs_add(struct vkr_event_needs *needs, const struct vkr_model *model,
			 const struct vkr_recording *recording)
{
	return add_event_need(needs, model, recording, NULL);
}

bool vkr_event_needs_met(const struct vkr_event_needs *needs,
			 const struct vkr_sync_objects *objects)
{
	for (size_t at = 0; at < needs->count; at++) {
		const struct vkr_event *event =
			vkr_sync_objects_event(objects, needs->items[at].event);
		if (needs->items[at].needed && event != NULL && event->signal == NULL)
			return false;
	}
	return true;
}
