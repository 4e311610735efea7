// SPDX-License-Identifier: Apache-2.0
// Which resources one queue family owns at a time, and the barriers that transfer them (Vulkan
// specification, "Queue Family Ownership Transfer"). Does not know what is read without a transfer.
#include "barrier_walk.h"

#include "error.h"
#include "event_payload.h"

// With maintenance9 buffers and linear images need no transfers. Whether other images need them is
// a property of the queue families, and no race must be reported for families that do not need
// them.
bool vkr_memory_exclusive(const struct vkr_model *model, const struct vkr_memory *memory,
			  bool exclusive)
{
	const struct vkr_device *device = vkr_objects_device(&model->objects, memory->device);
	return exclusive && (device == NULL || !(device->flags & VKR_DEVICE_MAINTENANCE9));
}

// Whether draws sample the image, and little else is done with it: all parts judge it, and deal out
// who judges the samples (vkr_engine_deal). An image that only dispatches use is cut into slices.
static bool is_for_draws(const struct vkr_image *image)
{
	return image->usage & VK_IMAGE_USAGE_SAMPLED_BIT &&
	       (!(image->usage & VK_IMAGE_USAGE_STORAGE_BIT) ||
		image->usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
}

// A resource is where its memory is: that is one queue family's, and of the part that judges it, or
// of all parts.
static enum vkr_result ownership_transfers_bound(struct vkr_model *model,
						 const struct vkr_memory *memory, uint64_t offset,
						 uint64_t bytes, bool exclusive, bool common,
						 struct vkr_error *error)
{
	const enum vkr_result result =
		vkr_engine_place(model->engine, memory->id, offset, bytes, common, error);
	return result == VKR_OK
		       ? vkr_engine_exclusive(model->engine, memory->id, offset, bytes,
					      vkr_memory_exclusive(model, memory, exclusive), error)
		       : result;
}

enum vkr_result vkr_model_bound(struct vkr_model *model, const struct vkr_trace_event *event,
				struct vkr_error *error)
{
	const struct vkr_trace_buffer_bind *of_buffer = vkr_event_payload(event);
	const struct vkr_trace_image_bind *of_image = vkr_event_payload(event);
	enum vkr_result result = VKR_OK;
	if (event->type == VKR_TRACE_BUFFER_BIND) {
		const struct vkr_buffer *buffer =
			vkr_objects_buffer(&model->objects, of_buffer->buffer);
		return ownership_transfers_bound(model, buffer->memory, buffer->offset,
						 buffer->bytes, !buffer->concurrent,
						 buffer->shader_reads, error);
	}
	const struct vkr_image *image = vkr_objects_image(&model->objects, of_image->image);
	for (uint32_t at = 0; at < image->plane_count && result == VKR_OK; at++) {
		const struct vkr_image_plane *plane = &image->planes[at];
		if (plane->memory != NULL)
			result = ownership_transfers_bound(
				model, plane->memory, plane->offset, plane->bytes,
				image->sharing == VK_SHARING_MODE_EXCLUSIVE, is_for_draws(image),
				error);
	}
	return result;
}

static bool is_outside(uint32_t family)
{
	return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

bool vkr_barrier_transfers(const struct vkr_trace_barrier *barrier)
{
	return (barrier->kind == VKR_BARRIER_BUFFER || barrier->kind == VKR_BARRIER_IMAGE) &&
	       barrier->source_family != barrier->destination_family &&
	       barrier->source_family != VK_QUEUE_FAMILY_IGNORED &&
	       barrier->destination_family != VK_QUEUE_FAMILY_IGNORED;
}

static uint32_t family_of(const struct vkr_walk *walk, uint32_t family)
{
	return is_outside(family) ? VKR_ENGINE_ANY_FAMILY
				  : vkr_queue_family(walk->queue->device, family);
}

// The half of a transfer that the barrier is on this queue, without its place; false where it is
// none.
static bool half_of(const struct vkr_walk *walk, const struct vkr_trace_barrier *barrier,
		    uint64_t tag, struct vkr_engine_transfer *half)
{
	const uint32_t here = walk->queue->family;
	*half = (struct vkr_engine_transfer){.from = family_of(walk, barrier->source_family),
					     .to = family_of(walk, barrier->destination_family),
					     .key = (uint64_t)barrier->old_layout << 32 |
						    barrier->new_layout,
					     .tag = tag,
					     .acquire = barrier->destination_family == here};
	return vkr_barrier_transfers(barrier) &&
	       (barrier->source_family == here || barrier->destination_family == here);
}

static enum vkr_result transfer_buffer(struct vkr_walk *walk,
				       const struct vkr_trace_barrier *barrier,
				       struct vkr_engine_transfer *half)
{
	const struct vkr_buffer *buffer =
		vkr_objects_buffer(&walk->model->objects, barrier->object);
	if (buffer == NULL || buffer->memory == NULL || barrier->offset >= buffer->bytes)
		return VKR_OK;
	const uint64_t room = buffer->bytes - barrier->offset;
	half->memory = buffer->memory->id;
	half->offset = buffer->offset + barrier->offset;
	half->bytes = barrier->bytes < room ? barrier->bytes : room;
	half->key = 0;
	return vkr_engine_transfer(walk->model->engine, half, walk->error);
}

static enum vkr_result transfer_image(struct vkr_walk *walk,
				      const struct vkr_trace_barrier *barrier,
				      struct vkr_engine_transfer *half)
{
	const struct vkr_image *image = vkr_objects_image(&walk->model->objects, barrier->object);
	enum vkr_result result = VKR_OK;
	walk->locations.count = 0;
	if (image == NULL)
		return VKR_OK;
	if (!vkr_image_add_barrier(image, &barrier->subresources, &walk->locations))
		return vkr_error_memory(walk->error, "a transfer of ownership");
	for (size_t at = 0; at < walk->locations.count && result == VKR_OK; at++) {
		half->memory = walk->locations.items[at].memory->id;
		half->offset = walk->locations.items[at].offset;
		half->bytes = walk->locations.items[at].bytes;
		result = vkr_engine_transfer(walk->model->engine, half, walk->error);
	}
	return result;
}

enum vkr_result vkr_walk_transfers(struct vkr_walk *walk, const struct vkr_barrier_list *list,
				   uint64_t tag)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < list->count && result == VKR_OK; at++) {
		const struct vkr_trace_barrier *barrier = &list->items[at];
		struct vkr_engine_transfer half;
		if (!half_of(walk, barrier, tag, &half))
			continue;
		if (vkr_memory_is_hrf(&walk->model->options.rules)) {
			result = vkr_model_pass_over(walk->model, "queue family ownership has",
						     walk->error);
			continue;
		}
		result = barrier->kind == VKR_BARRIER_BUFFER ? transfer_buffer(walk, barrier, &half)
							     : transfer_image(walk, barrier, &half);
		if (result == VKR_OK &&
		    (is_outside(barrier->source_family) || is_outside(barrier->destination_family)))
			result = vkr_model_missed(
				walk->model, walk->error, VKR_COVERAGE_SYNC, 0,
				"memory is transferred to others and back (a queue family EXTERNAL "
				"or FOREIGN): their accesses are treated as ordered");
	}
	return result;
}
