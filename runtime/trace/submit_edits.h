// SPDX-License-Identifier: Apache-2.0
// Submissions with other semaphores, or with other stages of theirs. Knows which recordings hold
// the commands that a change is about; not how these are found.
#pragma once

#include "map.h"

#include "vkrace/change.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of one change.
struct vkr_submit_edit {
	struct vkr_map places, from; // recordings that hold the command at its place, at `from`
	struct vkr_map signals;      // semaphore and value -> whether a batch of `from` signals it
	struct vkr_map unsignaled;   // queue -> 1: the command's batch is before the next signal
	uint64_t signaled;           // the value that its new semaphore was signaled with last
	bool created;                // the semaphore
};

struct vkr_submit_edits {
	const struct vkr_change *const *changes; // borrowed
	struct vkr_submit_edit *edits;           // by change
	size_t count;
	struct vkr_map devices; // queue -> device
	struct {
		uint64_t *items;
		size_t count, capacity; // words of 8 bytes
	} out;
	struct {
		struct vkr_trace_semaphore_operation *items;
		size_t count, capacity;
	} waits, signals; // of all batches
};

bool vkr_submit_edits_init(struct vkr_submit_edits *edits, const struct vkr_change *const *changes,
			   size_t count);
void vkr_submit_edits_finish(struct vkr_submit_edits *edits);

// The new semaphore of a change, and the value that it was signaled with last; 0: none was.
uint32_t vkr_submit_edits_signal(const struct vkr_submit_edits *edits, size_t index,
				 uint64_t *value);

// A key for a semaphore's value; those of a binary semaphore are 0.
uint64_t vkr_submit_signal_key(const struct vkr_trace_semaphore_operation *operation);

// Whether a change is one of submissions.
bool vkr_is_submit_edit(enum vkr_change_kind kind);

// A recording executes another one, a secondary command buffer's. False for lack of memory, as
// below.
bool vkr_submit_edits_execute(struct vkr_submit_edits *edits, uint32_t recording,
			      uint32_t secondary);

bool vkr_submit_edits_queue(struct vkr_submit_edits *edits, const struct vkr_trace_queue *queue);

// The events that a SUBMIT event becomes in edits->out; `made` counts by change.
bool vkr_submit_edits_submit(struct vkr_submit_edits *edits, const struct vkr_trace_event *event,
			     uint64_t *made);
