// SPDX-License-Identifier: Apache-2.0
// Images that are presented: what the presentation engine reads, and when it is done (Vulkan
// specification, "WSI Swapchain": vkAcquireNextImageKHR, vkQueuePresentKHR). Knows batches that
// present; not what renders.
//
// To the engine each image has a timeline of its own, that of the presentation engine. Its reads of
// the image come there after the semaphores that vkQueuePresentKHR waits for, and it signals the
// semaphore and the fence of vkAcquireNextImageKHR after them. The wait orders nothing on the
// queue: "the presentation command itself does not delay processing of subsequent commands on the
// queue".
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>

struct vkr_map;
struct vkr_model;
struct vkr_pending_batch;
struct vkr_queue;

void vkr_presentation_finish(struct vkr_map *presentables);

// ACQUIRE.
enum vkr_result vkr_presentation_acquire(struct vkr_model *model,
					 const struct vkr_trace_acquire *acquire,
					 struct vkr_error *error) VKR_MUST_USE;

// A batch that presents is pending on a queue, or was cancelled.
enum vkr_result vkr_presentation_pending(struct vkr_model *model, const struct vkr_queue *queue,
					 const struct vkr_pending_batch *batch,
					 struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_presentation_cancel(struct vkr_model *model,
					const struct vkr_pending_batch *batch,
					struct vkr_error *error) VKR_MUST_USE;

// Of an entry of `presentables`, what a volume says of its timeline of this kind (enum
// vkr_trace_past_line); false where it has none, or its image is gone. The counterpart. And
// whether the image is acquired behind what is not judged yet.
bool vkr_presentation_save(const struct vkr_model *model, uint64_t presentable,
			   enum vkr_trace_past_line kind, struct vkr_trace_past_timeline *to);
enum vkr_result vkr_presentation_restore(struct vkr_model *model,
					 const struct vkr_trace_past_timeline *from,
					 uint32_t *timeline, struct vkr_error *error) VKR_MUST_USE;
bool vkr_presentation_is_acquiring(const struct vkr_model *model, uint32_t image);

// Whether the presentation engine may access the memory: an image is in it that it was given.
bool vkr_presentation_reaches(const struct vkr_model *model, uint32_t memory);

// Judges it: its waits and the presentation engine's reads.
enum vkr_result vkr_presentation_judge(struct vkr_model *model, const struct vkr_queue *queue,
				       const struct vkr_pending_batch *batch,
				       struct vkr_error *error) VKR_MUST_USE;
