// SPDX-License-Identifier: Apache-2.0
// Copies and layout transitions of images that the host makes ("Host Copies", "Host Access to Image
// Memory"). Knows these events only.
#include "error.h"
#include "event_layout.h"
#include "event_payload.h"
#include "image_layout.h"
#include "model_state.h"

// The host accesses an image's memory in these commands "as if coherent": what it writes needs no
// flush, what it reads no invalidate, whatever the memory's type.
static enum vkr_result access_locations(struct vkr_model *model, struct vkr_host_action *action,
					struct vkr_error *error)
{
	const struct vkr_locations *locations = &model->host.locations;
	enum vkr_result result = VKR_OK;
	if (action->flags & VKR_ENGINE_READ)
		vkr_model_host_point(model);
	for (size_t at = 0; action->flags & VKR_ENGINE_READ && at < locations->count; at++) {
		const struct vkr_location *location = &locations->items[at];
		result = vkr_engine_invalidate(model->engine, model->host.timeline,
					       location->memory->id, location->offset,
					       location->bytes, error);
		if (result != VKR_OK)
			return result;
	}
	for (size_t at = 0; at < locations->count && result == VKR_OK; at++) {
		const struct vkr_location *location = &locations->items[at];
		result = vkr_model_host_accesses(model, action, location->memory->id,
						 location->offset, location->bytes, error);
	}
	if (!(action->flags & VKR_ENGINE_WRITE))
		return result;
	vkr_model_host_point(model);
	for (size_t at = 0; at < locations->count && result == VKR_OK; at++) {
		const struct vkr_location *location = &locations->items[at];
		result = vkr_engine_flush(model->engine, model->host.timeline, location->memory->id,
					  location->offset, location->bytes, error);
	}
	return result;
}

static enum vkr_result access_box(struct vkr_model *model, struct vkr_host_action *action,
				  const struct vkr_trace_image_box *box, struct vkr_error *error)
{
	const struct vkr_image_region region = vkr_image_region_of(box);
	model->host.locations.count = 0;
	if (!vkr_image_add_region(action->image, &region, &model->host.locations))
		return vkr_error_memory(error, "a region of an image");
	return access_locations(model, action, error);
}

static enum vkr_result host_images_unknown(struct vkr_model *model, const char *name,
					   struct vkr_error *error)
{
	return vkr_model_missed(model, error, VKR_COVERAGE_HOST, 0,
				"%s uses an image whose creation was not recorded", name);
}

static enum vkr_result copy_image(struct vkr_model *model, struct vkr_host_action *action,
				  const struct vkr_trace_host_image_copy *copy,
				  struct vkr_error *error)
{
	const struct vkr_trace_image_box *boxes = (const void *)(copy + 1);
	enum vkr_result result = VKR_OK;
	action->image = vkr_objects_image(&model->objects, copy->image);
	action->operation = copy->to_image ? "vkCopyMemoryToImage" : "vkCopyImageToMemory";
	action->flags = copy->to_image ? VKR_ENGINE_WRITE : VKR_ENGINE_READ;
	if (action->image == NULL)
		return host_images_unknown(model, action->operation, error);
	for (uint32_t at = 0; at < copy->box_count && result == VKR_OK; at++)
		result = access_box(model, action, &boxes[at], error);
	return result;
}

// Both images are made alike, so that a region is as large in one as in the other.
static enum vkr_result transfer_image(struct vkr_model *model, struct vkr_host_action *action,
				      const struct vkr_trace_host_image_transfer *transfer,
				      struct vkr_error *error)
{
	const struct vkr_trace_image_region *regions = (const void *)(transfer + 1);
	const struct vkr_image *from = vkr_objects_image(&model->objects, transfer->source);
	const struct vkr_image *to = vkr_objects_image(&model->objects, transfer->destination);
	enum vkr_result result = VKR_OK;
	action->operation = "vkCopyImageToImage";
	if (from == NULL || to == NULL)
		return host_images_unknown(model, action->operation, error);
	for (uint32_t at = 0; at < transfer->region_count && result == VKR_OK; at++) {
		action->image = from;
		action->flags = VKR_ENGINE_READ;
		result = access_box(model, action, &regions[at].source, error);
		action->image = to;
		action->flags = VKR_ENGINE_WRITE;
		if (result == VKR_OK)
			result = access_box(model, action, &regions[at].destination, error);
	}
	return result;
}

static enum vkr_result transition_image(struct vkr_model *model, struct vkr_host_action *action,
					const struct vkr_trace_host_transition *transition,
					struct vkr_error *error)
{
	action->image = vkr_objects_image(&model->objects, transition->image);
	action->operation = vkr_texts_format(&model->texts, "vkTransitionImageLayout %s -> %s",
					     vkr_layout_name(transition->old_layout),
					     vkr_layout_name(transition->new_layout));
	action->flags = VKR_ENGINE_WRITE;
	if (transition->old_layout != VK_IMAGE_LAYOUT_UNDEFINED)
		action->flags |= VKR_ENGINE_READ;
	if (action->operation == NULL)
		return vkr_error_memory(error, "a layout transition");
	if (action->image == NULL)
		return host_images_unknown(model, "vkTransitionImageLayout", error);
	model->host.locations.count = 0;
	if (!vkr_image_add_barrier(action->image, &transition->subresources,
				   &model->host.locations))
		return vkr_error_memory(error, "a layout transition");
	return access_locations(model, action, error);
}

enum vkr_result vkr_model_host_image(struct vkr_model *model, const struct vkr_trace_event *event,
				     struct vkr_error *error)
{
	struct vkr_host_action action = {
		.thread = event->thread,
		.stack = vkr_call_stacks_take(&model->stacks, &model->texts, event->thread)};
	const uint32_t type = event->type;
	if (vkr_thread_order_ignores(model, event->thread))
		return VKR_OK;
	if (action.stack == NULL)
		return vkr_error_memory(error, "a call stack");
	switch (type) {
	case VKR_TRACE_HOST_IMAGE_COPY:
		return copy_image(model, &action, vkr_event_payload(event), error);
	case VKR_TRACE_HOST_IMAGE_TRANSFER:
		return transfer_image(model, &action, vkr_event_payload(event), error);
	default:
		return transition_image(model, &action, vkr_event_payload(event), error);
	}
}
