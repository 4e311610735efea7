// SPDX-License-Identifier: Apache-2.0
// What a later volume says of the past: how timelines stand, what signals have released. Knows
// these events; not how they came about.
#include "object_table.h"
#include "past_units.h"

#include "error.h"
#include "event_payload.h"
#include "link_pending.h"
#include "model_state.h"
#include "presentation.h"
#include "submission_state.h"

#include <stdlib.h>

#define MOST_LINES ((uint32_t)1 << 20)

static enum vkr_result begin_volume(struct vkr_model *model, const struct vkr_trace_volume *volume,
				    struct vkr_error *error)
{
	if (model->executions > 0 || model->past.replaying)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "VOLUME: within a volume");
	model->past.replaying = volume->number > 1;
	return VKR_OK;
}

static enum vkr_result add_line(struct vkr_model *model, const struct vkr_trace_past_timeline *line,
				struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (line->timeline >= MOST_LINES)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "PAST_TIMELINE: number %u",
				     line->timeline);
	if (past->lines.count <= line->timeline) {
		const size_t more = line->timeline + (size_t)1 - past->lines.count;
		if (!VKR_ARRAY_RESERVE(&past->lines, more))
			return vkr_error_memory(error, "timelines");
		while (past->lines.count <= line->timeline)
			past->lines.items[past->lines.count++] = (struct vkr_past_line){0};
	}
	past->lines.items[line->timeline] = (struct vkr_past_line){.of = *line};
	return VKR_OK;
}

// The engine's timeline, where its object has been made.
static enum vkr_result find_line(struct vkr_model *model, struct vkr_past_line *line,
				 struct vkr_error *error)
{
	const struct vkr_queue *queue = NULL;
	if (line->timeline != 0)
		return VKR_OK;
	switch (line->of.kind) {
	case VKR_PAST_LINE_HOST:
		line->timeline = model->host;
		return VKR_OK;
	case VKR_PAST_LINE_QUEUE:
		queue = vkr_objects_queue(&model->objects, line->of.object);
		line->timeline = queue != NULL ? queue->timeline : 0;
		return VKR_OK;
	case VKR_PAST_LINE_PRESENT:
		return vkr_objects_image(&model->objects, line->of.object) != NULL
			       ? vkr_presentation_restore(model, &line->of, &line->timeline, error)
			       : VKR_OK;
	default:
		return VKR_OK;
	}
}

// The engine's timelines by the volume's numbers, to be freed.
static enum vkr_result find_lines(struct vkr_model *model, uint32_t **lines,
				  struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	enum vkr_result result = VKR_OK;
	*lines = calloc(past->lines.count + 1, sizeof **lines);
	if (*lines == NULL)
		return vkr_error_memory(error, "timelines");
	for (size_t i = 0; i < past->lines.count && result == VKR_OK; i++) {
		result = find_line(model, &past->lines.items[i], error);
		(*lines)[i] = past->lines.items[i].timeline;
	}
	if (result != VKR_OK) {
		free(*lines);
		*lines = NULL;
	}
	return result;
}

static enum vkr_result set_state(struct vkr_model *model, const struct vkr_trace_past_state *state,
				 struct vkr_error *error)
{
	uint32_t *lines = NULL;
	enum vkr_result result = find_lines(model, &lines, error);
	if (result != VKR_OK)
		return result;
	const uint32_t timeline =
		state->timeline < model->past.lines.count ? lines[state->timeline] : 0;
	// Host accesses that follow may be of the run that is open.
	const bool runs = timeline == model->host && model->host_command != 0 &&
			  vkr_engine_command_position(model->engine, model->host_command) ==
				  state->position + 1;
	if (timeline == 0)
		result = vkr_error_set(error, VKR_ERROR_FORMAT,
				       "PAST_STATE: there is no timeline %u", state->timeline);
	else if (!runs) {
		if (timeline == model->host)
			vkr_model_host_point(model);
		result = vkr_timeline_image_read(model->engine, timeline, state, lines,
						 model->past.lines.count, error);
	}
	free(lines);
	return result;
}

// What kept batches have left in queries and events is as it was then, not as it is at the cut.
static enum vkr_result clear(struct vkr_model *model)
{
	struct vkr_map *ends = &model->query_tokens.ends;
	const struct vkr_map *events = &model->sync_objects.events;
	if (model->past.cleared)
		return VKR_OK;
	model->past.cleared = true;
	for (size_t i = 0; i < ends->capacity; i++)
		if (ends->slots[i].used)
			vkr_engine_token_drop(model->engine, (uint32_t)ends->slots[i].value);
	vkr_map_finish(ends);
	vkr_map_init(ends);
	for (size_t i = 0; i < events->capacity; i++)
		if (events->slots[i].used)
			vkr_event_reset((void *)(uintptr_t)events->slots[i].value);
	return VKR_OK;
}

static enum vkr_result give_token(struct vkr_model *model, const struct vkr_trace_past_token *event,
				  uint32_t token, struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	struct vkr_semaphore *semaphore = NULL;
	struct vkr_fence *fence = NULL;
	struct vkr_query_pool *pool = NULL;
	struct vkr_queue_pending *pending = NULL;
	switch (event->kind) {
	case VKR_PAST_SEMAPHORE:
		semaphore = vkr_table_find(&submissions->semaphores, event->object);
		if (semaphore != NULL)
			return vkr_semaphore_signal(model, semaphore, event->value, token, error);
		break;
	case VKR_PAST_FENCE:
		fence = vkr_table_find(&submissions->fences, event->object);
		if (fence == NULL)
			break;
		fence->token = token;
		fence->submitted = event->flags & VKR_PAST_SUBMITTED;
		fence->made_signaled = event->flags & VKR_PAST_SIGNALED;
		fence->queue = vkr_objects_queue(&model->objects, event->queue);
		return VKR_OK;
	case VKR_PAST_QUERY:
		pool = vkr_query_pool_find(model, event->object);
		if (pool != NULL && token != 0)
			return vkr_query_ended(model, pool, (uint32_t)event->value, token, error);
		break;
	default:
		pending = vkr_submissions_pending(submissions, event->object);
		if (pending == NULL)
			break;
		pending->signaled = token;
		return VKR_OK;
	}
	return vkr_error_set(error, VKR_ERROR_FORMAT, "PAST_TOKEN: there is no object %u",
			     event->object);
}

static enum vkr_result make_token(struct vkr_model *model, const struct vkr_trace_past_token *event,
				  struct vkr_error *error)
{
	uint32_t *lines = NULL, token = 0;
	enum vkr_result result = clear(model);
	if (result == VKR_OK && !(event->flags & VKR_PAST_TOKEN_NONE)) {
		result = find_lines(model, &lines, error);
		if (result == VKR_OK)
			result = vkr_token_read(model->engine, event, lines,
						model->past.lines.count, &token, error);
		free(lines);
	}
	if (result == VKR_OK)
		result = give_token(model, event, token, error);
	if (result != VKR_OK && token != 0)
		vkr_engine_token_drop(model->engine, token);
	return result;
}

// The races of what was kept are reported by the volumes before.
static enum vkr_result end_past(struct vkr_model *model, struct vkr_error *error)
{
	enum vkr_result result = clear(model);
	if (result == VKR_OK)
		result = vkr_links_settle(model, true, error);
	vkr_model_host_point(model);
	vkr_race_reports_finish(&model->races);
	vkr_race_doubts_finish(&model->doubts);
	model->races = (struct vkr_race_reports){0};
	model->doubts = (struct vkr_race_doubts){0};
	vkr_engine_begin_count(model->engine);
	model->executions = model->dispatches = model->draws = model->log_bytes = 0;
	model->past.replaying = false;
	return result;
}

enum vkr_result vkr_past_event(struct vkr_model *model, const struct vkr_trace_event *event,
			       struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	const uint32_t type = event->type;
	if (type == VKR_TRACE_VOLUME)
		return begin_volume(model, payload, error);
	if (type == VKR_TRACE_VOLUME_END) {
		model->past.continues = true;
		return VKR_OK;
	}
	if (!model->past.replaying)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "%s: not at the beginning of a volume", vkr_event_name(type));
	switch (type) {
	case VKR_TRACE_PAST_TIMELINE:
		return add_line(model, payload, error);
	case VKR_TRACE_PAST_STATE:
		return set_state(model, payload, error);
	case VKR_TRACE_PAST_TOKEN:
		return make_token(model, payload, error);
	default:
		return end_past(model, error);
	}
}
