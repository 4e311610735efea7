// SPDX-License-Identifier: Apache-2.0
// Draws: what they read of index buffers, vertex buffers, and buffers of arguments and counts.
// Knows these commands; not what their shaders do.
#include "attachments.h"
#include "draw_arguments.h"
#include "draw_fetch.h"

#include "error.h"
#include "event_payload.h"

#include <string.h>

static const char *draw_name(uint32_t kind)
{
	switch ((enum vkr_trace_draw_kind)kind) {
	case VKR_DRAW_VERTICES:
		return "vkCmdDraw";
	case VKR_DRAW_INDEXED:
		return "vkCmdDrawIndexed";
	case VKR_DRAW_MULTI:
		return "vkCmdDrawMultiEXT";
	case VKR_DRAW_MULTI_INDEXED:
		return "vkCmdDrawMultiIndexedEXT";
	case VKR_DRAW_INDIRECT:
		return "vkCmdDrawIndirect";
	case VKR_DRAW_INDEXED_INDIRECT:
		return "vkCmdDrawIndexedIndirect";
	case VKR_DRAW_INDIRECT_COUNT:
		return "vkCmdDrawIndirectCount";
	case VKR_DRAW_INDEXED_INDIRECT_COUNT:
		return "vkCmdDrawIndexedIndirectCount";
	case VKR_DRAW_INDIRECT_BYTE_COUNT:
		return "vkCmdDrawIndirectByteCountEXT";
	case VKR_DRAW_MESH:
		return "vkCmdDrawMeshTasksEXT";
	case VKR_DRAW_MESH_INDIRECT:
		return "vkCmdDrawMeshTasksIndirectEXT";
	case VKR_DRAW_MESH_INDIRECT_COUNT:
		return "vkCmdDrawMeshTasksIndirectCountEXT";
	case VKR_DRAW_MESH_NV:
		return "vkCmdDrawMeshTasksNV";
	case VKR_DRAW_MESH_INDIRECT_NV:
		return "vkCmdDrawMeshTasksIndirectNV";
	case VKR_DRAW_MESH_INDIRECT_COUNT_NV:
		return "vkCmdDrawMeshTasksIndirectCountNV";
	case VKR_DRAW_GENERATED:
	case VKR_DRAW_GENERATED_MESH:
	case VKR_DRAW_GENERATED_INDEXED:
		return vkr_generated_name();
	}
	return "a draw";
}

static enum vkr_result begin_draw(struct vkr_walk *walk, uint32_t index, uint32_t type,
				  const struct vkr_command_info *like, uint32_t asked,
				  struct vkr_draw *draw)
{
	draw->info = walk->info;
	draw->command = walk->command;
	draw->input = vkr_walk_vertex_input(&vkr_walk_top(walk)->state);
	if (walk->command != 0)
		return VKR_OK; // a conditional one, of which it is known now that it ran
	draw->info = walk->info = vkr_walk_info(walk, index, type, like);
	walk->ran = false;
	walk->model->run.draws++;
	vkr_walk_draw_log_begin(walk, asked);
	enum vkr_result result = vkr_attachments_draw(walk);
	if (result == VKR_OK)
		result = vkr_walk_begin_command(walk, draw->info, &draw->command);
	walk->command = draw->command;
	return result;
}

// Whether it is known by now that the draw was not discarded by conditional rendering.
static bool is_certain(const struct vkr_walk *walk)
{
	return !walk->conditional || walk->ran;
}

// ---- Parameters of the call ---------------------------------------------------------------------

static bool fetches_vertices(const struct vkr_vertex_input *input)
{
	for (uint32_t at = 0; at < input->binding_count; at++)
		if (!input->bindings[at].instance_rate &&
		    vkr_draw_binding_read(input, input->bindings[at].binding))
			return true;
	return false;
}

// Reports the part of a draw's fetches that does not follow from the command.
static enum vkr_result note_fetches(struct vkr_walk *walk, const struct vkr_draw *draw,
				    bool vertices_known)
{
	if (!draw->input.known)
		return vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"what %s fetches is not observed: its vertex input is not known",
			draw->info->name);
	if (vertices_known || !fetches_vertices(&draw->input))
		return VKR_OK;
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"which vertices %s fetches is not observed", draw->info->name);
}

static enum vkr_result direct_draw(struct vkr_walk *walk, const struct vkr_trace_cmd_draw *command)
{
	const struct vkr_trace_draw *parts = (const void *)(command + 1);
	const struct vkr_command_info like = {
		.name = draw_name(command->kind),
		.pipeline = vkr_walk_point(walk, VK_PIPELINE_BIND_POINT_GRAPHICS)->pipeline};
	const bool indexed =
		command->kind == VKR_DRAW_INDEXED || command->kind == VKR_DRAW_MULTI_INDEXED;
	struct vkr_draw draw = {.instances = {command->first_instance, command->instance_count}};
	bool any = false;
	enum vkr_result result = begin_draw(walk, command->command, VKR_TRACE_CMD_DRAW, &like,
					    command->asked, &draw);
	if (!is_certain(walk))
		return result;
	for (uint32_t at = 0; at < command->draw_count && result == VKR_OK; at++) {
		if (command->instance_count == 0 || parts[at].count == 0)
			continue;
		any = true;
		if (indexed)
			result = vkr_draw_read_indices(walk, &draw, &parts[at]);
		else
			result = vkr_draw_fetch_vertices(
				walk, &draw,
				(struct vkr_draw_range){
					parts[at].first,
					vkr_draw_whole_primitives(&vkr_walk_top(walk)->state,
								  parts[at].count)});
	}
	if (result == VKR_OK && any)
		result = vkr_draw_fetch_instances(walk, &draw);
	return result;
}

// ---- Parameters from a buffer -------------------------------------------------------------------

// The fetches of a draw whose number of vertices transform feedback has counted, if that is known.
static enum vkr_result counted_draw(struct vkr_walk *walk,
				    const struct vkr_trace_cmd_draw_indirect *command,
				    struct vkr_draw *draw)
{
	uint64_t vertices = 0;
	bool known = false;
	enum vkr_result result = vkr_walk_counted(walk, command, &known, &vertices);
	if (!known || command->draw_count == 0)
		return result;
	vertices = vkr_draw_whole_primitives(&vkr_walk_top(walk)->state, vertices);
	draw->instances.first = (uint32_t)(command->count_offset >> 32);
	draw->instances.count = vertices > 0 ? command->draw_count : 0;
	if (result == VKR_OK)
		result = vkr_draw_fetch_vertices(walk, draw, (struct vkr_draw_range){0, vertices});
	return result == VKR_OK ? vkr_draw_fetch_instances(walk, draw) : result;
}

static bool is_generated(uint32_t kind)
{
	return kind == VKR_DRAW_GENERATED || kind == VKR_DRAW_GENERATED_MESH ||
	       kind == VKR_DRAW_GENERATED_INDEXED;
}

// A draw that the device has generated.
static enum vkr_result generated_draw(struct vkr_walk *walk,
				      const struct vkr_trace_cmd_draw_indirect *command,
				      const struct vkr_command_info *like)
{
	struct vkr_draw draw = {0};
	const enum vkr_result result = begin_draw(
		walk, command->command, VKR_TRACE_CMD_DRAW_INDIRECT, like, command->asked, &draw);
	if (result != VKR_OK || !is_certain(walk) || walk->generated == NULL)
		return result;
	return vkr_draw_read_generated(walk, &draw, command);
}

static enum vkr_result indirect_draw(struct vkr_walk *walk,
				     const struct vkr_trace_cmd_draw_indirect *command)
{
	const struct vkr_buffer *buffer =
		vkr_objects_buffer(&walk->model->objects, command->buffer);
	const struct vkr_command_info like = {
		.name = draw_name(command->kind),
		.pipeline = vkr_walk_point(walk, VK_PIPELINE_BIND_POINT_GRAPHICS)->pipeline,
		.indirect = true};
	struct vkr_draw draw = {0};
	if (is_generated(command->kind))
		return generated_draw(walk, command, &like);
	if (buffer == NULL)
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"%s uses a buffer whose creation was not recorded",
					like.name);
	enum vkr_result result = begin_draw(walk, command->command, VKR_TRACE_CMD_DRAW_INDIRECT,
					    &like, command->asked, &draw);
	if (!is_certain(walk))
		return result;
	if (result == VKR_OK)
		result = vkr_draw_read_arguments(walk, &draw, command, buffer);
	return result == VKR_OK && command->kind == VKR_DRAW_INDIRECT_BYTE_COUNT
		       ? counted_draw(walk, command, &draw)
		       : result;
}

static enum vkr_result mesh_draw(struct vkr_walk *walk,
				 const struct vkr_trace_cmd_draw_mesh *command)
{
	const struct vkr_command_info like = {
		.name = draw_name(command->kind),
		.pipeline = vkr_walk_point(walk, VK_PIPELINE_BIND_POINT_GRAPHICS)->pipeline};
	struct vkr_draw draw = {0};
	return begin_draw(walk, command->command, VKR_TRACE_CMD_DRAW_MESH, &like, command->asked,
			  &draw);
}

// The vertices that the draw has fetched follow from the command, or from the log of its vertex
// shader, or are unknown.
static enum vkr_result end_fetches(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_draw *direct = vkr_event_payload(event);
	const struct vkr_trace_cmd_draw_indirect *indirect = vkr_event_payload(event);
	const struct vkr_draw draw = {.command = walk->command,
				      .info = walk->info,
				      .input = vkr_walk_vertex_input(&vkr_walk_top(walk)->state)};
	bool known = false;
	if (event->type == VKR_TRACE_CMD_DRAW_MESH ||
	    (event->type == VKR_TRACE_CMD_DRAW_INDIRECT && indirect->kind >= VKR_DRAW_MESH &&
	     indirect->kind != VKR_DRAW_GENERATED && indirect->kind != VKR_DRAW_GENERATED_INDEXED))
		return VKR_OK;
	known = event->type == VKR_TRACE_CMD_DRAW &&
		(direct->kind == VKR_DRAW_VERTICES || direct->kind == VKR_DRAW_MULTI ||
		 direct->instance_count == 0);
	enum vkr_result result = VKR_OK;
	if (event->type == VKR_TRACE_CMD_DRAW_INDIRECT &&
	    indirect->kind == VKR_DRAW_INDIRECT_BYTE_COUNT) {
		uint64_t vertices = 0;
		result = vkr_walk_counted(walk, indirect, &known, &vertices);
	}
	if (result == VKR_OK && !known && draw.input.known)
		result = vkr_walk_logged_vertices(walk, &draw, &known);
	return result == VKR_OK ? note_fetches(walk, &draw, known) : result;
}

static enum vkr_result draw_commands_fetch(struct vkr_walk *walk,
					   const struct vkr_trace_event *event)
{
	const void *payload = vkr_event_payload(event);
	switch (event->type) {
	case VKR_TRACE_CMD_DRAW:
		return direct_draw(walk, payload);
	case VKR_TRACE_CMD_DRAW_INDIRECT:
		return indirect_draw(walk, payload);
	default:
		return mesh_draw(walk, payload);
	}
}

// The rest of the draw, after its log.
static enum vkr_result end_draw(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	enum vkr_result result = VKR_OK;
	if (!is_certain(walk) && walk->model->draw_logs.vertices_logged)
		return VKR_OK; // none was shaded
	if (!is_certain(walk) && walk->feedback != 0)
		result = vkr_walk_feedback_may_write(walk);
	if (!is_certain(walk))
		return result == VKR_OK
			       ? vkr_walk_may_have_run(walk, walk->info->name,
						       "what it reads and writes by fixed function")
			       : result;
	if (walk->conditional)
		result = draw_commands_fetch(walk, event);
	if (result == VKR_OK)
		result = end_fetches(walk, event);
	if (result == VKR_OK && walk->feedback != 0)
		result = vkr_walk_feedback_writes(walk, event);
	return result;
}

enum vkr_result vkr_walk_draw(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	enum vkr_result result = VKR_OK;
	if (walk->command == 0)
		result = draw_commands_fetch(walk, event);
	if (result != VKR_OK || walk->command == 0)
		return result;
	result = vkr_walk_draw_log(walk);
	if (result != VKR_OK || walk->waiting)
		return result;
	result = vkr_attachments_drawn(walk);
	if (result != VKR_OK)
		return result;
	result = end_draw(walk, event);
	if (result == VKR_OK)
		result = vkr_walk_links_end(walk);
	vkr_engine_command_end(walk->model->engine, walk->command);
	walk->command = 0;
	walk->generated = NULL;
	return result;
}
