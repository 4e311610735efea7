// SPDX-License-Identifier: Apache-2.0
// Which part of an execution's log is judged next. Knows nothing of what a log says.
#include "log_gathering.h"

#include "error.h"

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
