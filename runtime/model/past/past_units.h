// SPDX-License-Identifier: Apache-2.0
// What has made accesses that may still race with later ones: batches and host calls, one by one,
// and how their timelines stood before them. A trace that is cut goes on with these
// (trace_volumes.h). Knows which commands are whose; not what they access, nor how a volume is
// written.
#pragma once

#include "array.h"
#include "model_objects.h"
#include "timeline_image.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_event_needs;
struct vkr_event_signal;
struct vkr_model;
struct vkr_pending_batch;

// What a batch goes by besides its timeline: events that it waits for, as they stood, and counters
// of transform feedback.
struct vkr_past_given {
	struct vkr_past_given_event {
		uint32_t event;
		struct vkr_event_signal *signal; // NULL: it was not set
	} * events;
	struct vkr_trace_past_counter *counters;
	size_t event_count, counter_count;
};

// One batch, the presentation of one image, an acquisition, or one host call.
struct vkr_past_unit {
	uint64_t place;        // of the event after which it was judged, in its volume
	uint64_t before, last; // numbers of its commands: those after `before` up to `last`
	uint64_t end;          // position of the last on its timeline
	struct vkr_timeline_image *image; // how the timeline stood before them
	struct vkr_past_given given;
	struct vkr_trace_event *event; // the unit alone; NULL: what the event at its place does
	struct vkr_trace_sparse_bind *binds; // of a sparse batch
	uint32_t bind_count;
	bool binds_still; // while what is live is looked for
	bool live;        // while a volume is written: it is in it
};

struct vkr_past_line {
	struct vkr_trace_past_timeline of; // kind 0: there is none
	uint32_t timeline;                 // of the engine; 0: not made yet
};

struct vkr_past {
	bool keeps;     // units are noted, because the trace may be cut
	bool replaying; // what stands before PAST_END of a volume: its races have been reported
	bool cleared;   // of what that left in queries, before PAST_TOKEN events
	bool pends;     // the next SUBMIT, PRESENT or ACQUIRE stays pending
	uint32_t pending_token; // of the host, for that; 0: none
	bool continues;         // there is a further volume, which judges what is pending
	uint64_t place;         // of the event under way
	struct {
		struct vkr_past_unit *items; // by number
		size_t count, capacity;
	} units;
	size_t sweep_at;
	struct vkr_timeline_image *open; // of the batch that is being judged
	struct vkr_past_given open_given;
	uint64_t open_before;
	struct vkr_timeline_image *host_run; // before the open run of the host
	uint64_t host_before;
	struct vkr_timeline_image *host_first; // before the first run that the event under way is
					       // of; NULL: of none
	uint64_t host_first_before;
	struct {
		struct vkr_past_line *items; // by the volume's number
		size_t count, capacity;
	} lines;
};

void vkr_past_unit_finish(struct vkr_past_unit *unit);
void vkr_past_finish(struct vkr_past *past);

// A batch, a presentation or an acquisition begins on a timeline, and ends. `needs` may be NULL.
// `event` is malloc'd, and the unit's; NULL for lack of memory.
enum vkr_result vkr_past_begin(struct vkr_model *model, uint32_t timeline,
			       const struct vkr_event_needs *needs,
			       struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_past_end(struct vkr_model *model, struct vkr_trace_event *event,
			     struct vkr_error *error) VKR_MUST_USE;
// As vkr_past_end, of a batch.
enum vkr_result vkr_past_batch_end(struct vkr_model *model, uint32_t queue,
				   const struct vkr_pending_batch *batch,
				   struct vkr_error *error) VKR_MUST_USE;
struct vkr_trace_event *vkr_past_present_event(uint32_t queue, uint32_t submission, uint32_t image);
struct vkr_trace_event *vkr_past_acquire_event(uint32_t image);

// Whether what comes next stays pending until PAST_END, which is asked once; *token: what the host
// had released for it.
bool vkr_past_take_pending(struct vkr_model *model, uint32_t *token);

// A run of host accesses begins; the event under way makes accesses in the open run; an event has
// been handled.
enum vkr_result vkr_past_host_run(struct vkr_model *model, struct vkr_error *error) VKR_MUST_USE;
void vkr_past_host_accesses(struct vkr_model *model);
enum vkr_result vkr_past_event_done(struct vkr_model *model, struct vkr_error *error) VKR_MUST_USE;

// Finds out which units are live, and forgets the others. *whole: all that is remembered is some
// unit's.
enum vkr_result vkr_past_sweep(struct vkr_model *model, bool *whole,
			       struct vkr_error *error) VKR_MUST_USE;

// A number for what the model judges by: what a volume begins with follows from that.
uint32_t vkr_past_rules(const struct vkr_model *model);

// VOLUME, VOLUME_END and PAST_ events (past_events.c).
enum vkr_result vkr_past_event(struct vkr_model *model, const struct vkr_trace_event *event,
			       struct vkr_error *error) VKR_MUST_USE;
