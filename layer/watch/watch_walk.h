// SPDX-License-Identifier: Apache-2.0
// What a recording may access, command by command. Errs only to the side of too much. Knows
// commands; not when they are over.
#pragma once

#include "watch_objects.h"

// What may have written: what a barrier must name to bring it on.
enum vkr_watch_writer {
	VKR_WATCH_READS, // nothing is written
	VKR_WATCH_COMPUTE,
	VKR_WATCH_GRAPHICS,
	VKR_WATCH_RAYS,
	VKR_WATCH_TRANSFER,
	VKR_WATCH_VIDEO, // encodes
	VKR_WATCH_UNKNOWN,
};

struct vkr_watch_sink {
	void *user;
	void (*access)(void *user, const struct vkr_watch_range *range,
		       enum vkr_watch_writer writer);
	// Memory and buffer barriers; `range` is NULL for the former.
	void (*barrier)(void *user, const struct vkr_trace_barrier *barrier,
			const struct vkr_watch_range *range);
};

// Walks the recording; one that is not known accesses everything.
void vkr_watch_walk(uint32_t recording, const struct vkr_watch_sink *sink);
