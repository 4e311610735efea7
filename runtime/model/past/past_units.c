// SPDX-License-Identifier: Apache-2.0
// Which batches and host calls may still matter. Knows numbers of commands; not what they access.
#include "past_units.h"

#include "command_walk.h"
#include "error.h"
#include "model_state.h"
#include "search.h"
#include "sort.h"
#include "submission_state.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SWEEP ((size_t)1 << 12)

static void finish_given(struct vkr_past_given *given)
{
	for (size_t i = 0; i < given->event_count; i++)
		vkr_event_signal_drop(given->events[i].signal);
	free(given->events);
	free(given->counters);
	*given = (struct vkr_past_given){0};
}

void vkr_past_unit_finish(struct vkr_past_unit *unit)
{
	vkr_timeline_image_drop(unit->image);
	finish_given(&unit->given);
	free(unit->event);
	free(unit->binds);
}

void vkr_past_finish(struct vkr_past *past)
{
	for (size_t i = 0; i < past->units.count; i++)
		vkr_past_unit_finish(&past->units.items[i]);
	free(past->units.items);
	free(past->lines.items);
	vkr_timeline_image_drop(past->open);
	finish_given(&past->open_given);
	vkr_timeline_image_drop(past->host_run);
	vkr_timeline_image_drop(past->host_first);
	*past = (struct vkr_past){0};
}

// Takes over what the unit has.
static enum vkr_result add_unit(struct vkr_model *model, const struct vkr_past_unit *unit,
				struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (!VKR_ARRAY_RESERVE(&past->units, 1)) {
		struct vkr_past_unit lost = *unit;
		vkr_past_unit_finish(&lost);
		return vkr_error_memory(error, "what a volume begins with");
	}
	past->units.items[past->units.count++] = *unit;
	return VKR_OK;
}

static bool give_events(const struct vkr_model *model, const struct vkr_event_needs *needs,
			struct vkr_past_given *given)
{
	given->events = calloc(needs->count + 1, sizeof *given->events);
	if (given->events == NULL)
		return false;
	for (size_t i = 0; i < needs->count; i++) {
		const struct vkr_event *event =
			vkr_sync_objects_event(&model->sync_objects, needs->items[i].event);
		if (!needs->items[i].needed || event == NULL)
			continue;
		if (event->signal != NULL)
			event->signal->references++;
		given->events[given->event_count++] =
			(struct vkr_past_given_event){event->id, event->signal};
	}
	return true;
}

enum vkr_result vkr_past_begin(struct vkr_model *model, uint32_t timeline,
			       const struct vkr_event_needs *needs, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (!past->keeps)
		return VKR_OK;
	vkr_timeline_image_drop(past->open);
	finish_given(&past->open_given);
	past->open = NULL;
	past->open_before = vkr_engine_commands(model->engine);
	if (needs != NULL && !give_events(model, needs, &past->open_given))
		return vkr_error_memory(error, "what a volume begins with");
	const enum vkr_result result = vkr_feedback_counters_known(
		model, &past->open_given.counters, &past->open_given.counter_count, error);
	return result == VKR_OK
		       ? vkr_timeline_image_take(model->engine, timeline, &past->open, error)
		       : result;
}

static enum vkr_result sweep_many(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	bool whole;
	if (past->units.count < (past->sweep_at ? past->sweep_at : FIRST_SWEEP))
		return VKR_OK;
	return vkr_past_sweep(model, &whole, error);
}

// Takes over the event and the binds.
static enum vkr_result end_unit(struct vkr_model *model, struct vkr_trace_event *event,
				struct vkr_trace_sparse_bind *binds, uint32_t bind_count,
				struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (event == NULL) {
		free(binds);
		return vkr_error_memory(error, "what a volume begins with");
	}
	struct vkr_past_unit unit = {.place = past->place,
				     .before = past->open_before,
				     .last = vkr_engine_commands(model->engine),
				     .image = past->open,
				     .given = past->open_given,
				     .event = event,
				     .binds = binds,
				     .bind_count = bind_count};
	past->open = NULL;
	past->open_given = (struct vkr_past_given){0};
	unit.end = vkr_engine_timeline_position(model->engine,
						vkr_timeline_image_timeline(unit.image));
	const enum vkr_result result = add_unit(model, &unit, error);
	return result == VKR_OK ? sweep_many(model, error) : result;
}

enum vkr_result vkr_past_end(struct vkr_model *model, struct vkr_trace_event *event,
			     struct vkr_error *error)
{
	return end_unit(model, event, NULL, 0, error);
}

// An event with room for `more` bytes after its payload.
static struct vkr_trace_event *make_event(enum vkr_trace_type type, const void *payload,
					  size_t payload_bytes, size_t more)
{
	const size_t bytes = sizeof(struct vkr_trace_event) + payload_bytes + (more + 7) / 8 * 8;
	struct vkr_trace_event *event = bytes <= UINT32_MAX ? calloc(1, bytes) : NULL;
	if (event == NULL)
		return NULL;
	event->bytes = (uint32_t)bytes;
	event->type = (uint16_t)type;
	memcpy(event + 1, payload, payload_bytes);
	return event;
}

static struct vkr_trace_event *batch_event(uint32_t queue, const struct vkr_pending_batch *batch)
{
	const struct vkr_trace_submit submit = {.submission = batch->submission,
						.queue = queue,
						.batch_count = 1,
						.execution_count = batch->execution_count,
						.sparse = batch->is_sparse};
	const struct vkr_trace_batch counts = {.execution_count = batch->execution_count};
	const size_t executions = batch->execution_count * sizeof *batch->executions;
	struct vkr_trace_event *event =
		make_event(VKR_TRACE_SUBMIT, &submit, sizeof submit, sizeof counts + executions);
	if (event == NULL)
		return NULL;
	char *tail = (char *)(event + 1) + sizeof submit;
	memcpy(tail, &counts, sizeof counts);
	memcpy(tail + sizeof counts, batch->executions, executions);
	return event;
}

enum vkr_result vkr_past_batch_end(struct vkr_model *model, uint32_t queue,
				   const struct vkr_pending_batch *batch, struct vkr_error *error)
{
	struct vkr_trace_sparse_bind *binds = NULL;
	if (batch->bind_count > 0) {
		binds = calloc(batch->bind_count, sizeof *binds);
		if (binds == NULL)
			return vkr_error_memory(error, "what a volume begins with");
		memcpy(binds, batch->binds, batch->bind_count * sizeof *binds);
	}
	return end_unit(model, batch_event(queue, batch), binds, batch->bind_count, error);
}

struct vkr_trace_event *vkr_past_present_event(uint32_t queue, uint32_t submission, uint32_t image)
{
	const struct vkr_trace_present present = {
		.submission = submission, .queue = queue, .image_count = 1};
	struct vkr_trace_event *event =
		make_event(VKR_TRACE_PRESENT, &present, sizeof present, sizeof image);
	if (event != NULL)
		memcpy((char *)(event + 1) + sizeof present, &image, sizeof image);
	return event;
}

struct vkr_trace_event *vkr_past_acquire_event(uint32_t image)
{
	const struct vkr_trace_acquire acquire = {.image = image};
	return make_event(VKR_TRACE_ACQUIRE, &acquire, sizeof acquire, 0);
}

bool vkr_past_take_pending(struct vkr_model *model, uint32_t *token)
{
	struct vkr_past *past = &model->past;
	const bool pends = past->pends;
	*token = past->pending_token;
	past->pends = false;
	past->pending_token = 0;
	return pends;
}

enum vkr_result vkr_past_host_run(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (!past->keeps)
		return VKR_OK;
	vkr_timeline_image_drop(past->host_run);
	past->host_run = NULL;
	past->host_before = vkr_engine_commands(model->engine);
	return vkr_timeline_image_take(model->engine, model->host.timeline, &past->host_run, error);
}

void vkr_past_host_accesses(struct vkr_model *model)
{
	struct vkr_past *past = &model->past;
	if (past->host_first != NULL || past->host_run == NULL)
		return;
	past->host_first = vkr_timeline_image_hold(past->host_run);
	past->host_first_before = past->host_before;
}

enum vkr_result vkr_past_event_done(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (past->host_first == NULL)
		return VKR_OK;
	// Accesses that stand side by side in the trace and in one run are one unit; one event may
	// make several runs.
	struct vkr_past_unit unit = {.place = past->place,
				     .before = past->host_first_before,
				     .last = past->host_before + 1,
				     .end = vkr_timeline_image_position(past->host_run) + 1,
				     .image = past->host_first};
	past->host_first = NULL;
	const enum vkr_result result = add_unit(model, &unit, error);
	return result == VKR_OK ? sweep_many(model, error) : result;
}

// ---- Which are live -----------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// Index of the first number that is greater.
static size_t numbers_until(const uint64_t *numbers, size_t count, uint64_t number)
{
	size_t low = 0;
	VKR_SEARCH(low, count, at, numbers[at] <= number);
	return low;
}

static bool is_before(const struct vkr_remembered_place *place, uint32_t timeline,
		      uint64_t position)
{
	return place->timeline < timeline ||
	       (place->timeline == timeline && place->position < position);
}

static bool has_dependency(const struct vkr_engine_remembered *remembered,
			   const struct vkr_past_unit *unit)
{
	const uint32_t timeline = vkr_timeline_image_timeline(unit->image);
	const uint64_t begin = vkr_timeline_image_position(unit->image);
	size_t low = 0;
	VKR_SEARCH(low, remembered->dependency_count, at,
		   is_before(&remembered->dependencies[at], timeline, begin));
	return low < remembered->dependency_count &&
	       remembered->dependencies[low].timeline == timeline &&
	       remembered->dependencies[low].position <= unit->end;
}

static bool is_live(const struct vkr_engine_remembered *remembered,
		    const struct vkr_past_unit *unit)
{
	const size_t command =
		numbers_until(remembered->commands, remembered->command_count, unit->before);
	if (command < remembered->command_count && remembered->commands[command] <= unit->last)
		return true;
	const size_t half = numbers_until(remembered->halves, remembered->half_count,
					  unit->before > 0 ? unit->before - 1 : 0);
	return (half < remembered->half_count && remembered->halves[half] <= unit->last) ||
	       has_dependency(remembered, unit);
}

// Whether every command that is remembered is some live unit's.
static bool covers_all(const struct vkr_past *past, const struct vkr_engine_remembered *remembered)
{
	size_t covered = 0;
	uint64_t behind = 0; // numbers up to here are counted
	for (size_t i = 0; i < past->units.count; i++) {
		const struct vkr_past_unit *unit = &past->units.items[i];
		const uint64_t before = unit->before > behind ? unit->before : behind;
		if (unit->last <= before)
			continue;
		covered +=
			numbers_until(remembered->commands, remembered->command_count, unit->last) -
			numbers_until(remembered->commands, remembered->command_count, before);
		behind = unit->last;
	}
	return covered == remembered->command_count;
}

// A number for what a binding binds: equal for a later one that takes its place.
static uint64_t bound_key(const struct vkr_trace_sparse_bind *bind)
{
	const uint32_t place[] = {bind->kind,          bind->object,        bind->aspects,
				  bind->mip,           bind->layer,         bind->box_offset[0],
				  bind->box_offset[1], bind->box_offset[2], bind->box_extent[0],
				  bind->box_extent[1], bind->box_extent[2]};
	uint64_t key = vkr_map_hash(bind->offset) ^ bind->bytes;
	for (size_t i = 0; i < sizeof place / sizeof *place; i++)
		key = vkr_map_hash(key ^ place[i]);
	return key;
}

static bool is_gone(const struct vkr_model *model, const struct vkr_trace_sparse_bind *bind)
{
	const struct vkr_buffer *buffer =
		bind->kind == VKR_SPARSE_BUFFER ? vkr_objects_buffer(&model->objects, bind->object)
						: NULL;
	const struct vkr_image *image = bind->kind != VKR_SPARSE_BUFFER
						? vkr_objects_image(&model->objects, bind->object)
						: NULL;
	return (buffer == NULL || buffer->destroyed) && (image == NULL || image->destroyed);
}

// Marks those that bind what nothing has bound since: what memory is where follows from them.
static enum vkr_result mark_bound(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	struct vkr_map later;
	bool enough = true;
	vkr_map_init(&later);
	for (size_t i = past->units.count; i-- > 0 && enough;) {
		struct vkr_past_unit *unit = &past->units.items[i];
		unit->binds_still = false;
		for (uint32_t at = 0; at < unit->bind_count && enough; at++) {
			const uint64_t key = bound_key(&unit->binds[at]);
			uint64_t found = 0;
			unit->binds_still |= !is_gone(model, &unit->binds[at]) &&
					     !vkr_map_get(&later, key, &found);
			enough = vkr_map_set(&later, key, 1);
		}
	}
	vkr_map_finish(&later);
	return enough ? VKR_OK : vkr_error_memory(error, "what a volume begins with");
}

// Commands that may bring others into order are needed as long as these may come.
static enum vkr_result add_linked(const struct vkr_model *model,
				  struct vkr_engine_remembered *remembered, struct vkr_error *error)
{
	const struct vkr_command_links *links = &model->order.links;
	const size_t count = remembered->command_count + links->commands.count;
	if (links->commands.count == 0)
		return VKR_OK;
	uint64_t *commands = realloc(remembered->commands, count * sizeof *commands);
	if (commands == NULL)
		return vkr_error_memory(error, "what a volume begins with");
	remembered->commands = commands;
	for (size_t i = 0; i < links->commands.count; i++)
		commands[remembered->command_count++] = links->commands.items[i].standing.number;
	vkr_sort(commands, count, sizeof *commands, compare_numbers);
	remembered->command_count = 0;
	for (size_t i = 0; i < count; i++)
		if (i == 0 || commands[i] != commands[i - 1])
			commands[remembered->command_count++] = commands[i];
	return VKR_OK;
}

enum vkr_result vkr_past_sweep(struct vkr_model *model, bool *whole, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	struct vkr_engine_remembered remembered;
	size_t kept = 0;
	enum vkr_result result = vkr_engine_remembered(model->engine, &remembered, error);
	if (result != VKR_OK)
		return result;
	result = add_linked(model, &remembered, error);
	if (result == VKR_OK)
		result = mark_bound(model, error);
	for (size_t i = 0; i < past->units.count && result == VKR_OK; i++) {
		struct vkr_past_unit unit = past->units.items[i];
		if (unit.binds_still || is_live(&remembered, &unit))
			past->units.items[kept++] = unit;
		else
			vkr_past_unit_finish(&unit);
	}
	if (result == VKR_OK) {
		past->units.count = kept;
		past->sweep_at = 2 * kept > FIRST_SWEEP ? 2 * kept : FIRST_SWEEP;
		*whole = covers_all(past, &remembered);
	}
	vkr_engine_remembered_finish(&remembered);
	return result;
}
