// SPDX-License-Identifier: Apache-2.0
// One run's judgement: trace events in, a report out. Knows the events' order rules; nothing of
// where events come from or where the report goes.
#include "session.h"

#include "array.h"
#include "error.h"
#include "event_check.h"
#include "instruction_text.h"
#include "model.h"
#include "stack_places.h"
#include "volume_begin.h"

#include <stdlib.h>
#include <string.h>

struct vkr_session {
	struct vkr_model *model;
	struct vkr_stack_places *places;
	// Events after one that waits for a log, in order, back to back, each after its index in
	// its volume.
	struct {
		uint64_t *items; // events are multiples of 8 bytes
		size_t count, capacity;
	} later;
	size_t later_first; // of those not yet handed on
	uint64_t arrived;   // events of the present volume
};

enum vkr_result vkr_session_create(const struct vkr_session_options *options,
				   struct vkr_session **session, struct vkr_error *error)
{
	struct vkr_session *made = calloc(1, sizeof *made);
	struct vkr_model_options model = {0};
	if (made == NULL)
		return vkr_error_memory(error, "a session");
	made->places = vkr_stack_places_create();
	if (made->places == NULL) {
		free(made);
		return vkr_error_memory(error, "a session");
	}
	if (options != NULL)
		model = (struct vkr_model_options){.race_found = options->race_found,
						   .host_raced = options->host_raced,
						   .user = options->user,
						   .hidden_classes = options->hidden_classes,
						   .any_image = options->any_image,
						   .costs = options->costs,
						   .no_repeats = options->no_repeats,
						   .may_cut = options->may_cut,
						   .rules = options->rules,
						   .shard = options->shard,
						   .choice = options->choice,
						   .enough = options->enough,
						   .stop = options->stop,
						   .crew = options->crew};
	made->arrived = model.may_cut; // VOLUME
	model.place_words = vkr_stack_places_words;
	model.place_user = made->places;
	model.instruction_words = vkr_instruction_text;
	const enum vkr_result result = vkr_model_create(&model, &made->model, error);
	if (result != VKR_OK) {
		vkr_session_destroy(made);
		return result;
	}
	*session = made;
	return VKR_OK;
}

void vkr_session_destroy(struct vkr_session *session)
{
	if (session == NULL)
		return;
	vkr_model_destroy(session->model);
	vkr_stack_places_destroy(session->places);
	free(session->later.items);
	free(session);
}

static enum vkr_result put_off(struct vkr_session *session, const struct vkr_trace_event *event,
			       struct vkr_error *error)
{
	const size_t words = event->bytes / sizeof *session->later.items;
	if (!VKR_ARRAY_RESERVE(&session->later, words + 1))
		return vkr_error_memory(error, "events that wait");
	session->later.items[session->later.count++] = session->arrived - 1;
	memcpy(session->later.items + session->later.count, event, event->bytes);
	session->later.count += words;
	return VKR_OK;
}

// Hands on what was put off, up to an event that must wait. Goes on after an event that makes no
// sense, and reports the first such.
static enum vkr_result catch_up(struct vkr_session *session, struct vkr_error *error)
{
	enum vkr_result first = VKR_OK;
	while (!vkr_model_is_waiting(session->model) &&
	       session->later_first < session->later.count) {
		vkr_model_place(session->model, session->later.items[session->later_first++]);
		const struct vkr_trace_event *event =
			(const void *)(session->later.items + session->later_first);
		session->later_first += event->bytes / sizeof *session->later.items;
		struct vkr_error *to = first == VKR_OK ? error : NULL;
		const enum vkr_result result = vkr_model_event(session->model, event, to);
		if (result != VKR_OK && first == VKR_OK)
			first = result;
		if (result != VKR_OK && result != VKR_ERROR_FORMAT)
			return result;
	}
	if (session->later_first == session->later.count) {
		session->later_first = 0;
		session->later.count = 0;
	}
	return first;
}

// Events that a waiting model may be waiting for are never put off, nor that there is no more to
// wait for.
static bool is_news_of_execution(const struct vkr_trace_event *event)
{
	return event->type == VKR_TRACE_GPU_LOG || event->type == VKR_TRACE_GPU_COLUMN_LOG ||
	       event->type == VKR_TRACE_COMMANDS_LOGGED || event->type == VKR_TRACE_SNAPSHOT ||
	       event->type == VKR_TRACE_EXECUTION_END || event->type == VKR_TRACE_HEAP_CHANGED ||
	       event->type == VKR_TRACE_SUBMIT_FAILED || event->type == VKR_TRACE_VOLUME_END;
}

enum vkr_result vkr_session_event(struct vkr_session *session, const struct vkr_trace_event *event,
				  struct vkr_error *error)
{
	enum vkr_result result = vkr_event_check(event, event->bytes, error);
	session->arrived++;
	if (result != VKR_OK)
		return result;
	const bool waits = vkr_model_is_waiting(session->model);
	if (waits && !is_news_of_execution(event))
		return put_off(session, event, error);
	if (!waits)
		vkr_model_place(session->model, session->arrived - 1);
	result = vkr_model_event(session->model, event, error);
	if (result != VKR_OK)
		return result;
	return catch_up(session, error);
}

// The events that wait stand in the new volume, too.
static void session_renumber(struct vkr_session *session, uint64_t boundary, uint64_t first)
{
	for (size_t at = session->later_first; at < session->later.count;) {
		session->later.items[at] += first - boundary;
		const struct vkr_trace_event *event = (const void *)(session->later.items + at + 1);
		at += 1 + event->bytes / sizeof *session->later.items;
	}
	session->arrived += first - boundary;
}

const char *vkr_session_cannot_cut(const struct vkr_session *session)
{
	return vkr_model_cannot_cut(session->model);
}

enum vkr_result vkr_session_cut(struct vkr_session *session, const char *path,
				const struct vkr_trace_volume *next, struct vkr_chunk_writer *into,
				const char **reason, struct vkr_error *error)
{
	const bool waits = vkr_model_is_waiting(session->model);
	const struct vkr_volume_cut cut = {
		.path = path,
		.boundary = waits ? vkr_model_last_place(session->model) + 1 : session->arrived,
		.next = *next,
		.into = into};
	uint64_t first = 0;
	*reason = vkr_model_cannot_cut(session->model);
	if (*reason)
		return VKR_OK;
	const enum vkr_result result = vkr_model_cut(session->model, &cut, reason, &first, error);
	if (result == VKR_OK && !*reason)
		session_renumber(session, cut.boundary, first);
	return result;
}

enum vkr_result vkr_session_lost(struct vkr_session *session, const char *text,
				 struct vkr_error *error)
{
	return vkr_model_coverage(session->model, VKR_COVERAGE_TRACE, 0, text, error);
}

enum vkr_result vkr_session_end(struct vkr_session *session, struct vkr_error *error)
{
	enum vkr_result first = vkr_model_end_logs(session->model, error);
	if (first == VKR_OK)
		first = catch_up(session, error);
	if (first != VKR_OK && first != VKR_ERROR_FORMAT)
		return first;
	const enum vkr_result result =
		vkr_model_end(session->model, first == VKR_OK ? error : NULL);
	return first != VKR_OK ? first : result;
}

void vkr_session_abandon(struct vkr_session *session, enum vkr_trace_coverage_kind kind,
			 uint64_t amount, const char *text)
{
	free(session->later.items);
	session->later.items = NULL;
	session->later.count = session->later.capacity = 0;
	vkr_model_abandon(session->model, kind, amount, text);
}

uint64_t vkr_session_executions(const struct vkr_session *session)
{
	return vkr_model_executions(session->model);
}

const struct vkr_report *vkr_session_report(struct vkr_session *session)
{
	return vkr_model_report(session->model);
}

void vkr_session_add_accesses(struct vkr_session *session, uint64_t accesses)
{
	vkr_model_add_accesses(session->model, accesses);
}
