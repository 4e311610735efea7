// SPDX-License-Identifier: Apache-2.0
// Video sessions, found by their ids. Knows no command.
#include "video_sessions.h"

#include "error.h"
#include "event_payload.h"
#include "object_table.h"

struct vkr_video_session *vkr_objects_video_session(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->video_sessions, id);
}

static enum vkr_result make_session(struct vkr_objects *objects,
				    const struct vkr_trace_video_session *made,
				    struct vkr_error *error)
{
	struct vkr_video_session *session = NULL;
	const enum vkr_result result =
		vkr_table_make(objects, &objects->video_sessions, made->session, sizeof *session,
			       "video session", &session, error);
	if (result != VKR_OK)
		return result;
	session->id = made->session;
	session->codec = made->codec;
	for (unsigned at = 0; at < 2; at++)
		session->granularity[at] = made->granularity[at] > 0 ? made->granularity[at] : 1;
	return vkr_table_name(objects, &session->name, "video session", session->id, error);
}

static enum vkr_result bind_session(struct vkr_objects *objects,
				    const struct vkr_trace_video_session_bind *bound,
				    struct vkr_error *error)
{
	struct vkr_video_session *session = vkr_objects_video_session(objects, bound->session);
	struct vkr_memory *memory = vkr_objects_memory(objects, bound->memory);
	if (session == NULL)
		return vkr_table_unknown(error, VKR_TRACE_VIDEO_SESSION_BIND, "video session",
					 bound->session);
	if (memory == NULL)
		return vkr_table_unknown(error, VKR_TRACE_VIDEO_SESSION_BIND, "memory",
					 bound->memory);
	struct vkr_video_part *part = vkr_arena_alloc(&objects->arena, sizeof *part);
	if (part == NULL)
		return vkr_error_memory(error, "a video session");
	*part = (struct vkr_video_part){.index = bound->index,
					.locations = {.id = session->id,
						      .bytes = bound->bytes,
						      .memory = memory,
						      .offset = bound->offset,
						      .name = session->name},
					.next = session->parts};
	session->parts = part;
	return VKR_OK;
}

enum vkr_result vkr_video_sessions_event(struct vkr_objects *objects,
					 const struct vkr_trace_event *event,
					 struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	return event->type == VKR_TRACE_VIDEO_SESSION ? make_session(objects, payload, error)
						      : bind_session(objects, payload, error);
}
