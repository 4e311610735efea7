// SPDX-License-Identifier: Apache-2.0
// Conditional rendering, transform feedback and buffer markers: what these commands themselves read
// and write. Knows nothing of what draws do.
#include "command_walk.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "scopes.h"

#include <stdlib.h>

// VkBool32-like predicates, counters, and markers are words.
#define WORD_BYTES 4u

static enum vkr_result unknown_buffer(struct vkr_walk *walk, const char *name)
{
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"%s uses a buffer whose creation was not recorded", name);
}

// A command that accesses one word of a buffer.
static enum vkr_result access_word(struct vkr_walk *walk, uint32_t index, uint32_t type,
				   const char *name, uint32_t buffer,
				   struct vkr_walk_access *access)
{
	access->buffer = vkr_objects_buffer(&walk->model->objects, buffer);
	access->bytes = WORD_BYTES;
	if (access->buffer == NULL)
		return unknown_buffer(walk, name);
	const struct vkr_command_info like = {.name = name, .destination = access->buffer};
	access->info = vkr_walk_info(walk, index, type, &like);
	enum vkr_result result = vkr_walk_begin_command(walk, access->info, &access->command);
	if (result == VKR_OK)
		result = vkr_walk_access(walk, access);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access->command);
	return result;
}

// "Some implementations may latch the value of the predicate upon beginning conditional rendering
// while others may read it before every rendering command": what every one does is to read it no
// earlier than here.
static enum vkr_result begin_condition(struct vkr_walk *walk,
				       const struct vkr_trace_cmd_begin_condition *begin)
{
	struct vkr_walk_access access = {.operation = "predicate read",
					 .stage = VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
					 .access = VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT,
					 .offset = begin->offset};
	walk->conditional = true;
	return access_word(walk, begin->command, VKR_TRACE_CMD_BEGIN_CONDITION,
			   "vkCmdBeginConditionalRenderingEXT", begin->buffer, &access);
}

enum vkr_result vkr_walk_may_have_run(struct vkr_walk *walk, const char *name, const char *what)
{
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"conditional rendering may have discarded %s, and whether it ran "
				"is not observed: races with %s are missed",
				name, what);
}

// A marker comes after everything in its stage, in execution, and after earlier markers, whose
// writes are available to it; to the scopes of other commands it is a transfer
// (vkCmdWriteBufferMarkerAMD).
static enum vkr_result write_marker(struct vkr_walk *walk,
				    const struct vkr_trace_cmd_marker *marker)
{
	const struct vkr_command_info like = {.name = "vkCmdWriteBufferMarkerAMD"};
	const struct vkr_engine_dependency behind = {
		.source_stages = vkr_scope_first(marker->stages, 0).execution,
		.destination_stages = VKR_STAGE_MARKER,
		.beyond = true};
	struct vkr_walk_access access = {.write = true,
					 .operation = "marker write",
					 .stage = VKR_STAGE_MARKER,
					 .access = VK_ACCESS_2_TRANSFER_WRITE_BIT,
					 .offset = marker->offset};
	uint64_t tag = 0;
	enum vkr_result result =
		vkr_walk_tag(walk, marker->command, VKR_TRACE_CMD_MARKER, &like, &tag);
	if (result == VKR_OK)
		result = vkr_engine_dependencies(walk->model->engine, walk->queue->timeline, tag,
						 &behind, 1, walk->error);
	return result == VKR_OK ? access_word(walk, marker->command, VKR_TRACE_CMD_MARKER,
					      like.name, marker->buffer, &access)
				: result;
}

static enum vkr_result bind_feedback(struct vkr_walk *walk,
				     const struct vkr_trace_cmd_bind_feedback *bind)
{
	const struct vkr_trace_feedback_buffer *buffers = (const void *)(bind + 1);
	struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	for (uint32_t at = 0; at < bind->buffer_count; at++) {
		const struct vkr_bound_feedback made = {bind->first + at, buffers[at]};
		size_t place = 0;
		while (place < state->feedback.count &&
		       state->feedback.items[place].binding != made.binding)
			place++;
		if (place == state->feedback.count) {
			if (!VKR_ARRAY_RESERVE(&state->feedback, 1))
				return vkr_error_memory(walk->error, "transform feedback buffers");
			state->feedback.count++;
		}
		state->feedback.items[place] = made;
	}
	return VKR_OK;
}

struct vkr_feedback_place *vkr_walk_feedback_place(struct vkr_walk *walk, uint32_t binding)
{
	for (size_t at = 0; at < walk->feedback_places.count; at++)
		if (walk->feedback_places.items[at].binding == binding)
			return &walk->feedback_places.items[at];
	if (!VKR_ARRAY_RESERVE(&walk->feedback_places, 1))
		return NULL;
	struct vkr_feedback_place *made =
		&walk->feedback_places.items[walk->feedback_places.count++];
	*made = (struct vkr_feedback_place){.binding = binding};
	return made;
}

static struct vkr_feedback_counter *find_counter(struct vkr_walk *walk,
						 const struct vkr_buffer *buffer, uint64_t offset)
{
	for (size_t at = 0; at < walk->feedback_counters.count; at++) {
		struct vkr_feedback_counter *counter = &walk->feedback_counters.items[at];
		if (buffer->memory != NULL && counter->memory == buffer->memory->id &&
		    counter->offset == buffer->offset + offset)
			return counter;
	}
	return NULL;
}

// The counter holds what its place has come to, as long as nothing else is written there.
static enum vkr_result keep_counter(struct vkr_walk *walk, const struct vkr_walk_access *write,
				    uint32_t binding)
{
	const struct vkr_feedback_place *place = vkr_walk_feedback_place(walk, binding);
	const uint32_t *site = vkr_access_names_command_site(&walk->model->names, write->info,
							     VKR_COMMAND_WRITE, write->buffer, 0);
	struct vkr_feedback_counter *counter = find_counter(walk, write->buffer, write->offset);
	if (place == NULL || site == NULL)
		return vkr_error_memory(walk->error, "transform feedback");
	if (counter == NULL && (place->unknown || write->buffer->memory == NULL))
		return VKR_OK;
	if (counter == NULL) {
		if (!VKR_ARRAY_RESERVE(&walk->feedback_counters, 1))
			return vkr_error_memory(walk->error, "transform feedback");
		counter = &walk->feedback_counters.items[walk->feedback_counters.count++];
	}
	if (place->unknown)
		*counter = walk->feedback_counters.items[--walk->feedback_counters.count];
	else
		*counter = (struct vkr_feedback_counter){.memory = write->buffer->memory->id,
							 .offset = write->buffer->offset +
								   write->offset,
							 .site = *site,
							 .value = place->used};
	return VKR_OK;
}

static enum vkr_result is_known(struct vkr_model *model, const struct vkr_feedback_counter *counter,
				bool *known, struct vkr_error *error)
{
	uint32_t site = 0;
	const enum vkr_result result = vkr_engine_last_writer(
		model->engine, counter->memory, counter->offset, WORD_BYTES, &site, error);
	*known = (site != 0 || counter->told) && site == counter->site;
	return result;
}

enum vkr_result vkr_walk_feedback_counter(struct vkr_walk *walk, const struct vkr_buffer *buffer,
					  uint64_t offset, bool *known, uint64_t *value)
{
	const struct vkr_feedback_counter *counter = find_counter(walk, buffer, offset);
	enum vkr_result result = VKR_OK;
	*known = false;
	if (counter != NULL)
		result = is_known(walk->model, counter, known, walk->error);
	*value = *known ? counter->value : 0;
	return result;
}

enum vkr_result vkr_feedback_counters_known(struct vkr_model *model,
					    struct vkr_trace_past_counter **counters, size_t *count,
					    struct vkr_error *error)
{
	const struct vkr_walk *walk = &model->walk;
	enum vkr_result result = VKR_OK;
	*count = 0;
	*counters = NULL;
	if (walk->feedback_counters.count == 0)
		return VKR_OK;
	*counters = calloc(walk->feedback_counters.count, sizeof **counters);
	if (*counters == NULL)
		return vkr_error_memory(error, "transform feedback");
	for (size_t at = 0; at < walk->feedback_counters.count && result == VKR_OK; at++) {
		const struct vkr_feedback_counter *counter = &walk->feedback_counters.items[at];
		bool known = false;
		result = is_known(model, counter, &known, error);
		if (known)
			(*counters)[(*count)++] =
				(struct vkr_trace_past_counter){.memory = counter->memory,
								.offset = counter->offset,
								.value = counter->value};
	}
	return result;
}

enum vkr_result vkr_feedback_counter_tell(struct vkr_model *model,
					  const struct vkr_trace_past_counter *counter,
					  struct vkr_error *error)
{
	struct vkr_walk *walk = &model->walk;
	struct vkr_feedback_counter told = {.memory = counter->memory,
					    .offset = counter->offset,
					    .told = true,
					    .value = counter->value};
	if (!VKR_ARRAY_RESERVE(&walk->feedback_counters, 1))
		return vkr_error_memory(error, "transform feedback");
	const enum vkr_result result = vkr_engine_last_writer(
		model->engine, told.memory, told.offset, WORD_BYTES, &told.site, error);
	walk->feedback_counters.items[walk->feedback_counters.count++] = told;
	return result;
}

void vkr_feedback_counters_forget(struct vkr_model *model)
{
	model->walk.feedback_counters.count = 0;
}

void vkr_walk_end_feedback(struct vkr_walk *walk)
{
	if (walk->feedback != 0)
		vkr_engine_command_end(walk->model->engine, walk->feedback);
	walk->feedback = 0;
}

// Goes on where a counter says.
static enum vkr_result feedback_commands_resume(struct vkr_walk *walk,
						const struct vkr_walk_access *read,
						uint32_t binding)
{
	struct vkr_feedback_place *place = vkr_walk_feedback_place(walk, binding);
	bool known = false;
	if (place == NULL)
		return vkr_error_memory(walk->error, "transform feedback");
	const enum vkr_result result =
		vkr_walk_feedback_counter(walk, read->buffer, read->offset, &known, &place->used);
	place->unknown = !known;
	return result == VKR_OK ? vkr_walk_access(walk, read) : result;
}

// The counters hold where to go on, and where it ended. From begin to end it is one command: its
// own reads and writes need no barrier.
static enum vkr_result access_counters(struct vkr_walk *walk,
				       const struct vkr_trace_cmd_feedback *feedback)
{
	const bool begin = feedback->operation == VKR_FEEDBACK_BEGIN;
	const struct vkr_trace_feedback_buffer *counters = (const void *)(feedback + 1);
	const struct vkr_command_info like = {.name = begin ? "vkCmdBeginTransformFeedbackEXT"
							    : "vkCmdEndTransformFeedbackEXT"};
	struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, feedback->command, VKR_TRACE_CMD_FEEDBACK, &like),
		.write = !begin,
		.operation = begin ? "feedback counter read" : "feedback counter write",
		.stage = VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
		.access = begin ? VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT
				: VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT,
		.bytes = WORD_BYTES};
	enum vkr_result result = VKR_OK;
	if (begin)
		vkr_walk_end_feedback(walk);
	if (walk->feedback == 0)
		result = vkr_walk_begin_command(walk, access.info, &walk->feedback);
	access.command = walk->feedback;
	if (begin)
		walk->feedback_places.count = 0;
	for (uint32_t at = 0; at < feedback->counter_count && result == VKR_OK; at++) {
		if (counters[at].buffer == 0)
			continue; // none: it begins anew, and where it ended is not asked
		access.buffer = vkr_objects_buffer(&walk->model->objects, counters[at].buffer);
		access.offset = counters[at].offset;
		if (access.buffer == NULL)
			result = unknown_buffer(walk, like.name);
		else if (begin)
			result = feedback_commands_resume(walk, &access, feedback->first + at);
		else
			result = vkr_walk_access(walk, &access);
		if (result == VKR_OK && access.buffer != NULL && !begin)
			result = keep_counter(walk, &access, feedback->first + at);
	}
	if (result == VKR_OK && !begin)
		vkr_walk_end_feedback(walk);
	return result;
}

enum vkr_result vkr_walk_feedback(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const void *payload = vkr_event_payload(event);
	switch (event->type) {
	case VKR_TRACE_CMD_BEGIN_CONDITION:
		return begin_condition(walk, payload);
	case VKR_TRACE_CMD_END_CONDITION:
		walk->conditional = false;
		return VKR_OK;
	case VKR_TRACE_CMD_BIND_FEEDBACK:
		return bind_feedback(walk, payload);
	case VKR_TRACE_CMD_FEEDBACK:
		return access_counters(walk, payload);
	default:
		return write_marker(walk, payload);
	}
}
