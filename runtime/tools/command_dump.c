// SPDX-License-Identifier: Apache-2.0
// `vkrace dump`: a trace as text. Knows files, which events belong to a submission, and not what
// events mean.
#include "commands.h"
#include "error.h"
#include "event_layout.h"
#include "event_text.h"
#include "map.h"
#include "reader.h"
#include "tool_options.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dump {
	const char *types;   // globs; NULL: all
	uint32_t submission; // 0: all
	struct vkr_event_objects *objects;
	// Of the submission: recordings, and secondaries within them; executions.
	struct vkr_map recordings, executions;
};

// ---- What belongs to the submission -------------------------------------------------------------

static bool add_executions(struct dump *dump, const struct vkr_trace_submit *submit)
{
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	const struct vkr_trace_semaphore_operation *waits =
		(const void *)(batches + submit->batch_count);
	const struct vkr_trace_execution *executions = (const void *)(waits + submit->wait_count);
	for (uint32_t i = 0; i < submit->execution_count; i++) {
		if (!vkr_map_set(&dump->recordings, executions[i].recording, 1) ||
		    !vkr_map_set(&dump->executions, executions[i].execution, 1))
			return false;
	}
	return true;
}

// Secondaries that a recording executes. Each of them is recorded before.
static bool add_secondaries(struct dump *dump, const struct vkr_trace_recording *recording)
{
	const char *at = (const char *)(recording + 1), *end = at + recording->event_bytes;
	uint64_t there = 0;
	if (!vkr_map_get(&dump->recordings, recording->recording, &there))
		return true;
	while (at < end) {
		const struct vkr_trace_event *event = (const void *)at;
		const struct vkr_trace_cmd_execute *execute = (const void *)(event + 1);
		if (event->type == VKR_TRACE_CMD_EXECUTE &&
		    !vkr_map_set(&dump->recordings, execute->recording, 1))
			return false;
		at += event->bytes;
	}
	return true;
}

static bool command_dump_take(struct dump *dump, const struct vkr_trace_event *event)
{
	const struct vkr_trace_submit *submit = (const void *)(event + 1);
	if (event->type == VKR_TRACE_SUBMIT && dump->submission &&
	    submit->submission == dump->submission && !add_executions(dump, submit))
		return false;
	if (event->type == VKR_TRACE_RECORDING && !add_secondaries(dump, (const void *)(event + 1)))
		return false;
	return vkr_event_objects_add(dump->objects, event);
}

// Whether a member names the submission, or something that it executes.
static bool is_of_submission(const struct dump *dump, const struct vkr_trace_event *event)
{
	const struct vkr_event_field_list *members = &vkr_event_layout(event->type)->payload;
	for (size_t i = 0; i < members->count; i++) {
		const struct vkr_event_field *field = &members->fields[i];
		const uint64_t value = vkr_event_field_value(field, event + 1, 0);
		uint64_t there = 0;
		if (strcmp(field->name, "submission") == 0)
			return value == dump->submission;
		if (strcmp(field->name, "execution") == 0)
			return vkr_map_get(&dump->executions, value, &there);
		if (strcmp(field->name, "recording") == 0)
			return vkr_map_get(&dump->recordings, value, &there);
	}
	return false;
}

// Of a list of globs.
static bool has_type(const char *globs, const char *name)
{
	char glob[64];
	for (;; globs++) {
		const size_t length = strcspn(globs, ",");
		snprintf(glob, sizeof glob, "%.*s", (int)length, globs);
		if (length < sizeof glob && fnmatch(glob, name, 0) == 0)
			return true;
		globs += length;
		if (!*globs)
			return false;
	}
}

static bool command_dump_shows(void *user, const char *name)
{
	const struct dump *dump = user;
	return !dump->types || has_type(dump->types, name);
}

// Of a recording's commands, one that is meant shows the recording.
static bool is_shown(struct dump *dump, const struct vkr_trace_event *event)
{
	if (dump->submission && !is_of_submission(dump, event))
		return false;
	if (command_dump_shows(dump, vkr_event_layout(event->type)->name))
		return true;
	if (event->type != VKR_TRACE_RECORDING)
		return false;
	const struct vkr_trace_recording *recording = (const void *)(event + 1);
	const char *at = (const char *)(recording + 1), *end = at + recording->event_bytes;
	while (at < end) {
		const struct vkr_trace_event *command = (const void *)at;
		if (command_dump_shows(dump, vkr_event_layout(command->type)->name))
			return true;
		at += command->bytes;
	}
	return false;
}

// ---- Reading ------------------------------------------------------------------------------------

// All events of a trace: taken, or printed where they are shown.
static enum vkr_result command_dump_pass(struct dump *dump, const char *path, bool prints,
					 struct vkr_error *error)
{
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	uint64_t number = 0;
	const struct vkr_event_text_options how = {dump->objects, command_dump_shows, dump};
	enum vkr_result result = vkr_reader_open(&reader, path, error);
	if (result != VKR_OK)
		return result;
	for (;;) {
		result = vkr_reader_next(reader, &event, error);
		if (result != VKR_OK || !event)
			break;
		number++;
		if (!prints && !command_dump_take(dump, event))
			result = vkr_error_memory(error, "names of objects");
		if (prints && is_shown(dump, event))
			vkr_event_text(event, number, &how, stdout);
		if (result != VKR_OK || ferror(stdout))
			break;
	}
	const char *cut = prints ? vkr_reader_cut(reader) : NULL;
	if (prints && result == VKR_OK && (fflush(stdout) != 0 || ferror(stdout)))
		result = vkr_error_set(error, VKR_ERROR_IO, "cannot print: %s", strerror(errno));
	if (cut)
		fprintf(stderr, "vkrace dump: %s: %s\n", path, cut);
	vkr_reader_close(reader);
	return result;
}

// Once for names, and for what a submission executes, some of which stands before it; an error is
// reported where what came before it has been printed.
static enum vkr_result dump_trace(struct dump *dump, const char *path, struct vkr_error *error)
{
	enum vkr_result result;
	dump->objects = vkr_event_objects_create();
	vkr_map_init(&dump->recordings);
	vkr_map_init(&dump->executions);
	if (!dump->objects)
		return vkr_error_memory(error, "names of objects");
	result = command_dump_pass(dump, path, false, error);
	if (result == VKR_OK && dump->submission) // primaries stand after their secondaries
		result = command_dump_pass(dump, path, false, error);
	if (result == VKR_OK && dump->submission && !dump->executions.count)
		fprintf(stderr, "vkrace dump: %s: submission %u executes nothing here\n", path,
			(unsigned)dump->submission);
	if (result != VKR_ERROR_MEMORY)
		result = command_dump_pass(dump, path, true, error);
	vkr_event_objects_destroy(dump->objects);
	vkr_map_finish(&dump->recordings);
	vkr_map_finish(&dump->executions);
	return result;
}

int vkr_command_dump(int argc, char **argv)
{
	const struct vkr_tool_option_set accepted =
		VKR_OPTION_SET(VKR_OPTION(SUBMISSION), VKR_OPTION(TYPE));
	struct vkr_tool_options options;
	struct vkr_error error;
	int submission = 0;
	if (!vkr_tool_options_parse(argc, argv, &accepted, true, &options))
		return VKR_EXIT_FAILURE;
	if (options.submission &&
	    !vkr_tool_option_number("dump", "--submission", options.submission, INT32_MAX,
				    &submission))
		return VKR_EXIT_FAILURE;
	if (options.operands + 1 != argc) {
		fprintf(stderr, "vkrace dump: give one trace: vkrace dump TRACE\n");
		return VKR_EXIT_FAILURE;
	}
	struct dump dump = {.types = options.type, .submission = (uint32_t)submission};
	if (dump_trace(&dump, argv[options.operands], &error) != VKR_OK) {
		fflush(stdout);
		fprintf(stderr, "vkrace dump: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return 0;
}
