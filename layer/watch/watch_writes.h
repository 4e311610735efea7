// SPDX-License-Identifier: Apache-2.0
// Bytes that the device may have written and that no barrier has handed to the host yet. Knows what
// barriers name; not when work is over.
#pragma once

#include "map.h"
#include "watch_walk.h"

struct vkr_watch_ranges {
	struct vkr_watch_range *items;
	size_t count, capacity;
	struct vkr_map
		by_range; // hash of a range to the place of one that vkr_watch_ranges_add added
};

// Adds it unless it is there already, as far as that is quickly told. False for lack of memory.
bool vkr_watch_ranges_add(struct vkr_watch_ranges *ranges, const struct vkr_watch_range *range,
			  bool *added);
void vkr_watch_ranges_finish(struct vkr_watch_ranges *ranges);

// Indices are 1 + the place in an array; 0: none.
struct vkr_watch_write {
	struct vkr_watch_range range;
	uint8_t writer;          // enum vkr_event_writer
	uint32_t group;          // that it is in
	uint32_t previous, next; // in the group
	uint32_t older, newer;   // of those with the same hash of range and writer
};

// How far barriers have brought writes: all of a group alike.
struct vkr_watch_state {
	uint32_t memory, queue; // on which barriers may name them
	uint32_t block, level;  // of the memory, as `level_of` in watch_writes.c says
	uint8_t writer;
	bool available;     // a barrier named the writes
	uint64_t followers; // stages that come after them by barriers
};

// Writes to one block of a memory that have come equally far: a barrier for all of them moves them
// at once, however many they are.
struct vkr_watch_group {
	struct vkr_watch_state state;
	uint64_t low, high; // all of them are in these bytes
	uint32_t first;     // write
	size_t count;       // 0: the group is not in use
	uint32_t free;      // then the next such group
};

struct vkr_watch_unhanded {
	struct {
		struct vkr_watch_write *items;
		size_t count, capacity;
	} writes;
	struct {
		struct vkr_watch_group *items;
		size_t count, capacity;
	} groups;
	uint32_t free_write, free_group;
	uint64_t moves; // of writes by barriers and waits; what was added before may be again
	struct vkr_map by_range; // hash of range and writer to the newest write
	struct vkr_map by_state; // hash of a state to its group
};

// False for lack of memory. *added: false where an equal one stood there already.
bool vkr_watch_unhanded_add(struct vkr_watch_unhanded *unhanded,
			    const struct vkr_watch_range *range, enum vkr_event_writer writer,
			    uint32_t queue, bool *added);

// A barrier on the queue, for all memory where `range` is NULL. What it brings to the host moves to
// `handed`.
bool vkr_watch_unhanded_barrier(struct vkr_watch_unhanded *unhanded,
				const struct vkr_trace_barrier *barrier,
				const struct vkr_watch_range *range, uint32_t queue,
				struct vkr_watch_ranges *handed);

// A queue waits for a signal of another: all writes there are after it, and available (semaphore
// signal operations: their access scope is all memory access of the device). False for lack of
// memory.
bool vkr_watch_unhanded_follow(struct vkr_watch_unhanded *unhanded, uint32_t from, uint32_t to);

void vkr_watch_unhanded_forget(struct vkr_watch_unhanded *unhanded, uint32_t memory);

// Calls `each` with the range of every write.
void vkr_watch_unhanded_each(const struct vkr_watch_unhanded *unhanded,
			     void (*each)(const struct vkr_watch_range *range));
