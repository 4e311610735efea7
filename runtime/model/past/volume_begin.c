// SPDX-License-Identifier: Apache-2.0
// The beginning of a volume. Events of the volume before are gone through twice: first to find out
// which of them are needed again; then to write these, in their order, each kept batch at the place
// where it was judged. Knows the order of these events; not what they are.
#include "volume_begin.h"

#include "error.h"
#include "event_roles.h"
#include "model_state.h"
#include "past_lines.h"
#include "reader.h"
#include "submission_state.h"
#include "volume_contents.h"
#include "volume_writer.h"

#include <stdlib.h>
#include <string.h>

// ---- Whether it can be cut ----------------------------------------------------------------------

static bool any_begun(const struct vkr_submissions *submissions)
{
	for (size_t i = 0; i < submissions->queues.count; i++)
		if (submissions->queues.items[i].first != NULL &&
		    submissions->queues.items[i].first->begun)
			return true;
	return false;
}

const char *vkr_model_cannot_cut(const struct vkr_model *model)
{
	const struct vkr_submissions *submissions = &model->submissions;
	if (model->past.replaying)
		return "the beginning of a volume is being read";
	if (submissions->host_wait.event != 0 || model->walk.begun || any_begun(submissions))
		return "a wait or an execution is judged in part";
	if (model->order.links.pending.count > 0)
		return "a race waits for shaders yet to come, which may order it";
	if (vkr_engine_in_section(model->engine))
		return "a render pass instance was not ended";
	if (submissions->sparse_shared)
		return "memory is bound to two sparse resources";
	return NULL;
}

// ---- Going through the volume -------------------------------------------------------------------

struct beginning {
	struct vkr_model *model;
	const struct vkr_volume_cut *cut;
	struct vkr_error *error;
	struct vkr_volume_contents contents;
	struct vkr_volume_writer writer;
	uint64_t behind; // events behind the boundary
	uint64_t first;  // index of the first of them in the next volume; 0: not reached
	size_t next_unit;
	const struct vkr_timeline_image *last_image; // that was written
	struct vkr_map call_stacks;                  // thread -> malloc'd event
};

// Calls `each` for the events of the volume.
static enum vkr_result go_through(struct beginning *beginning,
				  enum vkr_result (*each)(struct beginning *beginning,
							  const struct vkr_trace_event *event,
							  uint64_t index))
{
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	enum vkr_result result = vkr_reader_open(&reader, beginning->cut->path, beginning->error);
	if (result != VKR_OK)
		return result;
	for (uint64_t index = 0; result == VKR_OK; index++) {
		result = vkr_reader_next(reader, &event, beginning->error);
		if (result == VKR_OK && event == NULL)
			break;
		if (result == VKR_OK)
			result = each(beginning, event, index);
	}
	vkr_reader_close(reader);
	return result;
}

static enum vkr_result note_one(struct beginning *beginning, const struct vkr_trace_event *event,
				uint64_t index)
{
	if (index >= beginning->cut->boundary) {
		beginning->behind++;
		return VKR_OK;
	}
	return vkr_volume_contents_note(&beginning->contents, event, index)
		       ? VKR_OK
		       : vkr_error_memory(beginning->error, "what a volume begins with");
}

// The next unit, if it is the one that the event at this place makes by itself.
static struct vkr_past_unit *host_unit(const struct beginning *beginning, uint64_t place)
{
	const struct vkr_past *past = &beginning->model->past;
	struct vkr_past_unit *unit = &past->units.items[beginning->next_unit];
	return beginning->next_unit < past->units.count && unit->place == place &&
			       unit->event == NULL
		       ? unit
		       : NULL;
}

// A call stack is of its thread's next event, and kept with that.
static enum vkr_result put_call_stack(struct beginning *beginning,
				      const struct vkr_trace_event *event, bool kept)
{
	uint64_t held = 0;
	enum vkr_result result = VKR_OK;
	if (!vkr_map_get(&beginning->call_stacks, event->thread, &held))
		return VKR_OK;
	struct vkr_trace_event *stack = (void *)(uintptr_t)held;
	if (kept)
		result = vkr_volume_writer_event(&beginning->writer, stack);
	vkr_map_remove(&beginning->call_stacks, event->thread);
	free(stack);
	return result;
}

static enum vkr_result hold_call_stack(struct beginning *beginning,
				       const struct vkr_trace_event *event)
{
	enum vkr_result result = put_call_stack(beginning, event, false);
	struct vkr_trace_event *stack = malloc(event->bytes);
	if (stack != NULL)
		memcpy(stack, event, event->bytes);
	if (stack == NULL ||
	    !vkr_map_set(&beginning->call_stacks, event->thread, (uintptr_t)stack)) {
		free(stack);
		return vkr_error_memory(beginning->error, "a call stack");
	}
	return result;
}

// Units that were judged after the event at this place: the event of each, and before it how its
// timeline stood. What the event at the place did itself, and was not written, is left out.
static enum vkr_result put_units(struct beginning *beginning, uint64_t place)
{
	struct vkr_past *past = &beginning->model->past;
	enum vkr_result result = VKR_OK;
	while (beginning->next_unit < past->units.count && result == VKR_OK) {
		struct vkr_past_unit *unit = &past->units.items[beginning->next_unit];
		if (unit->place != place)
			break;
		beginning->next_unit++;
		if (unit->event == NULL)
			continue;
		result = vkr_volume_writer_state(&beginning->writer, unit->image);
		beginning->last_image = NULL;
		if (result == VKR_OK)
			result = vkr_volume_writer_given(&beginning->writer, &unit->given);
		if (result == VKR_OK)
			result = vkr_volume_writer_event(&beginning->writer, unit->event);
		unit->place = beginning->writer.written - 1;
		unit->live = true;
	}
	return result;
}

// The event, and before it how the host stood if it makes accesses that may still race.
static enum vkr_result put_kept(struct beginning *beginning, const struct vkr_trace_event *event,
				uint64_t place)
{
	struct vkr_past_unit *unit = host_unit(beginning, place);
	enum vkr_result result = VKR_OK;
	if (unit != NULL && unit->image != beginning->last_image) {
		result = vkr_volume_writer_state(&beginning->writer, unit->image);
		beginning->last_image = unit->image;
	}
	if (result == VKR_OK)
		result = put_call_stack(beginning, event, true);
	if (result == VKR_OK)
		result = vkr_volume_writer_event(&beginning->writer, event);
	if (unit != NULL) {
		unit->place = beginning->writer.written - 1;
		unit->live = true;
		beginning->next_unit++;
	}
	return result;
}

// What the host had released for what the event submits.
static uint32_t token_of(const struct vkr_model *model, const struct vkr_trace_event *event)
{
	const uint32_t submission = vkr_event_first_member(event);
	const struct vkr_submissions *submissions = &model->submissions;
	for (size_t i = 0; i < submissions->queues.count; i++)
		for (const struct vkr_pending_batch *batch = submissions->queues.items[i].first;
		     batch != NULL; batch = batch->next)
			if (batch->submission == submission)
				return batch->host_token;
	return 0;
}

// What is pending, but for SUBMIT_FAILED and SPARSE_BIND, which belong to it.
static enum vkr_result put_pending(struct beginning *beginning, const struct vkr_trace_event *event)
{
	struct vkr_volume_writer *writer = &beginning->writer;
	const bool acquires = event->type == VKR_TRACE_ACQUIRE;
	if (event->type == VKR_TRACE_SUBMIT_FAILED || event->type == VKR_TRACE_SPARSE_BIND)
		return vkr_volume_writer_event(writer, event);
	const enum vkr_result result =
		vkr_volume_writer_pending(writer, acquires ? 0 : token_of(beginning->model, event));
	if (result != VKR_OK || event->type != VKR_TRACE_SUBMIT)
		return result == VKR_OK ? vkr_volume_writer_event(writer, event) : result;
	return vkr_volume_writer_batches(writer, event,
					 vkr_volume_contents_pending(&beginning->contents, event));
}

static enum vkr_result put_past(struct beginning *beginning, const struct vkr_trace_event *event,
				uint64_t index)
{
	const uint8_t role = vkr_event_role(event).role;
	enum vkr_result result = VKR_OK;
	if (role == VKR_ROLE_CALL_STACK)
		return hold_call_stack(beginning, event);
	const bool kept = role == VKR_ROLE_HOST
				  ? host_unit(beginning, index) != NULL
				  : vkr_volume_contents_keep(&beginning->contents, event, index);
	if (!kept || role == VKR_ROLE_PENDING)
		result = put_call_stack(beginning, event, false);
	if (kept && result == VKR_OK)
		result = role == VKR_ROLE_PENDING ? put_pending(beginning, event)
						  : put_kept(beginning, event, index);
	return result == VKR_OK ? put_units(beginning, index) : result;
}

static enum vkr_result put_present(struct beginning *beginning)
{
	const enum vkr_result result = vkr_volume_writer_end(&beginning->writer, beginning->behind);
	beginning->first = beginning->writer.written;
	return result;
}

static enum vkr_result put_event(struct beginning *beginning, const struct vkr_trace_event *event,
				 uint64_t index)
{
	if (index < beginning->cut->boundary)
		return put_past(beginning, event, index);
	const enum vkr_result result = beginning->first ? VKR_OK : put_present(beginning);
	return result == VKR_OK ? vkr_volume_writer_event(&beginning->writer, event) : result;
}

static enum vkr_result put_all(struct beginning *beginning)
{
	struct vkr_trace_volume next = beginning->cut->next;
	next.rules = vkr_past_rules(beginning->model);
	enum vkr_result result = vkr_volume_writer_begin(&beginning->writer, &next);
	if (result == VKR_OK)
		result = go_through(beginning, put_event);
	return result == VKR_OK && !beginning->first ? put_present(beginning) : result;
}

// What was written is kept: accesses of a host's open run that no byte remembers need not be.
static void forget_units(struct vkr_past *past)
{
	size_t kept = 0;
	for (size_t i = 0; i < past->units.count; i++) {
		struct vkr_past_unit unit = past->units.items[i];
		if (!unit.live) {
			vkr_past_unit_finish(&unit);
			continue;
		}
		unit.live = false;
		past->units.items[kept++] = unit;
	}
	past->units.count = kept;
}

// Whether all units are of timelines that the next volume can name.
static enum vkr_result can_name(const struct vkr_model *model, bool *can, struct vkr_error *error)
{
	const struct vkr_past *past = &model->past;
	struct vkr_trace_past_timeline *lines = NULL;
	size_t count = 0;
	const enum vkr_result result = vkr_past_lines(model, &lines, &count, error);
	*can = true;
	for (size_t i = 0; i < past->units.count && *can && result == VKR_OK; i++) {
		const uint32_t timeline = vkr_timeline_image_timeline(past->units.items[i].image);
		bool named = false;
		for (size_t at = 0; at < count && !named; at++)
			named = lines[at].timeline == timeline;
		*can = named;
	}
	free(lines);
	return result;
}

static void volume_begin_finish(struct beginning *beginning)
{
	for (size_t i = 0; i < beginning->call_stacks.capacity; i++)
		if (beginning->call_stacks.slots[i].used)
			free((void *)(uintptr_t)beginning->call_stacks.slots[i].value);
	vkr_map_finish(&beginning->call_stacks);
	vkr_volume_contents_finish(&beginning->contents);
	vkr_volume_writer_finish(&beginning->writer);
}

enum vkr_result vkr_model_cut(struct vkr_model *model, const struct vkr_volume_cut *cut,
			      const char **reason, uint64_t *first, struct vkr_error *error)
{
	struct beginning beginning = {
		.model = model,
		.cut = cut,
		.error = error,
		.writer = {.model = model, .into = cut->into, .error = error}};
	bool whole = false, named = false;
	*reason = NULL;
	enum vkr_result result = vkr_past_sweep(model, &whole, error);
	if (result == VKR_OK)
		result = can_name(model, &named, error);
	if (result != VKR_OK)
		return result;
	if (!whole || !named) {
		*reason = "an access that may still race is of no batch, presentation or host call";
		return VKR_OK;
	}
	if (!vkr_volume_contents_init(&beginning.contents, model))
		result = vkr_error_memory(error, "what a volume begins with");
	if (result == VKR_OK)
		result = go_through(&beginning, note_one);
	if (result == VKR_OK) {
		vkr_volume_contents_settle(&beginning.contents);
		result = put_all(&beginning);
	}
	if (result == VKR_OK) {
		forget_units(&model->past);
		*first = beginning.first;
		model->past.place = *first - 1;
	}
	volume_begin_finish(&beginning);
	return result;
}
