// SPDX-License-Identifier: Apache-2.0
// The part of a log that one command's shaders wrote: found, replayed, its losses reported. Knows
// chunks of a command; not which shaders it ran.
#include "shader_logs.h"

#include "assumed_order.h"
#include "dispatch_repeats.h"
#include "error.h"
#include "log_records.h"
#include "search.h"
#include "site_table.h"
#include "summary_run.h"

#include <stdlib.h>
#include <string.h>

enum vkr_result vkr_walk_program(struct vkr_walk *walk, const struct vkr_shader *shader,
				 struct vkr_program **program)
{
	struct vkr_model *model = walk->model;
	uint64_t found = 0;
	if (vkr_map_get(&model->programs.by_shader, shader->id, &found)) {
		*program = (struct vkr_program *)(uintptr_t)found;
		return VKR_OK;
	}
	const enum vkr_result result = vkr_program_create(
		shader, &model->programs.arena, &model->names, model->engine, program, walk->error);
	if (result != VKR_OK)
		return result;
	if (!vkr_map_set(&model->programs.by_shader, shader->id, (uintptr_t)*program))
		return vkr_error_memory(walk->error, "a shader");
	return VKR_OK;
}

// The first chunk whose key is not below.
static size_t lower_bound(const struct vkr_chunks *chunks, uint64_t key)
{
	size_t low = 0;
	VKR_SEARCH(low, chunks->count, at, chunks->items[at].key < key);
	return low;
}

enum vkr_result vkr_walk_note_losses(struct vkr_walk *walk, const struct vkr_shader *shader,
				     const struct vkr_replay *replay)
{
	enum vkr_result result = VKR_OK;
	if (replay->rows.damaged > 0)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_LOG,
					  replay->rows.damaged,
					  "the log of execution %u, command %u is damaged at "
					  "workgroup %u, invocation %u",
					  walk->execution, walk->info->index + 1,
					  replay->damaged_workgroup, replay->rows.damaged_local);
	if (result == VKR_OK && replay->beyond.accesses > replay->beyond.discarded)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER,
					  replay->beyond.accesses - replay->beyond.discarded,
					  "accesses of %s reach beyond the end of their descriptor "
					  "or shared variable: "
					  "what they access is up to the driver",
					  vkr_shader_title(shader));
	if (result == VKR_OK && replay->unknown > 0)
		result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_SHADER, replay->unknown,
			"accesses of %s through device addresses that belong to no known buffer",
			vkr_shader_title(shader));
	if (result == VKR_OK && replay->unknown_structures > 0)
		result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_SHADER, replay->unknown_structures,
			"rays of %s through acceleration structures that are known only in part",
			vkr_shader_title(shader));
	if (result == VKR_OK && replay->unfinished > 0)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER,
					  replay->unfinished,
					  "workgroups of %s ran for longer than they are followed",
					  vkr_shader_title(shader));
	if (result == VKR_OK && replay->divergent != NULL)
		result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_SYNC, 0,
			replay->divergent->line != 0
				? "some invocations of a workgroup do not come to the barrier that "
				  "a change adds to %s at line %u: it has to stand outside of the "
				  "branch"
				: "some invocations of a workgroup do not come to the barrier that "
				  "a change adds to %s at SPIR-V word %u: it has to stand outside "
				  "of the branch",
			vkr_shader_title(shader),
			replay->divergent->line != 0 ? replay->divergent->line
						     : replay->divergent->spirv_word);
	if (result == VKR_OK && replay->unknown_texels > 0)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER,
					  replay->unknown_texels,
					  "accesses of %s to images or samplers whose texels are "
					  "not known",
					  vkr_shader_title(shader));
	return result;
}

// What one invocation has told for all of a dispatch is what all have found, unless the dispatch
// itself writes there.
static enum vkr_result check_uniforms(struct vkr_walk *walk, struct vkr_dispatch_targets *targets)
{
	const struct vkr_shader *shader = targets->program->shader;
	const struct vkr_summary_operation *operations = vkr_site_table_summary(shader->sites);
	enum vkr_result result = VKR_OK;
	bool wrote = false;
	for (uint32_t at = 0; at < shader->sites->summary_count; at++) {
		const struct vkr_summary_operation *operation = &operations[at];
		const struct vkr_engine_target *target =
			operation->code == VKR_SUMMARY_UNIFORM
				? vkr_dispatch_target(targets, operation->b, 0)
				: NULL;
		if (target == NULL)
			continue;
		const struct vkr_engine_range range = {.memory = target->memory,
						       .offset = target->base + operation->c,
						       .bytes = sizeof(uint32_t)};
		if (vkr_dispatch_may_write(targets, walk->model->engine, &range))
			result = vkr_engine_command_wrote(walk->model->engine, walk->command,
							  &range, &wrote, walk->error);
		if (result != VKR_OK || wrote)
			break;
	}
	return result == VKR_OK && wrote
		       ? vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER, 0,
					  "dispatches of %s write what says where they access "
					  "memory, through another binding: where they did is not "
					  "certain",
					  vkr_shader_title(shader))
		       : result;
}

// Feeds the engine what the log says, or the summary that stands for it.
static enum vkr_result judge_accesses(struct vkr_walk *walk, const struct vkr_shader_log *log,
				      struct vkr_dispatch_targets *targets)
{
	struct vkr_model *model = walk->model;
	return log->summary != NULL ? vkr_summary_replay(&model->replay, model->engine, targets,
							 log->summary, walk->error)
				    : vkr_replay_dispatch(&model->replay, model->engine, targets,
							  log->chunks, log->count, walk->error);
}

// Feeds it, unless an earlier dispatch has done all of it.
static enum vkr_result judge_or_repeat(struct vkr_walk *walk, const struct vkr_shader_log *log,
				       struct vkr_dispatch_targets *targets)
{
	struct vkr_model *model = walk->model;
	const struct vkr_dispatch_run run = {.targets = targets,
					     .summary = log->summary,
					     .chunks = log->chunks,
					     .count = log->count};
	bool done = false;
	enum vkr_result result = vkr_dispatch_repeats_begin(&model->repeats, model->engine, &run,
							    &done, walk->error);
	if (result != VKR_OK)
		return result;
	if (done)
		return vkr_replay_begin(&model->replay, targets) &&
				       vkr_dispatch_repeats_note(model->repeats, targets,
								 &model->replay)
			       ? VKR_OK
			       : vkr_error_memory(walk->error, "a workgroup");
	result = judge_accesses(walk, log, targets);
	return result == VKR_OK ? vkr_dispatch_repeats_end(model->repeats, model->engine, targets,
							   &model->replay, walk->error)
				: result;
}

// Judges the log, or the summary. The engine's dispatch is open.
static enum vkr_result judge_log(struct vkr_walk *walk, const struct vkr_shader_log *log,
				 struct vkr_dispatch_targets *targets)
{
	struct vkr_model *model = walk->model;
	const bool may_repeat = targets->program->shader->stage == VK_SHADER_STAGE_COMPUTE_BIT &&
				!model->options.no_repeats;
	if (log->summary != NULL && !vkr_summary_find_sites(&model->replay, targets, log->summary))
		return vkr_error_memory(walk->error, "a summary");
	const enum vkr_result result = may_repeat ? judge_or_repeat(walk, log, targets)
						  : judge_accesses(walk, log, targets);
	if (result != VKR_OK)
		return result;
	if (log->summary != NULL)
		return check_uniforms(walk, targets);
	return vkr_model_judge_order(model, targets,
				     vkr_objects_device(&model->objects, walk->queue->device),
				     walk->command, log->chunks, log->count, walk->error);
}

// Takes up changes of descriptor heaps since the execution was submitted.
static enum vkr_result catch_up(struct vkr_walk *walk)
{
	struct vkr_log *log = vkr_log_store_find(&walk->model->logs, walk->execution);
	enum vkr_result result = VKR_OK;
	size_t at = 0;
	while (log != NULL && result == VKR_OK && at < log->heaps.count) {
		const struct vkr_trace_heap_changed *changed =
			(const void *)(log->heaps.items + at);
		at += (sizeof *changed +
		       changed->descriptor_count * sizeof(struct vkr_trace_descriptor)) /
		      sizeof *log->heaps.items;
		result = vkr_heap_change(&walk->model->descriptors, changed, walk->error);
	}
	if (log != NULL)
		log->heaps.count = 0;
	return result;
}

// Which invocations share a subgroup is logged, or follows from the device.
static bool find_subgroups(struct vkr_walk *walk, const struct vkr_shader_log *log, uint32_t *size)
{
	struct vkr_model *model = walk->model;
	struct vkr_rows *rows = &model->replay.rows;
	*size = vkr_model_subgroup_size(log->program->shader,
					vkr_objects_device(&model->objects, walk->queue->device));
	return log->program->subgroup_segment == 0 ||
	       (vkr_rows_begin(rows, log->program, log->local_size) &&
		vkr_records_subgroups(rows, log->chunks, log->count, size));
}

static bool is_robust(const struct vkr_walk *walk, const struct vkr_pipeline *pipeline)
{
	const struct vkr_device *device =
		vkr_objects_device(&walk->model->objects, walk->queue->device);
	return device != NULL && device->flags & VKR_DEVICE_ROBUST_BUFFER_2 &&
	       (pipeline == NULL || !(pipeline->flags & VKR_PIPELINE_LESS_ROBUST));
}

enum vkr_result vkr_walk_targets(struct vkr_walk *walk, const struct vkr_shader_log *log,
				 struct vkr_log_targets *bound)
{
	struct vkr_model *model = walk->model;
	const struct vkr_program *program = log->program;
	struct vkr_dispatch_targets *targets = &bound->targets;
	*bound = (struct vkr_log_targets){.sets = vkr_walk_bound_sets(log->point)};
	const enum vkr_result result = catch_up(walk);
	if (result != VKR_OK)
		return result;
	if (bound->sets == NULL ||
	    !vkr_dispatch_targets_init(targets, &model->objects, &model->names, program,
				       bound->sets, (uint32_t)log->point->sets.count,
				       vkr_walk_top(walk)->state.heaps))
		return vkr_error_memory(walk->error, "a dispatch");
	targets->local_size = log->local_size;
	if (!find_subgroups(walk, log, &targets->subgroup_size))
		return vkr_error_memory(walk->error, "a dispatch");
	walk->subgroup_size = targets->subgroup_size;
	targets->mixes_patches = log->mixes_patches;
	targets->robust = is_robust(walk, log->point->pipeline);
	memcpy(targets->base, walk->info->base, sizeof targets->base);
	return VKR_OK;
}

void vkr_walk_targets_finish(struct vkr_log_targets *bound)
{
	vkr_dispatch_targets_finish(&bound->targets);
	free(bound->sets);
}

enum vkr_result vkr_walk_replayed(struct vkr_walk *walk, const struct vkr_dispatch_targets *targets)
{
	enum vkr_result result = vkr_walk_descriptor_reads(walk, targets);
	if (result == VKR_OK && targets->unknown_descriptors > 0)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER, 0,
					  "accesses of %s through bytes in a descriptor heap that "
					  "are no known descriptor, that changed during the "
					  "execution, or that the host could not read",
					  targets->program->shader->name);
	uint32_t set = 0;
	if (result == VKR_OK && vkr_dispatch_lacks_set(targets, &set))
		result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_SHADER, 0,
			"%s uses set %u, which %s finds bound to nothing: what is "
			"accessed there is not known",
			vkr_shader_title(targets->program->shader), set, walk->info->name);
	if (result == VKR_OK)
		result = vkr_walk_possible_texels(
			walk, targets->program, &walk->model->replay.possible,
			vkr_engine_changes(walk->model->engine, walk->queue->timeline));
	return result == VKR_OK
		       ? vkr_walk_note_losses(walk, targets->program->shader, &walk->model->replay)
		       : result;
}

// Judges the accesses of a dispatch, or of a command that is treated like one.
static enum vkr_result judge_dispatch(struct vkr_walk *walk, const struct vkr_shader_log *log,
				      struct vkr_dispatch_targets *targets)
{
	struct vkr_model *model = walk->model;
	const struct vkr_program *program = log->program;
	enum vkr_result result =
		vkr_engine_dispatch_begin(model->engine, walk->command, log->local_size,
					  program->workgroup_bytes, walk->error);
	if (result == VKR_ERROR_UNSUPPORTED)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_SHADER, 0,
					"%s: workgroups of %u invocations",
					vkr_shader_title(program->shader), log->local_size);
	if (result != VKR_OK)
		return result;
	const bool is_compute = program->shader->stage == VK_SHADER_STAGE_COMPUTE_BIT;
	if (is_compute)
		vkr_engine_subgroups(model->engine, targets->subgroup_size);
	if (is_compute && targets->subgroup_size == 0 && program->shader->counts_apart)
		result = vkr_model_miss_subgroups(model, vkr_shader_title(program->shader),
						  walk->error);
	if (result == VKR_OK)
		result = judge_log(walk, log, targets);
	vkr_engine_dispatch_end(model->engine);
	return result == VKR_OK ? vkr_walk_replayed(walk, targets) : result;
}

static uint64_t bytes_of(const struct vkr_shader_log *log)
{
	return log->summary != NULL ? vkr_chunks_bytes(log->summary->chunks, log->summary->count)
				    : vkr_chunks_bytes(log->chunks, log->count);
}

enum vkr_result vkr_walk_replay(struct vkr_walk *walk, const struct vkr_shader_log *log)
{
	struct vkr_model *model = walk->model;
	struct vkr_log_targets bound;
	const struct vkr_cost_start start = vkr_cost_begin(model);
	enum vkr_result result = vkr_walk_targets(walk, log, &bound);
	if (result == VKR_OK && log->is_joint)
		result = vkr_joint_collect(&model->order.joint, &model->order.calls, &bound.targets,
					   log->chunks, log->count, log->begins,
					   &model->invocation_groups, walk->error);
	else if (result == VKR_OK && log->begins != NULL)
		result = vkr_calls_collect(&model->order.calls, &bound.targets, log->chunks,
					   log->count, log->begins, &model->invocation_groups,
					   walk->error);
	else if (result == VKR_OK)
		result = judge_dispatch(walk, log, &bound.targets);
	if (result == VKR_OK && !vkr_dispatch_targets_whole(&bound.targets))
		result = vkr_error_memory(walk->error, "a dispatch");
	vkr_walk_targets_finish(&bound);
	if (model->options.costs)
		vkr_cost_end(model, &start, log->program->shader, walk->info->name, bytes_of(log));
	return result;
}

enum vkr_result vkr_walk_log(struct vkr_walk *walk, bool whole,
			     enum vkr_result (*replay)(struct vkr_walk *walk, void *user,
						       struct vkr_chunk *chunks, size_t count),
			     void *user)
{
	struct vkr_chunks *chunks = &walk->model->chunks;
	const uint64_t key = ((uint64_t)walk->info->index + 1) << 32;
	for (;;) {
		if (!walk->gathered && !walk->last) {
			const enum vkr_result result = vkr_walk_gather(walk);
			if (result != VKR_OK || walk->waiting)
				return result;
		}
		if (!walk->gathered)
			return VKR_OK; // there is nothing, or nothing more
		// Chunks of later commands show that this one has ended.
		const bool behind =
			walk->mark.commands > walk->info->index ||
			(chunks->count > 0 && vkr_chunk_command(&chunks->items[chunks->count - 1]) >
						      walk->info->index + 1);
		if (whole && !walk->last && !behind && walk->mark.commands == 0) {
			vkr_walk_gather_on(walk);
			continue;
		}
		const size_t first = lower_bound(chunks, key);
		const size_t count = lower_bound(chunks, key + (1ull << 32)) - first;
		enum vkr_result result = VKR_OK;
		for (size_t at = first; at < first + count; at++)
			walk->chunks_used += vkr_chunk_total(&chunks->items[at]);
		walk->ran = walk->ran || count > 0;
		if (count > 0)
			result = replay(walk, user, chunks->items + first, count);
		if (result != VKR_OK || walk->last || behind)
			return result;
		result = vkr_walk_gathered_judged(walk);
		if (result != VKR_OK)
			return result;
	}
}

enum vkr_result vkr_walk_log_missing(struct vkr_walk *walk, const char *kind,
				     const struct vkr_shader *shader)
{
	struct vkr_model *model = walk->model;
	const struct vkr_log *log = vkr_log_store_find(&model->logs, walk->execution);
	if (log != NULL && !(log->flags & VKR_EXECUTION_UNOBSERVED) &&
	    (!model->submissions.ended || log->ended))
		return VKR_OK;
	return vkr_model_missed(model, walk->error, VKR_COVERAGE_LOG, 0,
				"the log of %s of %s is missing, or incomplete", kind,
				vkr_shader_title(shader));
}

const char *vkr_pipeline_commands(const struct vkr_pipeline *pipeline)
{
	return pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS ? "draws"
								       : "trace-ray commands";
}

enum vkr_result vkr_walk_note_unobserved(struct vkr_walk *walk, const struct vkr_pipeline *pipeline)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < pipeline->shader_count && result == VKR_OK; at++) {
		const struct vkr_shader *shader = pipeline->shaders[at];
		if (!(shader->flags & VKR_SHADER_INSTRUMENTED))
			result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER, 0,
						  "%s with %s ran unobserved",
						  vkr_pipeline_commands(pipeline),
						  vkr_shader_title(shader));
	}
	return result;
}

// ---- What the user chose not to observe ---------------------------------------------------------

static const char *left_out_words(enum vkr_trace_left_out reason)
{
	switch (reason) {
	case VKR_LEFT_OUT_NOT:
		break;
	case VKR_LEFT_OUT_FRAME:
		return "what shaders access outside of the chosen frames";
	case VKR_LEFT_OUT_SAMPLE:
		return "what shaders access in frames or submissions that were not sampled";
	case VKR_LEFT_OUT_BUDGET:
		return "what shaders access in frames or submissions that the budget left out";
	case VKR_LEFT_OUT_PAUSE:
		return "what shaders access while observing was switched off";
	case VKR_LEFT_OUT_ENOUGH:
		return "what shaders access after as many races as asked for were found";
	case VKR_LEFT_OUT_SHADER:
		return "what shaders access that were not chosen";
	case VKR_LEFT_OUT_LABEL:
		return "what shaders access outside of the chosen labels";
	case VKR_LEFT_OUT_COMMAND:
		return "what draws and dispatches access that were not sampled";
	}
	return "what shaders access that were left out";
}

static bool takes_shader(const struct vkr_choice *choice, const struct vkr_shader *shader)
{
	struct vkr_choice_shader of = {.name = shader->name, .hash = shader->content_hash};
	if (shader->sites != NULL) {
		of.entry_point = vkr_site_table_string(shader->sites, shader->sites->entry_point);
		of.source_file = vkr_site_table_string(shader->sites, shader->sites->source_file);
	}
	return vkr_choice_takes_shader(choice, &of);
}

static enum vkr_trace_left_out left_out_reason(const struct vkr_walk *walk,
					       const struct vkr_pipeline *pipeline)
{
	const struct vkr_model_options *options = &walk->model->options;
	const struct vkr_log *log = vkr_log_store_find(&walk->model->logs, walk->execution);
	bool takes = false;
	if (log != NULL && log->left_out != VKR_LEFT_OUT_NOT)
		return log->left_out;
	if (options->enough != NULL && *options->enough)
		return VKR_LEFT_OUT_ENOUGH;
	for (uint32_t at = 0; at < pipeline->shader_count && !takes; at++)
		takes = takes_shader(&options->choice, pipeline->shaders[at]);
	if (!takes && pipeline->shader_count > 0)
		return VKR_LEFT_OUT_SHADER;
	if (!vkr_choice_takes_command(&options->choice, walk->submission, walk->info->index))
		return VKR_LEFT_OUT_COMMAND;
	return vkr_choice_takes_labels(&options->choice, walk->info->labels) ? VKR_LEFT_OUT_NOT
									     : VKR_LEFT_OUT_LABEL;
}

static enum vkr_result pass_over(struct vkr_walk *walk, void *user, struct vkr_chunk *chunks,
				 size_t count)
{
	(void)walk;
	(void)user;
	(void)chunks;
	(void)count;
	return VKR_OK;
}

enum vkr_result vkr_walk_leave_out(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				   bool *left_out)
{
	const enum vkr_trace_left_out reason = left_out_reason(walk, pipeline);
	bool logs = false, orders = false;
	*left_out = reason != VKR_LEFT_OUT_NOT;
	for (uint32_t at = 0; at < pipeline->shader_count; at++) {
		const struct vkr_shader *shader = pipeline->shaders[at];
		logs = logs || shader->sites != NULL;
		orders = orders || shader->orders_commands;
	}
	if (!*left_out || !logs)
		return VKR_OK;
	enum vkr_result result = vkr_walk_log(walk, false, pass_over, NULL);
	if (result == VKR_OK && !walk->waiting)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_CHOICE, 0, "%s",
					  left_out_words(reason));
	if (result == VKR_OK && !walk->waiting && orders)
		result = vkr_assume_all_ordered(walk->model, walk->queue->timeline, walk->error);
	return result;
}
