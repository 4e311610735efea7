// SPDX-License-Identifier: Apache-2.0
// When what was submitted is judged. Knows execution and signal operations; not what commands do.
#include "submissions.h"

#include "array.h"
#include "assumed_order.h"
#include "error.h"
#include "event_payload.h"
#include "model_state.h"
#include "object_table.h"
#include "presentation.h"
#include "scopes.h"
#include "search.h"
#include "sparse_batches.h"
#include "submission_state.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

void vkr_submissions_init(struct vkr_submissions *submissions)
{
	*submissions = (struct vkr_submissions){0};
}

static void free_batch(struct vkr_pending_batch *batch)
{
	for (uint32_t at = 0; at < batch->execution_count; at++)
		if (batch->recordings[at] != NULL)
			vkr_recording_release(batch->recordings[at]);
	free(batch->waits);
	free(batch->signals);
	free(batch->executions);
	free(batch->recordings);
	free(batch->presents);
	free(batch->present_fences);
	free(batch->binds);
	vkr_event_needs_finish(&batch->events);
	free(batch);
}

void vkr_submissions_finish(struct vkr_submissions *submissions)
{
	for (size_t at = 0; at < submissions->queues.count; at++)
		while (submissions->queues.items[at].first != NULL) {
			struct vkr_pending_batch *batch = submissions->queues.items[at].first;
			submissions->queues.items[at].first = batch->next;
			free_batch(batch);
		}
	free(submissions->queues.items);
	free(submissions->presents.items);
	vkr_sparse_finish(submissions);
	for (size_t at = 0; at < submissions->semaphores.capacity; at++)
		if (submissions->semaphores.slots[at].used)
			vkr_semaphore_free(
				(struct vkr_semaphore *)(uintptr_t)submissions->semaphores.slots[at]
					.value);
	for (size_t at = 0; at < submissions->fences.capacity; at++)
		if (submissions->fences.slots[at].used)
			free((void *)(uintptr_t)submissions->fences.slots[at].value);
	vkr_map_finish(&submissions->semaphores);
	vkr_map_finish(&submissions->fences);
	vkr_map_finish(&submissions->cancelled);
	vkr_presentation_finish(&submissions->presentables);
}

enum vkr_result vkr_submissions_add_queue(struct vkr_model *model, struct vkr_queue *queue,
					  struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	if (!VKR_ARRAY_RESERVE(&submissions->queues, 1))
		return vkr_error_memory(error, "a queue");
	const enum vkr_result result =
		vkr_engine_queue(model->engine, vkr_queue_family(queue->device, queue->family),
				 &queue->timeline, error);
	if (result == VKR_OK)
		submissions->queues.items[submissions->queues.count++] =
			(struct vkr_queue_pending){.queue = queue};
	return result;
}

bool vkr_submissions_waits(const struct vkr_submissions *submissions, uint32_t queue,
			   uint32_t submission)
{
	for (size_t at = 0; at < submissions->queues.count; at++) {
		const struct vkr_queue_pending *pending = &submissions->queues.items[at];
		if (pending->queue->id == queue && pending->first != NULL)
			return pending->first->submission == submission &&
			       pending->first->wait_count > 0;
	}
	return false;
}

// The queue whose commands, or whose sparse binds, are on the timeline; NULL: it is the
// presentation engine's.
static const struct vkr_queue_pending *queue_of(const struct vkr_submissions *submissions,
						uint32_t timeline)
{
	for (size_t at = 0; at < submissions->queues.count; at++) {
		const struct vkr_queue_pending *pending = &submissions->queues.items[at];
		if (pending->queue->timeline == timeline || pending->sparse.timeline == timeline)
			return pending;
	}
	return NULL;
}

enum vkr_engine_coming vkr_submissions_coming(void *context, uint32_t timeline, uint32_t memory)
{
	const struct vkr_model *model = context;
	const struct vkr_queue_pending *pending = queue_of(&model->submissions, timeline);
	if (model->past.replaying || model->objects.links)
		return VKR_COMING_ANY;
	const bool comes =
		pending != NULL ? pending->first != NULL : vkr_presentation_reaches(model, memory);
	return comes ? VKR_COMING_LATER : VKR_COMING_SUBMITTED;
}

// ---- Waits and signals --------------------------------------------------------------------------

// Whether a wait can be gone past now.
static bool is_signaled(const struct vkr_submissions *submissions,
			const struct vkr_trace_semaphore_operation *wait)
{
	const struct vkr_semaphore *semaphore =
		vkr_table_find(&submissions->semaphores, wait->semaphore);
	if (semaphore == NULL)
		return true; // nothing will ever signal it: coverage, when it is judged
	if (!semaphore->timeline)
		return semaphore->signaled || semaphore->unjudged == 0;
	return semaphore->initial >= wait->value ||
	       vkr_semaphore_satisfying(semaphore, wait->value) != NULL;
}

static enum vkr_result judge_wait(struct vkr_model *model, const struct vkr_queue *queue,
				  const struct vkr_trace_semaphore_operation *wait,
				  struct vkr_error *error)
{
	struct vkr_semaphore *semaphore =
		vkr_table_find(&model->submissions.semaphores, wait->semaphore);
	const struct vkr_signal *signal =
		semaphore != NULL ? vkr_semaphore_satisfying(semaphore, wait->value) : NULL;
	// Queries are in no stage that a wait could name: they come after every wait.
	const uint64_t stages = vkr_scope_second(wait->stages, 0).execution | VKR_ENGINE_QUERY;
	if (semaphore != NULL && semaphore->timeline && semaphore->initial >= wait->value)
		return VKR_OK;
	enum vkr_result result = VKR_OK;
	if (signal == NULL) {
		result = vkr_model_missed(model, error, VKR_COVERAGE_SYNC, 0,
					  "a semaphore was waited for whose signal was not "
					  "recorded: all submitted work is treated as complete");
		return result == VKR_OK ? vkr_assume_all_ordered(model, queue->timeline, error)
					: result;
	}
	const uint32_t token = signal->token;
	if (token != 0)
		result = vkr_engine_acquire(model->engine, queue->timeline, token, stages, error);
	if (!semaphore->timeline)
		vkr_semaphore_unsignal(model, semaphore);
	return result;
}

static uint64_t signal_stages(const struct vkr_trace_semaphore_operation *operation)
{
	return vkr_scope_signal(vkr_scope_first(operation->stages, 0).execution);
}

static enum vkr_result judge_signal(struct vkr_model *model, const struct vkr_queue *queue,
				    uint32_t submission,
				    const struct vkr_trace_semaphore_operation *operation,
				    struct vkr_error *error)
{
	struct vkr_semaphore *semaphore =
		vkr_table_find(&model->submissions.semaphores, operation->semaphore);
	uint32_t token = 0;
	if (semaphore == NULL)
		return VKR_OK; // destroyed while pending: nothing can wait for it
	semaphore->unjudged--;
	enum vkr_result result = vkr_engine_release(model->engine, queue->timeline,
						    signal_stages(operation), false, &token, error);
	if (result != VKR_OK)
		return result;
	// "Semaphore signal operations [...] additionally include in the first synchronization
	// scope any semaphore and fence signal operations that occur earlier in signal operation
	// order" ("Semaphore Signaling").
	const uint32_t earlier = vkr_submissions_pending(&model->submissions, queue->id)->signaled;
	if (earlier != 0)
		result = vkr_engine_token_join(model->engine, token, earlier, error);
	if (result == VKR_OK)
		result = vkr_sparse_join(model, queue, token, error);
	return result == VKR_OK ? vkr_semaphore_signal(model, semaphore,
						       &(struct vkr_signal){operation->value, token,
									    queue->id, submission},
						       error)
				: result;
}

// Signals of the batch come before those of later batches. Signals of one batch have no order among
// themselves ("Signal Operation Order").
static enum vkr_result note_signals(struct vkr_model *model, const struct vkr_queue *queue,
				    const struct vkr_pending_batch *batch, struct vkr_error *error)
{
	struct vkr_queue_pending *pending = vkr_submissions_pending(&model->submissions, queue->id);
	const bool fence = batch->last && batch->fence != 0;
	uint64_t stages = fence ? vkr_scope_signal(vkr_scope_all_commands()) : 0;
	uint32_t signaled = 0;
	for (uint32_t at = 0; at < batch->signal_count; at++)
		stages |= signal_stages(&batch->signals[at]);
	if (stages == 0)
		return VKR_OK;
	enum vkr_result result =
		vkr_engine_release(model->engine, queue->timeline, stages, false, &signaled, error);
	if (result == VKR_OK && pending->signaled != 0)
		result = vkr_engine_token_join(model->engine, signaled, pending->signaled, error);
	if (pending->signaled != 0)
		vkr_engine_token_drop(model->engine, pending->signaled);
	pending->signaled = signaled;
	return result;
}

static enum vkr_result judge_fence(struct vkr_model *model, const struct vkr_queue *queue,
				   uint32_t id, struct vkr_error *error)
{
	struct vkr_fence *fence = vkr_table_find(&model->submissions.fences, id);
	if (fence == NULL)
		return VKR_OK;
	if (fence->token != 0)
		vkr_engine_token_drop(model->engine, fence->token);
	fence->pending = false;
	const enum vkr_result result = vkr_engine_release(
		model->engine, queue->timeline, vkr_scope_signal(vkr_scope_all_commands()), false,
		&fence->token, error);
	return result == VKR_OK ? vkr_sparse_join(model, queue, fence->token, error) : result;
}

// ---- Batches ------------------------------------------------------------------------------------

static bool is_ready(const struct vkr_model *model, const struct vkr_pending_batch *batch)
{
	const struct vkr_submissions *submissions = &model->submissions;
	if (model->past.replaying)
		return !batch->held;
	if (batch->forced || batch->cancelled)
		return true;
	for (uint32_t at = 0; at < batch->wait_count; at++)
		if (!is_signaled(submissions, &batch->waits[at]))
			return false;
	return vkr_event_needs_met(&batch->events, &model->sync_objects);
}

// The first execution that logs is awaited before anything of the batch is judged: what logs was
// submitted, and will not be cancelled.
static bool awaits_log(const struct vkr_model *model, const struct vkr_pending_batch *batch)
{
	if (model->submissions.ended || batch->cancelled)
		return false;
	for (uint32_t at = 0; at < batch->execution_count; at++) {
		const struct vkr_log *log =
			vkr_log_store_find(&model->logs, batch->executions[at].execution);
		if (batch->recordings[at] != NULL && vkr_model_logs(model, batch->recordings[at]))
			return log == NULL || !vkr_log_is_ready(log);
	}
	return false;
}

static bool has_accesses(const struct vkr_pending_batch *batch)
{
	return batch->execution_count > 0 || batch->bind_count > 0;
}

static enum vkr_result begin_batch(struct vkr_model *model, const struct vkr_queue *queue,
				   struct vkr_pending_batch *batch, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	// Of a batch of the past a PAST_STATE event has said what it knows.
	if (!model->past.replaying)
		result = vkr_engine_acquire(model->engine, queue->timeline, batch->host_token,
					    vkr_scope_all_commands(), error);
	for (uint32_t at = 0; at < batch->wait_count && result == VKR_OK; at++)
		result = judge_wait(model, queue, &batch->waits[at], error);
	batch->begun = true;
	return result == VKR_OK && has_accesses(batch)
		       ? vkr_past_begin(model, queue->timeline, &batch->events, error)
		       : result;
}

static enum vkr_result unseen_execution(struct vkr_model *model, const struct vkr_queue *queue,
					struct vkr_error *error)
{
	const enum vkr_result result =
		vkr_model_missed(model, error, VKR_COVERAGE_COMMAND, 0,
				 "a command buffer was executed whose recording is missing");
	return result == VKR_OK ? vkr_assume_all_ordered(model, queue->timeline, error) : result;
}

// Judges the batch from where it stands; *waiting: up to where a log is awaited.
static enum vkr_result judge_batch(struct vkr_model *model, const struct vkr_queue *queue,
				   struct vkr_pending_batch *batch, bool *waiting,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	*waiting = false;
	if (batch->is_present)
		return vkr_presentation_judge(model, queue, batch, error);
	if (!batch->begun)
		result = begin_batch(model, queue, batch, error);
	while (batch->next_execution < batch->execution_count && result == VKR_OK) {
		const uint32_t at = batch->next_execution;
		result = batch->recordings[at] != NULL
				 ? vkr_model_execute(model, queue, batch->submission,
						     batch->executions[at].execution,
						     batch->recordings[at], waiting, error)
				 : unseen_execution(model, queue, error);
		if (*waiting)
			return result;
		if (result == VKR_OK &&
		    !vkr_log_store_judged(&model->logs, batch->executions[at].execution))
			result = vkr_error_memory(error, "an execution");
		batch->next_execution++;
	}
	if (result == VKR_OK && batch->is_sparse)
		result = vkr_sparse_judge(model, queue, batch, error);
	if (result == VKR_OK && has_accesses(batch) && model->past.keeps)
		result = vkr_past_batch_end(model, queue->id, batch, error);
	for (uint32_t at = 0; at < batch->signal_count && result == VKR_OK; at++)
		result = judge_signal(model, queue, batch->submission, &batch->signals[at], error);
	if (result == VKR_OK && batch->last && batch->fence != 0)
		result = judge_fence(model, queue, batch->fence, error);
	return result == VKR_OK ? note_signals(model, queue, batch, error) : result;
}

static enum vkr_result judge_pending(struct vkr_model *model, struct vkr_queue_pending *pending,
				     struct vkr_pending_batch *batch, bool *waiting,
				     struct vkr_error *error)
{
	const struct vkr_queue *queue = pending->queue;
	enum vkr_result result = VKR_OK;
	if (batch->is_sparse)
		result = vkr_sparse_queue(model, pending, &queue, error);
	if (result == VKR_OK)
		result = judge_batch(model, queue, batch, waiting, error);
	return result;
}

static enum vkr_result undo_batch(struct vkr_model *model, const struct vkr_pending_batch *batch,
				  struct vkr_error *error)
{
	for (uint32_t at = 0; at < batch->signal_count; at++) {
		struct vkr_semaphore *semaphore = vkr_table_find(&model->submissions.semaphores,
								 batch->signals[at].semaphore);
		if (semaphore != NULL)
			semaphore->unjudged--;
	}
	for (uint32_t at = 0; at < batch->execution_count; at++)
		vkr_log_store_drop(&model->logs, batch->executions[at].execution);
	struct vkr_fence *fence = vkr_table_find(&model->submissions.fences, batch->fence);
	if (fence != NULL && batch->last)
		fence->pending = false;
	return vkr_presentation_cancel(model, batch, error);
}

// The queue whose first batch is next; NULL where none can be judged. A batch that was begun and
// then had to wait goes before all others.
static struct vkr_queue_pending *next_pending(struct vkr_model *model)
{
	struct vkr_submissions *submissions = &model->submissions;
	struct vkr_queue_pending *ready = NULL;
	for (size_t at = 0; at < submissions->queues.count; at++) {
		struct vkr_queue_pending *pending = &submissions->queues.items[at];
		if (pending->first == NULL)
			continue;
		if (pending->first->begun)
			return pending;
		if (ready == NULL && is_ready(model, pending->first))
			ready = pending;
	}
	return ready;
}

// Judges what can be judged, up to a batch whose log is awaited.
enum vkr_result vkr_submissions_judge_ready(struct vkr_model *model, bool *waiting,
					    struct vkr_error *error)
{
	struct vkr_queue_pending *pending = NULL;
	*waiting = false;
	while ((pending = next_pending(model)) != NULL) {
		struct vkr_pending_batch *batch = pending->first;
		enum vkr_result result = VKR_OK;
		*waiting = !batch->begun && awaits_log(model, batch);
		if (*waiting)
			return VKR_OK;
		if (batch->cancelled && !batch->begun)
			result = undo_batch(model, batch, error);
		else
			result = judge_pending(model, pending, batch, waiting, error);
		if (result != VKR_OK || *waiting)
			return result;
		pending->first = batch->next;
		if (pending->first == NULL)
			pending->last = NULL;
		if (batch->last)
			vkr_engine_token_drop(model->engine, batch->host_token);
		free_batch(batch);
	}
	return VKR_OK;
}

static bool copy_items(void **copy, const void *items, size_t count, size_t size)
{
	*copy = malloc(count * size + 1);
	if (*copy == NULL)
		return false;
	if (count > 0)
		memcpy(*copy, items, count * size);
	return true;
}

struct batch_parts {
	const struct vkr_trace_batch *batch;
	const struct vkr_trace_semaphore_operation *waits, *signals;
	const struct vkr_trace_execution *executions;
};

static struct vkr_pending_batch *make_batch(struct vkr_model *model,
					    const struct batch_parts *parts)
{
	struct vkr_pending_batch *batch = calloc(1, sizeof *batch);
	if (batch == NULL)
		return NULL;
	const struct vkr_trace_batch *counts = parts->batch;
	batch->recordings = calloc(counts->execution_count + (size_t)1, sizeof *batch->recordings);
	if (batch->recordings == NULL ||
	    !copy_items((void **)&batch->waits, parts->waits, counts->wait_count,
			sizeof *batch->waits) ||
	    !copy_items((void **)&batch->signals, parts->signals, counts->signal_count,
			sizeof *batch->signals) ||
	    !copy_items((void **)&batch->executions, parts->executions, counts->execution_count,
			sizeof *batch->executions)) {
		free_batch(batch);
		return NULL;
	}
	batch->wait_count = counts->wait_count;
	batch->signal_count = counts->signal_count;
	batch->execution_count = counts->execution_count;
	for (uint32_t at = 0; at < batch->execution_count; at++) {
		struct vkr_recording *recording =
			vkr_recordings_find(&model->recordings, batch->executions[at].recording);
		if (recording == NULL)
			continue;
		recording->references++;
		batch->recordings[at] = recording;
		if (!vkr_event_needs_add(&batch->events, model, recording)) {
			free_batch(batch);
			return NULL;
		}
	}
	for (uint32_t at = 0; at < batch->signal_count; at++) {
		struct vkr_semaphore *semaphore = vkr_table_find(&model->submissions.semaphores,
								 batch->signals[at].semaphore);
		if (semaphore != NULL)
			semaphore->unjudged++;
	}
	return batch;
}

static enum vkr_result check_submit(const struct vkr_trace_submit *submit, struct vkr_error *error)
{
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	uint64_t waits = 0, executions = 0, signals = 0;
	for (uint32_t at = 0; at < submit->batch_count; at++) {
		waits += batches[at].wait_count;
		executions += batches[at].execution_count;
		signals += batches[at].signal_count;
	}
	if (waits != submit->wait_count || executions != submit->execution_count ||
	    signals != submit->signal_count)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "SUBMIT: the batches of submission %u do not add up",
				     submit->submission);
	return VKR_OK;
}

// The chosen frames, or the sample, may be without this submission.
static enum vkr_result submissions_choose(struct vkr_model *model,
					  const struct vkr_trace_submit *submit,
					  const struct vkr_trace_execution *executions,
					  struct vkr_error *error)
{
	const enum vkr_trace_left_out reason =
		vkr_choice_submission(&model->options.choice, &model->submissions.place);
	enum vkr_result result = VKR_OK;
	model->submissions.place.submissions++;
	for (uint32_t at = 0; at < submit->execution_count && result == VKR_OK; at++)
		if (reason != VKR_LEFT_OUT_NOT)
			result =
				vkr_model_leave_out(model, executions[at].execution, reason, error);
	return result;
}

// What is judged in a volume's beginning goes before what is not.
static void add_batch(struct vkr_model *model, struct vkr_queue_pending *pending,
		      struct vkr_pending_batch *batch)
{
	if (model->past.replaying && !batch->held && pending->first != NULL) {
		batch->next = pending->first;
		pending->first = batch;
		return;
	}
	if (pending->last != NULL)
		pending->last->next = batch;
	else
		pending->first = batch;
	pending->last = batch;
}

enum vkr_result vkr_submissions_submit(struct vkr_model *model,
				       const struct vkr_trace_submit *submit,
				       struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	struct vkr_queue_pending *pending = vkr_submissions_pending(submissions, submit->queue);
	uint64_t cancelled = 0;
	uint32_t token = 0;
	const bool held = vkr_past_take_pending(model, &token);
	if (pending == NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "SUBMIT: there is no queue %u",
				     submit->queue);
	if (held && token == 0)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "SUBMIT: what the host released for submission %u is missing",
				     submit->submission);
	enum vkr_result result = check_submit(submit, error);
	if (result != VKR_OK ||
	    vkr_map_get(&submissions->cancelled, submit->submission, &cancelled))
		return result;
	vkr_model_host_point(model);
	if (!held)
		result = vkr_engine_release(model->engine, model->host.timeline, 0, true, &token,
					    error);
	if (result != VKR_OK)
		return result;

	// A submission of nothing but a fence is one empty batch.
	const struct vkr_trace_batch none = {0};
	const uint32_t count = submit->batch_count > 0 ? submit->batch_count : 1;
	struct batch_parts parts = {.batch = (const void *)(submit + 1)};
	parts.waits = (const void *)(parts.batch + submit->batch_count);
	parts.executions = (const void *)(parts.waits + submit->wait_count);
	parts.signals = (const void *)(parts.executions + submit->execution_count);
	if (submit->batch_count == 0)
		parts.batch = &none;
	result = submissions_choose(model, submit, parts.executions, error);
	if (result != VKR_OK)
		return result;
	for (uint32_t at = 0; at < count; at++) {
		struct vkr_pending_batch *batch = make_batch(model, &parts);
		if (batch == NULL)
			return vkr_error_memory(error, "a submission");
		batch->submission = submit->submission;
		batch->host_token = token;
		batch->fence = submit->fence;
		batch->last = at + 1 == count;
		batch->is_sparse = submit->sparse != 0;
		batch->held = held;
		add_batch(model, pending, batch);
		if (batch->is_sparse)
			result = vkr_sparse_take(model, batch, error);
		if (result != VKR_OK)
			return result;
		parts.waits += parts.batch->wait_count;
		parts.executions += parts.batch->execution_count;
		parts.signals += parts.batch->signal_count;
		parts.batch++;
	}
	struct vkr_fence *fence = vkr_table_find(&submissions->fences, submit->fence);
	if (fence != NULL) {
		fence->pending = true;
		fence->submitted = true;
		fence->queue = pending->queue;
		fence->submission = submit->submission;
	}
	return VKR_OK;
}

// Threads that submit at once may record their numbers in another order.
static bool add_present(struct vkr_submissions *submissions, uint32_t submission)
{
	if (!VKR_ARRAY_RESERVE(&submissions->presents, 1))
		return false;
	size_t at = submissions->presents.count++;
	for (; at > 0 && submissions->presents.items[at - 1] > submission; at--)
		submissions->presents.items[at] = submissions->presents.items[at - 1];
	submissions->presents.items[at] = submission;
	return true;
}

uint32_t vkr_submissions_frame(const struct vkr_submissions *submissions, uint32_t submission)
{
	size_t low = 0;
	if (submissions->presents.count == 0 && submissions->presentables.count == 0)
		return 0;
	VKR_SEARCH(low, submissions->presents.count, at,
		   submissions->presents.items[at] < submission);
	return (uint32_t)low + 1;
}

enum vkr_result vkr_submissions_present(struct vkr_model *model,
					const struct vkr_trace_present *present,
					struct vkr_error *error)
{
	struct vkr_queue_pending *pending =
		vkr_submissions_pending(&model->submissions, present->queue);
	const uint32_t *ids = (const uint32_t *)(present + 1);
	const struct vkr_trace_batch counts = {.wait_count = present->wait_count};
	uint64_t cancelled = 0;
	uint32_t token = 0;
	const bool held = vkr_past_take_pending(model, &token);
	if (held && token == 0)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "PRESENT: what the host released for submission %u is missing",
				     present->submission);
	model->submissions.place.presents++;
	if (!add_present(&model->submissions, present->submission))
		return vkr_error_memory(error, "a presentation");
	if (vkr_map_get(&model->submissions.cancelled, present->submission, &cancelled))
		return VKR_OK;
	if (pending == NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "PRESENT: there is no queue %u",
				     present->queue);
	struct vkr_trace_semaphore_operation *waits =
		calloc(present->wait_count + (size_t)1, sizeof *waits);
	for (uint32_t at = 0; waits != NULL && at < present->wait_count; at++)
		waits[at].semaphore = ids[at];
	struct vkr_pending_batch *batch =
		waits != NULL
			? make_batch(model, &(struct batch_parts){.batch = &counts, .waits = waits})
			: NULL;
	free(waits);
	const uint32_t *images = ids + present->wait_count;
	if (present->fence_count != 0 && present->fence_count != present->image_count) {
		if (batch != NULL)
			free_batch(batch);
		return vkr_error_set(error, VKR_ERROR_FORMAT, "PRESENT: %u fences for %u images",
				     present->fence_count, present->image_count);
	}
	if (batch == NULL ||
	    !copy_items((void **)&batch->presents, images, present->image_count,
			sizeof *batch->presents) ||
	    (present->fence_count > 0 &&
	     !copy_items((void **)&batch->present_fences, images + present->image_count,
			 present->fence_count, sizeof *batch->present_fences))) {
		if (batch != NULL)
			free_batch(batch);
		return vkr_error_memory(error, "a presentation");
	}
	batch->submission = present->submission;
	batch->is_present = true;
	batch->present_count = present->image_count;
	batch->last = true;
	batch->held = held;
	add_batch(model, pending, batch);
	vkr_model_host_point(model);
	enum vkr_result result = held ? VKR_OK
				      : vkr_engine_release(model->engine, model->host.timeline, 0,
							   true, &token, error);
	batch->host_token = token;
	return result == VKR_OK ? vkr_presentation_pending(model, pending->queue, batch, error)
				: result;
}

enum vkr_result vkr_submissions_cancel(struct vkr_model *model, uint32_t submission,
				       struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	if (!vkr_map_set(&submissions->cancelled, submission, 1))
		return vkr_error_memory(error, "a submission");
	for (size_t at = 0; at < submissions->queues.count; at++)
		for (struct vkr_pending_batch *batch = submissions->queues.items[at].first;
		     batch != NULL; batch = batch->next)
			batch->cancelled = batch->cancelled || batch->submission == submission;
	return VKR_OK;
}
