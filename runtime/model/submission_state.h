// SPDX-License-Identifier: Apache-2.0
// What is pending and what was signaled, shared by the files that schedule submissions and that
// follow the host's waits. Nothing else includes it.
#pragma once

#include "event_needs.h"
#include "model_state.h"

// A value that a timeline semaphore was signaled to, and what the signal released.
struct vkr_signal {
	uint64_t value;
	uint32_t token;             // 0 for none
	uint32_t queue, submission; // that it is of; 0: none, or not known
};

struct vkr_semaphore {
	uint32_t id;
	bool timeline;
	uint64_t initial;
	uint32_t unjudged; // signal operations of pending batches
	bool signaled;     // binary: signaled, and not waited for yet
	struct {           // timeline: in the order of judgement; binary: at most one
		struct vkr_signal *items;
		size_t count, capacity;
	} signals;
};

struct vkr_fence {
	uint32_t id;
	uint32_t token; // of its last signal; 0 for none
	bool pending;   // its submission is not judged yet
	bool made_signaled, submitted;
	const struct vkr_queue *queue;
	uint32_t submission; // that signals it, the last one; 0: none
};

struct vkr_pending_batch {
	struct vkr_pending_batch *next;
	uint32_t submission;
	uint32_t host_token; // released by vkQueueSubmit
	bool last;           // of its submission: fence and host token are done with
	bool forced;         // the host saw it complete: waits that are not signaled do not count
	bool cancelled;
	bool begun; // its waits are judged, and executions before the next
	bool held;  // it is pending where the volume was cut: not judged before PAST_END
	uint32_t next_execution;
	uint32_t fence;
	uint32_t wait_count, execution_count, signal_count;
	struct vkr_trace_semaphore_operation *waits, *signals;
	struct vkr_trace_execution *executions;
	struct vkr_event_needs events;     // events that somebody must set first
	struct vkr_recording **recordings; // by execution; NULL: not known
	// A presentation: nothing but waits, and images that the presentation engine reads then.
	bool is_present;
	uint32_t present_count;
	uint32_t *presents;
	uint32_t *present_fences; // by image, 0 for none; NULL: none at all
	bool is_sparse;           // of vkQueueBindSparse
	uint32_t bind_count;
	struct vkr_trace_sparse_bind *binds;
};

// The signal that satisfies a wait: the least of those that reach the value. NULL if none does.
const struct vkr_signal *vkr_semaphore_satisfying(const struct vkr_semaphore *semaphore,
						  uint64_t value);

// The pending batches of a queue, NULL where there is no such queue.
struct vkr_queue_pending *vkr_submissions_pending(struct vkr_submissions *submissions,
						  uint32_t queue);

// What a host call has seen complete (host_waits.c).
struct vkr_host_wait vkr_host_wait_of(const struct vkr_trace_event *event);
// A signal operation has taken place; a binary semaphore's wait has.
enum vkr_result vkr_semaphore_signal(struct vkr_model *model, struct vkr_semaphore *semaphore,
				     const struct vkr_signal *signal,
				     struct vkr_error *error) VKR_MUST_USE;
void vkr_semaphore_unsignal(struct vkr_model *model, struct vkr_semaphore *semaphore);
void vkr_semaphore_free(struct vkr_semaphore *semaphore);

// SUBMIT and PRESENT: batches that are pending from now on.
enum vkr_result vkr_submissions_submit(struct vkr_model *model,
				       const struct vkr_trace_submit *submit,
				       struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_submissions_present(struct vkr_model *model,
					const struct vkr_trace_present *present,
					struct vkr_error *error) VKR_MUST_USE;

// Judges what can be judged, up to a batch whose log is awaited.
enum vkr_result vkr_submissions_judge_ready(struct vkr_model *model, bool *waiting,
					    struct vkr_error *error) VKR_MUST_USE;
