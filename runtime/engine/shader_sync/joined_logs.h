// SPDX-License-Identifier: Apache-2.0
// Joins what several logs say about synchronization as if it were one log. Knows indices and
// numbers; not why these logs belong together.
#pragma once

#include "shader_sync.h"

struct vkr_joined_logs {
	struct vkr_sync sync;
	struct {
		struct vkr_site *items; // of all shaders
		size_t count, capacity;
	} sites;
	struct {
		uint32_t *items; // by place in `sites`: place in the shader's own table
		size_t count, capacity;
	} numbers;
};

// How much higher a log's own indices and numbers have become.
struct vkr_joined_at {
	size_t site, agent, atomic;
	uint32_t workgroup;
};

static inline uint32_t vkr_joined_index(uint32_t index, size_t first)
{
	return index == VKR_SYNC_NONE ? index : index + (uint32_t)first;
}

// Puts a log after the others, without its accesses; its workgroups are numbered from `workgroup`
// on. False for lack of memory.
bool vkr_joined_logs_append(struct vkr_joined_logs *logs, const struct vkr_sync *one,
			    uint32_t workgroup, struct vkr_joined_at *at);

// Adds an access of the log that was put there. False for lack of memory.
bool vkr_joined_logs_access(struct vkr_joined_logs *logs, const struct vkr_joined_at *at,
			    const struct vkr_sync_access *access);

// All of a log, with the numbers that its workgroups have. False for lack of memory.
bool vkr_joined_logs_add(struct vkr_joined_logs *logs, const struct vkr_sync *one);

// Lets logs->sync be judged: it borrows the sites.
void vkr_joined_logs_close(struct vkr_joined_logs *logs);

// Keeps only allocated memory.
void vkr_joined_logs_clear(struct vkr_joined_logs *logs);
void vkr_joined_logs_finish(struct vkr_joined_logs *logs);
