// SPDX-License-Identifier: Apache-2.0
// Images that are presented. Knows batches that present; not what renders.
#include "presentation.h"

#include "assumed_order.h"
#include "command_walk.h"
#include "error.h"
#include "object_table.h"
#include "scopes.h"
#include "submission_state.h"

#include <stdlib.h>

// A swapchain's image, as the presentation engine has it.
struct vkr_presentable {
	uint32_t image;
	uint32_t timeline, family;     // the engine's; that of the queue which presents
	uint32_t unjudged;             // presentations of pending batches
	const struct vkr_queue *queue; // of the last one
	bool presented;                // one was judged
	// Where acquisitions order only what is done to the image (any_image): a timeline of this
	// family whose clock holds acquisitions alone; 0: there was none.
	uint32_t handing, handing_family;
	// The image was acquired after a presentation that is not judged yet.
	bool acquiring;
	uint32_t semaphore, fence;
};

void vkr_presentation_finish(struct vkr_map *presentables)
{
	for (size_t at = 0; at < presentables->capacity; at++)
		if (presentables->slots[at].used)
			free((void *)(uintptr_t)presentables->slots[at].value);
	vkr_map_finish(presentables);
}

static enum vkr_result presentable_of(struct vkr_model *model, uint32_t image,
				      struct vkr_presentable **presentable, struct vkr_error *error)
{
	struct vkr_map *map = &model->submissions.presentables;
	*presentable = vkr_table_find(map, image);
	if (*presentable != NULL)
		return VKR_OK;
	struct vkr_presentable *made = calloc(1, sizeof *made);
	if (made == NULL || !vkr_map_set(map, image, (uintptr_t)made)) {
		free(made);
		return vkr_error_memory(error, "a swapchain's image");
	}
	made->image = image;
	made->family = VKR_ENGINE_ANY_FAMILY;
	*presentable = made;
	return vkr_engine_queue(model->engine, made->family, &made->timeline, error);
}

// The presentation engine's access to the image, on one of its timelines.
static enum vkr_result access_image(struct vkr_model *model,
				    const struct vkr_presentable *presentable, const char *name,
				    const struct vkr_queue *queue, uint32_t submission,
				    uint32_t timeline, struct vkr_error *error)
{
	const bool hands_out = timeline == presentable->handing;
	const struct vkr_image *image = vkr_objects_image(&model->objects, presentable->image);
	struct vkr_walk walk = {.model = model, .queue = queue, .error = error};
	struct vkr_locations locations = {0};
	uint64_t tag = 0;
	struct vkr_walk_access access = {
		.info = vkr_access_names_info(&model->names,
					      &(struct vkr_command_info){.name = name,
									 .labels = "",
									 .command_buffer = ""}),
		.image = image,
		.write = hands_out,
		.operation = hands_out ? "presentation engine's use" : "presentation engine's read",
		.stage = VKR_STAGE_PRESENTATION,
		.access = VKR_STAGE_PRESENTATION};
	if (image == NULL)
		return VKR_OK;
	const struct vkr_trace_subresources all = {
		.aspects = image->aspects, .mip_count = image->mips, .layer_count = image->layers};
	if (access.info == NULL || !vkr_image_add_subresources(image, &all, &locations) ||
	    !vkr_access_names_executed(
		    &model->names,
		    &(struct vkr_executed){.info = access.info,
					   .queue = queue != NULL ? queue->id : 0,
					   .submission = submission},
		    &tag)) {
		vkr_locations_finish(&locations);
		return vkr_error_memory(error, "a presentation");
	}
	enum vkr_result result =
		vkr_engine_command(model->engine, timeline, tag, &access.command, error);
	if (result == VKR_OK)
		result = vkr_walk_access_image(&walk, &access, &locations);
	if (result == VKR_OK)
		vkr_engine_command_end(model->engine, access.command);
	vkr_locations_finish(&locations);
	return result;
}

static enum vkr_result read_image(struct vkr_model *model,
				  const struct vkr_presentable *presentable, const char *name,
				  const struct vkr_queue *queue, uint32_t submission,
				  struct vkr_error *error)
{
	return access_image(model, presentable, name, queue, submission, presentable->timeline,
			    error);
}

bool vkr_presentation_reaches(const struct vkr_model *model, uint32_t memory)
{
	const struct vkr_map *map = &model->submissions.presentables;
	bool reaches = false;
	for (size_t at = 0; at < map->capacity && !reaches; at++) {
		const struct vkr_presentable *presentable =
			map->slots[at].used ? (const void *)(uintptr_t)map->slots[at].value : NULL;
		const struct vkr_image *image =
			presentable != NULL ? vkr_objects_image(&model->objects, presentable->image)
					    : NULL;
		for (uint32_t plane = 0; image != NULL && plane < image->plane_count; plane++)
			reaches = reaches || (image->planes[plane].memory != NULL &&
					      image->planes[plane].memory->id == memory);
	}
	return reaches;
}

// ---- Acquisition --------------------------------------------------------------------------------

static enum vkr_result release_image(struct vkr_model *model, uint32_t timeline, uint32_t *token,
				     struct vkr_error *error)
{
	return vkr_engine_release(model->engine, timeline, VKR_STAGE_PRESENTATION, false, token,
				  error);
}

// `fence` may be NULL.
static enum vkr_result signal_fence(struct vkr_model *model, uint32_t timeline,
				    struct vkr_fence *fence, struct vkr_error *error)
{
	if (fence == NULL)
		return VKR_OK;
	if (fence->token != 0)
		vkr_engine_token_drop(model->engine, fence->token);
	fence->pending = false;
	return release_image(model, timeline, &fence->token, error);
}

static void await_fence(struct vkr_fence *fence, const struct vkr_queue *queue)
{
	if (fence == NULL)
		return;
	fence->pending = fence->submitted = true;
	fence->queue = queue;
}

// Whether the image is the only one of its device that could be acquired.
static bool is_only_image(const struct vkr_model *model, uint32_t id)
{
	const struct vkr_image *image = vkr_objects_image(&model->objects, id);
	const struct vkr_map *images = &model->objects.images;
	uint32_t count = 0;
	for (size_t at = 0; image != NULL && at < images->capacity; at++) {
		const struct vkr_image *other = (const void *)(uintptr_t)images->slots[at].value;
		count += images->slots[at].used && !other->destroyed &&
			 other->device == image->device && other->flags & VKR_IMAGE_SWAPCHAIN;
	}
	return count <= 1;
}

// An access of the presentation engine to the image before the program has it.
static enum vkr_result access_acquired(struct vkr_model *model,
				       const struct vkr_presentable *presentable, uint32_t timeline,
				       struct vkr_error *error)
{
	enum vkr_result result = vkr_past_begin(model, timeline, NULL, error);
	if (result == VKR_OK)
		result = access_image(model, presentable, "vkAcquireNextImageKHR", NULL, 0,
				      timeline, error);
	return result == VKR_OK && model->past.keeps
		       ? vkr_past_end(model, vkr_past_acquire_event(presentable->image), error)
		       : result;
}

// The driver chooses which image is acquired, and so which presentation is complete: whichever it
// is, the program is ordered with what was done to that image, and with nothing else. All of this
// came before the engine's access to the image at the acquire, which is no race; later accesses are
// compared with that one.
static enum vkr_result hand_out(struct vkr_model *model, struct vkr_presentable *presentable,
				struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (presentable->handing == 0 || presentable->handing_family != presentable->family) {
		presentable->handing_family = presentable->family;
		result = vkr_engine_queue(model->engine, presentable->family, &presentable->handing,
					  error);
	}
	model->hands_out = true;
	if (result == VKR_OK)
		result = access_acquired(model, presentable, presentable->handing, error);
	model->hands_out = false;
	return result;
}

// The presentation engine is done with the image.
static enum vkr_result finish_acquire(struct vkr_model *model, struct vkr_presentable *presentable,
				      struct vkr_error *error)
{
	struct vkr_submissions *submissions = &model->submissions;
	struct vkr_semaphore *semaphore =
		vkr_table_find(&submissions->semaphores, presentable->semaphore);
	struct vkr_fence *fence = vkr_table_find(&submissions->fences, presentable->fence);
	const bool any = model->options.any_image && !is_only_image(model, presentable->image);
	enum vkr_result result = VKR_OK;
	uint32_t token = 0;
	presentable->acquiring = false;
	if (any)
		result = hand_out(model, presentable, error);
	// It may have read the image before it gave it out for the first time.
	else if (!presentable->presented || model->past.replaying)
		result = access_acquired(model, presentable, presentable->timeline, error);
	if (result == VKR_OK && semaphore != NULL) {
		semaphore->unjudged--;
		result = release_image(model, any ? presentable->handing : presentable->timeline,
				       &token, error);
		if (result == VKR_OK)
			result = vkr_semaphore_signal(model, semaphore,
						      &(struct vkr_signal){.token = token}, error);
	}
	if (result == VKR_OK)
		result = signal_fence(model, any ? presentable->handing : presentable->timeline,
				      fence, error);
	return result;
}

enum vkr_result vkr_presentation_acquire(struct vkr_model *model,
					 const struct vkr_trace_acquire *acquire,
					 struct vkr_error *error)
{
	struct vkr_presentable *presentable = NULL;
	uint32_t none = 0;
	const bool held = vkr_past_take_pending(model, &none);
	if (acquire->image == 0)
		return VKR_OK; // who waits for the signal says that it was not seen
	const enum vkr_result result = presentable_of(model, acquire->image, &presentable, error);
	if (result != VKR_OK)
		return result;
	if (model->past.replaying && !held) // what it did to the image, and nothing else
		return finish_acquire(model, presentable, error);
	if (presentable->acquiring)
		return VKR_OK;
	struct vkr_semaphore *semaphore =
		vkr_table_find(&model->submissions.semaphores, acquire->semaphore);
	struct vkr_fence *fence = vkr_table_find(&model->submissions.fences, acquire->fence);
	if (semaphore != NULL)
		semaphore->unjudged++;
	await_fence(fence, presentable->queue);
	presentable->semaphore = acquire->semaphore;
	presentable->fence = acquire->fence;
	presentable->acquiring = true;
	return presentable->unjudged == 0 ? finish_acquire(model, presentable, error) : VKR_OK;
}

// ---- Presentation -------------------------------------------------------------------------------

// The fence of one of the batch's images; NULL for none.
static struct vkr_fence *fence_of(const struct vkr_model *model,
				  const struct vkr_pending_batch *batch, uint32_t at)
{
	return batch->present_fences != NULL
		       ? vkr_table_find(&model->submissions.fences, batch->present_fences[at])
		       : NULL;
}

enum vkr_result vkr_presentation_pending(struct vkr_model *model, const struct vkr_queue *queue,
					 const struct vkr_pending_batch *batch,
					 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < batch->present_count && result == VKR_OK; at++) {
		struct vkr_presentable *presentable = NULL;
		result = presentable_of(model, batch->presents[at], &presentable, error);
		if (result != VKR_OK)
			break;
		presentable->unjudged++;
		presentable->queue = queue;
		await_fence(fence_of(model, batch, at), queue);
	}
	return result;
}

static enum vkr_result presentation_judged(struct vkr_model *model,
					   struct vkr_presentable *presentable,
					   struct vkr_error *error)
{
	presentable->unjudged--;
	return presentable->unjudged == 0 && presentable->acquiring
		       ? finish_acquire(model, presentable, error)
		       : VKR_OK;
}

enum vkr_result vkr_presentation_cancel(struct vkr_model *model,
					const struct vkr_pending_batch *batch,
					struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < batch->present_count && result == VKR_OK; at++) {
		struct vkr_presentable *presentable =
			vkr_table_find(&model->submissions.presentables, batch->presents[at]);
		struct vkr_fence *fence = fence_of(model, batch, at);
		if (fence != NULL)
			fence->pending = false;
		result = presentation_judged(model, presentable, error);
	}
	return result;
}

// The presentation engine needs no ownership of its own: it reads as the family that presents,
// which must have it (vkQueuePresentKHR).
static enum vkr_result present_from(struct vkr_model *model, struct vkr_presentable *presentable,
				    const struct vkr_queue *queue, struct vkr_error *error)
{
	const uint32_t family = vkr_queue_family(queue->device, queue->family);
	uint32_t timeline = 0, token = 0;
	if (family == presentable->family)
		return VKR_OK;
	enum vkr_result result = vkr_engine_queue(model->engine, family, &timeline, error);
	if (result == VKR_OK)
		result = release_image(model, presentable->timeline, &token, error);
	if (result == VKR_OK)
		result = vkr_engine_acquire(model->engine, timeline, token, UINT64_MAX, error);
	if (result != VKR_OK)
		return result;
	vkr_engine_token_drop(model->engine, token);
	presentable->timeline = timeline;
	presentable->family = family;
	return VKR_OK;
}

// The read of the presentation engine, after the semaphores that it waits for.
static enum vkr_result wait_for_all(struct vkr_model *model, uint32_t timeline,
				    const struct vkr_pending_batch *batch, struct vkr_error *error)
{
	if (model->past.replaying)
		return VKR_OK;
	enum vkr_result result =
		vkr_engine_acquire(model->engine, timeline, batch->host_token, UINT64_MAX, error);
	for (uint32_t at = 0; at < batch->wait_count && result == VKR_OK; at++) {
		const struct vkr_semaphore *semaphore =
			vkr_table_find(&model->submissions.semaphores, batch->waits[at].semaphore);
		const uint32_t token = semaphore != NULL && semaphore->signals.count > 0
					       ? semaphore->signals.items[0].token
					       : 0;
		if (token != 0)
			result = vkr_engine_acquire(model->engine, timeline, token, UINT64_MAX,
						    error);
		else
			result = vkr_assume_all_ordered(model, timeline, error);
	}
	return result;
}

static enum vkr_result end_waits(struct vkr_model *model, const struct vkr_pending_batch *batch,
				 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < batch->wait_count && result == VKR_OK; at++) {
		struct vkr_semaphore *semaphore =
			vkr_table_find(&model->submissions.semaphores, batch->waits[at].semaphore);
		if (semaphore != NULL && semaphore->signaled)
			vkr_semaphore_unsignal(model, semaphore);
		else
			result = vkr_model_missed(model, error, VKR_COVERAGE_SYNC, 0,
						  "a presentation waits for a semaphore whose "
						  "signal was not recorded");
	}
	return result;
}

enum vkr_result vkr_presentation_judge(struct vkr_model *model, const struct vkr_queue *queue,
				       const struct vkr_pending_batch *batch,
				       struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < batch->present_count && result == VKR_OK; at++) {
		struct vkr_presentable *presentable =
			vkr_table_find(&model->submissions.presentables, batch->presents[at]);
		result = present_from(model, presentable, queue, error);
		if (result == VKR_OK)
			result = wait_for_all(model, presentable->timeline, batch, error);
		if (result == VKR_OK)
			result = vkr_past_begin(model, presentable->timeline, NULL, error);
		if (result == VKR_OK)
			result = read_image(model, presentable, "vkQueuePresentKHR", queue,
					    batch->submission, error);
		if (result == VKR_OK && model->past.keeps)
			result = vkr_past_end(model,
					      vkr_past_present_event(queue->id, batch->submission,
								     presentable->image),
					      error);
		// It shows that the semaphores were waited for: what they order comes before it.
		if (result == VKR_OK)
			result = signal_fence(model, presentable->timeline,
					      fence_of(model, batch, at), error);
		presentable->presented = true;
	}
	if (result == VKR_OK)
		result = end_waits(model, batch, error);
	for (uint32_t at = 0; at < batch->present_count && result == VKR_OK; at++)
		result = presentation_judged(
			model,
			vkr_table_find(&model->submissions.presentables, batch->presents[at]),
			error);
	return result;
}

// ---- Volumes ------------------------------------------------------------------------------------

enum vkr_result vkr_presentation_restore(struct vkr_model *model,
					 const struct vkr_trace_past_timeline *from,
					 uint32_t *timeline, struct vkr_error *error)
{
	struct vkr_presentable *presentable = NULL;
	enum vkr_result result = presentable_of(model, from->object, &presentable, error);
	if (result != VKR_OK)
		return result;
	const bool hands = from->kind == VKR_PAST_LINE_HANDING;
	uint32_t *family = hands ? &presentable->handing_family : &presentable->family;
	uint32_t *made = hands ? &presentable->handing : &presentable->timeline;
	if (*made == 0 || *family != from->family) {
		*family = from->family;
		result = vkr_engine_queue(model->engine, from->family, made, error);
	}
	if (!hands) {
		presentable->presented = from->flags & VKR_PAST_PRESENTED;
		presentable->queue = vkr_objects_queue(&model->objects, from->queue);
	}
	*timeline = *made;
	return result;
}

bool vkr_presentation_save(const struct vkr_model *model, uint64_t presentable,
			   enum vkr_trace_past_line kind, struct vkr_trace_past_timeline *to)
{
	const struct vkr_presentable *from = (const void *)(uintptr_t)presentable;
	const struct vkr_image *image = vkr_objects_image(&model->objects, from->image);
	const bool hands = kind == VKR_PAST_LINE_HANDING;
	if (image == NULL || image->destroyed || (hands && from->handing == 0))
		return false;
	*to = (struct vkr_trace_past_timeline){
		.timeline = hands ? from->handing : from->timeline,
		.kind = kind,
		.object = from->image,
		.queue = !hands && from->queue != NULL ? from->queue->id : 0,
		.family = hands ? from->handing_family : from->family,
		.flags = !hands && from->presented ? VKR_PAST_PRESENTED : 0};
	return true;
}

bool vkr_presentation_is_acquiring(const struct vkr_model *model, uint32_t image)
{
	const struct vkr_presentable *presentable =
		vkr_table_find(&model->submissions.presentables, image);
	return presentable != NULL && presentable->acquiring;
}
