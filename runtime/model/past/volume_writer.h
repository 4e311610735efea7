// SPDX-License-Identifier: Apache-2.0
// Writes the beginning of a volume: events that the run had, and how timelines, signals and
// counters stand. Knows how that is written; not which events are needed, nor where they come.
#pragma once

#include "past_units.h"
#include "timeline_image.h"

struct vkr_chunk_writer;

struct vkr_volume_writer {
	struct vkr_model *model;
	struct vkr_chunk_writer *into;
	struct vkr_past_parts parts;
	bool *lines; // by timeline of the engine: whether the volume names it
	size_t line_count;
	uint64_t written;        // events
	struct vkr_error *error; // for all of the following
};

// Writes VOLUME and PAST_TIMELINE events. The end is due in any case.
enum vkr_result vkr_volume_writer_begin(struct vkr_volume_writer *writer,
					const struct vkr_trace_volume *volume) VKR_MUST_USE;
void vkr_volume_writer_finish(struct vkr_volume_writer *writer);

enum vkr_result vkr_volume_writer_event(struct vkr_volume_writer *writer,
					const struct vkr_trace_event *event) VKR_MUST_USE;
enum vkr_result vkr_volume_writer_state(struct vkr_volume_writer *writer,
					const struct vkr_timeline_image *image) VKR_MUST_USE;
enum vkr_result vkr_volume_writer_given(struct vkr_volume_writer *writer,
					const struct vkr_past_given *given) VKR_MUST_USE;

// What comes next is pending; the token is what the host had released for it, 0: nothing.
enum vkr_result vkr_volume_writer_pending(struct vkr_volume_writer *writer,
					  uint32_t token) VKR_MUST_USE;

// The last `count` batches of a SUBMIT.
enum vkr_result vkr_volume_writer_batches(struct vkr_volume_writer *writer,
					  const struct vkr_trace_event *event,
					  uint32_t count) VKR_MUST_USE;

// How all stands now, and PAST_END; `repeated`: events that follow.
enum vkr_result vkr_volume_writer_end(struct vkr_volume_writer *writer,
				      uint64_t repeated) VKR_MUST_USE;
