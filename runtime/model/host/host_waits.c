// SPDX-License-Identifier: Apache-2.0
// What the host has seen complete: fence, semaphore and idle waits, which bring on the judgement of
// what they waited for. Knows pending batches and signals; not what is in a batch.
#include "assumed_order.h"
#include "event_payload.h"
#include "object_table.h"
#include "scopes.h"
#include "submission_state.h"

struct vkr_host_wait vkr_host_wait_of(const struct vkr_trace_event *event)
{
	const void *payload = vkr_event_payload(event);
	const struct vkr_trace_query_seen *queries = payload;
	// The first member of each of these names the object.
	struct vkr_host_wait wait = {.event = event->type, .object = *(const uint32_t *)payload};
	if (event->type == VKR_TRACE_SEMAPHORE_WAIT)
		wait.value = ((const struct vkr_trace_semaphore_wait *)payload)->value;
	else if (event->type == VKR_TRACE_QUERY_SEEN)
		wait.value = (uint64_t)queries->first << 32 | queries->count;
	return wait;
}

// Lets the queue's next batch be judged although its waits are not signaled; false where it has
// none.
static bool force_next(struct vkr_queue_pending *pending)
{
	if (pending == NULL || pending->first == NULL)
		return false;
	pending->first->forced = true;
	return true;
}

static bool signals_value(const struct vkr_pending_batch *batch, uint32_t semaphore, uint64_t value)
{
	for (uint32_t at = 0; at < batch->signal_count; at++)
		if (batch->signals[at].semaphore == semaphore && batch->signals[at].value >= value)
			return true;
	return false;
}

static bool force_signal(struct vkr_submissions *submissions, uint32_t semaphore, uint64_t value)
{
	for (size_t at = 0; at < submissions->queues.count; at++)
		for (const struct vkr_pending_batch *batch = submissions->queues.items[at].first;
		     batch != NULL; batch = batch->next)
			if (signals_value(batch, semaphore, value))
				return force_next(&submissions->queues.items[at]);
	return false;
}

static bool force_device(struct vkr_submissions *submissions, uint32_t device)
{
	for (size_t at = 0; at < submissions->queues.count; at++)
		if (submissions->queues.items[at].queue->device == device &&
		    force_next(&submissions->queues.items[at]))
			return true;
	return false;
}

// Whether the event changes one of the queries that the host has seen.
static bool changes_queries(const void *user, const struct vkr_trace_event *event)
{
	const struct vkr_host_wait *wait = user;
	const uint64_t first = wait->value >> 32, end = first + (uint32_t)wait->value;
	const struct vkr_trace_cmd_query *query = vkr_event_payload(event);
	return event->type == VKR_TRACE_CMD_QUERY && query->pool == wait->object &&
	       query->first < end && first < (uint64_t)query->first + query->count;
}

// What the host has seen may be the work of a batch that is not judged yet: lets it be judged.
static bool force_queries(struct vkr_model *model)
{
	struct vkr_submissions *submissions = &model->submissions;
	for (size_t at = 0; at < submissions->queues.count; at++)
		for (const struct vkr_pending_batch *batch = submissions->queues.items[at].first;
		     batch != NULL; batch = batch->next)
			for (uint32_t i = 0; i < batch->execution_count; i++)
				if (batch->recordings[i] != NULL &&
				    vkr_recordings_any(&model->recordings, batch->recordings[i],
						       changes_queries, &submissions->host_wait))
					return force_next(&submissions->queues.items[at]);
	return false;
}

// Whether something must be judged first, which then can be.
static bool force_seen(struct vkr_model *model)
{
	struct vkr_submissions *submissions = &model->submissions;
	const struct vkr_host_wait *wait = &submissions->host_wait;
	const struct vkr_fence *fence = NULL;
	const struct vkr_semaphore *semaphore = NULL;
	const struct vkr_event *event = NULL;
	const struct vkr_query_pool *pool = NULL;
	switch (wait->event) {
	case VKR_TRACE_FENCE_WAIT:
		fence = vkr_table_find(&submissions->fences, wait->object);
		return fence != NULL && fence->pending &&
		       force_next(vkr_submissions_pending(submissions, fence->queue->id));
	case VKR_TRACE_QUEUE_IDLE:
		return force_next(vkr_submissions_pending(submissions, wait->object));
	case VKR_TRACE_DEVICE_IDLE:
		return force_device(submissions, wait->object);
	case VKR_TRACE_EVENT_SEEN:
		event = vkr_sync_objects_event(&model->sync_objects, wait->object);
		return event != NULL && event->signal == NULL &&
		       force_device(submissions, event->device);
	case VKR_TRACE_QUERY_SEEN:
		pool = vkr_query_pool_find(model, wait->object);
		return pool != NULL &&
		       (force_queries(model) ||
			(!vkr_queries_ended(model, pool, (uint32_t)(wait->value >> 32),
					    (uint32_t)wait->value) &&
			 force_device(submissions, pool->device)));
	default:
		semaphore = vkr_table_find(&submissions->semaphores, wait->object);
		if (semaphore != NULL && !semaphore->timeline)
			return !semaphore->signaled && semaphore->unjudged > 0 &&
			       force_signal(submissions, wait->object, 0);
		return semaphore != NULL && semaphore->initial < wait->value &&
		       vkr_semaphore_satisfying(semaphore, wait->value) == NULL &&
		       force_signal(submissions, wait->object, wait->value);
	}
}

static enum vkr_result acquire_timeline(struct vkr_model *model, uint32_t timeline,
					struct vkr_error *error)
{
	uint32_t token = 0;
	enum vkr_result result = vkr_engine_release(model->engine, timeline,
						    vkr_scope_signal(vkr_scope_all_commands()),
						    false, &token, error);
	if (result == VKR_OK)
		result = vkr_engine_acquire(model->engine, model->host.timeline, token, 0, error);
	if (result == VKR_OK)
		vkr_engine_token_drop(model->engine, token);
	return result;
}

static bool is_awaited(const struct vkr_submissions *submissions, uint32_t semaphore,
		       uint64_t below)
{
	for (size_t at = 0; at < submissions->queues.count; at++)
		for (const struct vkr_pending_batch *batch = submissions->queues.items[at].first;
		     batch != NULL; batch = batch->next)
			for (uint32_t i = 0; i < batch->wait_count; i++)
				if (batch->waits[i].semaphore == semaphore &&
				    batch->waits[i].value < below)
					return true;
	return false;
}

// Whoever waits for a timeline also waits for "all semaphore signal operations [...] that
// happen-before the wait completes" ("Semaphore Waiting"): from now on for this signal, which the
// host has seen, whatever value is waited for. Earlier ones, of lower values, are of no more use.
// Where threads have no order of their own, others have not seen it.
static void forget_signals(struct vkr_model *model, struct vkr_semaphore *semaphore, uint64_t seen)
{
	size_t kept = 0;
	if (model->thread_order.own || semaphore->signals.count < 2 ||
	    is_awaited(&model->submissions, semaphore->id, seen))
		return;
	for (size_t at = 0; at < semaphore->signals.count; at++) {
		const struct vkr_signal signal = semaphore->signals.items[at];
		if (signal.value >= seen)
			semaphore->signals.items[kept++] = signal;
		else if (signal.token != 0)
			vkr_engine_token_drop(model->engine, signal.token);
	}
	semaphore->signals.count = kept;
}

// The host has seen that the queue is through with its submissions up to this one: whatever
// timelines these have signaled, as far as the last one of each.
static void forget_signals_of(struct vkr_model *model, uint32_t queue, uint32_t submission)
{
	const struct vkr_map *semaphores = &model->submissions.semaphores;
	for (size_t slot = 0; slot < semaphores->capacity; slot++) {
		struct vkr_semaphore *semaphore =
			semaphores->slots[slot].used
				? (void *)(uintptr_t)semaphores->slots[slot].value
				: NULL;
		uint64_t seen = 0;
		for (size_t at = 0;
		     semaphore != NULL && semaphore->timeline && at < semaphore->signals.count;
		     at++) {
			const struct vkr_signal *signal = &semaphore->signals.items[at];
			if (signal->queue == queue && signal->submission <= submission &&
			    signal->value > seen)
				seen = signal->value;
		}
		if (seen > 0)
			forget_signals(model, semaphore, seen);
	}
}

static enum vkr_result acquire_queue(struct vkr_model *model, const struct vkr_queue *queue,
				     struct vkr_error *error)
{
	const struct vkr_queue_pending *pending =
		vkr_submissions_pending(&model->submissions, queue->id);
	const enum vkr_result result = acquire_timeline(model, queue->timeline, error);
	forget_signals_of(model, queue->id, UINT32_MAX);
	return result == VKR_OK && pending->sparse.timeline != 0
		       ? acquire_timeline(model, pending->sparse.timeline, error)
		       : result;
}

static enum vkr_result unseen_signal(struct vkr_model *model, const char *what, uint32_t id,
				     struct vkr_error *error)
{
	const enum vkr_result result = vkr_model_missed(
		model, error, VKR_COVERAGE_SYNC, 0,
		"%s (number %u): all that was submitted is taken as done", what, id);
	return result == VKR_OK ? vkr_assume_all_ordered(model, model->host.timeline, error)
				: result;
}

static enum vkr_result acquire_fence(struct vkr_model *model, uint32_t id, struct vkr_error *error)
{
	const struct vkr_fence *fence = vkr_table_find(&model->submissions.fences, id);
	if (fence == NULL)
		return VKR_OK;
	if (fence->token != 0) {
		if (fence->queue != NULL)
			forget_signals_of(model, fence->queue->id, fence->submission);
		return vkr_engine_acquire(model->engine, model->host.timeline, fence->token, 0,
					  error);
	}
	if (fence->made_signaled || fence->submitted)
		return VKR_OK;
	return unseen_signal(model, "a fence was waited for whose signal was not recorded", id,
			     error);
}

// The specification gives vkGetEventStatus no scopes; programs take an event that the device has
// set for the end of what stands before it.
static enum vkr_result acquire_event(struct vkr_model *model, uint32_t id, struct vkr_error *error)
{
	const struct vkr_event *event = vkr_sync_objects_event(&model->sync_objects, id);
	if (event != NULL && event->signal != NULL && event->signal->by_host)
		return VKR_OK;
	return unseen_signal(model, "vkGetEventStatus showed an event set", id, error);
}

// A binary semaphore whose payload was exported: the host may wait for that, and the semaphore is
// as after a wait (importing and exporting of semaphore payloads, copy transference).
static enum vkr_result acquire_exported(struct vkr_model *model, struct vkr_semaphore *semaphore,
					struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (semaphore->signals.count > 0 && semaphore->signals.items[0].token != 0)
		result = vkr_engine_acquire(model->engine, model->host.timeline,
					    semaphore->signals.items[0].token, 0, error);
	vkr_semaphore_unsignal(model, semaphore);
	return result;
}

static enum vkr_result acquire_semaphore(struct vkr_model *model, uint32_t id, uint64_t value,
					 struct vkr_error *error)
{
	struct vkr_semaphore *semaphore = vkr_table_find(&model->submissions.semaphores, id);
	if (semaphore != NULL && !semaphore->timeline)
		return acquire_exported(model, semaphore, error);
	if (semaphore == NULL || semaphore->initial >= value)
		return VKR_OK;
	const struct vkr_signal *signal = vkr_semaphore_satisfying(semaphore, value);
	if (signal == NULL)
		return unseen_signal(model,
				     "a semaphore was waited for whose signal was not recorded", id,
				     error);
	const enum vkr_result result =
		signal->token != 0 ? vkr_engine_acquire(model->engine, model->host.timeline,
							signal->token, 0, error)
				   : VKR_OK;
	forget_signals(model, semaphore, signal->value);
	return result;
}

static enum vkr_result acquire_queries(struct vkr_model *model, uint32_t id, uint32_t first,
				       uint32_t count, struct vkr_error *error)
{
	const struct vkr_query_pool *pool = vkr_query_pool_find(model, id);
	if (pool == NULL)
		return VKR_OK;
	if (!vkr_queries_ended(model, pool, first, count))
		return unseen_signal(
			model, "vkGetQueryPoolResults showed a query whose end was not recorded",
			id, error);
	return vkr_queries_seen(model, pool, first, count, error);
}

// Reports name the last wait before a race. What the host has seen of queries and events is none.
static void note_wait(struct vkr_submissions *submissions, struct vkr_host_wait wait)
{
	const struct vkr_fence *fence = wait.event == VKR_TRACE_FENCE_WAIT
						? vkr_table_find(&submissions->fences, wait.object)
						: NULL;
	if (wait.event == VKR_TRACE_EVENT_SEEN || wait.event == VKR_TRACE_QUERY_SEEN)
		return;
	wait.submission = fence != NULL ? fence->submission : 0;
	submissions->last_wait = wait;
}

static enum vkr_result finish_host_wait(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	const struct vkr_host_wait wait = submissions->host_wait;
	const struct vkr_queue_pending *queue = NULL;
	enum vkr_result result = VKR_OK;
	submissions->host_wait = (struct vkr_host_wait){0};
	vkr_model_host_point(model);
	note_wait(submissions, wait);
	switch (wait.event) {
	case VKR_TRACE_FENCE_WAIT:
		return acquire_fence(model, wait.object, error);
	case VKR_TRACE_EVENT_SEEN:
		return acquire_event(model, wait.object, error);
	case VKR_TRACE_QUERY_SEEN:
		return acquire_queries(model, wait.object, (uint32_t)(wait.value >> 32),
				       (uint32_t)wait.value, error);
	case VKR_TRACE_QUEUE_IDLE:
		queue = vkr_submissions_pending(submissions, wait.object);
		return queue != NULL ? acquire_queue(model, queue->queue, error) : VKR_OK;
	case VKR_TRACE_DEVICE_IDLE:
		for (size_t at = 0; at < submissions->queues.count && result == VKR_OK; at++)
			if (submissions->queues.items[at].queue->device == wait.object)
				result = acquire_queue(model, submissions->queues.items[at].queue,
						       error);
		return result;
	default:
		return acquire_semaphore(model, wait.object, wait.value, error);
	}
}

enum vkr_result vkr_submissions_advance(struct vkr_model *model, bool *waiting,
					struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	for (;;) {
		const enum vkr_result result = vkr_submissions_judge_ready(model, waiting, error);
		if (result != VKR_OK || *waiting)
			return result;
		if (submissions->host_wait.event == 0)
			return VKR_OK;
		if (!force_seen(model))
			return finish_host_wait(model, error);
	}
}

enum vkr_result vkr_submissions_end(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	bool waiting = false, forced = true;
	submissions->ended = true;
	enum vkr_result result = vkr_submissions_advance(model, &waiting, error);
	while (result == VKR_OK && forced) {
		forced = false;
		for (size_t at = 0; at < submissions->queues.count && !forced; at++)
			forced = force_next(&submissions->queues.items[at]);
		if (forced)
			result = vkr_submissions_judge_ready(model, &waiting, error);
	}
	return result;
}
