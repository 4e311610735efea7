// SPDX-License-Identifier: Apache-2.0
// Dispatches: the indirect read, and the log of their invocations. Knows these commands only.
#include "command_walk.h"

#include "error.h"
#include "event_payload.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

// VkDispatchIndirectCommand.
#define INDIRECT_BYTES 12u

static enum vkr_result program_of(struct vkr_walk *walk, const struct vkr_shader *shader,
				  struct vkr_program **program)
{
	struct vkr_model *model = walk->model;
	uint64_t found = 0;
	if (vkr_map_get(&model->programs, shader->id, &found)) {
		*program = (struct vkr_program *)(uintptr_t)found;
		return VKR_OK;
	}
	const enum vkr_result result = vkr_program_create(
		shader, &model->programs_arena, &model->names, model->engine, program, walk->error);
	if (result != VKR_OK)
		return result;
	if (!vkr_map_set(&model->programs, shader->id, (uintptr_t)*program))
		return vkr_error_memory(walk->error, "a shader");
	return VKR_OK;
}

// The first chunk whose key is not below.
static size_t lower_bound(const struct vkr_chunks *chunks, uint64_t key)
{
	size_t low = 0, high = chunks->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (chunks->items[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static enum vkr_result note_losses(struct vkr_walk *walk, const struct vkr_command_info *info,
				   const struct vkr_shader *shader)
{
	const struct vkr_replay *replay = &walk->model->replay;
	enum vkr_result result = VKR_OK;
	if (replay->rows.damaged > 0)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_LOG,
					  replay->rows.damaged,
					  "the log of execution %u, command %u is damaged at "
					  "workgroup %u, invocation %u",
					  walk->execution, info->index + 1,
					  replay->damaged_workgroup, replay->rows.damaged_local);
	if (result == VKR_OK && replay->out_of_range > 0)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER,
					  replay->out_of_range,
					  "accesses of %s reach beyond the end of their descriptor "
					  "or shared variable: "
					  "what they touch is up to the driver",
					  shader->name);
	if (result == VKR_OK && replay->unknown > 0)
		result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_SHADER, replay->unknown,
			"accesses of %s through device addresses that belong to no known buffer",
			shader->name);
	return result;
}

static enum vkr_result replay_log(struct vkr_walk *walk, const struct vkr_command_info *info,
				  const struct vkr_program *program, uint32_t command)
{
	struct vkr_model *model = walk->model;
	const uint64_t key = ((uint64_t)info->index + 1) << 32;
	const size_t first = lower_bound(&model->chunks, key);
	const size_t count = lower_bound(&model->chunks, key + (1ull << 32)) - first;
	if (count == 0)
		return VKR_OK;
	for (size_t at = first; at < first + count; at++)
		walk->chunks_used += model->chunks.items[at].count;

	enum vkr_result result = VKR_ERROR_MEMORY;
	struct vkr_dispatch_targets targets = {0};
	const struct vkr_walk_point *point = vkr_walk_point(walk, VK_PIPELINE_BIND_POINT_COMPUTE);
	const size_t set_count = point->sets.count;
	struct vkr_bound_set *sets = vkr_walk_bound_sets(point);
	if (sets == NULL || !vkr_dispatch_targets_init(&targets, &model->objects, &model->names,
						       program, sets, (uint32_t)set_count)) {
		vkr_error_memory(walk->error, "a dispatch");
		goto done;
	}
	result = vkr_engine_dispatch_begin(model->engine, command, program->local_size,
					   program->workgroup_bytes, walk->error);
	if (result == VKR_ERROR_UNSUPPORTED) {
		result = vkr_model_missed(model, walk->error, VKR_COVERAGE_SHADER, 0,
					  "%s: workgroups of %u invocations", program->shader->name,
					  program->local_size);
		goto done;
	}
	if (result != VKR_OK)
		goto done;
	result = vkr_replay_dispatch(&model->replay, model->engine, &targets,
				     model->chunks.items + first, count, walk->error);
	if (result == VKR_OK)
		result = vkr_model_judge_order(
			model, &targets, vkr_objects_device(&model->objects, walk->queue->device),
			command, model->chunks.items + first, count, walk->error);
	vkr_engine_dispatch_end(model->engine);
	if (result == VKR_OK)
		result = note_losses(walk, info, program->shader);
done:
	vkr_dispatch_targets_finish(&targets);
	free(sets);
	return result;
}

// Whether atomics can order invocations: then parts of a dispatch's log cannot be judged alone.
static bool orders(const struct vkr_shader *shader)
{
	return shader->orders_invocations != 0 || shader->orders_workgroups != 0;
}

// The log of the dispatch under way, as far as it is there.
static enum vkr_result judge_log(struct vkr_walk *walk, const struct vkr_program *program)
{
	const struct vkr_chunks *chunks = &walk->model->chunks;
	for (;;) {
		if (!walk->gathered && !walk->last) {
			const enum vkr_result result = vkr_walk_gather(walk);
			if (result != VKR_OK || walk->waiting)
				return result;
		}
		if (!walk->gathered)
			return VKR_OK; // there is nothing, or nothing more
		// Chunks of later commands tell that this one has ended.
		const bool behind =
			chunks->count > 0 && vkr_chunk_command(&chunks->items[chunks->count - 1]) >
						     walk->info->index + 1;
		if (orders(program->shader) && !walk->last && !behind) {
			vkr_walk_gather_on(walk);
			continue;
		}
		enum vkr_result result = replay_log(walk, walk->info, program, walk->command);
		if (result != VKR_OK || walk->last || behind)
			return result;
		result = vkr_walk_gathered_judged(walk);
		if (result != VKR_OK)
			return result;
	}
}

static enum vkr_result judge_shader(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	struct vkr_program *program = NULL;
	const struct vkr_pipeline *pipeline = walk->info->pipeline;
	const struct vkr_shader *shader =
		pipeline != NULL && pipeline->shader_count > 0 ? pipeline->shaders[0] : NULL;
	if (shader == NULL)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_SHADER, 0,
					"a dispatch ran with a pipeline that was never seen made");
	if (!(shader->flags & VKR_SHADER_INSTRUMENTED))
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_SHADER, 0,
					"dispatches of %s ran unobserved", shader->name);
	if (shader->sites == NULL)
		return VKR_OK;
	enum vkr_result result = program_of(walk, shader, &program);
	if (result == VKR_ERROR_FORMAT)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_SHADER, 0,
					"the site table of %s makes no sense", shader->name);
	if (result == VKR_OK)
		result = judge_log(walk, program);
	if (result != VKR_OK || walk->waiting)
		return result;
	const struct vkr_log *log = vkr_log_store_find(&model->logs, walk->execution);
	if (log == NULL || (log->flags & VKR_EXECUTION_UNOBSERVED) ||
	    (model->submissions.ended && !log->ended))
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_LOG, 0,
					"dispatches of %s ran whose log is not there, or not whole",
					shader->name);
	return VKR_OK;
}

static enum vkr_result begin_dispatch(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_dispatch *direct = vkr_event_payload(event);
	const struct vkr_trace_cmd_dispatch_indirect *indirect = vkr_event_payload(event);
	struct vkr_command_info like = {
		.pipeline = vkr_walk_point(walk, VK_PIPELINE_BIND_POINT_COMPUTE)->pipeline};
	uint32_t index = direct->command;
	if (event->type == VKR_TRACE_CMD_DISPATCH_INDIRECT) {
		index = indirect->command;
		like.indirect = true;
		like.source = vkr_objects_buffer(&walk->model->objects, indirect->buffer);
	} else {
		memcpy(like.groups, direct->groups, sizeof like.groups);
		memcpy(like.base, direct->base, sizeof like.base);
		if (like.base[0] != 0 || like.base[1] != 0 || like.base[2] != 0)
			like.name = "vkCmdDispatchBase";
	}
	walk->model->dispatches++;
	walk->info = vkr_walk_info(walk, index, event->type, &like);
	const enum vkr_result result = vkr_walk_begin_command(walk, walk->info, &walk->command);
	if (result != VKR_OK || like.source == NULL)
		return result;
	return vkr_walk_access(
		walk, &(struct vkr_walk_access){.command = walk->command,
						.info = walk->info,
						.buffer = like.source,
						.operation = "indirect command read",
						.stage = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
						.access = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT,
						.offset = indirect->offset,
						.bytes = INDIRECT_BYTES});
}

enum vkr_result vkr_walk_dispatch(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	enum vkr_result result = VKR_OK;
	if (walk->command == 0)
		result = begin_dispatch(walk, event);
	if (result == VKR_OK)
		result = judge_shader(walk);
	if (result == VKR_OK && !walk->waiting) {
		vkr_engine_command_end(walk->model->engine, walk->command);
		walk->command = 0;
	}
	return result;
}
