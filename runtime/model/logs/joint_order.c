// SPDX-License-Identifier: Apache-2.0
#include "joint_order.h"

#include "array.h"
#include "error.h"
#include "model_state.h"
#include "site_table.h"

#include <stdio.h>
#include <stdlib.h>

void vkr_joint_finish(struct vkr_joint_order *joint)
{
	vkr_sync_clear(&joint->sync);
	free(joint->sync.ranges.items);
	free(joint->sites.items);
	free(joint->numbers.items);
	*joint = (struct vkr_joint_order){0};
}

// Whether others may read what atomics of the shader write. *unseen: some do not log the value.
static bool writes_atomically(const struct vkr_shader *shader, bool *unseen)
{
	const struct vkr_site *sites = vkr_site_table_sites(shader->sites);
	bool writes = false;
	for (uint32_t at = 0; at < shader->sites->site_count; at++) {
		const bool write = vkr_sync_is_atomic(&sites[at]) &&
				   sites[at].operation != VKR_SITE_ATOMIC_LOAD;
		writes |= write;
		*unseen |= write && !(sites[at].flags & VKR_SITE_EVIDENCE);
	}
	return writes;
}

enum vkr_joint_kind vkr_joint_is_for(const struct vkr_pipeline *pipeline)
{
	bool orders = false, calls = false, unseen = false;
	uint32_t shaders = 0;
	for (uint32_t at = 0; at < pipeline->shader_count; at++) {
		const struct vkr_shader *shader = pipeline->shaders[at];
		if (!(shader->flags & VKR_SHADER_INSTRUMENTED))
			return VKR_JOINT_NONE;
		if (shader->sites == NULL)
			continue;
		const bool by_atomics =
			(shader->orders_invocations | shader->orders_workgroups) != 0;
		orders |= by_atomics;
		calls |= shader->orders_calls != 0;
		// What relaxed atomics write stands in release sequences of others.
		shaders += writes_atomically(shader, &unseen) || by_atomics;
	}
	if (!orders || unseen)
		return VKR_JOINT_NONE;
	return calls ? VKR_JOINT_CALLS : shaders > 1 ? VKR_JOINT_ATOMICS : VKR_JOINT_NONE;
}

// ---- Several shaders as one ---------------------------------------------------------------------

static uint32_t behind(uint32_t index, size_t first)
{
	return index == VKR_SYNC_NONE ? index : index + (uint32_t)first;
}

static bool reserve(struct vkr_joint_order *joint, const struct vkr_sync *one, size_t sites)
{
	struct vkr_sync *all = &joint->sync;
	return VKR_ARRAY_RESERVE(&joint->sites, sites) &&
	       VKR_ARRAY_RESERVE(&joint->numbers, sites) &&
	       VKR_ARRAY_RESERVE(&all->events, one->events.count) &&
	       VKR_ARRAY_RESERVE(&all->atomics, one->atomics.count) &&
	       VKR_ARRAY_RESERVE(&all->agents, one->agents.count) &&
	       VKR_ARRAY_RESERVE(&all->accesses, one->accesses.count);
}

static void append_events(struct vkr_sync *all, const struct vkr_sync *one, size_t first_site)
{
	const size_t first_event = all->events.count, first_atomic = all->atomics.count;
	for (size_t at = 0; at < one->events.count; at++) {
		struct vkr_sync_event event = one->events.items[at];
		event.agent = behind(event.agent, all->agents.count);
		event.site = behind(event.site, first_site);
		event.atomic = behind(event.atomic, first_atomic);
		event.mate = behind(event.mate, first_event);
		all->events.items[all->events.count++] = event;
	}
	for (size_t at = 0; at < one->atomics.count; at++) {
		struct vkr_sync_atomic atomic = one->atomics.items[at];
		atomic.event = behind(atomic.event, first_event);
		all->atomics.items[all->atomics.count++] = atomic;
	}
}

// All of one shader behind all of the others. False for lack of memory.
static bool append(struct vkr_joint_order *joint, const struct vkr_sync *one)
{
	struct vkr_sync *all = &joint->sync;
	const size_t sites = one->program->shader->sites->site_count;
	const size_t first_site = joint->sites.count, first_agent = all->agents.count;
	const size_t first_event = all->events.count, first_atomic = all->atomics.count;
	if (!reserve(joint, one, sites))
		return false;
	for (uint32_t at = 0; at < sites; at++) {
		joint->sites.items[joint->sites.count++] = one->sites[at];
		joint->numbers.items[joint->numbers.count++] = at;
	}
	append_events(all, one, first_site);
	for (size_t at = 0; at < one->agents.count; at++) {
		struct vkr_sync_agent agent = one->agents.items[at];
		agent.first_event += first_event;
		agent.stand_in[0] = behind(agent.stand_in[0], first_agent);
		agent.stand_in[1] = behind(agent.stand_in[1], first_agent);
		all->agents.items[all->agents.count++] = agent;
	}
	for (size_t at = 0; at < one->accesses.count; at++) {
		struct vkr_sync_access access = one->accesses.items[at];
		access.agent = behind(access.agent, first_agent);
		access.table_site = behind(access.table_site, first_site);
		access.atomic = behind(access.atomic, first_atomic);
		all->accesses.items[all->accesses.count++] = access;
	}
	return true;
}

enum vkr_result vkr_joint_collect(struct vkr_joint_order *joint, struct vkr_calls *calls,
				  struct vkr_dispatch_targets *targets,
				  const struct vkr_chunk *chunks, size_t count,
				  const struct vkr_map *begins,
				  const struct vkr_invocation_groups *groups,
				  struct vkr_error *error)
{
	const bool is_called = joint->kind == VKR_JOINT_CALLS;
	const struct vkr_program *program = targets->program;
	struct vkr_sync *all = &joint->sync;
	struct vkr_sync one = {.program = program,
			       .sites = vkr_site_table_sites(program->shader->sites),
			       .local_size = targets->local_size,
			       .subgroup_size = targets->subgroup_size,
			       .each = is_called,
			       .ranges = all->ranges};
	enum vkr_result result = vkr_sync_collect(&one, targets, chunks, count, error);
	if (result == VKR_OK &&
	    (!append(joint, &one) || (is_called && !vkr_calls_add(calls, &one, begins, groups))))
		result = vkr_error_memory(error, "a command's synchronization");
	if (all->events.count >= VKR_SYNC_NONE || all->accesses.count >= VKR_SYNC_NONE)
		result = vkr_error_set(
			error, VKR_ERROR_UNSUPPORTED,
			"more than 4,294,967,294 synchronizing events of one command");
	// One unknown makes all unknown.
	all->subgroup_size = all->local_size == 0 || all->subgroup_size > one.subgroup_size
				     ? one.subgroup_size
				     : all->subgroup_size;
	all->local_size = all->local_size > one.local_size ? all->local_size : one.local_size;
	one.ranges = (struct vkr_sync_ranges){0};
	vkr_sync_clear(&one);
	return result;
}

enum vkr_result vkr_joint_judge(struct vkr_model *model, const struct vkr_device *device,
				uint32_t command, const char *name, struct vkr_error *error)
{
	struct vkr_joint_order *joint = &model->joint;
	struct vkr_sync *sync = &joint->sync;
	char shaders[128];
	snprintf(shaders, sizeof shaders, "what one %s runs", name);
	sync->sites = joint->sites.items;
	sync->site_count = joint->sites.count;
	sync->site_numbers = joint->numbers.items;
	sync->chains = device != NULL && (device->flags & VKR_DEVICE_AVAILABILITY_CHAINS);
	sync->command = command;
	sync->each = joint->kind == VKR_JOINT_CALLS;
	enum vkr_result result = VKR_OK;
	if (sync->each && !vkr_calls_release(&model->calls, sync))
		result = vkr_error_memory(error, "shader calls");
	if (result == VKR_OK)
		result = vkr_model_judge_sync(model, sync, shaders, error);
	vkr_sync_clear(sync);
	vkr_calls_clear(&model->calls);
	joint->sites.count = joint->numbers.count = 0;
	return result;
}
