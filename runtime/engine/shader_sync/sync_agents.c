// SPDX-License-Identifier: Apache-2.0
// Invocations and their accesses as vkr_order knows them. Knows which agent stands for which
// invocation; not what they do in which order.
#include "error.h"
#include "sync_parts.h"

enum vkr_order_scope vkr_sync_scope(uint8_t scope)
{
	switch ((enum vkr_scope)scope) {
	case VKR_SCOPE_CROSS_DEVICE:
		return VKR_ORDER_CROSS_DEVICE;
	case VKR_SCOPE_DEVICE:
		return VKR_ORDER_DEVICE;
	case VKR_SCOPE_WORKGROUP:
		return VKR_ORDER_WORKGROUP;
	case VKR_SCOPE_SUBGROUP:
		return VKR_ORDER_SUBGROUP;
	case VKR_SCOPE_INVOCATION:
		return VKR_ORDER_INVOCATION;
	case VKR_SCOPE_QUEUE_FAMILY:
		return VKR_ORDER_QUEUE_FAMILY;
	case VKR_SCOPE_SHADER_CALL:
		return VKR_ORDER_SHADER_CALL;
	}
	return VKR_ORDER_INVOCATION;
}

// The number of an invocation that is not kept as an agent, and so has no place in the launch
// order.
static uint64_t invocation_id(const struct vkr_sync *sync, uint32_t workgroup, uint32_t local)
{
	return 1 + workgroup * sync->stride + local;
}

uint64_t vkr_sync_agent_id(const struct vkr_sync *sync, uint32_t index)
{
	const struct vkr_sync_agent *agent = &sync->agents.items[index];
	return sync->calls.launch_order != NULL
		       ? UINT64_C(1) + sync->calls.launch_order[index]
		       : invocation_id(sync, agent->workgroup, agent->local);
}

uint64_t vkr_sync_first_agent(const struct vkr_sync *sync, const struct vkr_sync_part *part)
{
	return invocation_id(sync, part->workgroup, 0);
}

struct vkr_order_access vkr_sync_order_access(const struct vkr_sync *sync,
					      const struct vkr_sync_access *access,
					      unsigned stand_in)
{
	const struct vkr_site *site = &sync->sites[access->table_site];
	const bool atomic = vkr_sync_is_atomic(site);
	struct vkr_order_access made = {
		.agent = access->agent == VKR_SYNC_NONE
				 ? invocation_id(sync, access->workgroup, access->local)
				 : vkr_sync_agent_id(
					   sync,
					   sync->agents.items[access->agent].stand_in[stand_in]),
		.position = 2 * (uint64_t)access->events,
		.step = (2 * (uint64_t)access->events) << 32 | access->step,
		.reference = access->reference,
		.memory = access->memory,
		.offset = access->low,
		.size = access->high - access->low,
		.storage_class = site->storage_class,
		.read = access->read,
		.write = access->write,
		.atomic = atomic,
		.nonprivate = vkr_sync_is_nonprivate(site),
		.local = site->storage_class == VKR_CLASS_WORKGROUP,
		.scope = atomic ? vkr_sync_scope(site->scope) : VKR_ORDER_INVOCATION};
	if (access->write && (atomic || (site->flags & VKR_SITE_MAKE_AVAILABLE)))
		made.available = vkr_sync_scope(atomic ? site->scope : site->available_scope);
	if (access->read && (atomic || (site->flags & VKR_SITE_MAKE_VISIBLE)))
		made.visible = vkr_sync_scope(atomic ? site->scope : site->visible_scope);
	if (access->atomic != VKR_SYNC_NONE && sync->atomics.items[access->atomic].matters) {
		made.event = sync->events.items[sync->atomics.items[access->atomic].event].id;
		made.position++;
		made.step = (2 * (uint64_t)access->events + 1) << 32;
	}
	return made;
}

// The invocations of a launch are those that call each other ("Shader Call Scope"). None is in a
// workgroup; the rest of its launch is as near as a workgroup would be.
static enum vkr_result add_launches(struct vkr_sync *sync, struct vkr_error *error)
{
	uint32_t first = 0;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < sync->calls.launch_count && result == VKR_OK; at++) {
		const uint32_t count = sync->calls.launch_ends[at] - first;
		uint64_t agent = 0;
		result = vkr_order_add_group(sync->order,
					     &(struct vkr_order_group){.count = count,
								       .shader_call = at + 1,
								       .workgroup = at,
								       .workgroup_size = count,
								       .subgroup = first,
								       .subgroup_size = 1},
					     &agent, error);
		first = sync->calls.launch_ends[at];
	}
	return result;
}

static bool is_one_family(const struct vkr_sync *sync)
{
	for (uint32_t at = 1; at < sync->commands.part_count; at++)
		if (sync->commands.parts[at].family != sync->commands.parts[0].family)
			return false;
	return true;
}

// Each command's workgroups; agents' ids go on from one to the next. Then the points of parts.
static enum vkr_result add_parts(struct vkr_sync *sync, uint32_t subgroup, struct vkr_error *error)
{
	const uint64_t stride = sync->stride;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < sync->commands.part_count && result == VKR_OK; at++) {
		const struct vkr_sync_part *part = &sync->commands.parts[at];
		const uint64_t end = at + 1 < sync->commands.part_count
					     ? sync->commands.parts[at + 1].workgroup
					     : sync->commands.workgroup_end;
		uint64_t first = 0;
		result = vkr_order_add_group(
			sync->order,
			&(struct vkr_order_group){.count = (end - part->workgroup) * stride,
						  .queue_family = part->family,
						  .workgroup = part->workgroup,
						  .workgroup_size = stride,
						  .subgroup = part->workgroup * (stride / subgroup),
						  .subgroup_size = subgroup},
			&first, error);
	}
	for (uint32_t at = 0; at < 2 * sync->commands.part_count && result == VKR_OK; at++) {
		const uint64_t place = (uint64_t)sync->commands.workgroup_end + at;
		uint64_t agent = 0;
		result = vkr_order_add_group(
			sync->order,
			&(struct vkr_order_group){.count = 1,
						  .queue_family =
							  sync->commands.parts[at / 2].family,
						  .workgroup = place,
						  .workgroup_size = 1,
						  .subgroup = place * (stride / subgroup),
						  .subgroup_size = 1},
			&agent, error);
		if (at == 0)
			sync->commands.points = agent;
		sync->commands.parts[at / 2].ended = false;
	}
	return result;
}

enum vkr_result vkr_sync_make_order(struct vkr_sync *sync, struct vkr_error *error)
{
	const uint32_t size = sync->local_size;
	const uint32_t subgroup = sync->subgroup_size > 0 ? sync->subgroup_size : size;
	uint64_t first = 0;
	sync->stride = ((uint64_t)size + subgroup - 1) / subgroup * subgroup;
	sync->commands.one_family = is_one_family(sync);
	sync->order = vkr_order_create(
		&(struct vkr_order_options){.chains = sync->chains,
					    .one_dispatch = sync->commands.one_family,
					    .rules = sync->rules});
	if (sync->order == NULL)
		return vkr_error_memory(error, "events");
	if (sync->calls.launch_order != NULL)
		return add_launches(sync, error);
	if (sync->commands.parts != NULL)
		return add_parts(sync, subgroup, error);
	return vkr_order_add_group(
		sync->order,
		&(struct vkr_order_group){.count = ((uint64_t)UINT32_MAX + 1) * sync->stride,
					  .workgroup_size = sync->stride,
					  .subgroup_size = subgroup},
		&first, error);
}
