// SPDX-License-Identifier: Apache-2.0
// Timelines, and the objects that they are of, both ways. Knows nothing of their states.
#include "past_lines.h"

#include "array.h"
#include "error.h"
#include "model_state.h"
#include "presentation.h"
#include "sparse_batches.h"

#include <stdlib.h>

struct lines {
	struct vkr_trace_past_timeline *items;
	size_t count, capacity;
};

static bool past_lines_add(struct lines *lines, const struct vkr_trace_past_timeline *line)
{
	if (!VKR_ARRAY_RESERVE(lines, 1))
		return false;
	lines->items[lines->count++] = *line;
	return true;
}

// What judging goes by in all of a run, once it has happened.
static uint32_t run_flags(const struct vkr_model *model)
{
	return (vkr_engine_has_locals(model->engine) ? VKR_PAST_LOCAL : 0u) |
	       (model->barriers2 ? VKR_PAST_BARRIERS2 : 0u);
}

static bool add_host(struct lines *lines, const struct vkr_model *model)
{
	const struct vkr_map *threads = &model->thread_order.timelines;
	bool enough = past_lines_add(
		lines,
		&(struct vkr_trace_past_timeline){.timeline = model->thread_order.main,
						  .kind = VKR_PAST_LINE_HOST,
						  .flags = run_flags(model),
						  .linked_stage_mask = model->order.links.stages});
	for (size_t i = 0; i < threads->capacity && enough; i++)
		if (threads->slots[i].used)
			enough = past_lines_add(
				lines, &(struct vkr_trace_past_timeline){
					       .timeline = (uint32_t)threads->slots[i].value,
					       .kind = VKR_PAST_LINE_HOST,
					       .object = (uint32_t)threads->slots[i].key});
	return enough;
}

static bool add_queue(struct lines *lines, const struct vkr_model *model,
		      const struct vkr_queue_pending *pending)
{
	struct vkr_trace_past_timeline line = {.timeline = pending->queue->timeline,
					       .kind = VKR_PAST_LINE_QUEUE,
					       .object = pending->queue->id};
	if (vkr_command_links_have(&model->order.links, line.timeline))
		line.flags = VKR_PAST_LINKED;
	if (!past_lines_add(lines, &line))
		return false;
	line = (struct vkr_trace_past_timeline){.timeline = pending->sparse.timeline,
						.kind = VKR_PAST_LINE_SPARSE,
						.object = pending->queue->id};
	return line.timeline == 0 || past_lines_add(lines, &line);
}

static bool add_image(struct lines *lines, const struct vkr_model *model, uint64_t presentable)
{
	struct vkr_trace_past_timeline line;
	return (!vkr_presentation_save(model, presentable, VKR_PAST_LINE_PRESENT, &line) ||
		past_lines_add(lines, &line)) &&
	       (!vkr_presentation_save(model, presentable, VKR_PAST_LINE_HANDING, &line) ||
		past_lines_add(lines, &line));
}

enum vkr_result vkr_past_lines(const struct vkr_model *model,
			       struct vkr_trace_past_timeline **items, size_t *count,
			       struct vkr_error *error)
{
	const struct vkr_submissions *submissions = &model->submissions;
	struct lines lines = {0};
	bool enough = add_host(&lines, model);
	for (size_t i = 0; i < submissions->queues.count && enough; i++)
		enough = add_queue(&lines, model, &submissions->queues.items[i]);
	for (size_t i = 0; i < submissions->presentables.capacity && enough; i++)
		if (submissions->presentables.slots[i].used)
			enough = add_image(&lines, model, submissions->presentables.slots[i].value);
	if (!enough) {
		free(lines.items);
		return vkr_error_memory(error, "timelines");
	}
	*items = lines.items;
	*count = lines.count;
	return VKR_OK;
}

enum vkr_result vkr_past_line_find(struct vkr_model *model,
				   const struct vkr_trace_past_timeline *line, uint32_t *timeline,
				   struct vkr_error *error)
{
	struct vkr_queue_pending *queue = NULL;
	switch (line->kind) {
	case VKR_PAST_LINE_HOST:
		vkr_command_links_stages(&model->order.links, line->linked_stage_mask);
		model->barriers2 = model->barriers2 || line->flags & VKR_PAST_BARRIERS2;
		if (line->flags & VKR_PAST_LOCAL)
			vkr_engine_note_local(model->engine);
		return vkr_thread_order_timeline(model, line->object, timeline, error);
	case VKR_PAST_LINE_QUEUE:
		queue = vkr_submissions_pending(&model->submissions, line->object);
		if (queue == NULL)
			return VKR_OK;
		*timeline = queue->queue->timeline;
		if (line->flags & VKR_PAST_LINKED &&
		    !vkr_command_links_note(&model->order.links, *timeline))
			return vkr_error_memory(error, "timelines");
		return VKR_OK;
	case VKR_PAST_LINE_SPARSE:
		queue = vkr_submissions_pending(&model->submissions, line->object);
		return queue != NULL ? vkr_sparse_timeline(model, queue, timeline, error) : VKR_OK;
	default:
		return vkr_objects_image(&model->objects, line->object) != NULL
			       ? vkr_presentation_restore(model, line, timeline, error)
			       : VKR_OK;
	}
}
