// SPDX-License-Identifier: Apache-2.0
// What command buffers hold: the commands of each recording, kept while something can execute
// them. Knows the commands' bytes, not what they do.
#pragma once

#include "map.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_command_info;

struct vkr_recording {
	uint32_t id, command_buffer, command_count;
	uint32_t references; // the table's own and one for each pending execution
	uint32_t event_bytes;
	// Command index -> struct vkr_command_info, filled in when the command is first executed:
	// for the recording's own events and, after these, for executed secondaries.
	struct vkr_command_info **own_infos;
	uint32_t own_count;
	struct vkr_map infos;
	uint64_t events[]; // event_bytes of checked CMD_ events
};

struct vkr_recordings {
	struct vkr_map recordings; // id -> recording
	struct vkr_map newest;     // command buffer -> id of its newest recording
};

void vkr_recordings_init(struct vkr_recordings *recordings);
void vkr_recordings_finish(struct vkr_recordings *recordings);

// NULL where there is none, or no longer.
struct vkr_recording *vkr_recordings_find(const struct vkr_recordings *recordings, uint32_t id);

// RECORDING and COMMAND_BUFFER_DESTROY: a command buffer's earlier recording can no longer be
// submitted.
enum vkr_result vkr_recordings_event(struct vkr_recordings *recordings,
				     const struct vkr_trace_event *event,
				     struct vkr_error *error) VKR_MUST_USE;

void vkr_recording_release(struct vkr_recording *recording);

// The event after this one, NULL after the last. NULL asks for the first.
const struct vkr_trace_event *vkr_recording_next(const struct vkr_recording *recording,
						 const struct vkr_trace_event *event);

// Whether `is` holds of an event of the recording, or of a secondary that it executes.
bool vkr_recordings_any(const struct vkr_recordings *recordings,
			const struct vkr_recording *recording,
			bool (*is)(const void *user, const struct vkr_trace_event *event),
			const void *user);
