// SPDX-License-Identifier: Apache-2.0
// Events of a volume's beginning, made and written. Knows their members; not what else is in a
// volume.
#include "volume_writer.h"

#include "chunk_writer.h"
#include "command_walk.h"
#include "error.h"
#include "model_state.h"
#include "past_lines.h"
#include "submission_state.h"

#include <stdlib.h>
#include <string.h>

enum vkr_result vkr_volume_writer_event(struct vkr_volume_writer *writer,
					const struct vkr_trace_event *event)
{
	writer->written++;
	return vkr_chunk_writer_event(writer->into, event, writer->error);
}

struct tail {
	const void *items;
	size_t bytes;
};

static enum vkr_result put_parts(struct vkr_volume_writer *writer, enum vkr_trace_type type,
				 const void *payload, size_t payload_bytes,
				 const struct tail *tails, size_t count)
{
	uint64_t bytes = sizeof(struct vkr_trace_event) + payload_bytes;
	for (size_t i = 0; i < count; i++)
		bytes += tails[i].bytes;
	struct vkr_trace_event *event = bytes <= UINT32_MAX ? calloc(1, bytes) : NULL;
	if (event == NULL)
		return vkr_error_memory(writer->error, "what a volume begins with");
	event->bytes = (uint32_t)bytes;
	event->type = (uint16_t)type;
	memcpy(event + 1, payload, payload_bytes);
	char *to = (char *)(event + 1) + payload_bytes;
	for (size_t i = 0; i < count; i++) {
		if (tails[i].bytes > 0)
			memcpy(to, tails[i].items, tails[i].bytes);
		to += tails[i].bytes;
	}
	const enum vkr_result result = vkr_volume_writer_event(writer, event);
	free(event);
	return result;
}

enum vkr_result vkr_volume_writer_state(struct vkr_volume_writer *writer,
					const struct vkr_timeline_image *image)
{
	struct vkr_past_parts *parts = &writer->parts;
	struct vkr_trace_past_state state;
	const enum vkr_result result =
		vkr_timeline_image_write(image, parts, &state, writer->error);
	const struct tail tails[] = {
		{parts->groups.items, parts->groups.count * sizeof *parts->groups.items},
		{parts->sets.items, parts->sets.count * sizeof *parts->sets.items},
		{parts->spans.items, parts->spans.count * sizeof *parts->spans.items},
		{parts->cuts.items, parts->cuts.count * sizeof *parts->cuts.items},
		{parts->transitions.items,
		 parts->transitions.count * sizeof *parts->transitions.items}};
	return result == VKR_OK ? put_parts(writer, VKR_TRACE_PAST_STATE, &state, sizeof state,
					    tails, sizeof tails / sizeof tails[0])
				: result;
}

static enum vkr_result put_token(struct vkr_volume_writer *writer,
				 struct vkr_trace_past_token event, uint32_t token)
{
	struct vkr_past_parts *parts = &writer->parts;
	enum vkr_result result = VKR_OK;
	parts->spans.count = 0;
	if (token == 0)
		event.flags |= VKR_PAST_TOKEN_NONE;
	else
		result =
			vkr_token_write(writer->model->engine, token, parts, &event, writer->error);
	const struct tail tail = {parts->spans.items,
				  parts->spans.count * sizeof *parts->spans.items};
	return result == VKR_OK
		       ? put_parts(writer, VKR_TRACE_PAST_TOKEN, &event, sizeof event, &tail, 1)
		       : result;
}

static enum vkr_result put_lines(struct vkr_volume_writer *writer)
{
	struct vkr_trace_past_timeline *lines = NULL;
	size_t count = 0;
	enum vkr_result result = vkr_past_lines(writer->model, &lines, &count, writer->error);
	if (result != VKR_OK)
		return result;
	writer->line_count = vkr_engine_timelines(writer->model->engine) + (size_t)1;
	writer->lines = calloc(writer->line_count, sizeof *writer->lines);
	if (writer->lines == NULL)
		result = vkr_error_memory(writer->error, "timelines");
	writer->parts.lines = writer->lines;
	for (size_t i = 0; i < count && result == VKR_OK; i++) {
		writer->lines[lines[i].timeline] = true;
		result = put_parts(writer, VKR_TRACE_PAST_TIMELINE, &lines[i], sizeof lines[i],
				   NULL, 0);
	}
	free(lines);
	return result;
}

static enum vkr_result put_vk_event(struct vkr_volume_writer *writer, uint32_t id,
				    const struct vkr_event_signal *signal)
{
	struct vkr_past_parts *parts = &writer->parts;
	struct vkr_trace_past_event event = {.event = id};
	enum vkr_result result = VKR_OK;
	if (signal == NULL)
		return put_parts(writer, VKR_TRACE_PAST_EVENT, &event, sizeof event, NULL, 0);
	event.flags = VKR_PAST_EVENT_SET | (signal->by_host ? VKR_PAST_EVENT_BY_HOST : 0) |
		      (signal->asymmetric ? VKR_PAST_EVENT_ASYMMETRIC : 0) |
		      (signal->form != 0 ? VKR_PAST_EVENT_SYNC2 : 0);
	event.stage_mask = signal->stages;
	event.barrier_count = signal->barrier_count;
	result = vkr_mark_write(signal->mark, parts, &event, writer->error);
	const struct tail tails[] = {
		{parts->groups.items, parts->groups.count * sizeof *parts->groups.items},
		{parts->sets.items, parts->sets.count * sizeof *parts->sets.items},
		{parts->spans.items, parts->spans.count * sizeof *parts->spans.items},
		{signal->barriers, signal->barrier_count * sizeof *signal->barriers}};
	return result == VKR_OK ? put_parts(writer, VKR_TRACE_PAST_EVENT, &event, sizeof event,
					    tails, sizeof tails / sizeof tails[0])
				: result;
}

static enum vkr_result put_counters(struct vkr_volume_writer *writer,
				    const struct vkr_trace_past_counter *counters, size_t count)
{
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < count && result == VKR_OK; i++)
		result = put_parts(writer, VKR_TRACE_PAST_COUNTER, &counters[i], sizeof counters[i],
				   NULL, 0);
	return result;
}

enum vkr_result vkr_volume_writer_given(struct vkr_volume_writer *writer,
					const struct vkr_past_given *given)
{
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < given->event_count && result == VKR_OK; i++)
		result = put_vk_event(writer, given->events[i].event, given->events[i].signal);
	return result == VKR_OK ? put_counters(writer, given->counters, given->counter_count)
				: result;
}

enum vkr_result vkr_volume_writer_pending(struct vkr_volume_writer *writer, uint32_t token)
{
	return put_token(writer, (struct vkr_trace_past_token){.kind = VKR_PAST_PENDING}, token);
}

enum vkr_result vkr_volume_writer_batches(struct vkr_volume_writer *writer,
					  const struct vkr_trace_event *event, uint32_t count)
{
	const struct vkr_trace_submit *submit = (const void *)(event + 1);
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	const uint32_t first = count < submit->batch_count ? submit->batch_count - count : 0;
	const struct vkr_trace_semaphore_operation *waits =
		(const void *)(batches + submit->batch_count);
	const struct vkr_trace_execution *executions = (const void *)(waits + submit->wait_count);
	const struct vkr_trace_semaphore_operation *signals =
		(const void *)(executions + submit->execution_count);
	struct vkr_trace_submit left = *submit;
	for (uint32_t i = 0; i < first; i++) {
		left.wait_count -= batches[i].wait_count;
		left.execution_count -= batches[i].execution_count;
		left.signal_count -= batches[i].signal_count;
	}
	left.batch_count -= first;
	const struct tail tails[] = {
		{batches + first, left.batch_count * sizeof *batches},
		{waits + (submit->wait_count - left.wait_count), left.wait_count * sizeof *waits},
		{executions + (submit->execution_count - left.execution_count),
		 left.execution_count * sizeof *executions},
		{signals + (submit->signal_count - left.signal_count),
		 left.signal_count * sizeof *signals}};
	return put_parts(writer, VKR_TRACE_SUBMIT, &left, sizeof left, tails,
			 sizeof tails / sizeof tails[0]);
}

// ---- How all stands -----------------------------------------------------------------------------

static enum vkr_result put_states(struct vkr_volume_writer *writer)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t timeline = 1; timeline < writer->line_count && result == VKR_OK; timeline++) {
		struct vkr_timeline_image *image = NULL;
		if (!writer->lines[timeline])
			continue;
		result = vkr_timeline_image_take(writer->model->engine, timeline, &image,
						 writer->error);
		if (result == VKR_OK)
			result = vkr_volume_writer_state(writer, image);
		vkr_timeline_image_drop(image);
	}
	return result;
}

static enum vkr_result put_semaphore(struct vkr_volume_writer *writer,
				     const struct vkr_semaphore *semaphore)
{
	enum vkr_result result = VKR_OK;
	if (!semaphore->timeline && !semaphore->signaled)
		return VKR_OK;
	for (size_t i = 0; i < semaphore->signals.count && result == VKR_OK; i++)
		result = put_token(
			writer,
			(struct vkr_trace_past_token){.kind = VKR_PAST_SEMAPHORE,
						      .object = semaphore->id,
						      .value = semaphore->signals.items[i].value},
			semaphore->signals.items[i].token);
	return result;
}

static enum vkr_result put_fence(struct vkr_volume_writer *writer, const struct vkr_fence *fence)
{
	return put_token(writer,
			 (struct vkr_trace_past_token){
				 .kind = VKR_PAST_FENCE,
				 .object = fence->id,
				 .flags = (fence->submitted ? VKR_PAST_SUBMITTED : 0u) |
					  (fence->made_signaled ? VKR_PAST_SIGNALED : 0u),
				 .queue = fence->queue != NULL ? fence->queue->id : 0},
			 fence->token);
}

static enum vkr_result put_host_sync(struct vkr_volume_writer *writer, uint32_t kind)
{
	const struct vkr_map *objects = &writer->model->thread_order.objects[kind];
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < objects->capacity && result == VKR_OK; i++)
		if (objects->slots[i].used)
			result = put_token(
				writer,
				(struct vkr_trace_past_token){.kind = VKR_PAST_HOST_SYNC,
							      .object = kind,
							      .value = objects->slots[i].key},
				(uint32_t)objects->slots[i].value);
	return result;
}

static enum vkr_result put_tokens(struct vkr_volume_writer *writer)
{
	const struct vkr_model *model = writer->model;
	const struct vkr_submissions *submissions = &model->submissions;
	const struct vkr_map *semaphores = &submissions->semaphores, *fences = &submissions->fences;
	const struct vkr_map *queries = &model->query_tokens.ends;
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < semaphores->capacity && result == VKR_OK; i++)
		if (semaphores->slots[i].used)
			result = put_semaphore(writer,
					       (const void *)(uintptr_t)semaphores->slots[i].value);
	for (size_t i = 0; i < fences->capacity && result == VKR_OK; i++)
		if (fences->slots[i].used)
			result = put_fence(writer, (const void *)(uintptr_t)fences->slots[i].value);
	for (size_t i = 0; i < queries->capacity && result == VKR_OK; i++)
		if (queries->slots[i].used)
			result =
				put_token(writer,
					  (struct vkr_trace_past_token){
						  .kind = VKR_PAST_QUERY,
						  .object = (uint32_t)(queries->slots[i].key >> 32),
						  .value = (uint32_t)queries->slots[i].key},
					  (uint32_t)queries->slots[i].value);
	for (uint32_t kind = 0; kind <= VKR_HOST_SYNC_THREAD_END && result == VKR_OK; kind++)
		result = put_host_sync(writer, kind);
	for (size_t i = 0; i < submissions->queues.count && result == VKR_OK; i++)
		if (submissions->queues.items[i].signaled != 0)
			result =
				put_token(writer,
					  (struct vkr_trace_past_token){
						  .kind = VKR_PAST_SIGNALS,
						  .object = submissions->queues.items[i].queue->id},
					  submissions->queues.items[i].signaled);
	return result;
}

static enum vkr_result put_events(struct vkr_volume_writer *writer)
{
	const struct vkr_map *events = &writer->model->sync_objects.events;
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < events->capacity && result == VKR_OK; i++) {
		const struct vkr_event *event = (const void *)(uintptr_t)events->slots[i].value;
		if (events->slots[i].used)
			result = put_vk_event(writer, event->id, event->signal);
	}
	return result;
}

static enum vkr_result put_present_counters(struct vkr_volume_writer *writer)
{
	struct vkr_trace_past_counter *counters = NULL;
	size_t count = 0;
	enum vkr_result result =
		vkr_feedback_counters_known(writer->model, &counters, &count, writer->error);
	if (result == VKR_OK)
		result = put_counters(writer, counters, count);
	free(counters);
	return result;
}

enum vkr_result vkr_volume_writer_end(struct vkr_volume_writer *writer, uint64_t repeated)
{
	const struct vkr_trace_past_end end = {.repeated = repeated};
	enum vkr_result result = put_states(writer);
	if (result == VKR_OK)
		result = put_tokens(writer);
	if (result == VKR_OK)
		result = put_events(writer);
	if (result == VKR_OK)
		result = put_present_counters(writer);
	return result == VKR_OK ? put_parts(writer, VKR_TRACE_PAST_END, &end, sizeof end, NULL, 0)
				: result;
}

enum vkr_result vkr_volume_writer_begin(struct vkr_volume_writer *writer,
					const struct vkr_trace_volume *volume)
{
	enum vkr_result result =
		put_parts(writer, VKR_TRACE_VOLUME, volume, sizeof *volume, NULL, 0);
	if (result == VKR_OK)
		result = vkr_past_parts_begin(&writer->parts, writer->model->engine, writer->error);
	return result == VKR_OK ? put_lines(writer) : result;
}

void vkr_volume_writer_finish(struct vkr_volume_writer *writer)
{
	free(writer->lines);
	vkr_past_parts_finish(&writer->parts);
}
