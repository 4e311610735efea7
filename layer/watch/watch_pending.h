// SPDX-License-Identifier: Apache-2.0
// Which pages must be closed to host threads now: those that submitted work may access until a wait
// has shown that it is over, and those that it may have written until a barrier to the host has
// been waited for. Knows submissions and waits by their events; not what commands do.
#pragma once

#include "watch_walk.h"

struct vkr_region;

// Submissions, signals and waits. False where there was no memory.
bool vkr_watch_pending_event(enum vkr_trace_type type, const void *payload, const void *tail);

// The memory can be reached by host threads through the region from now on, or no more.
bool vkr_watch_pending_map(uint32_t memory, struct vkr_region *region);
void vkr_watch_pending_unmap(const struct vkr_region *region);

// The memory is gone for the program. False where submitted work may still access it: then the
// region is destroyed once that is over.
bool vkr_watch_pending_free(uint32_t memory, struct vkr_region *region);

// Everything is closed for good: what must be closed is no longer known.
void vkr_watch_pending_give_up(void);
