// SPDX-License-Identifier: Apache-2.0
// Events, found by their ids: what is kept of them between commands. Knows what they were made of
// and how they stand; not what they order.
#pragma once

#include "engine.h"
#include "map.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_model;

// That an event is set, for as long as it is held.
struct vkr_event_signal {
	uint32_t references;
	bool by_host;
	uint32_t timeline;            // where it was set
	struct vkr_engine_mark *mark; // the same
	uint32_t recording;           // that set it; 0: the host, or not known
	bool asymmetric;              // it gave stages alone, without the rest of a dependency
	uint32_t form;                // enum vkr_trace_barrier_flags of vkCmdSetEvent
	uint64_t stages;              // of the first form and an asymmetric one, as written
	// Of the second form: what the wait must match.
	struct vkr_trace_barrier *barriers;
	uint32_t barrier_count;
};

// A VkEvent.
struct vkr_event {
	uint32_t id, device;
	struct vkr_event_signal *signal; // NULL: it is not set
};

struct vkr_sync_objects {
	struct vkr_map events; // id -> object
};

void vkr_sync_objects_finish(struct vkr_sync_objects *objects);

// NULL where there is none.
struct vkr_event *vkr_sync_objects_event(const struct vkr_sync_objects *objects, uint32_t id);

// The event is set on a timeline, as that stands now; or as a signal says, which is taken over.
enum vkr_result vkr_event_set(struct vkr_model *model, struct vkr_event *event, uint32_t timeline,
			      bool by_host, struct vkr_error *error) VKR_MUST_USE;
void vkr_event_set_to(struct vkr_event *event, struct vkr_event_signal *signal);
void vkr_event_reset(struct vkr_event *event);
void vkr_event_signal_drop(struct vkr_event_signal *signal); // NULL is allowed

// EVENT, EVENT_DESTROY, EVENT_SET, EVENT_RESET.
enum vkr_result vkr_sync_objects_made(struct vkr_model *model, const struct vkr_trace_event *event,
				      struct vkr_error *error) VKR_MUST_USE;
