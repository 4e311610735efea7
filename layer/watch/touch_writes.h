// SPDX-License-Identifier: Apache-2.0
// Bytes that the device may have written and that no barrier has handed to the host yet. Knows what
// barriers name; not when work is over.
#pragma once

#include "touch_walk.h"

struct vkr_touch_ranges {
	struct vkr_touch_range *items;
	size_t count, capacity;
};

// Adds it unless it is there already. False for lack of memory.
bool vkr_touch_ranges_add(struct vkr_touch_ranges *ranges, const struct vkr_touch_range *range,
			  bool *added);

struct vkr_touch_write {
	struct vkr_touch_range range;
	uint8_t writer;     // enum vkr_touch_writer
	bool available;     // a barrier named the write
	bool handed;        // while a barrier is applied
	uint32_t queue;     // on which barriers may name it
	uint64_t followers; // stages that come behind it by barriers
};

struct vkr_touch_unhanded {
	struct vkr_touch_write *items;
	size_t count, capacity;
};

// False for lack of memory. *added: false where the same stood there already.
bool vkr_touch_unhanded_add(struct vkr_touch_unhanded *unhanded,
			    const struct vkr_touch_range *range, enum vkr_touch_writer writer,
			    uint32_t queue, bool *added);

// A barrier on the queue, for all memory where `range` is NULL. What it brings to the host moves to
// `handed`.
bool vkr_touch_unhanded_barrier(struct vkr_touch_unhanded *unhanded,
				const struct vkr_trace_barrier *barrier,
				const struct vkr_touch_range *range, uint32_t queue,
				struct vkr_touch_ranges *handed);

// A queue waits for a signal of another: all writes there are behind it, and available (semaphore
// signal operations: their access scope is all memory access of the device).
void vkr_touch_unhanded_follow(struct vkr_touch_unhanded *unhanded, uint32_t from, uint32_t to);

void vkr_touch_unhanded_forget(struct vkr_touch_unhanded *unhanded, uint32_t memory);
