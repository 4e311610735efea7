// SPDX-License-Identifier: Apache-2.0
// Video sessions: the memory that each has bound (Vulkan specification, "Video Sessions"). Knows no
// command.
#pragma once

#include "model_objects.h"

// Memory that is bound to a session, as a buffer that goes by the session's name.
struct vkr_video_part {
	uint32_t index; // of the binding
	struct vkr_buffer locations;
	struct vkr_video_part *next;
};

struct vkr_video_session {
	uint32_t id;
	uint32_t codec;          // VkVideoCodecOperationFlagBitsKHR
	uint32_t granularity[2]; // texels: accessed parts of a picture are multiples of it
	const char *name;
	struct vkr_video_part *parts;
};

// NULL where there is none.
struct vkr_video_session *vkr_objects_video_session(const struct vkr_objects *objects, uint32_t id);

// VIDEO_SESSION, VIDEO_SESSION_BIND.
enum vkr_result vkr_video_sessions_event(struct vkr_objects *objects,
					 const struct vkr_trace_event *event,
					 struct vkr_error *error) VKR_MUST_USE;
