// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include "array.h"
#include "error.h"
#include "event_check.h"
#include "reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// How long a few events may wait in the ring until the judge looks at them, though nobody flushes
// it.
#define IDLE_MS 1000

// Reported if the bytes or cursors of a ring make no sense.
#define OVERWRITTEN "the ring of events was overwritten by the program"

struct byte_array {
	unsigned char *items;
	size_t count, capacity;
};

struct vkr_source {
	struct vkr_reader *reader; // NULL: a ring
	char **paths;              // of volumes; NULL: no volumes
	size_t path_count, path;   // path: index of the volume that is read
	struct vkr_crew *crew;     // that helps to read files
	struct vkr_ring *ring;
	struct vkr_chunk_writer *copy; // NULL: none, or it failed
	pthread_mutex_t copying;       // against vkr_source_flush_copy()
	struct vkr_error copy_failure;
	bool copy_failed;
	uint64_t held;            // bytes of the ring that the event given out lies in
	struct byte_array large;  // an event larger than the ring
	struct byte_array notice; // a coverage event of our own
	bool broken;              // the ring's bytes make no sense any more
	vkr_note_events *note;    // NULL: nothing is noted
	void *note_user;
	struct vkr_noted_events noted;        // to be given out
	const struct vkr_trace_event *behind; // that is to follow them; NULL: none
};

enum vkr_result vkr_source_open_file(struct vkr_source **out, const char *path,
				     struct vkr_error *error)
{
	struct vkr_source *source = calloc(1, sizeof *source);
	if (!source)
		return vkr_error_memory(error, "the source of events");
	enum vkr_result result = vkr_reader_open(&source->reader, path, error);
	if (result == VKR_OK)
		*out = source;
	else
		free(source);
	return result;
}

static void free_paths(struct vkr_source *source)
{
	for (size_t i = 0; source->paths && i < source->path_count; i++)
		free(source->paths[i]);
	free(source->paths);
}

enum vkr_result vkr_source_open_volumes(struct vkr_source **out, const char *const *paths,
					size_t count, struct vkr_error *error)
{
	struct vkr_source *source = NULL;
	const enum vkr_result result = vkr_source_open_file(&source, paths[0], error);
	if (result != VKR_OK)
		return result;
	source->paths = calloc(count, sizeof *source->paths);
	bool enough = source->paths;
	for (; enough && source->path_count < count; source->path_count++) {
		source->paths[source->path_count] = strdup(paths[source->path_count]);
		enough = source->paths[source->path_count];
	}
	if (!enough) {
		vkr_source_close(source);
		return vkr_error_memory(error, "volumes");
	}
	*out = source;
	return VKR_OK;
}

size_t vkr_source_volumes(const struct vkr_source *source)
{
	return source->path + 1;
}

// Continues in the next volume, after the events that the one before had.
static enum vkr_result begin_next_volume(struct vkr_source *source, struct vkr_error *error)
{
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	const char *path = source->paths[source->path + 1];
	uint64_t left = UINT64_MAX; // events that are left out
	enum vkr_result result = vkr_reader_open(&reader, path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_reader_help(reader, source->crew, error);
	while (left > 0 && result == VKR_OK) {
		result = vkr_reader_next(reader, &event, error);
		if (result == VKR_OK && !event)
			result = vkr_error_set(error, VKR_ERROR_FORMAT,
					       "%s: the volume ends within its beginning", path);
		else if (result == VKR_OK && left == UINT64_MAX &&
			 event->type == VKR_TRACE_PAST_END)
			left = ((const struct vkr_trace_past_end *)(event + 1))->repeated;
		else if (left != UINT64_MAX)
			left--;
	}
	if (result != VKR_OK) {
		vkr_reader_close(reader);
		return result;
	}
	vkr_reader_close(source->reader);
	source->reader = reader;
	source->path++;
	return VKR_OK;
}

static enum vkr_result next_of_volumes(struct vkr_source *source,
				       const struct vkr_trace_event **event,
				       struct vkr_error *error)
{
	enum vkr_result result = vkr_reader_next(source->reader, event, error);
	while (result == VKR_OK && *event && (*event)->type == VKR_TRACE_VOLUME_END &&
	       source->path + 1 < source->path_count) {
		result = begin_next_volume(source, error);
		if (result == VKR_OK)
			result = vkr_reader_next(source->reader, event, error);
	}
	return result;
}

enum vkr_result vkr_source_open_ring(struct vkr_source **out, struct vkr_ring *ring,
				     struct vkr_chunk_writer *copy, struct vkr_error *error)
{
	struct vkr_source *source = calloc(1, sizeof *source);
	if (!source)
		return vkr_error_memory(error, "the source of events");
	source->ring = ring;
	source->copy = copy;
	pthread_mutex_init(&source->copying, NULL);
	*out = source;
	return VKR_OK;
}

static void note_copy(struct vkr_source *source, enum vkr_result result)
{
	if (result == VKR_OK)
		return;
	source->copy_failed = true;
	source->copy = NULL;
}

void vkr_source_flush_copy(struct vkr_source *source)
{
	pthread_mutex_lock(&source->copying);
	if (source->copy)
		note_copy(source, vkr_chunk_writer_flush(source->copy, &source->copy_failure));
	pthread_mutex_unlock(&source->copying);
}

void vkr_source_set_copy(struct vkr_source *source, struct vkr_chunk_writer *copy)
{
	pthread_mutex_lock(&source->copying);
	source->copy = copy;
	pthread_mutex_unlock(&source->copying);
}

void vkr_source_set_notes(struct vkr_source *source, vkr_note_events *note, void *user)
{
	source->note = note;
	source->note_user = user;
}

// A coverage event that reports a damaged one.
static enum vkr_result make_notice(struct vkr_source *source, const char *text,
				   const struct vkr_trace_event **event, struct vkr_error *error)
{
	struct vkr_trace_coverage coverage = {.kind = VKR_COVERAGE_TRACE,
					      .text_bytes = (uint32_t)strlen(text)};
	struct vkr_trace_event header = {.type = VKR_TRACE_COVERAGE};
	header.bytes =
		(uint32_t)(sizeof header + sizeof coverage) + (coverage.text_bytes + 7) / 8 * 8;
	source->notice.count = 0;
	if (!VKR_ARRAY_RESERVE(&source->notice, header.bytes))
		return vkr_error_memory(error, "an event");
	unsigned char *to = source->notice.items;
	memset(to, 0, header.bytes);
	memcpy(to, &header, sizeof header);
	memcpy(to + sizeof header, &coverage, sizeof coverage);
	memcpy(to + sizeof header + sizeof coverage, text, coverage.text_bytes);
	*event = (const void *)to;
	return VKR_OK;
}

static enum vkr_result give_up_ring(struct vkr_source *source, const char *text,
				    const struct vkr_trace_event **event, struct vkr_error *error)
{
	source->broken = true;
	vkr_ring_abandon(source->ring);
	return make_notice(source, text, event, error);
}

// Gathers an event of `wanted` bytes, more than the ring has, of which `bytes` bytes at `data` have
// come.
static enum vkr_result source_gather(struct vkr_source *source, size_t wanted,
				     const unsigned char *data, uint64_t bytes,
				     const struct vkr_trace_event **event, struct vkr_error *error)
{
	struct byte_array *large = &source->large;
	large->count = 0;
	for (;;) {
		size_t part = wanted - large->count;
		if (bytes < part)
			part = (size_t)bytes;
		if (!VKR_ARRAY_RESERVE(large, part)) {
			source->broken = true; // where the next event begins is not known any more
			vkr_ring_abandon(source->ring);
			return vkr_error_memory(error, "a large event");
		}
		memcpy(large->items + large->count, data, part);
		large->count += part;
		vkr_ring_release(source->ring, part);
		if (large->count == wanted)
			break;
		if (vkr_ring_wait(source->ring, -1, &data, &bytes) != VKR_RING_BYTES)
			return give_up_ring(source, "the program ended within a large event", event,
					    error);
	}
	*event = (const void *)large->items;
	return VKR_OK;
}

// The next event as it stands in the ring; NULL at its end.
static enum vkr_result next_of_ring(struct vkr_source *source, const struct vkr_trace_event **event,
				    struct vkr_error *error)
{
	const unsigned char *data;
	uint64_t bytes;
	enum vkr_ring_state state;
	if (source->broken)
		return VKR_OK;
	if (source->held)
		vkr_ring_release(source->ring, source->held);
	source->held = 0;
	do {
		state = vkr_ring_wait(source->ring, IDLE_MS, &data, &bytes);
	} while (state == VKR_RING_IDLE);
	if (state == VKR_RING_END)
		return VKR_OK;
	if (state == VKR_RING_BROKEN)
		return give_up_ring(source, OVERWRITTEN, event, error);
	const struct vkr_trace_event *next = (const void *)data;
	// Read once: the program may write here at any time.
	const uint32_t wanted =
		bytes >= sizeof *next ? *(const volatile uint32_t *)&next->bytes : 0;
	if (wanted < sizeof *next || wanted % 8 != 0)
		return give_up_ring(source, OVERWRITTEN, event, error);
	if (wanted > source->ring->capacity)
		return source_gather(source, wanted, data, bytes, event, error);
	if (wanted > bytes)
		return give_up_ring(source, OVERWRITTEN, event, error);
	source->held = wanted;
	*event = next;
	return VKR_OK;
}

static void give_out(struct vkr_source *source, const struct vkr_trace_event *event)
{
	pthread_mutex_lock(&source->copying);
	if (source->copy)
		note_copy(source,
			  vkr_chunk_writer_event(source->copy, event, &source->copy_failure));
	pthread_mutex_unlock(&source->copying);
}

// The next of the events that come before another one, or at last that one; false where nothing is
// noted.
static bool next_noted(struct vkr_source *source, const struct vkr_trace_event **event)
{
	struct vkr_noted_events *noted = &source->noted;
	if (!source->behind)
		return false;
	*event = source->behind;
	if (noted->bytes) {
		*event = noted->first;
		noted->bytes -= noted->first->bytes;
		noted->first = (const void *)((const char *)noted->first + noted->first->bytes);
	} else {
		source->behind = NULL;
	}
	give_out(source, *event);
	return true;
}

static enum vkr_result next_checked(struct vkr_source *source, const struct vkr_trace_event **event,
				    struct vkr_error *error)
{
	struct vkr_error cause;
	if (next_noted(source, event))
		return VKR_OK;
	enum vkr_result result = next_of_ring(source, event, error);
	if (result == VKR_OK && *event &&
	    vkr_event_check(*event, (*event)->bytes, &cause) != VKR_OK)
		result = make_notice(source, cause.message, event, error);
	if (result != VKR_OK)
		return result;
	if (!*event) {
		vkr_source_flush_copy(source);
		return VKR_OK;
	}
	if (source->note) {
		source->noted = source->note(source->note_user, *event);
		source->behind = source->noted.bytes ? *event : NULL;
		if (next_noted(source, event))
			return VKR_OK;
	}
	give_out(source, *event);
	return VKR_OK;
}

enum vkr_result vkr_source_next(struct vkr_source *source, const struct vkr_trace_event **event,
				struct vkr_error *error)
{
	*event = NULL;
	if (source->paths)
		return next_of_volumes(source, event, error);
	if (source->reader)
		return vkr_reader_next(source->reader, event, error);
	return next_checked(source, event, error);
}

enum vkr_result vkr_source_help(struct vkr_source *source, struct vkr_crew *crew,
				struct vkr_error *error)
{
	source->crew = crew;
	return source->reader ? vkr_reader_help(source->reader, crew, error) : VKR_OK;
}

const char *vkr_source_cut(const struct vkr_source *source)
{
	return source->reader ? vkr_reader_cut(source->reader) : NULL;
}

const struct vkr_error *vkr_source_copy_failure(const struct vkr_source *source)
{
	return source->copy_failed ? &source->copy_failure : NULL;
}

void vkr_source_close(struct vkr_source *source)
{
	if (!source)
		return;
	vkr_reader_close(source->reader);
	if (source->ring)
		pthread_mutex_destroy(&source->copying);
	free(source->large.items);
	free(source->notice.items);
	free_paths(source);
	free(source);
}
