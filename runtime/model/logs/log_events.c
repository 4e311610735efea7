// SPDX-License-Identifier: Apache-2.0
// Puts what executions log where it waits to be judged. Knows the events that bring it and that end
// it; not what the words mean.
#include "error.h"
#include "event_payload.h"
#include "model.h"
#include "model_state.h"

static struct vkr_log_part log_part(const struct vkr_trace_gpu_log *part)
{
	return (struct vkr_log_part){.count = part->word_count, .first_word = part->first_word};
}

static struct vkr_log_part column_log_part(const struct vkr_trace_gpu_column_log *column_log)
{
	return (struct vkr_log_part){
		.count = column_log->word_count,
		.column_log = {.command = column_log->command,
			       .first_group = column_log->first_group,
			       .group_count = column_log->group_count,
			       .local_size = column_log->local_size,
			       .columns = column_log->columns,
			       .groups = {column_log->groups[0], column_log->groups[1]},
			       .pitch = 2 * (size_t)column_log->group_count *
					column_log->local_size}};
}

static enum vkr_result append_log_part(struct vkr_model *model, uint32_t execution,
				       const uint32_t *words, const struct vkr_log_part *part,
				       struct vkr_error *error)
{
	struct vkr_log *log = vkr_log_store_get(&model->logs, execution);
	if (log == NULL || !vkr_log_append(&model->logs, log, words, part))
		return vkr_error_memory(error, "a GPU log");
	model->run.log_bytes += (uint64_t)part->count * sizeof *words;
	return VKR_OK;
}

static enum vkr_result append_log(struct vkr_model *model, const struct vkr_trace_gpu_log *log,
				  struct vkr_error *error)
{
	const struct vkr_log_part part = log_part(log);
	return append_log_part(model, log->execution, (const uint32_t *)(log + 1), &part, error);
}

static enum vkr_result append_column_log(struct vkr_model *model,
					 const struct vkr_trace_gpu_column_log *column_log,
					 struct vkr_error *error)
{
	const struct vkr_log_part part = column_log_part(column_log);
	return append_log_part(model, column_log->execution, (const uint32_t *)(column_log + 1),
			       &part, error);
}

static enum vkr_result end_log(struct vkr_model *model, const struct vkr_trace_execution_end *end,
			       struct vkr_error *error)
{
	if (!(end->flags & VKR_EXECUTION_PAUSED) &&
	    vkr_log_store_ended(&model->logs, end->execution))
		return VKR_OK;
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

static enum vkr_result change_heap(struct vkr_model *model,
				   const struct vkr_trace_heap_changed *changed,
				   struct vkr_error *error)
{
	struct vkr_log *log = vkr_log_store_get(&model->logs, changed->execution);
	if (log == NULL || !vkr_log_change(log, changed))
		return vkr_error_memory(error, "changed descriptors");
	return VKR_OK;
}

enum vkr_result vkr_model_leave_out(struct vkr_model *model, uint32_t execution, uint32_t reason,
				    struct vkr_error *error)
{
	struct vkr_log *log = vkr_log_store_get(&model->logs, execution);
	if (log == NULL)
		return vkr_error_memory(error, "a GPU log");
	log->left_out = reason;
	return VKR_OK;
}

enum vkr_result vkr_model_log_event(struct vkr_model *model, const struct vkr_trace_event *event,
				    struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	const struct vkr_trace_execution_left_out *left_out = payload;
	switch (event->type) {
	case VKR_TRACE_EXECUTION_LEFT_OUT:
		return vkr_model_leave_out(model, left_out->execution, left_out->reason, error);
	case VKR_TRACE_GPU_LOG:
		return append_log(model, payload, error);
	case VKR_TRACE_GPU_COLUMN_LOG:
		return append_column_log(model, payload, error);
	case VKR_TRACE_COMMANDS_LOGGED:
		return mark_log(model, payload, error);
	case VKR_TRACE_HEAP_CHANGED:
		return change_heap(model, payload, error);
	default:
		return end_log(model, payload, error);
	}
}
