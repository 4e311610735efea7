// SPDX-License-Identifier: Apache-2.0
// When what was submitted is judged: queues' pending batches, semaphores, fences. The order depends
// on the trace's order of submissions and host calls only. Knows execution and signal operations;
// not what commands do.
//
// A batch is judged at its submission when its waits are signaled by batches judged before, and
// else as soon as they are. Among batches that can be judged, the one of the queue made first is
// next. Judging a batch whose log is not complete yet stops everything after it.
#pragma once

#include "choice.h"
#include "engine.h"
#include "map.h"
#include "model_objects.h"
#include "recordings.h"
#include "sparse_places.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_model;

struct vkr_pending_batch; // submissions.c

struct vkr_queue_pending {
	const struct vkr_queue *queue;
	struct vkr_pending_batch *first, *last;
	struct vkr_queue sparse; // as its sparse batches see it; timeline 0: there was none
	uint32_t signaled;       // token of what its signals so far cover; 0: there was none
};

// FENCE_WAIT, QUEUE_IDLE, DEVICE_IDLE, SEMAPHORE_WAIT, EVENT_SEEN or QUERY_SEEN; event 0 for none.
struct vkr_host_wait {
	uint32_t event, object;
	uint64_t value; // of a semaphore; of queries: the first << 32 | how many
	const struct vkr_call_stack *stack; // of the call; empty where it is not known
	uint32_t submission;                // of a fence that was waited for; 0 else
};

struct vkr_submissions {
	struct {
		struct vkr_queue_pending *items;
		size_t count, capacity;
	} queues;
	struct vkr_map semaphores, fences; // id -> object
	struct vkr_map cancelled;          // submission -> 1: vkQueueSubmit failed
	struct vkr_map presentables;       // image -> presentation.c's
	struct {
		struct vkr_trace_sparse_bind *items;
		size_t count, capacity;
	} sparse_binds; // of submissions to come
	struct vkr_sparse_places sparse_places;
	bool sparse_shared;            // memory is behind two sparse resources, which was said
	bool ended;                    // no log will come any more
	struct vkr_choice_place place; // of the run, for what is chosen of it
	// A host call has seen work complete: its effect waits until that work is judged.
	struct vkr_host_wait host_wait;
	struct vkr_host_wait last_wait; // that has had its effect
	struct {
		uint32_t *items;
		size_t count, capacity;
	} presents; // the numbers that presentations have among submissions, ascending
};

// The frame of a submission, from 1, the first of which ends with the first presentation; 0 where
// nothing is presented.
uint32_t vkr_submissions_frame(const struct vkr_submissions *submissions, uint32_t submission);

// Whether the batch that is being judged on a queue is of this submission and waits for semaphores.
bool vkr_submissions_waits(const struct vkr_submissions *submissions, uint32_t queue,
			   uint32_t submission);

// What is yet to access a memory on a timeline (vkr_engine_options.coming): any command, where
// atomics may bring one before others, or a volume begins.
enum vkr_engine_coming vkr_submissions_coming(void *model, uint32_t timeline, uint32_t memory);

void vkr_submissions_init(struct vkr_submissions *submissions);
void vkr_submissions_finish(struct vkr_submissions *submissions);

// The engine's number of a queue family: families of different devices are different instances of
// QueueFamily scope.
static inline uint32_t vkr_queue_family(uint32_t device, uint32_t family)
{
	return device << 16 | family;
}

// A new queue, which becomes a timeline of the engine.
enum vkr_result vkr_submissions_add_queue(struct vkr_model *model, struct vkr_queue *queue,
					  struct vkr_error *error) VKR_MUST_USE;

// Events of submissions, semaphores, fences, idle waits. After VKR_OK, vkr_submissions_advance is
// to be called before anything else.
enum vkr_result vkr_submissions_event(struct vkr_model *model, const struct vkr_trace_event *event,
				      struct vkr_error *error) VKR_MUST_USE;

// SUBMIT_FAILED: may come at any time.
enum vkr_result vkr_submissions_cancel(struct vkr_model *model, uint32_t submission,
				       struct vkr_error *error) VKR_MUST_USE;

// Judges all that can be judged. *waiting: true when a log is awaited.
enum vkr_result vkr_submissions_advance(struct vkr_model *model, bool *waiting,
					struct vkr_error *error) VKR_MUST_USE;

// Judges everything that is pending, whatever it waits for.
enum vkr_result vkr_submissions_end(struct vkr_model *model, struct vkr_error *error) VKR_MUST_USE;
