// SPDX-License-Identifier: Apache-2.0
#include "submission_state.h"

#include "array.h"
#include "error.h"

#include <stdlib.h>

struct vkr_queue_pending *vkr_submissions_pending(struct vkr_submissions *submissions,
						  uint32_t queue)
{
	for (size_t at = 0; at < submissions->queues.count; at++)
		if (submissions->queues.items[at].queue->id == queue)
			return &submissions->queues.items[at];
	return NULL;
}

const struct vkr_signal *vkr_semaphore_satisfying(const struct vkr_semaphore *semaphore,
						  uint64_t value)
{
	const struct vkr_signal *best = NULL;
	for (size_t at = 0; at < semaphore->signals.count; at++) {
		const struct vkr_signal *signal = &semaphore->signals.items[at];
		if ((!semaphore->timeline || signal->value >= value) &&
		    (best == NULL || signal->value < best->value))
			best = signal;
	}
	return best;
}

void vkr_semaphore_free(struct vkr_semaphore *semaphore)
{
	free(semaphore->signals.items);
	free(semaphore);
}

enum vkr_result vkr_semaphore_signal(struct vkr_model *model, struct vkr_semaphore *semaphore,
				     const struct vkr_signal *signal, struct vkr_error *error)
{
	if (!semaphore->timeline && semaphore->signals.count > 0) {
		if (semaphore->signals.items[0].token != 0)
			vkr_engine_token_drop(model->engine, semaphore->signals.items[0].token);
		semaphore->signals.count = 0;
	}
	if (!VKR_ARRAY_RESERVE(&semaphore->signals, 1))
		return vkr_error_memory(error, "a semaphore");
	semaphore->signals.items[semaphore->signals.count++] = *signal;
	semaphore->signaled = true;
	return VKR_OK;
}

void vkr_semaphore_unsignal(struct vkr_model *model, struct vkr_semaphore *semaphore)
{
	for (size_t at = 0; at < semaphore->signals.count; at++)
		if (semaphore->signals.items[at].token != 0)
			vkr_engine_token_drop(model->engine, semaphore->signals.items[at].token);
	semaphore->signals.count = 0;
	semaphore->signaled = false;
}
