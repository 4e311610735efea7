// SPDX-License-Identifier: Apache-2.0
// Several commands that are judged as one log: which workgroups are of which command, and the
// points in vkr_order between which operations of the API stand. Knows nothing of logs.
#pragma once

#include "search.h"
#include "shader_sync.h"

// A command's share of the workgroups, where several commands are judged together: those from
// `workgroup` on, by the number that the next one begins with.
struct vkr_sync_part {
	uint32_t workgroup;
	uint32_t command, family; // the engine's command
	// Parts that come before this one by system-synchronizes-with: indices, each below its own.
	// Parts that come before one of these need not be listed.
	const uint32_t *after;
	uint32_t after_count;
	bool leads;         // some part is after it
	uint32_t component; // of its beginning: known with the order
	bool ended;         // vkr_sync_part_end is ordered after it
};

// The part that a workgroup is of.
static inline struct vkr_sync_part *vkr_sync_part_of(const struct vkr_sync *sync,
						     uint32_t workgroup)
{
	size_t next = 1;
	VKR_SEARCH(next, sync->commands.part_count, at,
		   sync->commands.parts[at].workgroup <= workgroup);
	return &sync->commands.parts[next - 1];
}

uint64_t vkr_sync_first_agent(const struct vkr_sync *sync, const struct vkr_sync_part *part);

// Agents that stand for the dependencies before a part, and for all that it has done.
static inline uint64_t vkr_sync_part_begin(const struct vkr_sync *sync, uint32_t part)
{
	return sync->commands.points + 2 * (uint64_t)part;
}

static inline uint64_t vkr_sync_part_end(const struct vkr_sync *sync, uint32_t part)
{
	return vkr_sync_part_begin(sync, part) + 1;
}
