// SPDX-License-Identifier: Apache-2.0
// What a recording may access, command by command, as the events' layouts say (event_layout.h).
// Errs only to the side of too much. Knows what commands bind; not when they are over.
#pragma once

#include "event_layout.h"
#include "watch_objects.h"

struct vkr_watch_sink {
	void *user;
	void (*access)(void *user, const struct vkr_watch_range *range,
		       enum vkr_event_writer writer);
	// Memory and buffer barriers; `range` is NULL for the former. Whether accesses before it
	// are to be told once more where they are made once more.
	bool (*barrier)(void *user, const struct vkr_trace_barrier *barrier,
			const struct vkr_watch_range *range);
	unsigned told; // kinds of objects that were accessed all, by enum whole in watch_walk.c
};

// Walks the recording; one that is not known accesses everything.
void vkr_watch_walk(uint32_t recording, struct vkr_watch_sink *sink);
