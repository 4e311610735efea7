// SPDX-License-Identifier: Apache-2.0
#include "thread_order.h"

#include "error.h"
#include "event_payload.h"
#include "model_state.h"

void vkr_thread_order_finish(struct vkr_thread_order *threads)
{
	vkr_map_finish(&threads->timelines);
	vkr_map_finish(&threads->ignoring);
	for (size_t at = 0; at < sizeof threads->objects / sizeof *threads->objects; at++)
		vkr_map_finish(&threads->objects[at]);
}

void vkr_model_host_point(struct vkr_model *model)
{
	if (model->host.command != 0)
		vkr_engine_command_end(model->engine, model->host.command);
	model->host.command = 0;
}

static enum vkr_result set_order(struct vkr_model *model, const struct vkr_trace_host_order *order,
				 struct vkr_error *error)
{
	struct vkr_thread_order *threads = &model->thread_order;
	const bool own = order->order == VKR_HOST_ORDER_OWN;
	if (own != threads->own && (model->host.command != 0 || threads->timelines.count > 0))
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "HOST_ORDER: threads have already been seen");
	threads->own = own;
	return VKR_OK;
}

enum vkr_result vkr_thread_order_timeline(struct vkr_model *model, uint32_t thread,
					  uint32_t *timeline, struct vkr_error *error)
{
	struct vkr_thread_order *threads = &model->thread_order;
	uint64_t found = threads->main;
	if (thread != 0 && threads->own && !vkr_map_get(&threads->timelines, thread, &found)) {
		uint32_t made = 0;
		const enum vkr_result result = vkr_engine_host_thread(model->engine, &made, error);
		if (result != VKR_OK)
			return result;
		if (!vkr_map_set(&threads->timelines, thread, made))
			return vkr_error_memory(error, "host threads");
		found = made;
	}
	*timeline = (uint32_t)found;
	return VKR_OK;
}

enum vkr_result vkr_thread_order_enter(struct vkr_model *model, uint32_t thread,
				       struct vkr_error *error)
{
	return thread != 0 && model->thread_order.own
		       ? vkr_thread_order_timeline(model, thread, &model->host.timeline, error)
		       : VKR_OK;
}

bool vkr_thread_order_ignores(const struct vkr_model *model, uint32_t thread)
{
	uint64_t depth = 0;
	return vkr_map_get(&model->thread_order.ignoring, thread, &depth) && depth > 0;
}

static enum vkr_result thread_order_ignore(struct vkr_model *model, uint32_t thread, bool begins,
					   struct vkr_error *error)
{
	struct vkr_map *ignoring = &model->thread_order.ignoring;
	uint64_t depth = 0;
	(void)vkr_map_get(ignoring, thread, &depth);
	if (!begins && depth == 0)
		return VKR_OK; // the program ended more regions than it began
	if (!vkr_map_set(ignoring, thread, begins ? depth + 1 : depth - 1))
		return vkr_error_memory(error, "host threads");
	return VKR_OK;
}

enum vkr_result vkr_thread_order_give(struct vkr_model *model, uint32_t kind, uint64_t object,
				      uint32_t token, struct vkr_error *error)
{
	struct vkr_map *objects = &model->thread_order.objects[kind];
	uint64_t held = 0;
	if (vkr_map_get(objects, object, &held))
		vkr_engine_token_drop(model->engine, (uint32_t)held);
	return vkr_map_set(objects, object, token)
		       ? VKR_OK
		       : vkr_error_memory(error, "host synchronization");
}

// An object holds a token: that of its last release, or the union of all of them.
static enum vkr_result release_thread(struct vkr_model *model,
				      const struct vkr_trace_host_release *by,
				      struct vkr_error *error)
{
	const struct vkr_map *objects = &model->thread_order.objects[by->kind];
	uint64_t held = 0;
	uint32_t token = 0;
	vkr_model_host_point(model);
	enum vkr_result result =
		vkr_engine_release(model->engine, model->host.timeline, 0, false, &token, error);
	if (result != VKR_OK)
		return result;
	if (!(by->flags & VKR_HOST_RELEASE_ALONE) && vkr_map_get(objects, by->object, &held))
		result = vkr_engine_token_join(model->engine, token, (uint32_t)held, error);
	return result == VKR_OK ? vkr_thread_order_give(model, by->kind, by->object, token, error)
				: result;
}

static enum vkr_result thread_order_acquire(struct vkr_model *model,
					    const struct vkr_trace_host_acquire *by,
					    struct vkr_error *error)
{
	uint64_t token = 0;
	if (!vkr_map_get(&model->thread_order.objects[by->kind], by->object, &token))
		return VKR_OK; // nobody has released it
	vkr_model_host_point(model);
	return vkr_engine_acquire(model->engine, model->host.timeline, (uint32_t)token, 0, error);
}

enum vkr_result vkr_thread_order_event(struct vkr_model *model, const struct vkr_trace_event *event,
				       struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	const uint32_t type = event->type;
	switch (type) {
	case VKR_TRACE_HOST_ORDER:
		return set_order(model, payload, error);
	case VKR_TRACE_HOST_IGNORE:
		return thread_order_ignore(
			model, event->thread,
			((const struct vkr_trace_host_ignore *)payload)->begins != 0, error);
	case VKR_TRACE_HOST_RELEASE:
		return model->thread_order.own ? release_thread(model, payload, error) : VKR_OK;
	default: // HOST_ACQUIRE
		return model->thread_order.own ? thread_order_acquire(model, payload, error)
					       : VKR_OK;
	}
}

enum vkr_result vkr_thread_order_each(struct vkr_model *model, void *context,
				      enum vkr_result (*visit)(struct vkr_model *model,
							       uint32_t timeline, void *context,
							       struct vkr_error *error),
				      struct vkr_error *error)
{
	const struct vkr_thread_order *threads = &model->thread_order;
	// By number of thread, so that the order does not depend on the map's.
	enum vkr_result result = visit(model, threads->main, context, error);
	uint32_t left = (uint32_t)threads->timelines.count;
	for (uint32_t thread = 1; left > 0 && result == VKR_OK; thread++) {
		uint64_t timeline = 0;
		if (!vkr_map_get(&threads->timelines, thread, &timeline))
			continue;
		left--;
		result = visit(model, (uint32_t)timeline, context, error);
	}
	return result;
}
