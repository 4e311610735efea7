// SPDX-License-Identifier: Apache-2.0
// What is collected of a dispatch's log for its synchronization (shader_sync.h): events, atomics,
// agents, accesses, and the ranges of bytes that matter. Knows logs; not what orders.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VKR_SYNC_NONE UINT32_MAX
struct vkr_sync_range {
	uint64_t memory, low, high; // memory: vkr_sync_memory
};

// Ranges in any order; made disjoint and ascending by vkr_sync_ranges_merge.
struct vkr_sync_ranges {
	struct vkr_sync_range *items;
	size_t count, capacity, merge_at;
};

// A synchronizing instruction that an invocation has executed.
struct vkr_sync_event {
	uint32_t agent;  // index
	uint32_t site;   // in the site table
	uint32_t value;  // of a shader call or return: the log's head; of an acquire barrier: 1 +
			 // its first place in vkr_sync's `released`, 0: none
	uint32_t atomic; // index, or VKR_SYNC_NONE
	uint32_t mate;   // of a control barrier: the next arrival at it, in a ring; else itself
	uint32_t component; // from 1, ascending: what happens-before goes up; 0: not fed
	uint32_t before;    // events of the agent that are fed and stand before it
	uint32_t previous;  // the last of these, or VKR_SYNC_NONE
	uint32_t barriers;  // control barriers that its invocation has passed before it
	uint32_t instance;  // of a control barrier: 1 + the first event that arrived at it
	uint64_t id;        // vkr_order's; 0: not fed
};

struct vkr_sync_atomic {
	uint64_t memory, offset, read, written, modification, since; // since: its run's first turn
	uint32_t reference, event, bytes;
	bool reads, writes;
	bool releases, acquires; // by itself, or by a fence before or after it
	bool matters;            // some release of its location could meet some acquire
	uint32_t from;           // index of the write whose value it read, or VKR_SYNC_NONE
	// 1 + index of the class of writes that it could have read from, of which `from` is the
	// first; 0: it is certain. Of writes: the classes that they are in, or 0.
	uint32_t reads_class, value_class, place_class;
};

// An invocation; of invocations that are ordered alike, only the first two are kept.
struct vkr_sync_agent {
	uint32_t workgroup, local, subgroup;
	uint32_t event_count;
	size_t first_event;
	uint32_t stand_in[2]; // indices of agents, itself or others
	bool has_atomics;
	uint32_t fed_count; // how many of its events are fed
	uint32_t last_use;  // how many of them come before its last access to bytes that matter, or
			    // its last releasing atomic
};

// An access to bytes that matter.
struct vkr_sync_access {
	uint64_t memory, low, high;
	uint32_t agent; // index of an agent that is ordered alike, or VKR_SYNC_NONE: it never
			// synchronized
	uint32_t workgroup, local;
	uint32_t events, barriers; // of its invocation before it
	uint32_t step;             // in its invocation, among accesses
	uint32_t component;        // of the last event before it
	uint32_t table_site, site; // in the site table, the engine's
	uint32_t reference, atomic;
	bool read, write;
};

// False for lack of memory.
bool vkr_sync_ranges_add(struct vkr_sync_ranges *ranges, const struct vkr_sync_range *range);
void vkr_sync_ranges_merge(struct vkr_sync_ranges *ranges);
// Of merged ones: whether some bytes of an access are in them.
bool vkr_sync_ranges_access(const struct vkr_sync_ranges *ranges,
			    const struct vkr_sync_access *access);
