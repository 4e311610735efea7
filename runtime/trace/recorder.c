// SPDX-License-Identifier: Apache-2.0
#include "recorder.h"

#include "array.h"
#include "descriptor.h"
#include "error.h"
#include "judge_process.h"
#include "ring.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Room for a burst of GPU logs until the judge has processed it; pages are allocated when they are
// used.
#define RING_BYTES (UINT64_C(32) * 1024 * 1024)

// Events are multiples of 8 bytes, and their size is 32 bits.
#define EVENT_BYTES_MAX (UINT32_MAX - 7)

struct vkr_recorder {
	struct vkr_ring ring;
	struct vkr_judge judge; // socket -1: none
	bool judging;
};

static struct vkr_recorder *create_recorder(void)
{
	struct vkr_recorder *recorder = calloc(1, sizeof *recorder);
	if (!recorder)
		return NULL;
	recorder->judge.socket = -1;
	recorder->ring.memory = -1;
	return recorder;
}

static void recorder_destroy(struct vkr_recorder *recorder)
{
	if (recorder->judge.socket >= 0 && vkr_judge_connected(&recorder->judge))
		close(recorder->judge.socket);
	if (recorder->ring.shared)
		vkr_ring_finish(&recorder->ring);
	free(recorder);
}

static bool begin_event(struct vkr_recorder *recorder, enum vkr_trace_type type, uint32_t thread,
			const void *payload, size_t payload_bytes, size_t tail_bytes)
{
	const size_t fixed = sizeof(struct vkr_trace_event) + payload_bytes;
	if (tail_bytes > EVENT_BYTES_MAX - fixed) {
		struct vkr_trace_coverage coverage = {.kind = VKR_COVERAGE_TRACE,
						      .amount = tail_bytes};
		char text[96];
		coverage.text_bytes = (uint32_t)snprintf(
			text, sizeof text, "an event of type %d of %zu bytes is too large", type,
			tail_bytes);
		vkr_recorder_text(recorder, VKR_TRACE_COVERAGE, thread, &coverage, sizeof coverage,
				  text, coverage.text_bytes);
		return false;
	}
	struct vkr_trace_event event = {.bytes = (uint32_t)((fixed + tail_bytes + 7) / 8 * 8),
					.type = (uint16_t)type,
					.thread = thread};
	vkr_ring_begin(&recorder->ring, &event);
	vkr_ring_put(&recorder->ring, payload, payload_bytes);
	return true;
}

static void end_event(struct vkr_recorder *recorder, size_t tail_bytes)
{
	static const unsigned char zeros[8];
	vkr_ring_put(&recorder->ring, zeros, (8 - tail_bytes % 8) % 8);
	vkr_ring_commit(&recorder->ring);
}

void vkr_recorder_event(struct vkr_recorder *recorder, enum vkr_trace_type type, uint32_t thread,
			const void *payload, size_t payload_bytes, const struct vkr_bytes *pieces,
			size_t piece_count)
{
	size_t tail_bytes = 0;
	for (size_t i = 0; i < piece_count; i++)
		tail_bytes += pieces[i].bytes;
	if (type == VKR_TRACE_SUBMIT)
		vkr_ring_submit(&recorder->ring,
				((const struct vkr_trace_submit *)payload)->execution_count);
	if (!begin_event(recorder, type, thread, payload, payload_bytes, tail_bytes))
		return;
	for (size_t i = 0; i < piece_count; i++)
		vkr_ring_put(&recorder->ring, pieces[i].data, pieces[i].bytes);
	end_event(recorder, tail_bytes);
}

void vkr_recorder_text(struct vkr_recorder *recorder, enum vkr_trace_type type, uint32_t thread,
		       const void *payload, size_t payload_bytes, const char *text,
		       size_t text_bytes)
{
	if (!begin_event(recorder, type, thread, payload, payload_bytes, text_bytes))
		return;
	for (size_t at = 0; at < text_bytes;) {
		size_t valid = vkr_utf8_valid(text + at, text_bytes - at);
		vkr_ring_put(&recorder->ring, text + at, valid);
		at += valid;
		if (at < text_bytes) {
			vkr_ring_put(&recorder->ring, "?", 1);
			at++;
		}
	}
	end_event(recorder, text_bytes);
}

bool vkr_recorder_host_raced(const struct vkr_recorder *recorder, uint64_t place)
{
	return vkr_ring_is_marked(&recorder->ring, place);
}

bool vkr_recorder_has_enough(const struct vkr_recorder *recorder)
{
	return vkr_ring_is_satisfied(&recorder->ring);
}

bool vkr_recorder_is_behind(const struct vkr_recorder *recorder)
{
	return vkr_ring_is_behind(&recorder->ring);
}

struct text {
	char *items;
	size_t count, capacity;
};

// The command line, its arguments separated by blanks. Without /proc it stays empty, and for lack
// of memory what there was none for is left out.
static void read_command_line(struct text *line)
{
	int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got = 1;
	while (file >= 0 && got > 0 && VKR_ARRAY_RESERVE(line, 4096)) {
		got = read(file, line->items + line->count, 4096);
		line->count += got > 0 ? (size_t)got : 0;
	}
	if (file >= 0)
		close(file);
	while (line->count > 0 && line->items[line->count - 1] == 0)
		line->count--;
	for (size_t i = 0; i < line->count; i++) {
		if (line->items[i] == 0)
			line->items[i] = ' ';
	}
}

static void record_begin(struct vkr_recorder *recorder)
{
	struct text line = {0};
	struct timespec now;
	read_command_line(&line);
	clock_gettime(CLOCK_REALTIME, &now);
	struct vkr_trace_run_begin begin = {.time_ns = (uint64_t)now.tv_sec * 1000000000 +
						       (uint64_t)now.tv_nsec,
					    .process = (uint32_t)getpid(),
					    .text_bytes = (uint32_t)line.count};
	vkr_recorder_text(recorder, VKR_TRACE_RUN_BEGIN, 0, &begin, sizeof begin, line.items,
			  line.count);
	free(line.items);
}

// For a judge that has begun: what follows is not recorded, and why.
static void record_nothing(struct vkr_recorder *recorder, const struct vkr_error *why)
{
	struct vkr_trace_coverage coverage = {.kind = VKR_COVERAGE_TRACE,
					      .text_bytes = (uint32_t)strlen(why->message)};
	vkr_recorder_text(recorder, VKR_TRACE_COVERAGE, 0, &coverage, sizeof coverage, why->message,
			  coverage.text_bytes);
	vkr_ring_end(&recorder->ring, false);
}

static bool judge_gone(void *user)
{
	const struct vkr_recorder *recorder = user;
	return vkr_judge_gone(&recorder->judge);
}

// Most arguments of the judge: its name, and options with their values.
#define ARGUMENTS_MAX 40

struct arguments {
	char *items[ARGUMENTS_MAX]; // ended by NULL
	size_t count;
};

static void add_argument(struct arguments *arguments, const char *text)
{
	arguments->items[arguments->count++] = (char *)(uintptr_t)text; // execve() takes no const
}

static void add_option(struct arguments *arguments, const char *option, const char *value)
{
	if (value && *value) {
		add_argument(arguments, option);
		add_argument(arguments, value);
	}
}

static enum vkr_result spawn_judge(struct vkr_recorder *recorder,
				   const struct vkr_recorder_options *options, int judge_socket,
				   struct vkr_error *error)
{
	struct arguments arguments = {0};
	char ring[16], socket[16], process[16], process_id[16], stop_after[24], threads[16];
	// None before Linux 5.3.
	int self = vkr_descriptor_above_streams((int)syscall(SYS_pidfd_open, getpid(), 0));
	int kept[] = {recorder->ring.memory, judge_socket, self};
	snprintf(ring, sizeof ring, "%d", recorder->ring.memory);
	snprintf(socket, sizeof socket, "%d", judge_socket);
	snprintf(process, sizeof process, "%d", self);
	snprintf(process_id, sizeof process_id, "%ld", (long)getpid());
	add_argument(&arguments, "vkrace");
	add_argument(&arguments, "judge");
	add_option(&arguments, "--ring", ring);
	add_option(&arguments, "--socket", socket);
	add_option(&arguments, "--process", process_id);
	if (self >= 0)
		add_option(&arguments, "--process-descriptor", process);
	add_option(&arguments, "--trace", options->trace);
	add_option(&arguments, "--cut", options->cut);
	add_option(&arguments, "--keep", options->keep);
	add_option(&arguments, "--json", options->json);
	add_option(&arguments, "--suppressions", options->suppressions);
	add_option(&arguments, "--only", options->only);
	add_option(&arguments, "--baseline", options->baseline);
	add_option(&arguments, "--model", options->model);
	add_option(&arguments, "--reading", options->reading);
	add_option(&arguments, "--shader", options->shaders);
	add_option(&arguments, "--not-shader", options->not_shaders);
	add_option(&arguments, "--label", options->labels);
	add_option(&arguments, "--sample", options->sample);
	snprintf(stop_after, sizeof stop_after, "%" PRIu64, options->stop_after);
	if (options->stop_after)
		add_option(&arguments, "--stop-after", stop_after);
	snprintf(threads, sizeof threads, "%" PRIu32, options->threads);
	if (options->threads)
		add_option(&arguments, "--threads", threads);
	if (options->quiet)
		add_argument(&arguments, "--quiet");
	if (options->live)
		add_argument(&arguments, "--live");
	if (options->compress)
		add_argument(&arguments, "--compress");
	if (options->cost)
		add_argument(&arguments, "--cost");
	if (options->with_sources)
		add_argument(&arguments, "--with-sources");
	if (options->any_image)
		add_argument(&arguments, "--any-image");
	if (options->no_judge)
		add_argument(&arguments, "--no-judge");
	enum vkr_result result = vkr_judge_spawn(&recorder->judge, options->judge, arguments.items,
						 kept, self >= 0 ? 3 : 2, error);
	if (self >= 0)
		close(self);
	return result;
}

static enum vkr_result await_ready(struct vkr_recorder *recorder, struct vkr_error *error)
{
	enum vkr_judge_message kind;
	char *text = vkr_judge_receive(recorder->judge.socket, true, &kind);
	if (!text && !vkr_judge_gone(&recorder->judge))
		return vkr_error_memory(error, "the judge's first message");
	if (!text)
		return vkr_error_set(error, VKR_ERROR_IO, "the judge ended as it began");
	const enum vkr_result result =
		kind == VKR_JUDGE_READY ? VKR_OK : vkr_error_set(error, VKR_ERROR_IO, "%s", text);
	free(text);
	return result;
}

enum vkr_result vkr_recorder_start(struct vkr_recorder **out,
				   const struct vkr_recorder_options *options,
				   struct vkr_error *error)
{
	int judge_socket;
	struct vkr_recorder *recorder = create_recorder();
	if (!recorder)
		return vkr_error_memory(error, "the recorder");
	recorder->judging = !options->no_judge;
	enum vkr_result result = vkr_ring_create(
		&recorder->ring, options->ring_bytes ? options->ring_bytes : RING_BYTES, judge_gone,
		recorder, error);
	if (result != VKR_OK)
		goto fail;
	result = vkr_judge_connect(&recorder->judge, &judge_socket, error);
	if (result != VKR_OK)
		goto fail;
	result = spawn_judge(recorder, options, judge_socket, error);
	close(judge_socket);
	vkr_ring_close_memory(&recorder->ring);
	if (result != VKR_OK)
		goto fail;
	result = await_ready(recorder, error);
	record_begin(recorder);
	if (result == VKR_OK) {
		*out = recorder;
		return VKR_OK;
	}
	record_nothing(recorder, error);
fail:
	recorder_destroy(recorder);
	return result;
}

void vkr_recorder_flush(struct vkr_recorder *recorder)
{
	vkr_ring_flush(&recorder->ring);
}

void vkr_recorder_drain(struct vkr_recorder *recorder)
{
	vkr_ring_drain(&recorder->ring);
}

void vkr_recorder_messenger(struct vkr_recorder *recorder, bool there)
{
	vkr_ring_set_messenger(&recorder->ring, there);
}

char *vkr_recorder_message(struct vkr_recorder *recorder)
{
	enum vkr_judge_message kind;
	char *line;
	if (!vkr_ring_is_owner(&recorder->ring) || !vkr_judge_connected(&recorder->judge))
		return NULL;
	while ((line = vkr_judge_receive(recorder->judge.socket, false, &kind)) != NULL &&
	       kind != VKR_JUDGE_RACE)
		free(line);
	return line;
}

static void await_verdict(struct vkr_recorder *recorder,
			  void (*message)(void *user, const char *line), void *user,
			  struct vkr_recorder_verdict *verdict)
{
	enum vkr_judge_message kind;
	char *text;
	// The judge's end of the socket closes as it ends.
	while (vkr_judge_connected(&recorder->judge) &&
	       (text = vkr_judge_receive(recorder->judge.socket, true, &kind)) != NULL) {
		unsigned incomplete;
		if (kind == VKR_JUDGE_RACE && message)
			message(user, text);
		if (kind == VKR_JUDGE_VERDICT &&
		    sscanf(text, "%" SCNu32 " %" SCNu64 " %u", &verdict->race_groups,
			   &verdict->races, &incomplete) == 3) {
			verdict->known = recorder->judging;
			verdict->incomplete = incomplete != 0;
		}
		free(text);
	}
}

void vkr_recorder_stop(struct vkr_recorder *recorder, enum vkr_trace_end end,
		       void (*message)(void *user, const char *line), void *user,
		       struct vkr_recorder_verdict *verdict)
{
	const struct vkr_trace_run_end run_end = {.status = end};
	struct vkr_recorder_verdict unasked;
	if (!verdict)
		verdict = &unasked;
	*verdict = (struct vkr_recorder_verdict){0};
	vkr_recorder_event(recorder, VKR_TRACE_RUN_END, 0, &run_end, sizeof run_end, NULL, 0);
	if (vkr_ring_is_owner(&recorder->ring)) {
		vkr_ring_end(&recorder->ring, vkr_judge_connected(&recorder->judge));
		await_verdict(recorder, message, user, verdict);
	}
	recorder_destroy(recorder);
}
