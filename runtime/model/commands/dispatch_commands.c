// SPDX-License-Identifier: Apache-2.0
// Dispatches: the indirect read, and the log of their invocations. Knows these commands only.
#include "shader_logs.h"

#include "error.h"
#include "event_payload.h"
#include "site_summary.h"
#include "site_table.h"
#include "summary_run.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

// VkDispatchIndirectCommand.
#define INDIRECT_BYTES 12u

// Whether its own synchronization can order invocations: then parts of a dispatch's log cannot be
// judged alone.
static bool dispatch_commands_orders(const struct vkr_model *model, const struct vkr_shader *shader)
{
	return shader->orders_invocations != 0 || shader->orders_workgroups != 0 ||
	       vkr_command_links_keep(model, shader);
}

static enum vkr_result replay_dispatch(struct vkr_walk *walk, void *user, struct vkr_chunk *chunks,
				       size_t count)
{
	const struct vkr_program *program = user;
	return vkr_walk_replay(
		walk, &(struct vkr_shader_log){
			      .program = program,
			      .point = vkr_walk_point(walk, VK_PIPELINE_BIND_POINT_COMPUTE),
			      .chunks = chunks,
			      .count = count,
			      .local_size = program->local_size});
}

// Whether the shader's summary wants records.
static bool wants_records(const struct vkr_site_table *table)
{
	const struct vkr_summary_operation *operations = vkr_site_table_summary(table);
	for (uint32_t at = 0; at < table->summary_count; at++)
		if (operations[at].code == VKR_SUMMARY_RECORD)
			return true;
	return false;
}

struct summarized {
	const struct vkr_program *program;
	struct vkr_summary_dispatch summary;
	uint32_t uniforms[VKR_SUMMARY_UNIFORM_WORDS];
};

static enum vkr_result replay_records(struct vkr_walk *walk, void *user, struct vkr_chunk *chunks,
				      size_t count)
{
	struct summarized *summarized = user;
	summarized->summary.chunks = chunks;
	summarized->summary.count = count;
	return vkr_walk_replay(
		walk, &(struct vkr_shader_log){
			      .program = summarized->program,
			      .point = vkr_walk_point(walk, VK_PIPELINE_BIND_POINT_COMPUTE),
			      .local_size = summarized->program->local_size,
			      .summary = &summarized->summary});
}

// Its shader's summary says what it did, with what it has logged beside that.
static enum vkr_result replay_summary(struct vkr_walk *walk, const struct vkr_program *program,
				      const struct vkr_trace_cmd_dispatch *direct)
{
	struct summarized summarized = {.program = program,
					.summary = {.pushed = (const uint32_t *)(direct + 1),
						    .pushed_count = direct->pushed_count}};
	const uint32_t told = vkr_site_summary_uniforms(program->shader->sites);
	memcpy(summarized.summary.base, direct->base, sizeof direct->base);
	memcpy(summarized.summary.groups, direct->groups, sizeof direct->groups);
	if (program->shader->sites->summary_count == 0 ||
	    dispatch_commands_orders(walk->model, program->shader))
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER, 0,
					"a dispatch of %s has neither log nor summary",
					vkr_shader_title(program->shader));
	summarized.summary.uniforms = summarized.uniforms;
	if (!vkr_walk_snapshot_read(walk, direct->command, VKR_SNAPSHOT_UNIFORMS,
				    summarized.uniforms, told * sizeof *summarized.uniforms))
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_LOG, 0,
					"the log of dispatches of %s is missing, or incomplete",
					vkr_shader_title(program->shader));
	if (!wants_records(program->shader->sites)) {
		walk->ran = true;
		return replay_records(walk, &summarized, NULL, 0);
	}
	const enum vkr_result result = vkr_walk_log(walk, false, replay_records, &summarized);
	if (result != VKR_OK || walk->waiting)
		return result;
	return vkr_walk_log_missing(walk, "dispatches", program->shader);
}

static enum vkr_result judge_shader(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_dispatch *direct = vkr_event_payload(event);
	struct vkr_model *model = walk->model;
	struct vkr_program *program = NULL;
	const struct vkr_pipeline *pipeline = walk->info->pipeline;
	const struct vkr_shader *shader =
		pipeline != NULL && pipeline->shader_count > 0 ? pipeline->shaders[0] : NULL;
	if (shader == NULL)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_SHADER, 0,
					"a dispatch ran with a pipeline that was never seen made");
	bool left_out = false;
	enum vkr_result result = vkr_walk_leave_out(walk, pipeline, &left_out);
	if (result != VKR_OK || left_out)
		return result;
	if (!(shader->flags & VKR_SHADER_INSTRUMENTED))
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_SHADER, 0,
					"dispatches of %s ran unobserved",
					vkr_shader_title(shader));
	if (shader->sites == NULL)
		return VKR_OK;
	result = vkr_walk_program(walk, shader, &program);
	if (result == VKR_ERROR_FORMAT)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_SHADER, 0,
					"the site table of %s makes no sense",
					vkr_shader_title(shader));
	if (result == VKR_OK && event->type == VKR_TRACE_CMD_DISPATCH &&
	    direct->flags & VKR_DISPATCH_SUMMARIZED)
		return replay_summary(walk, program, direct);
	if (result == VKR_OK)
		result = vkr_walk_log(walk, dispatch_commands_orders(model, shader),
				      replay_dispatch, program);
	if (result != VKR_OK || walk->waiting)
		return result;
	return vkr_walk_log_missing(walk, "dispatches", shader);
}

static enum vkr_result read_arguments(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_dispatch_indirect *indirect = vkr_event_payload(event);
	const struct vkr_buffer *arguments =
		event->type == VKR_TRACE_CMD_DISPATCH_INDIRECT
			? vkr_objects_buffer(&walk->model->objects, indirect->buffer)
			: NULL;
	if (event->type == VKR_TRACE_CMD_DISPATCH_INDIRECT && indirect->buffer == 0 &&
	    walk->generated != NULL)
		return vkr_walk_generated_reads(walk, walk->generated, walk->info, walk->command);
	if (arguments == NULL)
		return VKR_OK;
	return vkr_walk_access(
		walk, &(struct vkr_walk_access){.command = walk->command,
						.info = walk->info,
						.buffer = arguments,
						.operation = "indirect command read",
						.stage = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
						.access = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT,
						.offset = indirect->offset,
						.bytes = INDIRECT_BYTES});
}

// One that may have been discarded has read its arguments where its shader has logged something.
static enum vkr_result end_conditional(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	if (!walk->conditional || event->type != VKR_TRACE_CMD_DISPATCH_INDIRECT)
		return VKR_OK;
	return walk->ran ? read_arguments(walk, event)
			 : vkr_walk_may_have_run(walk, "vkCmdDispatchIndirect", "its arguments");
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
		if (indirect->buffer == 0 && walk->generated != NULL)
			like.name = vkr_generated_name();
		like.source = vkr_objects_buffer(&walk->model->objects, indirect->buffer);
	} else {
		memcpy(like.groups, direct->groups, sizeof like.groups);
		memcpy(like.base, direct->base, sizeof like.base);
		if (like.base[0] != 0 || like.base[1] != 0 || like.base[2] != 0)
			like.name = "vkCmdDispatchBase";
	}
	walk->model->run.dispatches++;
	walk->info = vkr_walk_info(walk, index, event->type, &like);
	walk->ran = false;
	const enum vkr_result result = vkr_walk_begin_command(walk, walk->info, &walk->command);
	return result == VKR_OK && !walk->conditional ? read_arguments(walk, event) : result;
}

enum vkr_result vkr_walk_dispatch(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	enum vkr_result result = VKR_OK;
	if (walk->command == 0)
		result = begin_dispatch(walk, event);
	if (result == VKR_OK)
		result = judge_shader(walk, event);
	if (result == VKR_OK && !walk->waiting)
		result = end_conditional(walk, event);
	if (result == VKR_OK && !walk->waiting) {
		result = vkr_walk_links_end(walk);
		vkr_engine_command_end(walk->model->engine, walk->command);
		walk->command = 0;
		walk->generated = NULL;
	}
	return result;
}
