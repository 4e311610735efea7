// SPDX-License-Identifier: Apache-2.0
// Where events come from: a trace file, or the ring of a running program, which may be copied into
// a trace file on the way. Knows how events travel, and not what they mean.
#pragma once

#include "chunk_writer.h"
#include "ring.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

struct vkr_source;

// Events of a trace file; "-" is the standard input.
enum vkr_result vkr_source_open_file(struct vkr_source **out, const char *path,
				     struct vkr_error *error) VKR_MUST_USE;

// Events of volumes of one run (vkrace/trace_volumes.h), each the next one after that before it, as
// one trace: those that a volume has again are left out. The events end with the volume that does
// not say that it is whole; of how many volumes they are, vkr_source_volumes tells at the end.
enum vkr_result vkr_source_open_volumes(struct vkr_source **out, const char *const *paths,
					size_t count, struct vkr_error *error) VKR_MUST_USE;
size_t vkr_source_volumes(const struct vkr_source *source);

// Events of a running program. `copy` (may be NULL) gets each of them; both stay the caller's.
enum vkr_result vkr_source_open_ring(struct vkr_source **out, struct vkr_ring *ring,
				     struct vkr_chunk_writer *copy,
				     struct vkr_error *error) VKR_MUST_USE;

// Before the first event: has a crew's threads read files ahead (reader.h). Nothing is read ahead
// of a ring's events: reading it is no work.
struct vkr_crew;
enum vkr_result vkr_source_help(struct vkr_source *source, struct vkr_crew *crew,
				struct vkr_error *error) VKR_MUST_USE;

// The next event, checked, in *event, valid until the next call; NULL after the last one. An
// invalid event of a running program is replaced by a coverage event that says so.
enum vkr_result vkr_source_next(struct vkr_source *source, const struct vkr_trace_event **event,
				struct vkr_error *error) VKR_MUST_USE;

// Behind the last event of a file: where it was cut off, in one line, or NULL.
const char *vkr_source_cut(const struct vkr_source *source);

// Writes what the copy has not written yet, from any thread.
void vkr_source_flush_copy(struct vkr_source *source);

// Events that belong before an event: as many bytes of them as `bytes` says, valid until the next
// call.
struct vkr_noted_events {
	const struct vkr_trace_event *first;
	size_t bytes;
};
typedef struct vkr_noted_events vkr_note_events(void *user, const struct vkr_trace_event *event);

// From now on the events that `note` gives for an event of a running program come before it.
void vkr_source_set_notes(struct vkr_source *source, vkr_note_events *note, void *user);

// Further events are written there. What has been written so far is not flushed.
void vkr_source_set_copy(struct vkr_source *source, struct vkr_chunk_writer *copy);

// Why the copy could not be written, or NULL. The events go on.
const struct vkr_error *vkr_source_copy_failure(const struct vkr_source *source);

// NULL is allowed.
void vkr_source_close(struct vkr_source *source);
