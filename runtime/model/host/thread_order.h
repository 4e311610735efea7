// SPDX-License-Identifier: Apache-2.0
// The order between host threads: whether they share one timeline or each has its own, and what
// they release and acquire. Does not know what they access.
#pragma once

#include "map.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_model;

struct vkr_thread_order {
	bool own;                 // HOST_ORDER said that each thread's order is its own
	uint32_t main;            // the timeline made first: of all threads, or of none
	struct vkr_map timelines; // thread -> timeline, where each has its own
	struct vkr_map objects[VKR_HOST_SYNC_THREAD_END + 1]; // address -> token, by kind
	struct vkr_map ignoring; // thread -> depth of the regions that it is in
};

void vkr_thread_order_finish(struct vkr_thread_order *threads);

// The events of trace_host.h that order threads: HOST_ORDER, HOST_RELEASE, HOST_ACQUIRE,
// HOST_IGNORE.
enum vkr_result vkr_thread_order_event(struct vkr_model *model, const struct vkr_trace_event *event,
				       struct vkr_error *error) VKR_MUST_USE;

// Makes model->host.timeline the timeline of the thread that has made an event. Thread 0 changes
// nothing.
enum vkr_result vkr_thread_order_enter(struct vkr_model *model, uint32_t thread,
				       struct vkr_error *error) VKR_MUST_USE;

// The timeline of the thread, 0: the one that was made first.
enum vkr_result vkr_thread_order_timeline(struct vkr_model *model, uint32_t thread,
					  uint32_t *timeline, struct vkr_error *error) VKR_MUST_USE;

// What an object has released, by its kind (enum vkr_trace_host_sync) and address, is now that of
// the token, which is taken over; what it held before is dropped.
enum vkr_result vkr_thread_order_give(struct vkr_model *model, uint32_t kind, uint64_t object,
				      uint32_t token, struct vkr_error *error) VKR_MUST_USE;

// Whether the thread is in a region that is to be ignored.
bool vkr_thread_order_ignores(const struct vkr_model *model, uint32_t thread);

// Calls visit with the timeline of each host thread, until one fails.
enum vkr_result vkr_thread_order_each(struct vkr_model *model, void *context,
				      enum vkr_result (*visit)(struct vkr_model *model,
							       uint32_t timeline, void *context,
							       struct vkr_error *error),
				      struct vkr_error *error) VKR_MUST_USE;
