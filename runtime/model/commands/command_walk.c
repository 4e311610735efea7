// SPDX-License-Identifier: Apache-2.0
// Walks an execution's commands in order and keeps what they bind. Knows command buffers; what
// single commands do is in the files beside.
#include "command_walk.h"

#include "array.h"
#include "assumed_order.h"
#include "attachments.h"
#include "error.h"
#include "event_payload.h"
#include "pass_scopes.h"
#include "structure_commands.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

static enum vkr_result begin_label(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_label_begin *label = vkr_event_payload(event);
	struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	const char *outer = state->labels;
	if (!VKR_ARRAY_RESERVE(&state->label_stack, 1))
		return vkr_error_memory(walk->error, "labels");
	state->label_stack.items[state->label_stack.count++] = outer;
	state->labels = vkr_texts_format(&walk->model->texts, "%s%s%.*s", outer,
					 outer[0] != '\0' ? " / " : "", (int)label->text_bytes,
					 (const char *)(label + 1));
	return state->labels != NULL ? VKR_OK : vkr_error_memory(walk->error, "labels");
}

static enum vkr_result end_label(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	(void)event;
	if (state->label_stack.count > 0)
		state->labels = state->label_stack.items[--state->label_stack.count];
	return VKR_OK;
}

// A point, which encloses nothing.
static enum vkr_result insert_label(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	(void)walk;
	(void)event;
	return VKR_OK;
}

static enum vkr_result push_frame(struct vkr_walk *walk, const struct vkr_recording *recording,
				  uint32_t base, const char *labels)
{
	if (!VKR_ARRAY_RESERVE(&walk->frames, 1))
		return vkr_error_memory(walk->error, "a command buffer");
	walk->frames.items[walk->frames.count++] = (struct vkr_walk_frame){
		.recording = recording, .base = base, .state = {.labels = labels}};
	return VKR_OK;
}

static void pop_frame(struct vkr_walk *walk)
{
	struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	vkr_walk_state_finish(state);
	walk->frames.count--;
}

void vkr_walk_finish(struct vkr_walk *walk)
{
	while (walk->frames.count > 0)
		pop_frame(walk);
	free(walk->frames.items);
	vkr_walk_leave_render_pass(walk);
	free(walk->pass.uses.items);
	free(walk->pass.written.items);
	free(walk->feedback_places.items);
	free(walk->feedback_counters.items);
	free(walk->pass.views.items);
	vkr_pass_scopes_finish(&walk->pass);
	vkr_locations_finish(&walk->pass.locations);
	vkr_locations_finish(&walk->locations);
}

// A secondary inherits no bound state, and what the primary had bound is undefined after it.
static enum vkr_result execute_secondary(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_execute *execute = vkr_event_payload(event);
	const struct vkr_recording *secondary =
		vkr_recordings_find(&walk->model->recordings, execute->recording);
	for (size_t at = 0; at < walk->frames.count && secondary != NULL; at++)
		if (walk->frames.items[at].recording == secondary)
			secondary = NULL;
	if (secondary == NULL) {
		const enum vkr_result result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"a secondary command buffer was executed whose commands are not known");
		if (result != VKR_OK)
			return result;
		return vkr_assume_all_ordered(walk->model, walk->queue->timeline, walk->error);
	}
	const struct vkr_walk_frame *caller = vkr_walk_top(walk);
	return push_frame(walk, secondary, caller->base + execute->command, caller->state.labels);
}

static enum vkr_result other_command(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_other *other = vkr_event_payload(event);
	const char *text = (const char *)(other + 1);
	const int length = (int)other->text_bytes;
	if (other->flags == 0)
		return VKR_OK;
	const bool accesses = other->flags & VKR_OTHER_ACCESSES;
	const bool orders = other->flags & VKR_OTHER_ORDERS;
	enum vkr_result result = VKR_OK;
	if (accesses)
		result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"%.*s is not modelled: what it reads and writes is not observed", length,
			text);
	if (!orders || result != VKR_OK)
		return result;
	result = vkr_model_missed(
		walk->model, walk->error, VKR_COVERAGE_SYNC, 0,
		"%.*s is not modelled: all that it could order is treated as ordered", length,
		text);
	const struct vkr_command_info like = {.name = "a command that is not modelled"};
	uint64_t tag = 0;
	if (result == VKR_OK)
		result = vkr_walk_tag(walk, other->command, VKR_TRACE_CMD_OTHER, &like, &tag);
	if (result == VKR_OK)
		result = vkr_assume_ordered_here(walk->model, walk->queue->timeline, tag,
						 walk->error);
	return result;
}

typedef enum vkr_result (*walk_command)(struct vkr_walk *walk, const struct vkr_trace_event *event);

static const walk_command commands[] = {
#define VKR_WALK(event, function) [VKR_TRACE_##event] = function,
#include "walk_commands.def"
#undef VKR_WALK
	[VKR_TRACE_CMD_EXECUTE] = execute_secondary, [VKR_TRACE_CMD_LABEL_BEGIN] = begin_label,
	[VKR_TRACE_CMD_LABEL_END] = end_label,       [VKR_TRACE_CMD_OTHER] = other_command,
	[VKR_TRACE_CMD_LABEL] = insert_label,
};

static enum vkr_result walk_event(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	walk->caller = event->caller;
	if (event->type < sizeof commands / sizeof *commands && commands[event->type] != NULL)
		return commands[event->type](walk, event);
	return vkr_error_set(walk->error, VKR_ERROR_FORMAT, "%s: in a recording",
			     vkr_event_name(event->type));
}

// Walks on from where the walk stands.
static enum vkr_result walk_on(struct vkr_walk *walk)
{
	enum vkr_result result = VKR_OK;
	while (walk->frames.count > 0 && result == VKR_OK) {
		struct vkr_walk_frame *frame = vkr_walk_top(walk);
		vkr_access_names_collect(&walk->model->names, walk->model->engine);
		if (walk->command == 0 &&
		    !walk->waits_for_snapshot) // else what is under way goes on
			frame->event = vkr_recording_next(frame->recording, frame->event);
		if (frame->event == NULL)
			pop_frame(walk);
		else
			result = walk_event(walk, frame->event);
		if (result == VKR_OK && walk->model->names.lost)
			result = vkr_error_memory(walk->error, "references");
		if (walk->waiting)
			return result;
	}
	return result;
}

// Words of the log after those of the last command, and words that it has lost.
static enum vkr_result end_log(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	const struct vkr_log *log = vkr_log_store_find(&model->logs, walk->execution);
	enum vkr_result result = vkr_walk_gathered_judged(walk);
	while (result == VKR_OK && log != NULL && (!walk->last || log->judged < log->count)) {
		result = vkr_walk_gather(walk);
		if (result != VKR_OK || walk->waiting)
			return result;
		result = vkr_walk_gathered_judged(walk);
	}
	if (result == VKR_OK && log != NULL && log->lost_words > 0)
		result = vkr_model_missed(model, walk->error, VKR_COVERAGE_LOG, log->lost_words,
					  "the log of execution %u overflowed", walk->execution);
	return result;
}

enum vkr_result vkr_model_execute(struct vkr_model *model, const struct vkr_queue *queue,
				  uint32_t submission, uint32_t execution,
				  struct vkr_recording *recording, bool *waiting,
				  struct vkr_error *error)
{
	struct vkr_walk *walk = &model->walk;
	enum vkr_result result = VKR_OK;
	walk->error = error;
	walk->waiting = false;
	if (!walk->begun || walk->execution != execution) {
		walk->begun = true;
		walk->model = model;
		walk->queue = queue;
		walk->submission = submission;
		walk->execution = execution;
		walk->primary = recording;
		walk->gathered = false;
		walk->last = false;
		walk->conditional = false;
		model->run.executions++;
		result = push_frame(walk, recording, 0, "");
	}
	if (result == VKR_OK)
		result = walk_on(walk);
	if (result == VKR_OK && !walk->waiting)
		result = end_log(walk);
	*waiting = walk->waiting;
	if (result == VKR_OK && !walk->waiting) {
		vkr_instances_drop(&model->instances, execution);
		vkr_snapshots_drop(&model->snapshots, execution);
		vkr_walk_leave_render_pass(walk);
		vkr_walk_end_feedback(walk);
		walk->execution = 0;
		walk->begun = false;
	}
	return result;
}

static bool event_logs(const void *user, const struct vkr_trace_event *event)
{
	const struct vkr_model *model = user;
	if (event->type != VKR_TRACE_CMD_BIND_PIPELINE)
		return event->type == VKR_TRACE_CMD_SNAPSHOT;
	const struct vkr_trace_cmd_bind_pipeline *bind = vkr_event_payload(event);
	const struct vkr_pipeline *pipeline = vkr_objects_pipeline(&model->objects, bind->pipeline);
	for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++)
		if (pipeline->shaders[at]->sites != NULL)
			return true;
	return false;
}

bool vkr_model_logs(const struct vkr_model *model, const struct vkr_recording *recording)
{
	return vkr_recordings_any(&model->recordings, recording, event_logs, model);
}
