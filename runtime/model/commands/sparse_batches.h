// SPDX-License-Identifier: Apache-2.0
// Binding memory to sparse resources on queues: its order, and what it binds. Knows
// vkQueueBindSparse only.
#pragma once

#include "submission_state.h"

// SPARSE_BIND: a part of the submission that follows.
enum vkr_result vkr_sparse_bind(struct vkr_model *model, const struct vkr_trace_sparse_bind *bind,
				struct vkr_error *error) VKR_MUST_USE;
// Hands what was bound for a submission to its batch.
enum vkr_result vkr_sparse_take(struct vkr_model *model, struct vkr_pending_batch *batch,
				struct vkr_error *error) VKR_MUST_USE;
void vkr_sparse_finish(struct vkr_submissions *submissions);

// The queue as its sparse batches see it: on a timeline of its own, after the signals so far.
enum vkr_result vkr_sparse_queue(struct vkr_model *model, struct vkr_queue_pending *pending,
				 const struct vkr_queue **queue,
				 struct vkr_error *error) VKR_MUST_USE;
// That timeline alone, made where there was none.
enum vkr_result vkr_sparse_timeline(struct vkr_model *model, struct vkr_queue_pending *pending,
				    uint32_t *timeline, struct vkr_error *error) VKR_MUST_USE;
// The batch's bindings as accesses.
enum vkr_result vkr_sparse_judge(struct vkr_model *model, const struct vkr_queue *queue,
				 const struct vkr_pending_batch *batch,
				 struct vkr_error *error) VKR_MUST_USE;
// Adds to a signal what sparse batches of its queue have signaled before.
enum vkr_result vkr_sparse_join(struct vkr_model *model, const struct vkr_queue *queue,
				uint32_t token, struct vkr_error *error) VKR_MUST_USE;
