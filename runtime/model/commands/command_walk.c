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

static const char *command_name(uint32_t event_type)
{
	switch (event_type) {
	case VKR_TRACE_CMD_DISPATCH:
		return "vkCmdDispatch";
	case VKR_TRACE_CMD_DISPATCH_INDIRECT:
		return "vkCmdDispatchIndirect";
	case VKR_TRACE_CMD_COPY_BUFFER:
		return "vkCmdCopyBuffer";
	case VKR_TRACE_CMD_FILL_BUFFER:
		return "vkCmdFillBuffer";
	case VKR_TRACE_CMD_UPDATE_BUFFER:
		return "vkCmdUpdateBuffer";
	case VKR_TRACE_CMD_BARRIER:
		return "vkCmdPipelineBarrier";
	default:
		return "";
	}
}

struct vkr_command_info *vkr_walk_info(struct vkr_walk *walk, uint32_t command, uint32_t event_type,
				       const struct vkr_command_info *like)
{
	struct vkr_model *model = walk->model;
	const struct vkr_walk_frame *frame = vkr_walk_top(walk);
	const uint64_t index = (uint64_t)frame->base + command;
	struct vkr_recording *primary = walk->primary;
	const bool own = index < primary->own_count;
	uint64_t found = 0;
	if (own && primary->own_infos[index] != NULL)
		return primary->own_infos[index];
	if (!own && vkr_map_get(&primary->infos, index, &found))
		return (struct vkr_command_info *)(uintptr_t)found;
	const struct vkr_command_buffer *buffer =
		vkr_objects_command_buffer(&model->objects, frame->recording->command_buffer);
	struct vkr_command_info info = *like;
	info.index = (uint32_t)index;
	if (info.name == NULL)
		info.name = command_name(event_type);
	info.labels = frame->state.labels;
	info.caller = walk->caller;
	info.command_buffer = buffer != NULL ? buffer->name : "";
	struct vkr_command_info *kept = vkr_access_names_info(&model->names, &info);
	if (own)
		primary->own_infos[index] = kept;
	else if (kept == NULL || !vkr_map_set(&primary->infos, index, (uintptr_t)kept))
		return NULL;
	return kept;
}

// Headers of Vulkan 1.3 do not name it (VK_EXT_custom_resolve).
#define RENDERING_FRAGMENT_REGION 0x40u

static bool by_fragment(const struct vkr_walk *walk)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	if (pass == NULL)
		return walk->pass.flags & RENDERING_FRAGMENT_REGION;
	return walk->subpass < pass->subpass_count &&
	       pass->subpasses[walk->subpass].flags &
		       VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_QCOM;
}

// 0 of what a queue does without one.
static uint32_t command_buffer(const struct vkr_walk *walk)
{
	return walk->frames.count > 0 ? vkr_walk_top(walk)->recording->command_buffer : 0;
}

static bool name_executed(struct vkr_walk *walk, const struct vkr_command_info *info, uint64_t *tag)
{
	const struct vkr_executed executed = {.info = info,
					      .queue = walk->queue->id,
					      .command_buffer = command_buffer(walk),
					      .submission = walk->submission,
					      .subpass = walk->subpasses,
					      .pass_begin = walk->pass.begin,
					      .pass_instance = walk->pass.instance,
					      .render_pass = walk->render_pass,
					      .subpass_index = walk->subpass,
					      .by_fragment = by_fragment(walk)};
	return vkr_access_names_executed(&walk->model->names, &executed, tag);
}

enum vkr_result vkr_walk_tag(struct vkr_walk *walk, uint32_t command, uint32_t event_type,
			     const struct vkr_command_info *like, uint64_t *tag)
{
	struct vkr_command_info *info = vkr_walk_info(walk, command, event_type, like);
	if (info == NULL || !name_executed(walk, info, tag))
		return vkr_error_memory(walk->error, "a command");
	return VKR_OK;
}

enum vkr_result vkr_walk_begin_command(struct vkr_walk *walk, struct vkr_command_info *info,
				       uint32_t *command)
{
	uint64_t tag = 0;
	if (info == NULL || !name_executed(walk, info, &tag))
		return vkr_error_memory(walk->error, "a command");
	const enum vkr_result result = vkr_engine_command(
		walk->model->engine, walk->queue->timeline, tag, command, walk->error);
	if (result == VKR_OK)
		vkr_engine_command_group(walk->model->engine, *command, walk->subpasses + 1);
	return result;
}

// Whether fixed function's accesses in the stage are where their texels are in the framebuffer.
static bool has_place(uint64_t stage)
{
	return stage & (VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
			VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |
			VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VKR_ENGINE_TRANSITION);
}

// Where the framebuffer's layers, or the views of multiview, are in the image.
static struct vkr_site_layers layers_of(const struct vkr_walk *walk,
					const struct vkr_walk_access *access)
{
	if (access->attachment == NULL)
		return (struct vkr_site_layers){.told = VKR_LAYERS_NOT};
	return (struct vkr_site_layers){
		.told = walk->pass.view_mask != 0 ? VKR_LAYERS_OF_VIEWS : VKR_LAYERS_OF_FRAMEBUFFER,
		.first = access->attachment->subresources.first_layer};
}

// The engine site of an access in *site.
static enum vkr_result access_site(struct vkr_walk *walk, const struct vkr_walk_access *access,
				   uint32_t *site)
{
	struct vkr_model *model = walk->model;
	const enum vkr_command_site kind =
		access->site       ? access->site
		: access->possible ? access->write ? VKR_COMMAND_MAY_WRITE : VKR_COMMAND_MAY_READ
		: access->write    ? VKR_COMMAND_WRITE
				   : VKR_COMMAND_READ;
	// Transitions of one image differ in their layouts too, reads of descriptors in their
	// stage, attachments in their layers.
	const char *key = access->key;
	if (access->possible && access->doubt != NULL && key == NULL)
		key = vkr_texts_format(&model->texts, "%s in %s %u", access->doubt,
				       access->image != NULL ? "image" : "buffer",
				       access->image != NULL ? access->image->id
							     : access->buffer->id);
	if (access->possible && access->doubt != NULL && key == NULL)
		return vkr_error_memory(walk->error, "sites");
	const void *object = key != NULL             ? (const void *)key
			     : access->image != NULL ? (const void *)access->image
						     : (const void *)access->buffer;
	const struct vkr_site_layers layers = layers_of(walk, access);
	const uint32_t part = layers.first << 1 | (layers.told == VKR_LAYERS_OF_VIEWS);
	uint32_t *kept =
		vkr_access_names_command_site(&model->names, access->info, kind, object, part);
	if (kept == NULL)
		return vkr_error_memory(walk->error, "sites");
	*site = *kept;
	if (*site != 0)
		return VKR_OK;
	struct vkr_engine_site made = {
		.stage = access->stage,
		.access = access->access,
		.flags = VKR_ENGINE_NONPRIVATE |
			 (access->write ? VKR_ENGINE_WRITE : VKR_ENGINE_READ) |
			 (access->read ? VKR_ENGINE_READ : 0u) |
			 (access->possible || access->binding ? VKR_ENGINE_MAY_ACCESS : 0u) |
			 (has_place(access->stage) ? VKR_ENGINE_PLACED : 0u) |
			 (has_place(access->stage) && access->stage != VKR_ENGINE_TRANSITION
				  ? VKR_ENGINE_RASTERIZED
				  : 0u) |
			 ((access->any_time || access->lasts) && access->write ? VKR_ENGINE_LASTING
									       : 0u)};
	if (!vkr_access_names_site(&model->names,
				   &(struct vkr_access_site){.kind = VKR_SITE_OF_COMMAND,
							     .info = access->info,
							     .buffer = access->buffer,
							     .image = access->image,
							     .operation = access->operation,
							     .read = access->read || !access->write,
							     .write = access->write,
							     .possible = access->possible,
							     .doubt = access->doubt,
							     .any_time = access->any_time,
							     .store = access->store,
							     .unshaded = access->unshaded,
							     .layers = layers,
							     .binding = access->binding,
							     .stage = access->stage,
							     .access = access->access},
				   &made.tag))
		return vkr_error_memory(walk->error, "sites");
	const enum vkr_result result = vkr_engine_site_add(model->engine, &made, kept, walk->error);
	*site = *kept;
	return result;
}

enum vkr_result vkr_walk_access(struct vkr_walk *walk, const struct vkr_walk_access *access)
{
	struct vkr_model *model = walk->model;
	const struct vkr_buffer *buffer = access->buffer;
	uint32_t site = 0;
	if (buffer->memory == NULL)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"%s accesses %s, whose memory is not known",
					access->info->name, buffer->name);
	const enum vkr_result result = access_site(walk, access, &site);
	if (result != VKR_OK || access->offset >= buffer->bytes)
		return result;
	const uint64_t room = buffer->bytes - access->offset;
	return vkr_engine_access_range(model->engine, access->command, site, buffer->memory->id,
				       buffer->offset + access->offset,
				       access->bytes < room ? access->bytes : room, walk->error);
}

enum vkr_result vkr_walk_access_image(struct vkr_walk *walk, const struct vkr_walk_access *access,
				      const struct vkr_locations *locations)
{
	struct vkr_model *model = walk->model;
	const struct vkr_image *image = access->image;
	uint32_t site = 0;
	if (image->plane_count == 0 || image->planes[0].memory == NULL)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"%s accesses %s, whose %s is not known", access->info->name,
					image->name, image->plane_count == 0 ? "format" : "memory");
	enum vkr_result result = access_site(walk, access, &site);
	for (size_t at = 0; at < locations->count && result == VKR_OK; at++) {
		const struct vkr_location *location = &locations->items[at];
		result = vkr_engine_access_range(model->engine, access->command, site,
						 location->memory->id, location->offset,
						 location->bytes, walk->error);
	}
	return result;
}

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

// A secondary inherits no bound state, and what the primary had bound is undefined behind it.
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
	[VKR_TRACE_CMD_BIND_PIPELINE] = vkr_walk_bind_pipeline,
	[VKR_TRACE_CMD_BIND_SETS] = vkr_walk_bind_sets,
	[VKR_TRACE_CMD_PUSH_SET] = vkr_walk_push_set,
	[VKR_TRACE_CMD_BIND_HEAP] = vkr_walk_bind_heap,
	[VKR_TRACE_CMD_DISPATCH] = vkr_walk_dispatch,
	[VKR_TRACE_CMD_DISPATCH_INDIRECT] = vkr_walk_dispatch,
	[VKR_TRACE_CMD_TRACE_RAYS] = vkr_walk_trace_rays,
	[VKR_TRACE_CMD_BUILD_STRUCTURES] = vkr_walk_structure,
	[VKR_TRACE_CMD_COPY_STRUCTURE] = vkr_walk_structure,
	[VKR_TRACE_CMD_STRUCTURE_PROPERTIES] = vkr_walk_structure,
	[VKR_TRACE_CMD_DRAW] = vkr_walk_draw,
	[VKR_TRACE_CMD_DRAW_INDIRECT] = vkr_walk_draw,
	[VKR_TRACE_CMD_DRAW_MESH] = vkr_walk_draw,
	[VKR_TRACE_CMD_BIND_VERTEX_BUFFERS] = vkr_walk_draw_state,
	[VKR_TRACE_CMD_BIND_INDEX_BUFFER] = vkr_walk_draw_state,
	[VKR_TRACE_CMD_VERTEX_INPUT] = vkr_walk_draw_state,
	[VKR_TRACE_CMD_SET_STATE] = vkr_walk_draw_state,
	[VKR_TRACE_CMD_COPY_BUFFER] = vkr_walk_transfer,
	[VKR_TRACE_CMD_FILL_BUFFER] = vkr_walk_transfer,
	[VKR_TRACE_CMD_UPDATE_BUFFER] = vkr_walk_transfer,
	[VKR_TRACE_CMD_IMAGE_TRANSFER] = vkr_walk_image_transfer,
	[VKR_TRACE_CMD_IMAGE_BUFFER] = vkr_walk_image_transfer,
	[VKR_TRACE_CMD_CLEAR_IMAGE] = vkr_walk_image_transfer,
	[VKR_TRACE_CMD_BARRIER] = vkr_walk_barrier,
	[VKR_TRACE_CMD_SET_EVENT] = vkr_walk_set_event,
	[VKR_TRACE_CMD_RESET_EVENT] = vkr_walk_reset_event,
	[VKR_TRACE_CMD_WAIT_EVENTS] = vkr_walk_wait_events,
	[VKR_TRACE_CMD_BEGIN_RENDER_PASS] = vkr_walk_begin_render_pass,
	[VKR_TRACE_CMD_NEXT_SUBPASS] = vkr_walk_next_subpass,
	[VKR_TRACE_CMD_END_RENDER_PASS] = vkr_walk_end_render_pass,
	[VKR_TRACE_CMD_BEGIN_RENDERING] = vkr_walk_begin_rendering,
	[VKR_TRACE_CMD_END_RENDERING] = vkr_walk_end_rendering,
	[VKR_TRACE_CMD_CLEAR_ATTACHMENTS] = vkr_attachments_clear,
	[VKR_TRACE_CMD_QUERY] = vkr_walk_query,
	[VKR_TRACE_CMD_COPY_QUERIES] = vkr_walk_copy_queries,
	[VKR_TRACE_CMD_BEGIN_CONDITION] = vkr_walk_feedback,
	[VKR_TRACE_CMD_END_CONDITION] = vkr_walk_feedback,
	[VKR_TRACE_CMD_BIND_FEEDBACK] = vkr_walk_feedback,
	[VKR_TRACE_CMD_FEEDBACK] = vkr_walk_feedback,
	[VKR_TRACE_CMD_MARKER] = vkr_walk_feedback,
	[VKR_TRACE_CMD_SNAPSHOT] = vkr_walk_snapshot,
	[VKR_TRACE_CMD_GENERATED] = vkr_walk_generated,
	[VKR_TRACE_CMD_COPY_MEMORY] = vkr_walk_copy_memory,
	[VKR_TRACE_CMD_MOVE] = vkr_walk_move,
	[VKR_TRACE_CMD_VIDEO] = vkr_walk_video,
	[VKR_TRACE_CMD_EXECUTE] = execute_secondary,
	[VKR_TRACE_CMD_LABEL_BEGIN] = begin_label,
	[VKR_TRACE_CMD_LABEL_END] = end_label,
	[VKR_TRACE_CMD_OTHER] = other_command,
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

// Counts words in the gathered part of the log that make no sense.
enum vkr_result vkr_walk_gathered_judged(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	struct vkr_log *log = vkr_log_store_find(&model->logs, walk->execution);
	const struct vkr_chunks *chunks = &model->chunks;
	enum vkr_result result = VKR_OK;
	if (!walk->gathered || log == NULL)
		return VKR_OK;
	walk->gathered = false;
	walk->chunks_carried = 0;
	vkr_log_judged(&model->logs, log, walk->mark.parts);
	if (chunks->damaged > 0)
		result =
			vkr_model_missed(model, walk->error, VKR_COVERAGE_LOG, 0,
					 "the log of execution %u is damaged at word %llu",
					 walk->execution, (unsigned long long)chunks->damaged_word);
	if (result == VKR_OK && chunks->total > walk->chunks_used)
		result = vkr_model_missed(
			model, walk->error, VKR_COVERAGE_LOG, chunks->total - walk->chunks_used,
			"the log of execution %u holds chunks of commands that log nothing",
			walk->execution);
	return result;
}

void vkr_walk_gather_on(struct vkr_walk *walk)
{
	struct vkr_log *log = vkr_log_store_find(&walk->model->logs, walk->execution);
	walk->gathered = false;
	walk->chunks_carried = walk->chunks_used;
	if (log != NULL)
		vkr_log_pass(log);
}

enum vkr_result vkr_walk_gather(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	const struct vkr_log *log = vkr_log_store_find(&model->logs, walk->execution);
	walk->waiting = false;
	walk->chunks_used = walk->chunks_carried;
	walk->last = true;
	model->chunks.count = 0;
	model->chunks.total = 0;
	model->chunks.damaged = 0;
	// Executions of one batch log one after the other: that nothing has come yet says nothing.
	if ((log == NULL || !vkr_log_is_ready(log)) && !model->submissions.ended) {
		walk->waiting = true;
		walk->last = false;
		return VKR_OK;
	}
	if (log == NULL)
		return VKR_OK;
	walk->mark = vkr_log_next(log, &walk->last);
	if (!vkr_chunks_gather(&model->chunks, log, walk->mark.parts, walk->primary->command_count))
		return vkr_error_memory(walk->error, "the chunks of a log");
	walk->gathered = true;
	return VKR_OK;
}

// Walks on from where the walk stands.
static enum vkr_result walk_on(struct vkr_walk *walk)
{
	enum vkr_result result = VKR_OK;
	while (walk->frames.count > 0 && result == VKR_OK) {
		struct vkr_walk_frame *frame = vkr_walk_top(walk);
		vkr_model_collect_names(walk->model);
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
		model->executions++;
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

struct caller {
	const struct vkr_recording *recording;
	const struct caller *next;
};

static bool logs(const struct vkr_model *model, const struct vkr_recording *recording,
		 const struct caller *callers)
{
	const struct caller here = {recording, callers};
	const struct vkr_trace_event *event = NULL;
	for (const struct caller *at = callers; at != NULL; at = at->next)
		if (at->recording == recording)
			return false;
	while ((event = vkr_recording_next(recording, event)) != NULL) {
		if (event->type == VKR_TRACE_CMD_SNAPSHOT)
			return true;
		if (event->type == VKR_TRACE_CMD_BIND_PIPELINE) {
			const struct vkr_trace_cmd_bind_pipeline *bind = vkr_event_payload(event);
			const struct vkr_pipeline *pipeline =
				vkr_objects_pipeline(&model->objects, bind->pipeline);
			for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++)
				if (pipeline->shaders[at]->sites != NULL)
					return true;
		}
		if (event->type == VKR_TRACE_CMD_EXECUTE) {
			const struct vkr_trace_cmd_execute *execute = vkr_event_payload(event);
			const struct vkr_recording *secondary =
				vkr_recordings_find(&model->recordings, execute->recording);
			if (secondary != NULL && logs(model, secondary, &here))
				return true;
		}
	}
	return false;
}

bool vkr_model_logs(const struct vkr_model *model, const struct vkr_recording *recording)
{
	return logs(model, recording, NULL);
}
