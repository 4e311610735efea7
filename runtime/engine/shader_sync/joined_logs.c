// SPDX-License-Identifier: Apache-2.0
// Several logs as one. Knows indices and numbers only.
#include "joined_logs.h"

#include "array.h"

#include <stdlib.h>

void vkr_joined_logs_clear(struct vkr_joined_logs *logs)
{
	vkr_sync_clear(&logs->sync);
	logs->sites.count = logs->numbers.count = 0;
}

void vkr_joined_logs_finish(struct vkr_joined_logs *logs)
{
	vkr_sync_clear(&logs->sync);
	free(logs->sync.ranges.items);
	free(logs->sites.items);
	free(logs->numbers.items);
	*logs = (struct vkr_joined_logs){0};
}

void vkr_joined_logs_close(struct vkr_joined_logs *logs)
{
	logs->sync.sites = logs->sites.items;
	logs->sync.site_count = logs->sites.count;
	logs->sync.site_numbers = logs->numbers.items;
}

// Workgroup memory is numbered by its workgroup.
static uint64_t memory_behind(uint64_t memory, uint32_t workgroup)
{
	return memory > UINT32_MAX ? memory + workgroup : memory;
}

static bool joined_logs_reserve(struct vkr_joined_logs *logs, const struct vkr_sync *one)
{
	struct vkr_sync *all = &logs->sync;
	return VKR_ARRAY_RESERVE(&logs->sites, one->site_count) &&
	       VKR_ARRAY_RESERVE(&logs->numbers, one->site_count) &&
	       VKR_ARRAY_RESERVE(&all->events, one->events.count) &&
	       VKR_ARRAY_RESERVE(&all->atomics, one->atomics.count) &&
	       VKR_ARRAY_RESERVE(&all->agents, one->agents.count) &&
	       VKR_ARRAY_RESERVE(&all->accesses, one->accesses.count);
}

static void append_events(struct vkr_sync *all, const struct vkr_sync *one,
			  const struct vkr_joined_at *at)
{
	const size_t first_event = all->events.count;
	for (size_t i = 0; i < one->events.count; i++) {
		struct vkr_sync_event event = one->events.items[i];
		event.agent = vkr_joined_index(event.agent, at->agent);
		event.site = vkr_joined_index(event.site, at->site);
		event.atomic = vkr_joined_index(event.atomic, at->atomic);
		event.mate = vkr_joined_index(event.mate, first_event);
		all->events.items[all->events.count++] = event;
	}
	for (size_t i = 0; i < one->atomics.count; i++) {
		struct vkr_sync_atomic atomic = one->atomics.items[i];
		atomic.event = vkr_joined_index(atomic.event, first_event);
		atomic.memory = memory_behind(atomic.memory, at->workgroup);
		all->atomics.items[all->atomics.count++] = atomic;
	}
}

bool vkr_joined_logs_append(struct vkr_joined_logs *logs, const struct vkr_sync *one,
			    uint32_t workgroup, struct vkr_joined_at *at)
{
	struct vkr_sync *all = &logs->sync;
	const size_t first_event = all->events.count;
	if (!joined_logs_reserve(logs, one))
		return false;
	*at = (struct vkr_joined_at){.site = logs->sites.count,
				     .agent = all->agents.count,
				     .atomic = all->atomics.count,
				     .workgroup = workgroup};
	for (uint32_t i = 0; i < one->site_count; i++) {
		logs->sites.items[logs->sites.count++] = one->sites[i];
		logs->numbers.items[logs->numbers.count++] =
			one->site_numbers != NULL ? one->site_numbers[i] : i;
	}
	append_events(all, one, at);
	for (size_t i = 0; i < one->agents.count; i++) {
		struct vkr_sync_agent agent = one->agents.items[i];
		agent.workgroup += workgroup;
		agent.first_event += first_event;
		agent.stand_in[0] = vkr_joined_index(agent.stand_in[0], at->agent);
		agent.stand_in[1] = vkr_joined_index(agent.stand_in[1], at->agent);
		all->agents.items[all->agents.count++] = agent;
	}
	// One unknown makes all unknown.
	all->subgroup_size = all->local_size == 0 || all->subgroup_size > one->subgroup_size
				     ? one->subgroup_size
				     : all->subgroup_size;
	all->local_size = all->local_size > one->local_size ? all->local_size : one->local_size;
	return true;
}

bool vkr_joined_logs_access(struct vkr_joined_logs *logs, const struct vkr_joined_at *at,
			    const struct vkr_sync_access *access)
{
	struct vkr_sync *all = &logs->sync;
	if (!VKR_ARRAY_RESERVE(&all->accesses, 1))
		return false;
	struct vkr_sync_access *made = &all->accesses.items[all->accesses.count++];
	*made = *access;
	made->memory = memory_behind(access->memory, at->workgroup);
	made->workgroup += at->workgroup;
	made->agent = vkr_joined_index(access->agent, at->agent);
	made->table_site = vkr_joined_index(access->table_site, at->site);
	made->atomic = vkr_joined_index(access->atomic, at->atomic);
	return true;
}

bool vkr_joined_logs_add(struct vkr_joined_logs *logs, const struct vkr_sync *one)
{
	struct vkr_joined_at at;
	if (!vkr_joined_logs_append(logs, one, 0, &at))
		return false;
	for (size_t i = 0; i < one->accesses.count; i++)
		if (!vkr_joined_logs_access(logs, &at, &one->accesses.items[i]))
			return false;
	return true;
}
