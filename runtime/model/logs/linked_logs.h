// SPDX-License-Identifier: Apache-2.0
// What is kept of one shader stage of a command because atomics and fences may order it with other
// commands. Knows one stage of one command; not what it is judged with (command_links.h).
//
// Accesses take 16 bytes each, and 24 for the accesses of an invocation between two of its events:
// what accesses of one instruction have in common is stored once.
#pragma once

#include "joined_logs.h"
#include "map.h"
#include "standing.h"

// What accesses of one instruction, through one reference, have in common.
struct vkr_kept_kind {
	uint64_t memory;
	uint32_t table_site, site, reference;
	uint32_t bytes; // of each
	bool read, write;
};

struct vkr_kept_access {
	uint64_t low;
	uint32_t kind;   // index
	uint32_t atomic; // index, or VKR_SYNC_NONE
};

// Those of one invocation, with no event between them.
struct vkr_kept_run {
	uint32_t first; // access
	uint32_t workgroup, local, agent, events, barriers;
};

struct vkr_linked {
	uint32_t command, family; // the engine's command, as long as it stands there
	uint64_t tag, stage;
	uint64_t read, written; // access types
	struct vkr_engine_standing standing;
	bool far;    // it has atomics that reach other commands, or makes available for them
	bool chains; // vulkanMemoryModelAvailabilityVisibilityChains
	uint32_t workgroup_end;      // after the last one that is known
	struct vkr_joined_logs logs; // without accesses
	struct {
		struct vkr_kept_kind *items;
		size_t count, capacity;
	} kinds;
	struct vkr_map kind_places; // hash -> 1 + index
	struct {
		struct vkr_kept_run *items;
		size_t count, capacity;
	} runs;
	struct {
		struct vkr_kept_access *items;
		size_t count, capacity;
	} accesses;
};

// Takes what another one has logged, which ends the other.
void vkr_linked_take_log(struct vkr_linked *linked, struct vkr_linked *from);

void vkr_linked_finish(struct vkr_linked *linked);

// Whether a shader of the stage may bring itself into order with others: then all that it did is
// kept.
static inline bool vkr_linked_is_logged(const struct vkr_linked *linked)
{
	return linked->logs.sites.count > 0;
}

static inline bool vkr_linked_is(const struct vkr_linked *linked, uint64_t number)
{
	return linked->standing.number == number;
}

// Adds what the stage has logged. False for lack of memory.
bool vkr_linked_add(struct vkr_linked *linked, const struct vkr_sync *sync);

// Appends the accesses to these merged ranges (reads, writes or both, as asked) to the log that the
// stage's own log was appended to. False for lack of memory.
bool vkr_linked_accesses(const struct vkr_linked *linked, const struct vkr_sync_ranges *ranges,
			 bool reads, bool writes, struct vkr_joined_logs *logs,
			 const struct vkr_joined_at *at);
