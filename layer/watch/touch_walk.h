// SPDX-License-Identifier: Apache-2.0
// What a recording may touch, command by command. Errs only to the side of too much. Knows
// commands; not when they are over.
#pragma once

#include "touch_objects.h"

// What may have written: what a barrier must name to bring it on.
enum vkr_touch_writer {
	VKR_TOUCH_READS, // nothing is written
	VKR_TOUCH_COMPUTE,
	VKR_TOUCH_GRAPHICS,
	VKR_TOUCH_RAYS,
	VKR_TOUCH_TRANSFER,
	VKR_TOUCH_VIDEO, // encodes
	VKR_TOUCH_UNKNOWN,
};

struct vkr_touch_sink {
	void *user;
	void (*touch)(void *user, const struct vkr_touch_range *range,
		      enum vkr_touch_writer writer);
	// Memory and buffer barriers; `range` is NULL for the former.
	void (*barrier)(void *user, const struct vkr_trace_barrier *barrier,
			const struct vkr_touch_range *range);
};

// Walks the recording; one that is not known touches everything.
void vkr_touch_walk(uint32_t recording, const struct vkr_touch_sink *sink);
