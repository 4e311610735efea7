// SPDX-License-Identifier: Apache-2.0
// The model as a whole: hands each event to the part that knows it. Knows which part that is.
#include "model.h"

#include "command_walk.h"
#include "error.h"
#include "event_payload.h"
#include "model_state.h"

#include <stdio.h>
#include <stdlib.h>

#include <vulkan/vulkan_core.h>

#define FAR_ID 65536u

static void command_gone(void *context, uint64_t tag)
{
	struct vkr_model *model = context;
	vkr_access_names_gone(&model->names, tag);
}

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
	vkr_arena_init(&made->programs_arena);
	made->program = "";
	const struct vkr_engine_options engine = {.context = made,
						  .race = vkr_race_reports_add,
						  .ask = vkr_model_shader_order,
						  .command_gone = command_gone};
	enum vkr_result result = vkr_engine_create(&engine, &made->engine, error);
	if (result == VKR_OK)
		result = vkr_engine_host_thread(made->engine, &made->host, error);
	made->thread_order.main = made->host;
	if (result != VKR_OK) {
		vkr_model_destroy(made);
		return result;
	}
	*model = made;
	return VKR_OK;
}

void vkr_model_destroy(struct vkr_model *model)
{
	if (model == NULL)
		return;
	vkr_walk_finish(&model->walk);
	vkr_locations_finish(&model->host_locations);
	vkr_sync_objects_finish(&model->sync_objects);
	vkr_thread_order_finish(&model->thread_order);
	vkr_call_stacks_finish(&model->stacks);
	vkr_pass_objects_finish(&model->pass_objects);
	vkr_query_tokens_finish(&model->query_tokens);
	vkr_stand_ins_finish(&model->stand_ins);
	vkr_instances_finish(&model->instances);
	vkr_engine_destroy(model->engine);
	vkr_draw_logs_finish(&model->draw_logs);
	vkr_invocation_groups_finish(&model->invocation_groups);
	vkr_replay_finish(&model->replay);
	vkr_sync_clear(&model->sync);
	free(model->sync.ranges.items);
	vkr_calls_finish(&model->calls);
	vkr_chunks_finish(&model->chunks);
	vkr_map_finish(&model->programs);
	vkr_arena_finish(&model->programs_arena);
	vkr_race_reports_finish(&model->races);
	vkr_submissions_finish(&model->submissions);
	vkr_access_names_finish(&model->names);
	vkr_log_store_finish(&model->logs);
	vkr_recordings_finish(&model->recordings);
	vkr_descriptors_finish(&model->descriptors);
	vkr_objects_finish(&model->objects);
	vkr_coverage_finish(&model->coverage);
	vkr_texts_finish(&model->texts);
	free(model);
}

enum vkr_result vkr_model_missed(struct vkr_model *model, struct vkr_error *error,
				 enum vkr_trace_coverage_kind kind, uint64_t amount,
				 const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	va_start(arguments, format);
	const int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return vkr_error_memory(error, "coverage");
	const bool added = vkr_coverage_add(&model->coverage, kind, amount, text, (size_t)length);
	free(text);
	return added ? VKR_OK : vkr_error_memory(error, "coverage");
}

enum vkr_result vkr_model_coverage(struct vkr_model *model, enum vkr_trace_coverage_kind kind,
				   uint64_t amount, const char *text, struct vkr_error *error)
{
	return vkr_model_missed(model, error, kind, amount, "%s", text);
}

static struct vkr_log_part log_part(const struct vkr_trace_gpu_log *part)
{
	return (struct vkr_log_part){.count = part->word_count, .first_word = part->first_word};
}

static struct vkr_log_part sheet_part(const struct vkr_trace_gpu_sheet *sheet)
{
	return (struct vkr_log_part){
		.count = sheet->word_count,
		.sheet = {.command = sheet->command,
			  .first_group = sheet->first_group,
			  .group_count = sheet->group_count,
			  .local_size = sheet->local_size,
			  .columns = sheet->columns,
			  .groups = {sheet->groups[0], sheet->groups[1]},
			  .pitch = 2 * (size_t)sheet->group_count * sheet->local_size}};
}

static enum vkr_result append(struct vkr_model *model, uint32_t execution, const uint32_t *words,
			      const struct vkr_log_part *part, struct vkr_error *error)
{
	struct vkr_log *log = vkr_log_store_get(&model->logs, execution);
	if (log == NULL || !vkr_log_append(&model->logs, log, words, part))
		return vkr_error_memory(error, "a GPU log");
	model->log_bytes += (uint64_t)part->count * sizeof *words;
	return VKR_OK;
}

static enum vkr_result append_log(struct vkr_model *model, const struct vkr_trace_gpu_log *log,
				  struct vkr_error *error)
{
	const struct vkr_log_part part = log_part(log);
	return append(model, log->execution, (const uint32_t *)(log + 1), &part, error);
}

static enum vkr_result append_sheet(struct vkr_model *model,
				    const struct vkr_trace_gpu_sheet *sheet,
				    struct vkr_error *error)
{
	const struct vkr_log_part part = sheet_part(sheet);
	return append(model, sheet->execution, (const uint32_t *)(sheet + 1), &part, error);
}

enum vkr_result vkr_model_log(struct vkr_model *model, const struct vkr_trace_event *event,
			      const struct vkr_lent_words *lent, struct vkr_error *error)
{
	const bool is_sheet = event->type == VKR_TRACE_GPU_SHEET;
	const struct vkr_trace_gpu_log *words = (const void *)(event + 1);
	const struct vkr_trace_gpu_sheet *sheet = (const void *)(event + 1);
	struct vkr_log_part part = is_sheet ? sheet_part(sheet) : log_part(words);
	part.sheet.pitch = lent->pitch;
	struct vkr_log *log =
		vkr_log_store_get(&model->logs, is_sheet ? sheet->execution : words->execution);
	if (log == NULL || !vkr_log_append_lent(log, lent, &part)) {
		vkr_lent_words_give_back(lent);
		return vkr_error_memory(error, "a GPU log");
	}
	model->log_bytes += (uint64_t)part.count * sizeof *lent->words;
	return VKR_OK;
}

static enum vkr_result end_log(struct vkr_model *model, const struct vkr_trace_execution_end *end,
			       struct vkr_error *error)
{
	struct vkr_log *log = vkr_log_store_get(&model->logs, end->execution);
	if (log == NULL)
		return vkr_error_memory(error, "a GPU log");
	if (end->flags & VKR_EXECUTION_PAUSED)
		return vkr_log_mark(log, 0) ? VKR_OK : vkr_error_memory(error, "a GPU log");
	log->ended = true;
	log->flags = end->flags;
	log->lost_words = end->lost_words;
	return VKR_OK;
}

static enum vkr_result mark_log(struct vkr_model *model,
				const struct vkr_trace_commands_logged *logged,
				struct vkr_error *error)
{
	struct vkr_log *log = vkr_log_store_get(&model->logs, logged->execution);
	if (log == NULL || !vkr_log_mark(log, logged->command))
		return vkr_error_memory(error, "a GPU log");
	return VKR_OK;
}

static enum vkr_result add_coverage(struct vkr_model *model,
				    const struct vkr_trace_coverage *coverage,
				    struct vkr_error *error)
{
	return vkr_model_missed(model, error, (enum vkr_trace_coverage_kind)coverage->kind,
				coverage->amount, "%.*s", (int)coverage->text_bytes,
				(const char *)(coverage + 1));
}

static enum vkr_result object_event(struct vkr_model *model, const struct vkr_trace_event *event,
				    struct vkr_error *error)
{
	const enum vkr_result result = vkr_objects_event(&model->objects, event, error);
	if (result != VKR_OK)
		return result;
	if (event->type == VKR_TRACE_QUEUE) {
		const struct vkr_trace_queue *queue = vkr_event_payload(event);
		return vkr_submissions_add_queue(
			model, vkr_objects_queue(&model->objects, queue->queue), error);
	}
	if (event->type == VKR_TRACE_BUFFER_BIND || event->type == VKR_TRACE_IMAGE_BIND)
		return vkr_model_bound(model, event, error);
	if (event->type == VKR_TRACE_BUFFER_DESTROY || event->type == VKR_TRACE_IMAGE_DESTROY)
		return vkr_stand_ins_event(model, event, error);
	if (event->type == VKR_TRACE_MEMORY) {
		const struct vkr_trace_memory *memory = vkr_event_payload(event);
		// Ids are dense, though threads may record them out of turn: one far off is damage.
		if (memory->memory > model->objects.memories.count + FAR_ID)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "MEMORY: id %u, and there are only %zu",
					     memory->memory, model->objects.memories.count);
		if (memory->bytes > VKR_ENGINE_MEMORY_MOST)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "MEMORY: memory %u is larger than any can be",
					     memory->memory);
		return vkr_engine_memory(
			model->engine, memory->memory, memory->bytes,
			memory->property_flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, error);
	}
	return VKR_OK;
}

static enum vkr_result begin_run(struct vkr_model *model, const struct vkr_trace_run_begin *begin,
				 struct vkr_error *error)
{
	model->program =
		vkr_texts_keep(&model->texts, (const char *)(begin + 1), begin->text_bytes);
	return model->program != NULL ? VKR_OK : vkr_error_memory(error, "the command line");
}

static enum vkr_result hand_on(struct vkr_model *model, const struct vkr_trace_event *event,
			       struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	switch ((enum vkr_trace_type)event->type) {
	case VKR_TRACE_RUN_BEGIN:
		return begin_run(model, payload, error);
	case VKR_TRACE_COVERAGE:
		return add_coverage(model, payload, error);
	case VKR_TRACE_DEVICE_DESTROY:
	case VKR_TRACE_RUN_END:
	case VKR_TRACE_MAP:
	case VKR_TRACE_UNMAP:
		return VKR_OK; // order nothing, and make nothing available
	case VKR_TRACE_THREAD:
	case VKR_TRACE_DEVICE:
	case VKR_TRACE_QUEUE:
	case VKR_TRACE_NAME:
	case VKR_TRACE_MEMORY:
	case VKR_TRACE_BUFFER:
	case VKR_TRACE_BUFFER_BIND:
	case VKR_TRACE_BUFFER_DESTROY:
	case VKR_TRACE_BUFFER_ADDRESS:
	case VKR_TRACE_BUFFER_VIEW:
	case VKR_TRACE_BUFFER_VIEW_DESTROY:
	case VKR_TRACE_IMAGE:
	case VKR_TRACE_IMAGE_BIND:
	case VKR_TRACE_IMAGE_DESTROY:
	case VKR_TRACE_IMAGE_VIEW:
	case VKR_TRACE_IMAGE_VIEW_DESTROY:
	case VKR_TRACE_SAMPLER:
	case VKR_TRACE_SAMPLER_DESTROY:
	case VKR_TRACE_SHADER:
	case VKR_TRACE_SHADER_INPUTS:
	case VKR_TRACE_SHADER_FEEDBACK:
	case VKR_TRACE_PIPELINE:
	case VKR_TRACE_PIPELINE_DESTROY:
	case VKR_TRACE_GRAPHICS_STATE:
	case VKR_TRACE_COMMAND_BUFFER:
	case VKR_TRACE_STRUCTURE:
	case VKR_TRACE_STRUCTURE_DESTROY:
	case VKR_TRACE_STRUCTURE_ADDRESS:
		return object_event(model, event, error);
	case VKR_TRACE_MEMORY_FREE:
	case VKR_TRACE_FLUSH:
	case VKR_TRACE_INVALIDATE:
	case VKR_TRACE_HOST_ACCESS:
		return vkr_model_host_event(model, event, error);
	case VKR_TRACE_HOST_IMAGE_COPY:
	case VKR_TRACE_HOST_IMAGE_TRANSFER:
	case VKR_TRACE_HOST_TRANSITION:
		return vkr_model_host_image(model, event, error);
	case VKR_TRACE_HOST_ORDER:
	case VKR_TRACE_HOST_RELEASE:
	case VKR_TRACE_HOST_ACQUIRE:
	case VKR_TRACE_HOST_IGNORE:
		return vkr_thread_order_event(model, event, error);
	case VKR_TRACE_MODULE:
		return vkr_call_stacks_module(&model->stacks, &model->texts, payload, error);
	case VKR_TRACE_CALL_STACK:
		return vkr_call_stacks_coming(&model->stacks, &model->texts, event->thread, payload,
					      error);
	case VKR_TRACE_SET_LAYOUT:
	case VKR_TRACE_DESCRIPTOR_ROWS:
	case VKR_TRACE_SET:
	case VKR_TRACE_SET_DESTROY:
	case VKR_TRACE_SET_WRITE:
	case VKR_TRACE_SET_COPY:
	case VKR_TRACE_PIPELINE_LAYOUT:
		return vkr_descriptors_event(&model->descriptors, event, error);
	case VKR_TRACE_EVENT:
	case VKR_TRACE_EVENT_DESTROY:
	case VKR_TRACE_EVENT_SET:
	case VKR_TRACE_EVENT_RESET:
		return vkr_sync_objects_made(model, event, error);
	case VKR_TRACE_FRAMEBUFFER:
	case VKR_TRACE_FRAMEBUFFER_DESTROY:
	case VKR_TRACE_RENDER_PASS:
	case VKR_TRACE_RENDER_PASS_DESTROY:
		return vkr_pass_objects_made(&model->pass_objects, event, error);
	case VKR_TRACE_QUERY_POOL:
	case VKR_TRACE_QUERY_POOL_DESTROY:
	case VKR_TRACE_QUERY_RESET:
		return vkr_query_pools_event(model, event, error);
	case VKR_TRACE_RECORDING:
	case VKR_TRACE_COMMAND_BUFFER_DESTROY:
		return vkr_recordings_event(&model->recordings, event, error);
	case VKR_TRACE_SUBMIT:
	case VKR_TRACE_PRESENT:
	case VKR_TRACE_ACQUIRE:
	case VKR_TRACE_FENCE:
	case VKR_TRACE_FENCE_DESTROY:
	case VKR_TRACE_FENCE_RESET:
	case VKR_TRACE_FENCE_WAIT:
	case VKR_TRACE_QUEUE_IDLE:
	case VKR_TRACE_DEVICE_IDLE:
	case VKR_TRACE_SEMAPHORE:
	case VKR_TRACE_SEMAPHORE_DESTROY:
	case VKR_TRACE_SEMAPHORE_SIGNAL:
	case VKR_TRACE_SEMAPHORE_WAIT:
	case VKR_TRACE_EVENT_SEEN:
	case VKR_TRACE_QUERY_SEEN:
	case VKR_TRACE_SPARSE_BIND:
		return vkr_submissions_event(model, event, error);
	case VKR_TRACE_SUBMIT_FAILED:
		return vkr_submissions_cancel(
			model, ((const struct vkr_trace_submit_failed *)payload)->submission,
			error);
	case VKR_TRACE_GPU_LOG:
		return append_log(model, payload, error);
	case VKR_TRACE_GPU_SHEET:
		return append_sheet(model, payload, error);
	case VKR_TRACE_EXECUTION_END:
		return end_log(model, payload, error);
	case VKR_TRACE_STRUCTURE_INSTANCES:
		return vkr_instances_add(&model->instances, payload, error);
	case VKR_TRACE_HOST_STRUCTURE:
		return vkr_model_host_structure(model, event, error);
	case VKR_TRACE_COMMANDS_LOGGED:
		return mark_log(model, payload, error);
	case VKR_TRACE_CMD_BIND_PIPELINE:
	case VKR_TRACE_CMD_BIND_SETS:
	case VKR_TRACE_CMD_PUSH_SET:
	case VKR_TRACE_CMD_DISPATCH:
	case VKR_TRACE_CMD_DISPATCH_INDIRECT:
	case VKR_TRACE_CMD_COPY_BUFFER:
	case VKR_TRACE_CMD_FILL_BUFFER:
	case VKR_TRACE_CMD_UPDATE_BUFFER:
	case VKR_TRACE_CMD_BARRIER:
	case VKR_TRACE_CMD_EXECUTE:
	case VKR_TRACE_CMD_LABEL_BEGIN:
	case VKR_TRACE_CMD_LABEL_END:
	case VKR_TRACE_CMD_LABEL:
	case VKR_TRACE_CMD_OTHER:
	case VKR_TRACE_CMD_IMAGE_TRANSFER:
	case VKR_TRACE_CMD_IMAGE_BUFFER:
	case VKR_TRACE_CMD_CLEAR_IMAGE:
	case VKR_TRACE_CMD_SET_EVENT:
	case VKR_TRACE_CMD_RESET_EVENT:
	case VKR_TRACE_CMD_WAIT_EVENTS:
	case VKR_TRACE_CMD_BEGIN_RENDER_PASS:
	case VKR_TRACE_CMD_NEXT_SUBPASS:
	case VKR_TRACE_CMD_END_RENDER_PASS:
	case VKR_TRACE_CMD_BEGIN_RENDERING:
	case VKR_TRACE_CMD_END_RENDERING:
	case VKR_TRACE_CMD_CLEAR_ATTACHMENTS:
	case VKR_TRACE_CMD_DRAW:
	case VKR_TRACE_CMD_DRAW_INDIRECT:
	case VKR_TRACE_CMD_DRAW_MESH:
	case VKR_TRACE_CMD_BIND_VERTEX_BUFFERS:
	case VKR_TRACE_CMD_BIND_INDEX_BUFFER:
	case VKR_TRACE_CMD_VERTEX_INPUT:
	case VKR_TRACE_CMD_SET_STATE:
	case VKR_TRACE_CMD_QUERY:
	case VKR_TRACE_CMD_COPY_QUERIES:
	case VKR_TRACE_CMD_BEGIN_CONDITION:
	case VKR_TRACE_CMD_END_CONDITION:
	case VKR_TRACE_CMD_BIND_FEEDBACK:
	case VKR_TRACE_CMD_FEEDBACK:
	case VKR_TRACE_CMD_MARKER:
	case VKR_TRACE_CMD_BUILD_STRUCTURES:
	case VKR_TRACE_CMD_COPY_STRUCTURE:
	case VKR_TRACE_CMD_STRUCTURE_PROPERTIES:
	case VKR_TRACE_CMD_TRACE_RAYS:
		break;
	}
	return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: outside a recording",
			     vkr_event_name(event->type));
}

enum vkr_result vkr_model_event(struct vkr_model *model, const struct vkr_trace_event *event,
				struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	// News of executions may come while a host thread's wait is not judged to its end.
	if (event->type != VKR_TRACE_SUBMIT_FAILED)
		result = vkr_thread_order_turn(model, event->thread, error);
	if (result == VKR_OK)
		result = hand_on(model, event, error);
	if (event->type != VKR_TRACE_CALL_STACK)
		vkr_call_stacks_gone(&model->stacks, event->thread);
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
	model->submissions.ended = true;
	model->waiting = false;
	return vkr_submissions_advance(model, &model->waiting, error);
}

enum vkr_result vkr_model_end(struct vkr_model *model, struct vkr_error *error)
{
	const enum vkr_result result = vkr_submissions_end(model, error);
	if (result == VKR_OK && model->races.failed)
		return vkr_error_memory(error, "a race's report");
	return result;
}

const struct vkr_report *vkr_model_report(struct vkr_model *model)
{
	struct vkr_engine_statistics statistics = {0};
	vkr_engine_statistics(model->engine, &statistics);
	model->report = (struct vkr_report){.program = model->program,
					    .verdict = VKR_VERDICT_NONE,
					    .races = model->races.groups.items,
					    .race_count = (uint32_t)model->races.groups.count,
					    .coverage = model->coverage.items,
					    .coverage_count = (uint32_t)model->coverage.count,
					    .race_total = vkr_race_reports_count(model),
					    .accesses_judged = statistics.accesses,
					    .log_bytes = model->log_bytes,
					    .executions = model->executions,
					    .dispatches = model->dispatches};
	if (model->report.race_count > 0)
		model->report.verdict = VKR_VERDICT_RACES;
	else if (model->report.coverage_count > 0)
		model->report.verdict = VKR_VERDICT_INCOMPLETE;
	return &model->report;
}
