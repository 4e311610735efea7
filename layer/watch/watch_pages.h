// SPDX-License-Identifier: Apache-2.0
// The default way of watching host threads: pages are closed to them exactly while an access there
// could be part of a race, and nothing is noted of any other page. Knows the order in which events
// and pages change; not what is in them.
//
// Why nothing is missed. An access of the host can race with the device only (host threads are
// ordered as they are observed at Vulkan calls, and VKRACE_HOST_SYNC, which changes that, watches
// everything). It is then unordered with an access of some submission, or ordered, but with a
// memory dependency missing:
//  - before the submission: vkQueueSubmit orders every earlier host access, and makes host writes
//  to
//    coherent memory available to the device (synchronization chapter, "Host Write Ordering
//    Guarantees"). Memory that is not coherent is watched as a whole.
//  - after it, and before a wait that shows it to be over: its pages are closed, from before the
//    submission is recorded until after the wait is.
//  - after such a wait: what was only read is ordered. What may have been written stays closed
//  until
//    a submission with a barrier that certainly brings it to the host has been waited for.
// Bytes, kinds of access and threads come from faults alone, never from a page.
#pragma once

#include "recorder.h"

#include <stdbool.h>

struct vkr_region;

// Closes what the event asks for, before it is recorded, and opens what it allows, afterwards.
void vkr_watch_pages_before(enum vkr_trace_type type, const void *payload,
			    const struct vkr_bytes *pieces, size_t piece_count);
void vkr_watch_pages_after(enum vkr_trace_type type, const void *payload,
			   const struct vkr_bytes *pieces, size_t piece_count);

// Host threads reach the memory through the region from now on, or no more. False where that cannot
// be kept: then all of the region must be closed.
bool vkr_watch_pages_map(uint32_t memory, struct vkr_region *region);

// Which bytes of the region work accesses is not known: it is closed from now on.
void vkr_watch_pages_close(struct vkr_region *region);

void vkr_watch_pages_unmap(const struct vkr_region *region);

// As vkr_watch_pending_free().
bool vkr_watch_pages_free(uint32_t memory, struct vkr_region *region);
