// SPDX-License-Identifier: Apache-2.0
// Batches of vkQueueBindSparse. Only semaphores and fences order them with commands: their signals
// come after earlier signals, and their waits apply to them alone (Vulkan specification, "Queue
// Submission", "Sparse Memory Binding Functions"). A binding must be ordered, in execution, with
// all uses of what it binds. Knows nothing of commands.
#include "sparse_batches.h"

#include "barrier_walk.h"

#include "array.h"
#include "error.h"
#include "image_layout.h"
#include "map.h"
#include "scopes.h"
#include "sparse_maps.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

void vkr_sparse_finish(struct vkr_submissions *submissions)
{
	free(submissions->sparse_binds.items);
	vkr_sparse_places_finish(&submissions->sparse_places);
}

enum vkr_result vkr_sparse_bind(struct vkr_model *model, const struct vkr_trace_sparse_bind *bind,
				struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	if (!VKR_ARRAY_RESERVE(&submissions->sparse_binds, 1))
		return vkr_error_memory(error, "sparse memory");
	submissions->sparse_binds.items[submissions->sparse_binds.count++] = *bind;
	return VKR_OK;
}

enum vkr_result vkr_sparse_take(struct vkr_model *model, struct vkr_pending_batch *batch,
				struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	size_t kept = 0;
	batch->binds = calloc(submissions->sparse_binds.count + 1, sizeof *batch->binds);
	if (batch->binds == NULL)
		return vkr_error_memory(error, "sparse memory");
	for (size_t at = 0; at < submissions->sparse_binds.count; at++) {
		const struct vkr_trace_sparse_bind *bind = &submissions->sparse_binds.items[at];
		if (bind->submission == batch->submission)
			batch->binds[batch->bind_count++] = *bind;
		else
			submissions->sparse_binds.items[kept++] = *bind;
	}
	submissions->sparse_binds.count = kept;
	return VKR_OK;
}

enum vkr_result vkr_sparse_timeline(struct vkr_model *model, struct vkr_queue_pending *pending,
				    uint32_t *timeline, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (pending->sparse.timeline == 0) {
		pending->sparse = *pending->queue;
		result = vkr_engine_queue(
			model->engine,
			vkr_queue_family(pending->queue->device, pending->queue->family),
			&pending->sparse.timeline, error);
	}
	*timeline = pending->sparse.timeline;
	return result;
}

enum vkr_result vkr_sparse_queue(struct vkr_model *model, struct vkr_queue_pending *pending,
				 const struct vkr_queue **queue, struct vkr_error *error)
{
	uint32_t timeline = 0;
	enum vkr_result result = vkr_sparse_timeline(model, pending, &timeline, error);
	if (result == VKR_OK && pending->signaled != 0)
		result = vkr_engine_acquire(model->engine, timeline, pending->signaled,
					    vkr_scope_all_commands(), error);
	*queue = &pending->sparse;
	return result;
}

enum vkr_result vkr_sparse_join(struct vkr_model *model, const struct vkr_queue *queue,
				uint32_t token, struct vkr_error *error)
{
	const struct vkr_queue_pending *pending =
		vkr_submissions_pending(&model->submissions, queue->id);
	uint32_t more = 0;
	if (pending->sparse.timeline == 0 || pending->sparse.timeline == queue->timeline)
		return VKR_OK;
	enum vkr_result result =
		vkr_engine_release(model->engine, pending->sparse.timeline,
				   vkr_scope_signal(vkr_scope_all_commands()), false, &more, error);
	if (result == VKR_OK)
		result = vkr_engine_token_join(model->engine, token, more, error);
	if (more != 0)
		vkr_engine_token_drop(model->engine, more);
	return result;
}

// ---- Bindings -----------------------------------------------------------------------------------

// A number that is equal only for mip tails of images that were created alike; 0 if it is no tail.
static uint64_t tail_shape(const struct vkr_model *model, const struct vkr_trace_sparse_bind *bind)
{
	const struct vkr_image *image = bind->kind == VKR_SPARSE_TAIL
						? vkr_objects_image(&model->objects, bind->object)
						: NULL;
	uint64_t shape = 1;
	if (image == NULL)
		return 0;
	const uint32_t made[] = {image->format,    image->type,      image->create_flags,
				 image->tiling,    image->usage,     image->extent[0],
				 image->extent[1], image->extent[2], image->mips,
				 image->layers,    image->samples,   bind->aspects,
				 bind->layer};
	for (size_t at = 0; at < sizeof made / sizeof *made; at++)
		shape = vkr_map_hash(shape ^ made[at]);
	return shape | 1;
}

// Reports memory that is bound to two resources at once as not observed, if it is unknown which
// bytes of them are the same.
static enum vkr_result note_alias(struct vkr_model *model, const struct vkr_trace_sparse_bind *bind,
				  bool mapped, struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	const struct vkr_sparse_place place = {
		.resource = (uint64_t)(bind->kind == VKR_SPARSE_BUFFER) << 32 | bind->object,
		.low = bind->offset,
		.high = bind->offset + bind->bytes,
		.memory = bind->memory,
		.memory_low = bind->memory_offset,
		.mapped = mapped,
		.shape = tail_shape(model, bind)};
	bool shared = false;
	if (submissions->sparse_shared || bind->offset > UINT64_MAX - bind->bytes ||
	    bind->memory_offset > UINT64_MAX - bind->bytes)
		return VKR_OK;
	if (!vkr_sparse_places_bind(&submissions->sparse_places, &place, &shared))
		return vkr_error_memory(error, "sparse memory");
	if (!shared)
		return VKR_OK;
	// This is reported once; nothing more needs to be found.
	submissions->sparse_shared = true;
	vkr_sparse_places_finish(&submissions->sparse_places);
	return vkr_model_missed(model, error, VKR_COVERAGE_SYNC, 0,
				"memory is bound to two sparse resources, to one as its mip tail "
				"or metadata: races of the one with the other are missed");
}

// Adds the part of the image's own memory that is bound.
static bool add_image(struct vkr_model *model, const struct vkr_trace_sparse_bind *bind,
		      const struct vkr_sparse_parts *parts, struct vkr_walk_access *access,
		      struct vkr_locations *locations)
{
	const struct vkr_image *image = vkr_objects_image(&model->objects, bind->object);
	access->image = image;
	if (image == NULL || image->plane_count == 0 || image->planes[0].memory == NULL)
		return true;
	if (!VKR_ARRAY_RESERVE(locations, parts->count))
		return false;
	for (size_t at = 0; at < parts->count; at++)
		locations->items[locations->count++] =
			(struct vkr_location){image->planes[0].memory, parts->items[at].low,
					      parts->items[at].high - parts->items[at].low};
	return true;
}

// Bytes that belong to one queue family at a time do so wherever they are.
static enum vkr_result own_parts(struct vkr_walk *walk, const struct vkr_sparse_parts *parts,
				 const struct vkr_walk_access *access)
{
	const bool exclusive = access->buffer != NULL
				       ? !access->buffer->concurrent
				       : access->image->sharing == VK_SHARING_MODE_EXCLUSIVE;
	const struct vkr_memory *memory =
		access->buffer != NULL ? access->buffer->memory : access->image->planes[0].memory;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < parts->count && result == VKR_OK; at++) {
		const struct vkr_mapping *part = &parts->items[at];
		if (part->memory != 0)
			result = vkr_engine_exclusive(
				walk->model->engine, part->memory, part->to, part->high - part->low,
				vkr_memory_exclusive(walk->model, memory, exclusive), walk->error);
	}
	return result;
}

static enum vkr_result access_bound(struct vkr_walk *walk, const struct vkr_walk_access *access,
				    const struct vkr_locations *locations)
{
	return access->buffer != NULL ? vkr_walk_access(walk, access)
				      : vkr_walk_access_image(walk, access, locations);
}

// The binding ends all uses of the memory that was bound before, and begins those of the new
// memory.
static enum vkr_result bind_parts(struct vkr_walk *walk, uint32_t stand_in,
				  const struct vkr_sparse_parts *parts,
				  const struct vkr_walk_access *access,
				  const struct vkr_locations *locations)
{
	enum vkr_result result = access_bound(walk, access, locations);
	if (result != VKR_OK || stand_in == 0 || parts->count == 0)
		return result;
	result = vkr_engine_map(walk->model->engine, stand_in, parts->items, parts->count,
				walk->error);
	if (result == VKR_OK)
		result = own_parts(walk, parts, access);
	return result == VKR_OK && parts->items[0].memory != 0
		       ? access_bound(walk, access, locations)
		       : result;
}

static enum vkr_result judge_bind(struct vkr_walk *walk, const struct vkr_trace_sparse_bind *bind)
{
	struct vkr_model *model = walk->model;
	struct vkr_locations locations = {0};
	struct vkr_sparse_parts parts = {0};
	uint32_t stand_in = 0;
	struct vkr_walk_access access = {.write = true,
					 .binding = true,
					 .operation = "sparse binding",
					 .stage = VKR_ENGINE_QUERY,
					 .access = VKR_ENGINE_QUERY,
					 .offset = bind->offset,
					 .bytes = bind->bytes};
	enum vkr_result result = VKR_OK;
	if (!vkr_sparse_parts(model, bind, &stand_in, &parts))
		result = vkr_error_memory(walk->error, "sparse memory");
	if (bind->kind == VKR_SPARSE_BUFFER)
		access.buffer = vkr_objects_buffer(&model->objects, bind->object);
	else if (!add_image(model, bind, &parts, &access, &locations))
		result = vkr_error_memory(walk->error, "sparse memory");
	if (result == VKR_OK && bind->kind != VKR_SPARSE_IMAGE)
		result = note_alias(model, bind, stand_in != 0, walk->error);
	// Other contents of the memory have their bytes elsewhere in it.
	for (size_t at = 0; bind->kind == VKR_SPARSE_TAIL && at < parts.count; at++)
		if (model->submissions.sparse_shared)
			parts.items[at].memory = 0;
	if (result == VKR_OK && (access.buffer != NULL || access.image != NULL)) {
		access.info = vkr_access_names_info(
			&model->names,
			&(struct vkr_command_info){
				.name = "vkQueueBindSparse",
				.labels = "",
				.command_buffer = "",
				.destination = access.buffer != NULL ? (const void *)access.buffer
								     : access.image});
		result = vkr_walk_begin_command(walk, access.info, &access.command);
		if (result == VKR_OK)
			result = bind_parts(walk, stand_in, &parts, &access, &locations);
		if (result == VKR_OK)
			vkr_engine_command_end(model->engine, access.command);
	}
	free(parts.items);
	vkr_locations_finish(&locations);
	return result;
}

enum vkr_result vkr_sparse_judge(struct vkr_model *model, const struct vkr_queue *queue,
				 const struct vkr_pending_batch *batch, struct vkr_error *error)
{
	struct vkr_walk walk = {
		.model = model, .queue = queue, .submission = batch->submission, .error = error};
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < batch->bind_count && result == VKR_OK; at++)
		result = judge_bind(&walk, &batch->binds[at]);
	return result;
}
