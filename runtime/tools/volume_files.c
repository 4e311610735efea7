// SPDX-License-Identifier: Apache-2.0
#include "volume_files.h"

#include "array.h"
#include "error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENDING ".vkrace"

static const struct unit {
	const char *name;
	enum vkr_volume_unit unit;
	uint64_t times;
} units[] = {
	{"K", VKR_VOLUME_BYTES, 1u << 10},      {"M", VKR_VOLUME_BYTES, 1u << 20},
	{"G", VKR_VOLUME_BYTES, 1u << 30},      {"ms", VKR_VOLUME_TIME, 1},
	{"s", VKR_VOLUME_TIME, 1000},           {"m", VKR_VOLUME_TIME, 60 * 1000},
	{"h", VKR_VOLUME_TIME, 60 * 60 * 1000}, {"sub", VKR_VOLUME_SUBMISSIONS, 1},
};

bool vkr_volume_measure_parse(const char *command, const char *option, const char *text,
			      struct vkr_volume_measure *measure)
{
	*measure = (struct vkr_volume_measure){.unit = VKR_VOLUME_NONE};
	if (!text)
		return true;
	char *end = NULL;
	errno = 0;
	const unsigned long long amount = strtoull(text, &end, 10);
	for (size_t i = 0; errno == 0 && i < sizeof units / sizeof units[0]; i++)
		if (end != text && *text >= '0' && *text <= '9' &&
		    strcmp(end, units[i].name) == 0 && amount > 0 &&
		    amount <= UINT64_MAX / units[i].times) {
			*measure =
				(struct vkr_volume_measure){units[i].unit, amount * units[i].times};
			return true;
		}
	fprintf(stderr,
		"vkrace %s: option '%s' takes a size, a time or a number of submissions, as 256M, "
		"10s or 500sub, not '%s'\n",
		command, option, text);
	return false;
}

bool vkr_volume_measures_parse(const char *command, const char *cut, const char *keep,
			       struct vkr_volume_measure *every, struct vkr_volume_measure *kept)
{
	if (!vkr_volume_measure_parse(command, "--cut", cut, every) ||
	    !vkr_volume_measure_parse(command, "--keep", keep, kept))
		return false;
	if (kept->unit == VKR_VOLUME_SUBMISSIONS) {
		fprintf(stderr,
			"vkrace %s: option '--keep' takes a size or a time, as 1G or 60s, not "
			"'%s'\n",
			command, keep);
		return false;
	}
	if (keep && !cut)
		*every = (struct vkr_volume_measure){kept->unit,
						     kept->amount < 10 ? 1 : kept->amount / 10};
	return true;
}

static uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// run.vkrace is run-000001.vkrace and so on.
static char *name_of(const struct vkr_volumes *volumes, uint32_t number)
{
	const size_t length = strlen(volumes->path), ending = strlen(ENDING);
	const bool ends = length > ending && strcmp(volumes->path + length - ending, ENDING) == 0;
	char *name = NULL;
	return asprintf(&name, "%.*s-%06" PRIu32 ENDING, (int)(length - (ends ? ending : 0)),
			volumes->path, number) < 0
		       ? NULL
		       : name;
}

static enum vkr_result open_volume(const struct vkr_volumes *volumes, uint32_t number,
				   struct vkr_output_file *file, struct vkr_chunk_writer **writer,
				   struct vkr_error *error)
{
	char *name = name_of(volumes, number);
	*writer = NULL;
	*file = (struct vkr_output_file){.descriptor = -1};
	if (!name)
		return vkr_error_memory(error, "a file name");
	enum vkr_result result = vkr_output_file_open(file, name, volumes->process, false, error);
	free(name);
	if (result == VKR_OK) {
		result = vkr_chunk_writer_create(writer, file->descriptor, file->path,
						 volumes->compress, error);
		if (result != VKR_OK)
			vkr_output_file_close(file);
	}
	return result;
}

static uint64_t bytes_of(const struct vkr_output_file *file)
{
	struct stat status;
	return fstat(file->descriptor, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void begin_measures(struct vkr_volumes *volumes)
{
	volumes->begun_ms = now_ms();
	volumes->first_bytes = volumes->looked_bytes = bytes_of(&volumes->file);
	volumes->submissions = volumes->raw_bytes = volumes->retry = 0;
}

enum vkr_result vkr_volumes_begin(struct vkr_volumes *volumes, struct vkr_error *error)
{
	struct {
		struct vkr_trace_event event;
		struct vkr_trace_volume volume;
	} first = {{.bytes = sizeof first, .type = VKR_TRACE_VOLUME}, {.number = 1}};
	if (getrandom(&volumes->run, sizeof volumes->run, 0) != sizeof volumes->run)
		volumes->run = now_ms();
	first.volume.run = volumes->run;
	volumes->number = 1;
	enum vkr_result result = open_volume(volumes, 1, &volumes->file, &volumes->writer, error);
	if (result == VKR_OK)
		result = vkr_chunk_writer_event(volumes->writer, &first.event, error);
	begin_measures(volumes);
	return result;
}

// ---- When ---------------------------------------------------------------------------------------

// A size is looked at after each 64th of it.
static bool bytes_are_due(struct vkr_volumes *volumes)
{
	const uint64_t step = volumes->cut.amount / 64;
	if (volumes->raw_bytes < step)
		return false;
	volumes->raw_bytes = 0;
	volumes->looked_bytes = bytes_of(&volumes->file);
	return volumes->looked_bytes - volumes->first_bytes >= volumes->cut.amount;
}

static bool is_due(struct vkr_volumes *volumes)
{
	if (volumes->whole)
		return false;
	switch (volumes->cut.unit) {
	case VKR_VOLUME_BYTES:
		return bytes_are_due(volumes);
	case VKR_VOLUME_TIME:
		return now_ms() - volumes->begun_ms >= volumes->cut.amount;
	case VKR_VOLUME_SUBMISSIONS:
		return volumes->submissions >= volumes->cut.amount;
	case VKR_VOLUME_NONE:
		return false;
	}
	return false;
}

// ---- Old ones -----------------------------------------------------------------------------------

static void remove_first(struct vkr_volumes *volumes)
{
	unlink(volumes->past.items[0].path);
	free(volumes->past.items[0].path);
	volumes->past.count--;
	memmove(volumes->past.items, volumes->past.items + 1,
		volumes->past.count * sizeof *volumes->past.items);
}

// Volumes of nothing but what is older than is kept, or beyond the size that is kept.
static void remove_old(struct vkr_volumes *volumes)
{
	const uint64_t now = now_ms(), keep = volumes->keep.amount;
	uint64_t bytes = bytes_of(&volumes->file);
	for (size_t i = 0; i < volumes->past.count; i++)
		bytes += volumes->past.items[i].bytes;
	while (volumes->past.count > 0) {
		const struct vkr_past_volume *first = &volumes->past.items[0];
		if (volumes->keep.unit == VKR_VOLUME_TIME ? now - first->ended_ms <= keep
							  : bytes <= keep)
			return;
		bytes -= first->bytes;
		remove_first(volumes);
	}
}

// ---- Cutting ------------------------------------------------------------------------------------

static void stop_cutting(struct vkr_volumes *volumes, const struct vkr_error *error)
{
	volumes->whole = true;
	volumes->error = *error;
	fprintf(stderr, "vkrace: the trace is not cut any more: %s\n", error->message);
}

static enum vkr_result volume_files_flush(struct vkr_volumes *volumes, struct vkr_error *error)
{
	if (!volumes->source)
		return vkr_chunk_writer_flush(volumes->writer, error);
	vkr_source_flush_copy(volumes->source);
	const struct vkr_error *failure = vkr_source_copy_failure(volumes->source);
	return failure ? vkr_error_set(error, VKR_ERROR_IO, "%s", failure->message) : VKR_OK;
}

static enum vkr_result end_volume(struct vkr_volumes *volumes, uint32_t next,
				  struct vkr_error *error)
{
	struct {
		struct vkr_trace_event event;
		struct vkr_trace_volume_end end;
	} last = {{.bytes = sizeof last, .type = VKR_TRACE_VOLUME_END}, {.next = next}};
	enum vkr_result result = vkr_chunk_writer_event(volumes->writer, &last.event, error);
	return result == VKR_OK ? vkr_chunk_writer_flush(volumes->writer, error) : result;
}

// The volume is an old one from now on.
static enum vkr_result put_aside(struct vkr_volumes *volumes, struct vkr_error *error)
{
	if (!VKR_ARRAY_RESERVE(&volumes->past, 1))
		return vkr_error_memory(error, "volumes");
	char *path = strdup(volumes->file.path);
	if (!path)
		return vkr_error_memory(error, "volumes");
	volumes->past.items[volumes->past.count++] =
		(struct vkr_past_volume){path, bytes_of(&volumes->file), now_ms()};
	return VKR_OK;
}

static void volume_files_discard(struct vkr_output_file *file, struct vkr_chunk_writer *writer)
{
	vkr_chunk_writer_destroy(writer);
	unlink(file->path);
	vkr_output_file_close(file);
}

// Lack of memory leaves it unsaid.
static void note_refusal(struct vkr_volumes *volumes, const char *reason)
{
	size_t at = 0;
	while (at < volumes->refusal_count && strcmp(volumes->refusals[at].reason, reason) != 0)
		at++;
	if (at == volumes->refusal_count) {
		struct vkr_volume_refusal *more =
			realloc(volumes->refusals, (at + 1) * sizeof *more);
		if (!more)
			return;
		volumes->refusals = more;
		volumes->refusals[volumes->refusal_count++] =
			(struct vkr_volume_refusal){reason, 0};
	}
	volumes->refusals[at].submissions++;
}

void vkr_volumes_say(const struct vkr_volumes *volumes, FILE *out)
{
	for (size_t i = 0; i < volumes->refusal_count; i++)
		fprintf(out, "vkrace: %" PRIu64 " submission%s: not cut where it was due: %s\n",
			volumes->refusals[i].submissions,
			volumes->refusals[i].submissions == 1 ? "" : "s",
			volumes->refusals[i].reason);
}

// Another thread flushes the writer that has the copy of events (vkr_source_flush_copy).
static void copy_to(const struct vkr_volumes *volumes, struct vkr_chunk_writer *writer)
{
	if (volumes->source)
		vkr_source_set_copy(volumes->source, writer);
}

static enum vkr_result go_on(struct vkr_volumes *volumes, struct vkr_session *session,
			     struct vkr_output_file *file, struct vkr_chunk_writer *writer,
			     struct vkr_error *error)
{
	const struct vkr_trace_volume next = {.number = volumes->number + 1, .run = volumes->run};
	const char *reason = NULL;
	enum vkr_result result =
		vkr_session_cut(session, volumes->file.path, &next, writer, &reason, error);
	if (result == VKR_OK && !reason)
		result = vkr_chunk_writer_flush(writer, error);
	if (result == VKR_OK && !reason) {
		copy_to(volumes, NULL);
		result = end_volume(volumes, next.number, error);
		if (result == VKR_OK)
			result = put_aside(volumes, error);
		copy_to(volumes, result == VKR_OK ? writer : volumes->writer);
	}
	volumes->refused = reason;
	if (result != VKR_OK || reason) {
		volume_files_discard(file, writer);
		return result;
	}
	vkr_chunk_writer_destroy(volumes->writer);
	vkr_output_file_close(&volumes->file);
	volumes->writer = writer;
	volumes->file = *file;
	volumes->number = next.number;
	begin_measures(volumes);
	if (volumes->keep.unit != VKR_VOLUME_NONE)
		remove_old(volumes);
	return VKR_OK;
}

// Returns why it was not cut, or NULL.
static const char *volume_files_cut(struct vkr_volumes *volumes, struct vkr_session *session)
{
	struct vkr_output_file file;
	struct vkr_chunk_writer *writer = NULL;
	struct vkr_error error;
	const char *reason = vkr_session_cannot_cut(session);
	if (reason)
		return reason; // at the next event, perhaps
	// Where it cannot be cut for what is remembered, that is looked through seldom.
	if (volumes->retry > 0 && --volumes->retry > 0)
		return volumes->refused;
	volumes->retry = 256;
	volumes->refused = NULL;
	enum vkr_result result = volume_files_flush(volumes, &error);
	if (result == VKR_OK)
		result = open_volume(volumes, volumes->number + 1, &file, &writer, &error);
	if (result == VKR_OK)
		result = go_on(volumes, session, &file, writer, &error);
	if (result != VKR_OK)
		stop_cutting(volumes, &error);
	return volumes->refused;
}

void vkr_volumes_after(struct vkr_volumes *volumes, struct vkr_session *session,
		       const struct vkr_trace_event *event)
{
	volumes->raw_bytes += event->bytes;
	volumes->submissions += event->type == VKR_TRACE_SUBMIT;
	if (!is_due(volumes))
		return;
	const char *reason = volume_files_cut(volumes, session);
	if (reason && event->type == VKR_TRACE_SUBMIT)
		note_refusal(volumes, reason);
}

enum vkr_result vkr_volumes_event(struct vkr_volumes *volumes, const struct vkr_trace_event *event,
				  struct vkr_error *error)
{
	return vkr_chunk_writer_event(volumes->writer, event, error);
}

enum vkr_result vkr_volumes_end(struct vkr_volumes *volumes, struct vkr_error *error)
{
	enum vkr_result result =
		volumes->writer ? vkr_chunk_writer_flush(volumes->writer, error) : VKR_OK;
	vkr_chunk_writer_destroy(volumes->writer);
	volumes->writer = NULL;
	if (volumes->file.path)
		vkr_output_file_close(&volumes->file);
	for (size_t i = 0; i < volumes->past.count; i++)
		free(volumes->past.items[i].path);
	free(volumes->refusals);
	volumes->refusals = NULL;
	volumes->refusal_count = 0;
	free(volumes->past.items);
	volumes->past.items = NULL;
	volumes->past.count = volumes->past.capacity = 0;
	return result;
}
