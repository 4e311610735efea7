// SPDX-License-Identifier: Apache-2.0
// The model as a whole: its parts, and which events they take. Does not know what any event means.
#include "model.h"
#include "dispatch_repeats.h"

#include "command_walk.h"
#include "error.h"
#include "link_pending.h"
#include "memory_names.h"
#include "model_state.h"
#include "scopes.h"
#include "workgroups_ahead.h"

#include <assert.h>
#include <stdlib.h>

enum vkr_result vkr_model_create(const struct vkr_model_options *options, struct vkr_model **model,
				 struct vkr_error *error)
{
	struct vkr_model *made = calloc(1, sizeof *made);
	if (made == NULL)
		return vkr_error_memory(error, "the model");
	if (options != NULL)
		made->options = *options;
	vkr_texts_init(&made->texts);
	vkr_coverage_init(&made->coverage, &made->texts);
	vkr_objects_init(&made->objects, &made->texts);
	vkr_descriptors_init(&made->descriptors);
	vkr_recordings_init(&made->recordings);
	vkr_log_store_init(&made->logs);
	vkr_access_names_init(&made->names, &made->texts);
	vkr_submissions_init(&made->submissions);
	vkr_arena_init(&made->programs.arena);
	made->run.program = "";
	made->past.keeps = made->options.may_cut;
	made->run.device = "";
	made->objects.rules = made->options.rules;
	made->order.sync.rules = made->order.joint.logs.sync.rules =
		made->order.links.logs.sync.rules = made->options.rules;
	const struct vkr_engine_options engine = {.context = made,
						  .race = vkr_race_reports_add,
						  .ask = vkr_model_shader_order,
						  .past = vkr_links_is_past_everywhere,
						  .queue_stages = vkr_scope_all_commands(),
						  .coming = vkr_submissions_coming,
						  .rules = made->options.rules,
						  .shard = made->options.shard,
						  .stop = made->options.stop};
	enum vkr_result result = vkr_coverage_reserve(&made->coverage)
					 ? vkr_engine_create(&engine, &made->engine, error)
					 : vkr_error_memory(error, "coverage");
	if (result == VKR_OK && !vkr_ahead_create(&made->replay, made->options.crew))
		result = vkr_error_memory(error, "threads");
	if (result == VKR_OK)
		result = vkr_engine_host_thread(made->engine, &made->host.timeline, error);
	made->thread_order.main = made->host.timeline;
	if (result != VKR_OK) {
		vkr_model_destroy(made);
		return result;
	}
	*model = made;
	return VKR_OK;
}

static void destroy_engine(struct vkr_model *model)
{
	vkr_dispatch_repeats_destroy(model->repeats, model->engine);
	vkr_engine_destroy(model->engine);
	model->repeats = NULL;
	model->engine = NULL;
}

void vkr_model_destroy(struct vkr_model *model)
{
	if (model == NULL)
		return;
	vkr_walk_finish(&model->walk);
	vkr_locations_finish(&model->host.locations);
	vkr_sync_objects_finish(&model->sync_objects);
	vkr_thread_order_finish(&model->thread_order);
	vkr_call_stacks_finish(&model->stacks);
	vkr_pass_objects_finish(&model->pass_objects);
	vkr_query_tokens_finish(&model->query_tokens);
	vkr_stand_ins_finish(&model->stand_ins);
	vkr_instances_finish(&model->instances);
	vkr_snapshots_finish(&model->snapshots);
	vkr_command_links_finish(&model->order.links);
	vkr_past_finish(&model->past);
	destroy_engine(model);
	vkr_draw_logs_finish(&model->draw_logs);
	vkr_invocation_groups_finish(&model->invocation_groups);
	vkr_replay_finish(&model->replay);
	vkr_sync_clear(&model->order.sync);
	free(model->order.sync.ranges.items);
	vkr_calls_finish(&model->order.calls);
	vkr_joint_finish(&model->order.joint);
	vkr_chunks_finish(&model->chunks);
	vkr_map_finish(&model->programs.by_shader);
	vkr_arena_finish(&model->programs.arena);
	vkr_race_reports_finish(&model->races);
	vkr_race_doubts_finish(&model->doubts);
	vkr_costs_finish(&model->costs);
	vkr_submissions_finish(&model->submissions);
	vkr_access_names_finish(&model->names);
	vkr_log_store_finish(&model->logs);
	vkr_recordings_finish(&model->recordings);
	vkr_descriptors_finish(&model->descriptors);
	vkr_objects_finish(&model->objects);
	vkr_coverage_finish(&model->coverage);
	free(model->sources.items);
	vkr_texts_finish(&model->texts);
	free(model);
}

enum vkr_result vkr_model_event(struct vkr_model *model, const struct vkr_trace_event *event,
				struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	vkr_access_names_collect(&model->names, model->engine);
	// News of executions may come while a host thread's wait is not judged to its end.
	if (event->type != VKR_TRACE_SUBMIT_FAILED)
		result = vkr_thread_order_enter(model, event->thread, error);
	if (result == VKR_OK)
		result = vkr_model_hand_on(model, event, error);
	if (event->type != VKR_TRACE_CALL_STACK)
		vkr_call_stacks_gone(&model->stacks, event->thread);
	if (result == VKR_OK)
		result = vkr_past_event_done(model, error);
	if (result != VKR_OK)
		return result;
	const enum vkr_result advanced = vkr_submissions_advance(model, &model->waiting, error);
	if (advanced == VKR_OK && model->races.failed)
		return vkr_error_memory(error, "a race's report");
	return advanced;
}

bool vkr_model_is_waiting(const struct vkr_model *model)
{
	return model->waiting;
}

enum vkr_result vkr_model_end_logs(struct vkr_model *model, struct vkr_error *error)
{
	if (model->past.continues)
		return VKR_OK; // the next volume has what is pending
	model->submissions.ended = true;
	model->waiting = false;
	return vkr_submissions_advance(model, &model->waiting, error);
}

// Reports are written with what the engine has held, which is most of the memory.
static void drop_engine(struct vkr_model *model)
{
	vkr_model_report(model); // its last numbers
	vkr_walk_leave_render_pass(&model->walk);
	vkr_past_finish(&model->past);
	destroy_engine(model);
}

enum vkr_result vkr_model_end(struct vkr_model *model, struct vkr_error *error)
{
	enum vkr_result result = model->past.continues ? VKR_OK : vkr_submissions_end(model, error);
	if (result == VKR_OK)
		result = vkr_links_settle(model, true, error);
	if (result == VKR_OK && model->races.failed)
		return vkr_error_memory(error, "a race's report");
	if (result == VKR_OK)
		drop_engine(model);
	return result == VKR_OK ? vkr_race_doubts_end(model, error) : result;
}

void vkr_model_abandon(struct vkr_model *model, enum vkr_trace_coverage_kind kind, uint64_t amount,
		       const char *text)
{
	struct vkr_error error;
	drop_engine(model);
	// Where memory lacks for them they are among what was lost.
	if (vkr_race_doubts_end(model, &error) != VKR_OK)
		model->doubts.items.count = 0;
	vkr_coverage_add_last(&model->coverage, kind, amount, text);
}

void vkr_model_place(struct vkr_model *model, uint64_t place)
{
	model->past.place = place;
}

uint64_t vkr_model_last_place(const struct vkr_model *model)
{
	return model->past.place;
}

uint64_t vkr_model_executions(const struct vkr_model *model)
{
	return model->run.executions;
}

void vkr_model_add_accesses(struct vkr_model *model, uint64_t accesses)
{
	assert(!model->engine);
	model->report.accesses_judged += accesses;
}

const struct vkr_report *vkr_model_report(struct vkr_model *model)
{
	struct vkr_engine_statistics statistics = {.accesses = model->report.accesses_judged};
	uint64_t races = model->report.race_total;
	if (model->engine) {
		vkr_engine_statistics(model->engine, &statistics);
		races = vkr_race_reports_count(model);
	}
	model->report =
		(struct vkr_report){.program = model->run.program,
				    .device = model->run.device,
				    .model = vkr_memory_model_name(model->options.rules.model),
				    .barriers2 = model->barriers2,
				    .costs = model->costs.items,
				    .cost_count = (uint32_t)model->costs.count,
				    .verdict = VKR_VERDICT_NONE,
				    .races = model->races.groups.items,
				    .race_count = (uint32_t)model->races.groups.count,
				    .possible = model->races.shown.items,
				    .possible_count = (uint32_t)model->races.shown.count,
				    .sources = model->sources.items,
				    .source_count = (uint32_t)model->sources.count,
				    .coverage = model->coverage.items,
				    .coverage_count = (uint32_t)model->coverage.count,
				    .race_total = races,
				    .accesses_judged = statistics.accesses,
				    .log_bytes = model->run.log_bytes,
				    .executions = model->run.executions,
				    .dispatches = model->run.dispatches};
	if (model->report.race_count > 0)
		model->report.verdict = VKR_VERDICT_RACES;
	else if (model->report.coverage_count > 0)
		model->report.verdict = VKR_VERDICT_INCOMPLETE;
	return &model->report;
}
