// SPDX-License-Identifier: Apache-2.0
// What a later volume says of the past: how timelines stand, what signals have released. Knows
// these events; not how they came about.
#include "object_table.h"
#include "past_lines.h"
#include "past_units.h"

#include "command_walk.h"
#include "error.h"
#include "event_payload.h"
#include "link_pending.h"
#include "model_state.h"
#include "presentation.h"
#include "submission_state.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LINES ((uint32_t)1 << 20)

uint32_t vkr_past_rules(const struct vkr_model *model)
{
	const struct vkr_memory_rules *rules = &model->options.rules;
	uint32_t number = 0, bit = 16;
	number |= (uint32_t)rules->model << 1;
	number |= model->options.any_image ? 1u << 8 : 0;
#define VKR_READING(member, name, usual, other, gist)                                              \
	number |= rules->readings.member ? 1u << bit : 0;                                          \
	bit++;
	VKR_READINGS(VKR_READING)
#undef VKR_READING
	return number;
}

static enum vkr_result begin_volume(struct vkr_model *model, const struct vkr_trace_volume *volume,
				    struct vkr_error *error)
{
	if (model->run.executions > 0 || model->past.replaying)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "VOLUME: within a volume");
	if (volume->number > 1 && volume->rules != vkr_past_rules(model))
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "volume %u was cut with another --model, --reading or "
				     "--any-image: judge it with the same, or all volumes together",
				     volume->number);
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
		struct vkr_past_line *line = &past->lines.items[i];
		if (line->timeline == 0 && line->of.kind != 0)
			result = vkr_past_line_find(model, &line->of, &line->timeline, error);
		(*lines)[i] = line->timeline;
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
	vkr_feedback_counters_forget(model);
	const uint32_t timeline =
		state->timeline < model->past.lines.count ? lines[state->timeline] : 0;
	// Host accesses that follow may be of the run that is open.
	const bool open =
		model->host.command != 0 &&
		vkr_engine_command_timeline(model->engine, model->host.command) == timeline;
	const bool runs = open && vkr_engine_command_position(model->engine, model->host.command) ==
					  state->position + 1;
	if (timeline == 0)
		result = vkr_error_set(error, VKR_ERROR_FORMAT,
				       "PAST_STATE: there is no timeline %u", state->timeline);
	else if (!runs) {
		if (open)
			vkr_model_host_point(model);
		result = vkr_timeline_image_read(model->engine, timeline, state, lines,
						 model->past.lines.count, error);
	}
	free(lines);
	return result;
}

// What kept batches have left in queries is as it was then, not as it is at the cut.
static enum vkr_result past_events_clear(struct vkr_model *model)
{
	struct vkr_map *ends = &model->query_tokens.ends;
	if (model->past.cleared)
		return VKR_OK;
	model->past.cleared = true;
	for (size_t i = 0; i < ends->capacity; i++)
		if (ends->slots[i].used)
			vkr_engine_token_drop(model->engine, (uint32_t)ends->slots[i].value);
	vkr_map_finish(ends);
	vkr_map_init(ends);
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
			return vkr_semaphore_signal(
				model, semaphore,
				&(struct vkr_signal){.value = event->value, .token = token}, error);
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
	case VKR_PAST_HOST_SYNC:
		if (event->object == 0 || event->object > VKR_HOST_SYNC_THREAD_END || token == 0)
			break;
		return vkr_thread_order_give(model, event->object, event->value, token, error);
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

static void drop_pending(struct vkr_model *model)
{
	uint32_t token = 0;
	(void)vkr_past_take_pending(model, &token);
	if (token != 0)
		vkr_engine_token_drop(model->engine, token);
}

static enum vkr_result make_token(struct vkr_model *model, const struct vkr_trace_past_token *event,
				  struct vkr_error *error)
{
	uint32_t *lines = NULL, token = 0;
	const bool pends = event->kind == VKR_PAST_PENDING;
	enum vkr_result result = pends ? VKR_OK : past_events_clear(model);
	if (result == VKR_OK && !(event->flags & VKR_PAST_TOKEN_NONE)) {
		result = find_lines(model, &lines, error);
		if (result == VKR_OK)
			result = vkr_token_read(model->engine, event, lines,
						model->past.lines.count, &token, error);
		free(lines);
	}
	if (result == VKR_OK && !pends)
		result = give_token(model, event, token, error);
	if (result != VKR_OK && token != 0)
		vkr_engine_token_drop(model->engine, token);
	if (result == VKR_OK && pends) {
		drop_pending(model);
		model->past.pends = true;
		model->past.pending_token = token;
	}
	return result;
}

static bool keep_barriers(struct vkr_event_signal *signal, const struct vkr_trace_past_event *from)
{
	const struct vkr_trace_past_group *groups = (const void *)(from + 1);
	const struct vkr_trace_past_set *sets = (const void *)(groups + from->group_count);
	const struct vkr_trace_past_span *spans = (const void *)(sets + from->set_count);
	const struct vkr_trace_barrier *barriers = (const void *)(spans + from->span_count);
	signal->barriers = calloc(from->barrier_count + (size_t)1, sizeof *barriers);
	if (signal->barriers == NULL)
		return false;
	signal->barrier_count = from->barrier_count;
	memcpy(signal->barriers, barriers, from->barrier_count * sizeof *barriers);
	return true;
}

static enum vkr_result set_event(struct vkr_model *model, const struct vkr_trace_past_event *from,
				 struct vkr_error *error)
{
	struct vkr_event *event = vkr_sync_objects_event(&model->sync_objects, from->event);
	uint32_t *lines = NULL;
	if (event == NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "PAST_EVENT: there is no event %u",
				     from->event);
	if (!(from->flags & VKR_PAST_EVENT_SET)) {
		vkr_event_reset(event);
		return VKR_OK;
	}
	struct vkr_event_signal *signal = calloc(1, sizeof *signal);
	if (signal == NULL)
		return vkr_error_memory(error, "an event");
	*signal = (struct vkr_event_signal){
		.references = 1,
		.by_host = from->flags & VKR_PAST_EVENT_BY_HOST,
		.asymmetric = from->flags & VKR_PAST_EVENT_ASYMMETRIC,
		.form = from->flags & VKR_PAST_EVENT_SYNC2 ? VKR_BARRIER_SYNC2 : 0,
		.stages = from->stage_mask};
	enum vkr_result result = keep_barriers(signal, from) ? find_lines(model, &lines, error)
							     : vkr_error_memory(error, "an event");
	if (result == VKR_OK) {
		signal->timeline =
			from->timeline < model->past.lines.count ? lines[from->timeline] : 0;
		result = vkr_mark_read(model->engine, from, lines, model->past.lines.count,
				       &signal->mark, error);
		free(lines);
	}
	if (result != VKR_OK) {
		vkr_event_signal_drop(signal);
		return result;
	}
	vkr_event_set_to(event, signal);
	return VKR_OK;
}

// The races of what was kept are reported by the volumes before.
static enum vkr_result end_past(struct vkr_model *model, struct vkr_error *error)
{
	enum vkr_result result = past_events_clear(model);
	drop_pending(model);
	if (result == VKR_OK)
		result = vkr_links_settle(model, true, error);
	vkr_model_host_point(model);
	vkr_race_reports_finish(&model->races);
	vkr_race_doubts_finish(&model->doubts);
	model->races = (struct vkr_race_reports){0};
	model->doubts = (struct vkr_race_doubts){0};
	vkr_engine_begin_count(model->engine);
	model->run.executions = model->run.dispatches = model->run.draws = model->run.log_bytes = 0;
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
	case VKR_TRACE_PAST_EVENT:
		return set_event(model, payload, error);
	case VKR_TRACE_PAST_COUNTER:
		return vkr_feedback_counter_tell(model, payload, error);
	default:
		return end_past(model, error);
	}
}
