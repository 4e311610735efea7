// SPDX-License-Identifier: Apache-2.0
// Semaphores and fences, and the events of submissions handed to who knows them. Knows when these
// objects are made, signaled and reset; not when batches are judged.
#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "model_state.h"
#include "object_table.h"
#include "presentation.h"
#include "sparse_batches.h"
#include "submission_state.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

static enum vkr_result make_semaphore(struct vkr_submissions *submissions,
				      const struct vkr_trace_semaphore *made,
				      struct vkr_error *error)
{
	struct vkr_semaphore *semaphore = calloc(1, sizeof *semaphore);
	if (semaphore != NULL) {
		semaphore->id = made->semaphore;
		semaphore->timeline = made->type == VK_SEMAPHORE_TYPE_TIMELINE;
		semaphore->initial = made->value;
	}
	return vkr_table_keep(&submissions->semaphores, made->semaphore, "semaphore", semaphore,
			      error);
}

static void destroy_semaphore(struct vkr_model *model, uint32_t id)
{
	struct vkr_semaphore *semaphore = vkr_table_find(&model->submissions.semaphores, id);
	if (semaphore == NULL)
		return;
	for (size_t at = 0; at < semaphore->signals.count; at++)
		if (semaphore->signals.items[at].token != 0)
			vkr_engine_token_drop(model->engine, semaphore->signals.items[at].token);
	vkr_map_remove(&model->submissions.semaphores, id);
	vkr_semaphore_free(semaphore);
}

// The specification gives vkSignalSemaphore no domain operation of its own, but lets the host write
// until the signal what a batch submitted earlier waits for: taken for a submission's.
static enum vkr_result signal_from_host(struct vkr_model *model,
					const struct vkr_trace_semaphore_signal *signal,
					struct vkr_error *error)
{
	struct vkr_semaphore *semaphore =
		vkr_table_find(&model->submissions.semaphores, signal->semaphore);
	uint32_t token = 0;
	if (semaphore == NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "SEMAPHORE_SIGNAL: there is no semaphore %u",
				     signal->semaphore);
	vkr_model_host_point(model);
	const enum vkr_result result =
		vkr_engine_release(model->engine, model->host.timeline, 0, true, &token, error);
	if (result != VKR_OK)
		return result;
	return vkr_semaphore_signal(model, semaphore,
				    &(struct vkr_signal){.value = signal->value, .token = token},
				    error);
}

static enum vkr_result make_fence(struct vkr_submissions *submissions,
				  const struct vkr_trace_fence *made, struct vkr_error *error)
{
	struct vkr_fence *fence = calloc(1, sizeof *fence);
	if (fence != NULL) {
		fence->id = made->fence;
		fence->made_signaled = made->signaled != 0;
	}
	return vkr_table_keep(&submissions->fences, made->fence, "fence", fence, error);
}

// vkResetFences, or with `destroy` vkDestroyFence.
static void reset_fence(struct vkr_model *model, uint32_t id, bool destroy)
{
	struct vkr_fence *fence = vkr_table_find(&model->submissions.fences, id);
	if (fence == NULL)
		return;
	if (fence->token != 0)
		vkr_engine_token_drop(model->engine, fence->token);
	fence->token = 0;
	fence->made_signaled = false;
	fence->submitted = false;
	if (!destroy)
		return;
	vkr_map_remove(&model->submissions.fences, id);
	free(fence);
}

enum vkr_result vkr_submissions_event(struct vkr_model *model, const struct vkr_trace_event *event,
				      struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	const void *payload = vkr_event_payload(event);
	// The first member of each of these names the object.
	const uint32_t id = *(const uint32_t *)payload;
	const uint32_t type = event->type;
	switch (type) {
	case VKR_TRACE_SUBMIT:
		return vkr_submissions_submit(model, payload, error);
	case VKR_TRACE_SPARSE_BIND:
		return vkr_sparse_bind(model, payload, error);
	case VKR_TRACE_PRESENT:
		return vkr_submissions_present(model, payload, error);
	case VKR_TRACE_ACQUIRE:
		return vkr_presentation_acquire(model, payload, error);
	case VKR_TRACE_SEMAPHORE:
		return make_semaphore(submissions, payload, error);
	case VKR_TRACE_SEMAPHORE_DESTROY:
		destroy_semaphore(model, id);
		return VKR_OK;
	case VKR_TRACE_SEMAPHORE_SIGNAL:
		return signal_from_host(model, payload, error);
	case VKR_TRACE_FENCE:
		return make_fence(submissions, payload, error);
	case VKR_TRACE_FENCE_RESET:
		reset_fence(model, id, false);
		return VKR_OK;
	case VKR_TRACE_FENCE_DESTROY:
		reset_fence(model, id, true);
		return VKR_OK;
	default:
		submissions->host_wait = vkr_host_wait_of(event);
		submissions->host_wait.stack =
			vkr_call_stacks_take(&model->stacks, &model->texts, event->thread);
		return submissions->host_wait.stack != NULL
			       ? VKR_OK
			       : vkr_error_memory(error, "a call stack");
	}
}
