// SPDX-License-Identifier: Apache-2.0
// The events that an execution waits for before it sets them itself: it cannot be judged until
// another submission or the host has set them. Does not know what events order.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_model;
struct vkr_recording;
struct vkr_sync_objects;

struct vkr_event_needs {
	struct vkr_event_need {
		uint32_t event;
		bool set_inside; // by a command before
		bool needed;
	} * items;
	size_t count, capacity;
};

void vkr_event_needs_finish(struct vkr_event_needs *needs);

// The executions of one batch, in order. False for lack of memory.
bool vkr_event_needs_add(struct vkr_event_needs *needs, const struct vkr_model *model,
			 const struct vkr_recording *recording);

// Whether all of them are set now. Unknown events are not counted.
bool vkr_event_needs_met(const struct vkr_event_needs *needs,
			 const struct vkr_sync_objects *objects);
