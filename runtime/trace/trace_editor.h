// SPDX-License-Identifier: Apache-2.0
// Edits the events of a trace, so that they are those of a program with changed synchronization.
// Knows recordings and how commands are found in them; not what synchronization means.
#pragma once

#include "vkrace/change.h"
#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_trace_editor;

// An editor that makes `count` changes, which it borrows.
enum vkr_result vkr_trace_editor_create(const struct vkr_change *const *changes, size_t count,
					struct vkr_trace_editor **editor,
					struct vkr_error *error) VKR_MUST_USE;

// One event after the other.
struct vkr_edited_events {
	const struct vkr_trace_event *first;
	size_t bytes; // of all of them
};

// What the event is after the changes: itself, or others that are valid until the next call. Events
// come in the trace's order.
enum vkr_result vkr_trace_editor_edit(struct vkr_trace_editor *editor,
				      const struct vkr_trace_event *event,
				      struct vkr_edited_events *edited,
				      struct vkr_error *error) VKR_MUST_USE;

// What synchronizes, before it is edited.
struct vkr_seen_sync {
	// That takes it away: REMOVE, REMOVE_DEPENDENCY or REMOVE_SEMAPHORE. `name` and `recorded`
	// of its places are "". Of a REMOVE without masks.
	struct vkr_change removal;
	const struct vkr_trace_event *event; // CMD_BARRIER, CMD_WAIT_EVENTS of a REMOVE; else NULL
	const char *path, *build_id;         // of the file that called it; NULL: not known
	uint64_t address;                    // in that file
};

// Calls `see` for every barrier command, dependency between two subpasses of each render pass that
// is begun, and semaphore that a batch waits for which a batch has signaled; what it gets is valid
// during the call.
void vkr_trace_editor_watch(struct vkr_trace_editor *editor,
			    void (*see)(void *user, const struct vkr_seen_sync *sync), void *user);

// The barriers of a CMD_BARRIER or a CMD_WAIT_EVENTS; NULL for other events.
const struct vkr_trace_barrier *vkr_barriers_of(const struct vkr_trace_event *event,
						uint32_t *count);

// Whether a removal leaves barrier number `index` of such a command in place: it is a layout
// transition or an ownership transfer, or holds the stages of one. Of a wait for events all or none
// stay: what was set must match the wait.
bool vkr_barrier_stays(const struct vkr_trace_event *event, uint32_t index);

// In how many places of recordings change number `index` has been made.
uint64_t vkr_trace_editor_made(const struct vkr_trace_editor *editor, size_t index);

// NULL is allowed.
void vkr_trace_editor_destroy(struct vkr_trace_editor *editor);
