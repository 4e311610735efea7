// SPDX-License-Identifier: Apache-2.0
// Events from their creation on, and what the host does to them. Knows nothing of commands.
#include "sync_objects.h"

#include "error.h"
#include "event_payload.h"
#include "model_state.h"
#include "object_table.h"

#include <stdlib.h>
#include <string.h>

struct vkr_event *vkr_sync_objects_event(const struct vkr_sync_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->events, id);
}

void vkr_event_signal_drop(struct vkr_event_signal *signal)
{
	if (signal == NULL || --signal->references != 0)
		return;
	vkr_engine_mark_drop(signal->mark);
	free(signal->barriers);
	free(signal);
}

void vkr_event_set_to(struct vkr_event *event, struct vkr_event_signal *signal)
{
	vkr_event_signal_drop(event->signal);
	event->signal = signal;
}

void vkr_event_reset(struct vkr_event *event)
{
	vkr_event_set_to(event, NULL);
}

enum vkr_result vkr_event_set(struct vkr_model *model, struct vkr_event *event, uint32_t timeline,
			      bool by_host, struct vkr_error *error)
{
	struct vkr_event_signal *signal = calloc(1, sizeof *signal);
	if (signal == NULL)
		return vkr_error_memory(error, "an event");
	*signal = (struct vkr_event_signal){
		.references = 1, .by_host = by_host, .timeline = timeline};
	vkr_event_set_to(event, signal);
	return vkr_engine_mark_create(model->engine, timeline, &signal->mark, error);
}

static void event_free(struct vkr_event *event)
{
	vkr_event_reset(event);
	free(event);
}

void vkr_sync_objects_finish(struct vkr_sync_objects *objects)
{
	for (size_t at = 0; at < objects->events.capacity; at++)
		if (objects->events.slots[at].used)
			event_free((void *)(uintptr_t)objects->events.slots[at].value);
	vkr_map_finish(&objects->events);
}

static enum vkr_result make_event(struct vkr_sync_objects *objects,
				  const struct vkr_trace_sync_event *made, struct vkr_error *error)
{
	struct vkr_event *event = calloc(1, sizeof *event);
	if (event != NULL) {
		event->id = made->event;
		event->device = made->device;
	}
	return vkr_table_keep(&objects->events, made->event, "event", event, error);
}

enum vkr_result vkr_sync_objects_made(struct vkr_model *model, const struct vkr_trace_event *event,
				      struct vkr_error *error)
{
	struct vkr_sync_objects *objects = &model->sync_objects;
	const void *payload = vkr_event_payload(event);
	// The first member of each of these names the object.
	struct vkr_event *named = vkr_sync_objects_event(objects, *(const uint32_t *)payload);
	const uint32_t type = event->type;
	switch (type) {
	case VKR_TRACE_EVENT:
		return make_event(objects, payload, error);
	case VKR_TRACE_EVENT_DESTROY:
		if (named != NULL) {
			vkr_map_remove(&objects->events, named->id);
			event_free(named);
		}
		return VKR_OK;
	case VKR_TRACE_EVENT_SET:
		vkr_model_host_point(model);
		return named != NULL
			       ? vkr_event_set(model, named, model->host.timeline, true, error)
			       : VKR_OK;
	case VKR_TRACE_EVENT_RESET:
		if (named != NULL)
			vkr_event_reset(named);
		return VKR_OK;
	default:
		return VKR_OK;
	}
}
