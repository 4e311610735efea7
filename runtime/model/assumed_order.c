// SPDX-License-Identifier: Apache-2.0
// The safety net below synchronization that is not modelled: what it could order is taken as
// ordered, so that no race is reported that it may have prevented. Coverage is the caller's to add.
#include "assumed_order.h"

#include "model_state.h"
#include "scopes.h"

enum vkr_result vkr_assume_ordered_here(struct vkr_model *model, uint32_t timeline, uint64_t tag,
					struct vkr_error *error)
{
	const uint64_t every = UINT64_MAX;
	const struct vkr_engine_barrier_access access = {.source_accesses = every,
							 .destination_accesses = every,
							 .from_host = true,
							 .to_host = true};
	const struct vkr_engine_dependency dependency = {.source_stages = every,
							 .destination_stages = every,
							 .beyond = true,
							 .accesses = &access,
							 .access_count = 1};
	return vkr_engine_dependencies(model->engine, timeline, tag, &dependency, 1, error);
}

static enum vkr_result order_carry(struct vkr_model *model, uint32_t from, uint32_t to,
				   struct vkr_error *error)
{
	uint32_t token = 0;
	enum vkr_result result =
		vkr_engine_release(model->engine, from, vkr_scope_signal(vkr_scope_all_commands()),
				   true, &token, error);
	if (result != VKR_OK)
		return result;
	result = vkr_engine_acquire(model->engine, to, token, vkr_scope_all_commands(), error);
	vkr_engine_token_drop(model->engine, token);
	return result;
}

static enum vkr_result carry_queue(struct vkr_model *model, const struct vkr_queue_pending *pending,
				   uint32_t to, struct vkr_error *error)
{
	const enum vkr_result result = order_carry(model, pending->queue->timeline, to, error);
	return result == VKR_OK && pending->sparse.timeline != 0
		       ? order_carry(model, pending->sparse.timeline, to, error)
		       : result;
}

static enum vkr_result carry_host(struct vkr_model *model, uint32_t from, void *to,
				  struct vkr_error *error)
{
	const uint32_t timeline = *(const uint32_t *)to;
	return from != timeline ? order_carry(model, from, timeline, error) : VKR_OK;
}

enum vkr_result vkr_assume_all_ordered(struct vkr_model *model, uint32_t timeline,
				       struct vkr_error *error)
{
	const struct vkr_submissions *submissions = &model->submissions;
	vkr_model_host_point(model);
	enum vkr_result result = vkr_thread_order_each(model, &timeline, carry_host, error);
	for (size_t at = 0; at < submissions->queues.count && result == VKR_OK; at++)
		result = carry_queue(model, &submissions->queues.items[at], timeline, error);
	return result;
}
