// SPDX-License-Identifier: Apache-2.0
// Which batches and host calls may still matter. Knows numbers of commands; not what they access.
#include "past_units.h"

#include "error.h"
#include "model_state.h"
#include "search.h"
#include "submission_state.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SWEEP ((size_t)1 << 12)

void vkr_past_unit_finish(struct vkr_past_unit *unit)
{
	vkr_timeline_image_drop(unit->image);
	free(unit->event);
}

void vkr_past_finish(struct vkr_past *past)
{
	for (size_t i = 0; i < past->units.count; i++)
		vkr_past_unit_finish(&past->units.items[i]);
	free(past->units.items);
	free(past->lines.items);
	vkr_timeline_image_drop(past->open);
	vkr_timeline_image_drop(past->host_run);
	*past = (struct vkr_past){0};
}

// Takes over the image and the event.
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

enum vkr_result vkr_past_begin(struct vkr_model *model, uint32_t timeline, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (!past->keeps)
		return VKR_OK;
	vkr_timeline_image_drop(past->open);
	past->open = NULL;
	past->open_before = vkr_engine_commands(model->engine);
	return vkr_timeline_image_take(model->engine, timeline, &past->open, error);
}

static enum vkr_result sweep_many(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	bool whole;
	if (past->units.count < (past->sweep_at ? past->sweep_at : FIRST_SWEEP))
		return VKR_OK;
	return vkr_past_sweep(model, &whole, error);
}

enum vkr_result vkr_past_end(struct vkr_model *model, struct vkr_trace_event *event,
			     struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (event == NULL)
		return vkr_error_memory(error, "what a volume begins with");
	struct vkr_past_unit unit = {.place = past->place,
				     .before = past->open_before,
				     .last = vkr_engine_commands(model->engine),
				     .image = past->open,
				     .event = event};
	past->open = NULL;
	unit.end = vkr_engine_timeline_position(model->engine,
						vkr_timeline_image_timeline(unit.image));
	const enum vkr_result result = add_unit(model, &unit, error);
	return result == VKR_OK ? sweep_many(model, error) : result;
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

struct vkr_trace_event *vkr_past_batch_event(uint32_t queue, const struct vkr_pending_batch *batch)
{
	const struct vkr_trace_submit submit = {.submission = batch->submission,
						.queue = queue,
						.batch_count = 1,
						.execution_count = batch->execution_count};
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

enum vkr_result vkr_past_host_run(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	if (!past->keeps)
		return VKR_OK;
	vkr_timeline_image_drop(past->host_run);
	past->host_run = NULL;
	past->host_before = vkr_engine_commands(model->engine);
	return vkr_timeline_image_take(model->engine, model->host, &past->host_run, error);
}

enum vkr_result vkr_past_event_done(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	const bool accessed = past->host_accessed;
	past->host_accessed = false;
	if (!past->keeps || !accessed || past->host_run == NULL)
		return VKR_OK;
	// Accesses that stand side by side in the trace and in one run are one unit.
	struct vkr_past_unit unit = {.place = past->place,
				     .before = past->host_before,
				     .last = past->host_before + 1,
				     .end = vkr_timeline_image_position(past->host_run) + 1,
				     .image = vkr_timeline_image_hold(past->host_run)};
	const enum vkr_result result = add_unit(model, &unit, error);
	return result == VKR_OK ? sweep_many(model, error) : result;
}

// ---- Which are live -----------------------------------------------------------------------------

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

enum vkr_result vkr_past_sweep(struct vkr_model *model, bool *whole, struct vkr_error *error)
{
	struct vkr_past *past = &model->past;
	struct vkr_engine_remembered remembered;
	size_t kept = 0;
	const enum vkr_result result = vkr_engine_remembered(model->engine, &remembered, error);
	if (result != VKR_OK)
		return result;
	for (size_t i = 0; i < past->units.count; i++) {
		struct vkr_past_unit unit = past->units.items[i];
		if (is_live(&remembered, &unit))
			past->units.items[kept++] = unit;
		else
			vkr_past_unit_finish(&unit);
	}
	past->units.count = kept;
	past->sweep_at = 2 * kept > FIRST_SWEEP ? 2 * kept : FIRST_SWEEP;
	*whole = covers_all(past, &remembered);
	vkr_engine_remembered_finish(&remembered);
	return VKR_OK;
}
