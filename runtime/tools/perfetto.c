// SPDX-License-Identifier: Apache-2.0
#include "perfetto.h"

#include "error.h"
#include "report_escape.h"
#include "report_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

// Processes of the form, whose threads are its tracks.
#define HOST   1
#define DEVICE 2

struct writer {
	FILE *out;
	const struct vkr_run_line *line;
	struct vkr_arena arena;
	const char *comma;
	uint64_t arrows;
	bool failed;
};

// Writes one event and releases it.
static void perfetto_put(struct writer *writer, json_t *event)
{
	if (!event) {
		writer->failed = true;
		return;
	}
	fputs(writer->comma, writer->out);
	// Versions of the library differ in how they print more digits than a time has.
	writer->failed |=
		json_dumpf(event, writer->out, JSON_COMPACT | JSON_REAL_PRECISION(15)) != 0;
	writer->comma = ",\n";
	json_decref(event);
}

// As JSON can hold it.
static const char *perfetto_valid(struct writer *writer, const char *text)
{
	const char *made = vkr_escape_utf8(&writer->arena, text);
	writer->failed |= !made;
	return made ? made : "";
}

// Of nanoseconds; the form has microseconds.
static double time_of(uint64_t nanoseconds)
{
	return (double)nanoseconds / 1000;
}

static void put_name(struct writer *writer, int process, uint32_t track, const char *what,
		     const char *name)
{
	perfetto_put(writer, json_pack("{s:s, s:s, s:i, s:I, s:{s:s}}", "ph", "M", "name", what,
				       "pid", process, "tid", (json_int_t)track, "args", "name",
				       perfetto_valid(writer, name)));
}

static void put_names(struct writer *writer)
{
	const struct vkr_run_line *line = writer->line;
	put_name(writer, HOST, 0, "process_name", *line->program ? line->program : "program");
	put_name(writer, DEVICE, 0, "process_name", "queues");
	for (size_t i = 0; i < line->threads.count; i++)
		put_name(writer, HOST, line->threads.items[i].id, "thread_name",
			 line->threads.items[i].name);
	for (size_t i = 0; i < line->queues.count; i++) {
		const struct vkr_line_name *queue = &line->queues.items[i];
		const char *number = vkr_arena_print(&writer->arena, "queue %" PRIu32, queue->id);
		writer->failed |= !number;
		put_name(writer, DEVICE, queue->id, "thread_name",
			 *queue->name || !number ? queue->name : number);
	}
}

// A bar on a track; takes `args`.
static void put_slice(struct writer *writer, int process, uint32_t track, const char *category,
		      const char *name, uint64_t begin, uint64_t end, json_t *args)
{
	perfetto_put(writer,
		     json_pack("{s:s, s:s, s:s, s:i, s:I, s:f, s:f, s:o}", "ph", "X", "cat",
			       category, "name", name, "pid", process, "tid", (json_int_t)track,
			       "ts", time_of(begin), "dur", time_of(end - begin), "args", args));
}

// An arrow from a bar to another one.
struct end {
	int process;
	uint32_t track;
	uint64_t time;
};

static void put_arrow(struct writer *writer, const char *category, const char *name,
		      const struct end *from, const struct end *to)
{
	const json_int_t id = (json_int_t)++writer->arrows;
	perfetto_put(writer, json_pack("{s:s, s:s, s:s, s:I, s:i, s:I, s:f}", "ph", "s", "cat",
				       category, "name", name, "id", id, "pid", from->process,
				       "tid", (json_int_t)from->track, "ts", time_of(from->time)));
	perfetto_put(writer,
		     json_pack("{s:s, s:s, s:s, s:s, s:I, s:i, s:I, s:f}", "ph", "f", "bp", "e",
			       "cat", category, "name", name, "id", id, "pid", to->process, "tid",
			       (json_int_t)to->track, "ts", time_of(to->time)));
}

// ---- Calls, submissions, commands ---------------------------------------------------------------

static const char *const calls[] = {
	[VKR_TIMED_SUBMIT] = "vkQueueSubmit",
	[VKR_TIMED_PRESENT] = "vkQueuePresentKHR",
	[VKR_TIMED_ACQUIRE] = "vkAcquireNextImageKHR",
	[VKR_TIMED_WAIT] = "wait",
	[VKR_TIMED_EXECUTED] = "",
};

static void put_calls(struct writer *writer)
{
	for (size_t i = 0; i < writer->line->calls.count; i++) {
		const struct vkr_line_call *call = &writer->line->calls.items[i];
		json_t *args = json_object();
		if (call->object)
			json_object_set_new(
				args, call->call == VKR_TIMED_ACQUIRE ? "image" : "submission",
				json_integer(call->object));
		put_slice(writer, HOST, call->thread, "call", calls[call->call], call->begin,
			  call->end, args);
	}
}

// Where a command's bar begins: a submission's commands share its time evenly, in their order.
static uint64_t begin_of(const struct vkr_line_submission *submission, uint32_t index)
{
	const uint64_t whole = submission->end - submission->begin;
	return submission->begin +
	       (submission->command_count ? whole * index / submission->command_count : 0);
}

static void put_commands(struct writer *writer, const struct vkr_line_submission *of)
{
	for (uint32_t i = 0; i < of->command_count; i++) {
		const struct vkr_line_command *command =
			&writer->line->commands.items[of->first_command + i];
		put_slice(writer, DEVICE, of->queue, "command", command->name, begin_of(of, i),
			  begin_of(of, i + 1),
			  json_pack("{s:I, s:s}", "command", (json_int_t)command->number, "labels",
				    perfetto_valid(writer, command->labels)));
	}
}

static void put_submissions(struct writer *writer)
{
	for (size_t i = 0; i < writer->line->submissions.count; i++) {
		const struct vkr_line_submission *one = &writer->line->submissions.items[i];
		const char *name =
			vkr_arena_print(&writer->arena, "%s %" PRIu32,
					one->presents ? "presentation" : "submission", one->id);
		writer->failed |= !name;
		if (one->failed || !name)
			continue;
		put_slice(writer, DEVICE, one->queue, "submission", name, one->begin, one->end,
			  json_pack("{s:I, s:b}", "submission", (json_int_t)one->id,
				    "seen complete", one->complete != 0));
		put_commands(writer, one);
	}
}

// Submissions follow their calls, and whatever waits follows what it waits for.
static void put_dependencies(struct writer *writer)
{
	const struct vkr_run_line *line = writer->line;
	for (size_t i = 0; i < line->edges.count; i++) {
		const struct vkr_line_edge *edge = &line->edges.items[i];
		const struct vkr_line_submission *from = &line->submissions.items[edge->from];
		const struct end first = {DEVICE, from->queue, from->end - 1};
		struct end second = {HOST, 0, 0};
		if (edge->to != UINT32_MAX) {
			const struct vkr_line_submission *to = &line->submissions.items[edge->to];
			second = (struct end){DEVICE, to->queue, to->begin};
		} else {
			const struct vkr_line_call *call = &line->calls.items[edge->call];
			second = (struct end){HOST, call->thread, call->end - 1};
		}
		put_arrow(writer, "dependency", edge->what, &first, &second);
	}
}

static void put_launches(struct writer *writer)
{
	const struct vkr_run_line *line = writer->line;
	for (size_t i = 0; i < line->submissions.count; i++) {
		const struct vkr_line_submission *one = &line->submissions.items[i];
		if (one->call == UINT32_MAX || one->failed)
			continue;
		const struct vkr_line_call *call = &line->calls.items[one->call];
		put_arrow(writer, "launch", "submit",
			  &(struct end){HOST, call->thread, call->begin},
			  &(struct end){DEVICE, one->queue, one->begin});
	}
}

// ---- Races --------------------------------------------------------------------------------------

// Where an access is; false: at no time that is known, as what host threads access.
static bool find_access(const struct writer *writer, const struct vkr_access_report *access,
			struct end *place)
{
	const struct vkr_run_line *line = writer->line;
	for (size_t i = 0; i < line->submissions.count; i++) {
		const struct vkr_line_submission *one = &line->submissions.items[i];
		if (!access->command.submission || one->id != access->command.submission)
			continue;
		*place = (struct end){DEVICE, one->queue, one->begin};
		for (uint32_t at = 0; at < one->command_count; at++) {
			if (line->commands.items[one->first_command + at].number ==
			    access->command.command)
				place->time = begin_of(one, at);
		}
		return true;
	}
	return false;
}

static void put_race(struct writer *writer, const struct vkr_race_report *race)
{
	struct end first, second;
	const bool has_first = find_access(writer, &race->first, &first);
	const bool has_second = find_access(writer, &race->second, &second);
	const char *title = vkr_report_headline(race, &writer->arena);
	const struct end *at = has_second ? &second : &first;
	writer->failed |= !title;
	if (!title || (!has_first && !has_second))
		return;
	perfetto_put(writer,
		     json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:f, s:{s:s, s:s, s:s, s:s}}", "ph",
			       "i", "s", "t", "cat", "race", "name", perfetto_valid(writer, title),
			       "pid", at->process, "tid", (json_int_t)at->track, "ts",
			       time_of(at->time), "args", "class",
			       vkr_report_class(race->race_class), "id", race->id, "missing",
			       perfetto_valid(writer, race->missing), "change",
			       perfetto_valid(writer, race->change)));
	if (has_first && has_second)
		put_arrow(writer, "race", perfetto_valid(writer, title), &first, &second);
}

enum vkr_result vkr_perfetto_write(const struct vkr_run_line *timeline,
				   const struct vkr_report *report, FILE *out,
				   struct vkr_error *error)
{
	struct writer writer = {.out = out, .line = timeline, .comma = ""};
	vkr_arena_init(&writer.arena);
	fprintf(out,
		"{\"displayTimeUnit\": \"ns\", \"otherData\": {\"times\": \"%s\"}, "
		"\"traceEvents\": [\n",
		timeline->timed ? "of calls; commands share their submission's evenly"
				: "none: all is in the order of events");
	put_names(&writer);
	put_calls(&writer);
	put_submissions(&writer);
	put_launches(&writer);
	put_dependencies(&writer);
	for (uint32_t i = 0; i < report->race_count; i++)
		put_race(&writer, &report->races[i]);
	fputs("\n]}\n", out);
	vkr_arena_finish(&writer.arena);
	if (writer.failed)
		return vkr_error_memory(error, "the events");
	if (fflush(out) != 0 || ferror(out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the events: %s",
				     strerror(errno));
	return VKR_OK;
}
