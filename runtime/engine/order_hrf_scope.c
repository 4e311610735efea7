// SPDX-License-Identifier: Apache-2.0
// Scope inclusion and observability of the HRF models (definitions 3.1, 6.1 and 6.2, figures 13 and
// 17). Knows groups of agents; not what synchronizes.
#include "order_hrf.h"

enum vkr_hrf_scope vkr_hrf_scope_of(enum vkr_order_scope scope)
{
	switch (scope) {
	case VKR_ORDER_INVOCATION:
		return VKR_HRF_WORK_ITEM;
	case VKR_ORDER_SUBGROUP:
		return VKR_HRF_SUBGROUP;
	case VKR_ORDER_WORKGROUP:
		return VKR_HRF_WORKGROUP;
	case VKR_ORDER_SHADER_CALL:
	case VKR_ORDER_FRAGMENT_INTERLOCK:
	case VKR_ORDER_QUEUE_FAMILY:
	case VKR_ORDER_DEVICE:
		return VKR_HRF_DEVICE;
	case VKR_ORDER_CROSS_DEVICE:
	case VKR_ORDER_SCOPES:
		break;
	}
	return VKR_HRF_SYSTEM;
}

#define HOST_DEVICE UINT64_MAX
#define ALONE       (UINT64_C(1) << 63) // with an agent's number: no group's

struct vkr_hrf_instance vkr_hrf_instance_of(const struct vkr_order *order, uint64_t agent,
					    enum vkr_hrf_scope scope)
{
	const struct vkr_order_group_record *group = vkr_order_group_of(order, agent);
	const struct vkr_order_group *is = &group->is;
	const uint64_t index = agent - group->first;
	struct vkr_hrf_instance instance = {.scope = scope};
	switch (scope) {
	case VKR_HRF_WORK_ITEM:
		instance.number = agent;
		break;
	case VKR_HRF_SUBGROUP:
		instance.number =
			is->host ? ALONE | agent : is->subgroup + index / is->subgroup_size;
		break;
	case VKR_HRF_WORKGROUP:
		instance.number =
			is->host ? ALONE | agent : is->workgroup + index / is->workgroup_size;
		break;
	case VKR_HRF_DEVICE:
		instance.number = is->host ? HOST_DEVICE : is->device;
		break;
	case VKR_HRF_SYSTEM:
	case VKR_HRF_SCOPES:
		break;
	}
	return instance;
}

static bool hrf_scope_share(const struct vkr_order *order, enum vkr_hrf_scope scope, uint64_t agent,
			    uint64_t other)
{
	return vkr_hrf_instance_of(order, agent, scope).number ==
	       vkr_hrf_instance_of(order, other, scope).number;
}

bool vkr_hrf_inclusive(const struct vkr_order *order, uint64_t agent, enum vkr_hrf_scope one,
		       uint64_t other, enum vkr_hrf_scope two, bool shared)
{
	// Definition 3.1. Groups nest: of two instances that hold both agents one holds the other.
	if (order->options.rules.model != VKR_MEMORY_HRF_OPENCL)
		return hrf_scope_share(order, one, agent, other) &&
		       hrf_scope_share(order, two, agent, other);
	// Definition 6.1, which has no line for work-items.
	if (one != two || one == VKR_HRF_WORK_ITEM)
		return false;
	if (one == VKR_HRF_SYSTEM)
		return shared || hrf_scope_share(order, VKR_HRF_DEVICE, agent, other);
	return hrf_scope_share(order, one, agent, other);
}

bool vkr_hrf_observable(const struct vkr_order *order, const struct vkr_order_access *first,
			const struct vkr_order_access *second)
{
	// "Maximum Dynamic Memory Scope"; both are of one location.
	const enum vkr_hrf_scope most = first->local    ? VKR_HRF_WORKGROUP
					: first->coarse ? VKR_HRF_DEVICE
							: VKR_HRF_SYSTEM;
	return hrf_scope_share(order, most, first->agent, second->agent);
}
