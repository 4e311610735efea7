// SPDX-License-Identifier: Apache-2.0
#include "run_line.h"

#include "array.h"
#include "error.h"
#include "event_layout.h"
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

struct recording {
	struct vkr_line_command *commands; // numbers are indices in the recording
	size_t count;
};

// What the host has seen complete since its thread's last CALL_TIME.
struct seen {
	uint32_t thread, submission;
	const char *what;
};

// Where a semaphore was signaled.
struct signal {
	uint32_t semaphore, submission;
	uint64_t value;
};

struct reading {
	struct vkr_run_line *line;
	struct vkr_map recordings;  // id -> struct recording *
	struct vkr_map submissions; // id -> index + 1
	struct vkr_map executions;  // id -> index of the submission + 1
	struct vkr_map fences;      // id -> index of the submission + 1
	VKR_LINE_ARRAY(struct seen) seen;
	VKR_LINE_ARRAY(struct signal) signals;
	uint64_t now; // of traces without times
	bool failed;  // no memory
};

static const char *keep_text(struct reading *reading, const void *text, size_t bytes)
{
	const char *kept = vkr_arena_string(&reading->line->arena, text, bytes);
	reading->failed |= !kept;
	return kept ? kept : "";
}

// ---- Commands -----------------------------------------------------------------------------------

static struct recording *find_recording(const struct reading *reading, uint32_t id)
{
	uint64_t found = 0;
	return vkr_map_get(&reading->recordings, id, &found) ? (struct recording *)(uintptr_t)found
							     : NULL;
}

// The labels around a command, joined; `length` is where each of those that are open begins.
struct labels {
	char text[512];
	size_t lengths[32], depth, length;
};

static void take_label(struct labels *labels, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_label_begin *begin = (const void *)(event + 1);
	if (event->type == VKR_TRACE_CMD_LABEL_BEGIN) {
		const int room = (int)(sizeof labels->text - labels->length);
		if (labels->depth < sizeof labels->lengths / sizeof *labels->lengths)
			labels->lengths[labels->depth] = labels->length;
		labels->depth++;
		const int more = snprintf(labels->text + labels->length, (size_t)room, "%s%.*s",
					  labels->length ? " / " : "", (int)begin->text_bytes,
					  (const char *)(begin + 1));
		labels->length += (size_t)(more < room ? more : room - 1);
	} else if (event->type == VKR_TRACE_CMD_LABEL_END && labels->depth > 0) {
		labels->depth--;
		if (labels->depth < sizeof labels->lengths / sizeof *labels->lengths)
			labels->length = labels->lengths[labels->depth];
		labels->text[labels->length] = '\0';
	}
}

// The number that the event's command has in the recording; false: it is no command with one.
static bool number_of(const struct vkr_trace_event *event, uint32_t *number)
{
	const struct vkr_event_layout *layout = vkr_event_layout(event->type);
	if (!layout || !layout->payload.count ||
	    strcmp(layout->payload.fields[0].name, "command") != 0)
		return false;
	memcpy(number, event + 1, sizeof *number);
	return true;
}

static void take_recording(struct reading *reading, const struct vkr_trace_recording *of)
{
	struct vkr_arena *arena = &reading->line->arena;
	struct recording *made = vkr_arena_alloc(arena, sizeof *made);
	struct labels labels = {.depth = 0};
	VKR_LINE_ARRAY(struct vkr_line_command) list = {0};
	const char *at = (const char *)(of + 1), *end = at + of->event_bytes;
	uint32_t number, last = NOBODY;
	for (; made && at < end && !reading->failed;
	     at += ((const struct vkr_trace_event *)(const void *)at)->bytes) {
		const struct vkr_trace_event *event = (const void *)at;
		const struct vkr_trace_cmd_execute *execute = (const void *)(event + 1);
		take_label(&labels, event);
		const struct recording *inner =
			event->type == VKR_TRACE_CMD_EXECUTE
				? find_recording(reading, execute->recording)
				: NULL;
		const size_t more = inner ? inner->count : 1;
		if (!number_of(event, &number) || (number == last && !inner))
			continue;
		last = number;
		if (!VKR_ARRAY_RESERVE(&list, more)) {
			reading->failed = true;
			break;
		}
		for (size_t i = 0; inner && i < inner->count; i++) {
			list.items[list.count] = inner->commands[i];
			list.items[list.count++].number += execute->command;
		}
		if (event->type != VKR_TRACE_CMD_EXECUTE)
			list.items[list.count++] = (struct vkr_line_command){
				number, vkr_event_layout(event->type)->name,
				keep_text(reading, labels.text, labels.length)};
	}
	struct vkr_line_command *kept =
		vkr_arena_alloc(arena, (list.count + 1) * sizeof *list.items);
	if (made && kept && list.count)
		memcpy(kept, list.items, list.count * sizeof *kept);
	if (made)
		*made = (struct recording){kept, list.count};
	reading->failed |= !made || !kept ||
			   !vkr_map_set(&reading->recordings, of->recording, (uintptr_t)made);
	free(list.items);
}

static void add_commands(struct reading *reading, const struct recording *recording)
{
	struct vkr_run_line *line = reading->line;
	if (!recording)
		return;
	if (!VKR_ARRAY_RESERVE(&line->commands, recording->count)) {
		reading->failed = true;
		return;
	}
	for (size_t i = 0; i < recording->count; i++) {
		line->commands.items[line->commands.count] = recording->commands[i];
		line->commands.items[line->commands.count++].number++;
	}
}

// ---- Submissions --------------------------------------------------------------------------------

static uint64_t next_time(struct reading *reading)
{
	return reading->now += 1000;
}

static struct vkr_line_submission *add_submission(struct reading *reading, uint32_t id,
						  uint32_t queue)
{
	struct vkr_run_line *line = reading->line;
	if (!VKR_ARRAY_RESERVE(&line->submissions, 1) ||
	    !vkr_map_set(&reading->submissions, id, line->submissions.count + 1)) {
		reading->failed = true;
		return NULL;
	}
	struct vkr_line_submission *made = &line->submissions.items[line->submissions.count++];
	*made = (struct vkr_line_submission){.id = id,
					     .queue = queue,
					     .called = next_time(reading),
					     .call = NOBODY,
					     .first_command = line->commands.count};
	return made;
}

static void add_edge(struct reading *reading, const struct vkr_line_edge *edge)
{
	if (VKR_ARRAY_RESERVE(&reading->line->edges, 1))
		reading->line->edges.items[reading->line->edges.count++] = *edge;
	else
		reading->failed = true;
}

// The first signal of the semaphore that reaches the value, or the last one of a binary semaphore;
// NULL: none.
static const struct signal *find_signal(const struct reading *reading, uint32_t semaphore,
					uint64_t value)
{
	const struct signal *found = NULL;
	for (size_t i = reading->signals.count; i > 0; i--) {
		const struct signal *signal = &reading->signals.items[i - 1];
		if (signal->semaphore != semaphore)
			continue;
		if (signal->value < value) // values only grow
			break;
		found = signal;
		if (!value)
			break;
	}
	return found;
}

static void wait_for(struct reading *reading, uint32_t semaphore, uint64_t value, uint32_t to)
{
	const struct signal *signal = find_signal(reading, semaphore, value);
	if (signal)
		add_edge(reading,
			 &(struct vkr_line_edge){signal->submission, to, NOBODY, "semaphore"});
}

static void take_submit(struct reading *reading, const struct vkr_trace_submit *submit)
{
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	const struct vkr_trace_semaphore_operation *waits =
		(const void *)(batches + submit->batch_count);
	const struct vkr_trace_execution *executions = (const void *)(waits + submit->wait_count);
	const struct vkr_trace_semaphore_operation *signals =
		(const void *)(executions + submit->execution_count);
	struct vkr_run_line *line = reading->line;
	struct vkr_line_submission *made =
		add_submission(reading, submit->submission, submit->queue);
	const uint32_t index = (uint32_t)line->submissions.count - 1;
	if (!made)
		return;
	for (uint32_t i = 0; i < submit->wait_count; i++)
		wait_for(reading, waits[i].semaphore, waits[i].value, index);
	for (uint32_t i = 0; i < submit->execution_count; i++) {
		add_commands(reading, find_recording(reading, executions[i].recording));
		reading->failed |= !vkr_map_set(&reading->executions, executions[i].execution,
						index + UINT64_C(1));
	}
	made->command_count = (uint32_t)(line->commands.count - made->first_command);
	for (uint32_t i = 0; i < submit->signal_count && !reading->failed; i++) {
		if (VKR_ARRAY_RESERVE(&reading->signals, 1))
			reading->signals.items[reading->signals.count++] =
				(struct signal){signals[i].semaphore, index, signals[i].value};
		else
			reading->failed = true;
	}
	if (submit->fence)
		reading->failed |=
			!vkr_map_set(&reading->fences, submit->fence, index + UINT64_C(1));
}

static void take_present(struct reading *reading, const struct vkr_trace_present *present)
{
	const uint32_t *waits = (const uint32_t *)(present + 1);
	struct vkr_line_submission *made =
		add_submission(reading, present->submission, present->queue);
	if (!made)
		return;
	made->presents = true;
	for (uint32_t i = 0; i < present->wait_count; i++)
		wait_for(reading, waits[i], 0, (uint32_t)reading->line->submissions.count - 1);
}

// ---- What the host has seen ---------------------------------------------------------------------

static void note_seen(struct reading *reading, uint32_t thread, uint64_t found, const char *what)
{
	if (!found)
		return;
	if (VKR_ARRAY_RESERVE(&reading->seen, 1))
		reading->seen.items[reading->seen.count++] =
			(struct seen){thread, (uint32_t)found - 1, what};
	else
		reading->failed = true;
}

// The last submission of a queue, of each queue where it is 0.
static void note_idle(struct reading *reading, uint32_t thread, uint32_t queue, const char *what)
{
	const struct vkr_run_line *line = reading->line;
	for (size_t i = 0; i < line->queues.count; i++) {
		const uint32_t id = line->queues.items[i].id;
		for (size_t at = line->submissions.count; (!queue || id == queue) && at > 0; at--) {
			if (line->submissions.items[at - 1].queue != id)
				continue;
			note_seen(reading, thread, at, what);
			break;
		}
	}
}

// The submission is complete, and with it those before on its queue.
static void run_line_complete(struct vkr_run_line *line, uint32_t index, uint64_t time)
{
	const uint32_t queue = line->submissions.items[index].queue;
	for (size_t at = index + (size_t)1; at > 0; at--) {
		struct vkr_line_submission *one = &line->submissions.items[at - 1];
		if (one->queue != queue)
			continue;
		if (one->complete && one->complete <= time)
			break;
		one->complete = time;
	}
}

// The call of a thread has ended: what it saw was complete by then.
static void end_call(struct reading *reading, uint32_t thread, uint32_t call, uint64_t time)
{
	size_t kept = 0;
	for (size_t i = 0; i < reading->seen.count; i++) {
		const struct seen seen = reading->seen.items[i];
		if (seen.thread != thread) {
			reading->seen.items[kept++] = seen;
			continue;
		}
		run_line_complete(reading->line, seen.submission, time);
		add_edge(reading,
			 &(struct vkr_line_edge){seen.submission, NOBODY, call, seen.what});
	}
	reading->seen.count = kept;
}

static void take_time(struct reading *reading, uint32_t thread,
		      const struct vkr_trace_call_time *time)
{
	struct vkr_run_line *line = reading->line;
	uint64_t found = 0;
	if (time->call == VKR_TIMED_EXECUTED) {
		if (vkr_map_get(&reading->executions, time->object, &found))
			run_line_complete(line, (uint32_t)found - 1, time->end_ns);
		return;
	}
	if (!VKR_ARRAY_RESERVE(&line->calls, 1)) {
		reading->failed = true;
		return;
	}
	line->calls.items[line->calls.count++] =
		(struct vkr_line_call){(enum vkr_trace_timed)time->call, thread, time->object,
				       time->begin_ns, time->end_ns};
	if ((time->call == VKR_TIMED_SUBMIT || time->call == VKR_TIMED_PRESENT) &&
	    vkr_map_get(&reading->submissions, time->object, &found)) {
		line->submissions.items[found - 1].called = time->begin_ns;
		line->submissions.items[found - 1].call = (uint32_t)line->calls.count - 1;
	}
	end_call(reading, thread, (uint32_t)line->calls.count - 1, time->end_ns);
}

// Without times a wait is a call of its own.
static void end_untimed(struct reading *reading, uint32_t thread)
{
	struct vkr_run_line *line = reading->line;
	const uint64_t now = next_time(reading);
	if (line->timed || !VKR_ARRAY_RESERVE(&line->calls, 1))
		return;
	line->calls.items[line->calls.count++] =
		(struct vkr_line_call){VKR_TIMED_WAIT, thread, 0, now, now + 500};
	end_call(reading, thread, (uint32_t)line->calls.count - 1, now);
}

// ---- Events -------------------------------------------------------------------------------------

static void add_thread(struct reading *reading, const struct vkr_trace_thread *thread)
{
	const char *name = keep_text(reading, thread + 1, thread->text_bytes);
	if (VKR_ARRAY_RESERVE(&reading->line->threads, 1))
		reading->line->threads.items[reading->line->threads.count++] =
			(struct vkr_line_name){thread->thread, name};
	else
		reading->failed = true;
}

static void add_queue(struct reading *reading, const struct vkr_trace_queue *queue)
{
	if (VKR_ARRAY_RESERVE(&reading->line->queues, 1))
		reading->line->queues.items[reading->line->queues.count++] =
			(struct vkr_line_name){queue->queue, ""};
	else
		reading->failed = true;
}

static void name_queue(struct reading *reading, const struct vkr_trace_name *name)
{
	for (size_t i = 0; i < reading->line->queues.count && name->kind == VKR_OBJECT_QUEUE; i++) {
		if (reading->line->queues.items[i].id == name->object)
			reading->line->queues.items[i].name =
				keep_text(reading, name + 1, name->text_bytes);
	}
}

static void take_semaphore_wait(struct reading *reading, uint32_t thread,
				const struct vkr_trace_semaphore_wait *wait)
{
	const struct signal *signal = find_signal(reading, wait->semaphore, wait->value);
	if (signal)
		note_seen(reading, thread, signal->submission + UINT64_C(1), "semaphore");
}

static void run_line_take(struct reading *reading, const struct vkr_trace_event *event)
{
	const void *payload = event + 1;
	const uint32_t *object = payload; // the first member
	const struct vkr_trace_run_begin *begin = payload;
	uint64_t found = 0;
	switch (event->type) {
	case VKR_TRACE_RUN_BEGIN:
		reading->line->program = keep_text(reading, begin + 1, begin->text_bytes);
		break;
	case VKR_TRACE_THREAD:
		add_thread(reading, payload);
		break;
	case VKR_TRACE_QUEUE:
		add_queue(reading, payload);
		break;
	case VKR_TRACE_NAME:
		name_queue(reading, payload);
		break;
	case VKR_TRACE_RECORDING:
		take_recording(reading, payload);
		break;
	case VKR_TRACE_SUBMIT:
		take_submit(reading, payload);
		break;
	case VKR_TRACE_PRESENT:
		take_present(reading, payload);
		break;
	case VKR_TRACE_SUBMIT_FAILED:
		if (vkr_map_get(&reading->submissions, *object, &found))
			reading->line->submissions.items[found - 1].failed = true;
		break;
	case VKR_TRACE_CALL_TIME:
		take_time(reading, event->thread, payload);
		break;
	case VKR_TRACE_FENCE_WAIT:
		vkr_map_get(&reading->fences, *object, &found);
		note_seen(reading, event->thread, found, "fence");
		end_untimed(reading, event->thread);
		break;
	case VKR_TRACE_QUEUE_IDLE:
		note_idle(reading, event->thread, *object, "vkQueueWaitIdle");
		end_untimed(reading, event->thread);
		break;
	case VKR_TRACE_DEVICE_IDLE:
		note_idle(reading, event->thread, 0, "vkDeviceWaitIdle");
		end_untimed(reading, event->thread);
		break;
	case VKR_TRACE_SEMAPHORE_WAIT:
		take_semaphore_wait(reading, event->thread, payload);
		end_untimed(reading, event->thread);
		break;
	default:
		break;
	}
}

// Submissions of one queue one after the other: one begins where it was submitted and the one
// before has ended, and ends where it was known to be complete.
static void place_submissions(struct vkr_run_line *line)
{
	for (size_t q = 0; q < line->queues.count; q++) {
		uint64_t last = 0;
		for (size_t i = 0; i < line->submissions.count; i++) {
			struct vkr_line_submission *one = &line->submissions.items[i];
			if (one->queue != line->queues.items[q].id)
				continue;
			one->begin = one->called > last ? one->called : last;
			one->end = one->complete > one->begin ? one->complete : one->begin + 1000;
			last = one->end;
		}
	}
}

// Reads the events up to the first with a time, or all.
static enum vkr_result find_times(struct vkr_run_line *line, const char *path,
				  struct vkr_error *error)
{
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	enum vkr_result result = vkr_reader_open(&reader, path, error);
	do {
		if (result == VKR_OK)
			result = vkr_reader_next(reader, &event, error);
		line->timed = result == VKR_OK && event && event->type == VKR_TRACE_CALL_TIME;
	} while (result == VKR_OK && event && !line->timed);
	vkr_reader_close(reader);
	return result;
}

enum vkr_result vkr_run_line_make(struct vkr_run_line *timeline, const char *path,
				  struct vkr_error *error)
{
	struct reading reading = {.line = timeline};
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	*timeline = (struct vkr_run_line){.program = ""};
	vkr_arena_init(&timeline->arena);
	enum vkr_result result = find_times(timeline, path, error);
	if (result == VKR_OK)
		result = vkr_reader_open(&reader, path, error);
	while (result == VKR_OK) {
		result = vkr_reader_next(reader, &event, error);
		if (result != VKR_OK || !event)
			break;
		run_line_take(&reading, event);
		if (reading.failed)
			result = vkr_error_memory(error, "a timeline");
	}
	vkr_reader_close(reader);
	place_submissions(timeline);
	vkr_map_finish(&reading.recordings);
	vkr_map_finish(&reading.submissions);
	vkr_map_finish(&reading.executions);
	vkr_map_finish(&reading.fences);
	free(reading.seen.items);
	free(reading.signals.items);
	return result;
}

void vkr_run_line_finish(struct vkr_run_line *timeline)
{
	free(timeline->threads.items);
	free(timeline->queues.items);
	free(timeline->calls.items);
	free(timeline->submissions.items);
	free(timeline->commands.items);
	free(timeline->edges.items);
	vkr_arena_finish(&timeline->arena);
}
