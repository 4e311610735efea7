// SPDX-License-Identifier: Apache-2.0
// Which events of a volume the next one has again: what the batches that are kept or pending need,
// and what outlives the cut. Found in one pass, asked in another. Knows which units and batches the
// model has; not how they are written.
#pragma once

#include "array.h"
#include "map.h"

#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_model;

// Objects, and which need which.
struct vkr_kept_objects {
	struct vkr_map places; // key -> 1 + index
	struct {
		struct vkr_kept_object {
			uint64_t made;      // index of its event
			uint64_t destroyed; // the same; UINT64_MAX: not before the cut
			bool stand_in;      // lives as long as what has it
			bool needed, kept;
		} * items;
		size_t count, capacity;
	} made;
	struct {
		struct vkr_object_need {
			uint64_t by, what; // keys: one object needs another one
		} * items;
		size_t count, capacity;
	} needs;
};

// Recordings, and which execute which.
struct vkr_kept_recordings {
	struct vkr_map places; // id -> 1 + index
	struct vkr_map newest; // command buffer -> id of its recording
	struct {
		struct vkr_kept_recording {
			uint32_t id;
			bool newest, kept;
		} * items;
		size_t count, capacity;
	} made;
	struct {
		struct vkr_recording_need {
			uint32_t by, what; // ids
		} * items;
		size_t count, capacity;
	} needs;
};

// What VKR_ROLE_LAST events say.
struct vkr_kept_sayings {
	struct vkr_map last;       // key of what one says -> 1 + index of it
	struct vkr_map copied;     // set -> 1 + index of the last event that copied from it
	struct vkr_map superseded; // index of an event -> 1
};

// What was submitted.
struct vkr_kept_submissions {
	struct vkr_map judged;    // execution -> 1: some submission before the cut has it
	struct vkr_map live;      // execution -> 1: of a live unit, or pending
	struct vkr_map submitted; // submission before the cut -> 1
	struct vkr_map pending;   // submission -> how many batches of it are
	struct vkr_map waiting;   // execution -> 1: pending
	struct vkr_map bound;     // submission -> 1: of a live unit that binds sparse memory
	struct vkr_map acquired;  // image -> 1 + index of its last ACQUIRE
	uint64_t first_pending;   // index of the first event of what is pending
};

struct vkr_volume_contents {
	const struct vkr_model *model;
	uint64_t *unit_places; // of live units, ascending
	size_t unit_count;
	struct vkr_kept_objects objects;
	struct vkr_kept_recordings recordings;
	struct vkr_kept_sayings sayings;
	struct vkr_kept_submissions submissions;
};

// All false for lack of memory. The events before the cut are noted in their order.
bool vkr_volume_contents_init(struct vkr_volume_contents *contents, const struct vkr_model *model);
bool vkr_volume_contents_note(struct vkr_volume_contents *contents,
			      const struct vkr_trace_event *event, uint64_t index);
// All are noted.
void vkr_volume_contents_settle(struct vkr_volume_contents *contents);
// Whether the event is kept, whatever host access it makes.
bool vkr_volume_contents_keep(const struct vkr_volume_contents *contents,
			      const struct vkr_trace_event *event, uint64_t index);
// How many batches of a SUBMIT, the last of them, or whether the PRESENT, are pending.
uint32_t vkr_volume_contents_pending(const struct vkr_volume_contents *contents,
				     const struct vkr_trace_event *event);
void vkr_volume_contents_finish(struct vkr_volume_contents *contents);
