// SPDX-License-Identifier: Apache-2.0
// Scope instances and mutually-ordered atomics (appendix "Memory Model", sections "Scope" and
// "Atomic Operation"). Knows groups of agents; nothing of clocks.
#include "order_state.h"

bool vkr_order_host(const struct vkr_order *order, uint64_t agent)
{
	return vkr_order_group_of(order, agent)->is.host;
}

bool vkr_order_within(const struct vkr_order *order, enum vkr_order_scope scope, uint64_t agent,
		      uint64_t other)
{
	if (agent == other || scope == VKR_ORDER_CROSS_DEVICE)
		return true;
	const struct vkr_order_group_record *one = vkr_order_group_of(order, agent);
	const struct vkr_order_group_record *two = vkr_order_group_of(order, other);
	if (one->is.host || two->is.host)
		return false;
	switch (scope) {
	case VKR_ORDER_INVOCATION:
		return false;
	case VKR_ORDER_SUBGROUP:
		return one->is.subgroup + (agent - one->first) / one->is.subgroup_size ==
		       two->is.subgroup + (other - two->first) / two->is.subgroup_size;
	case VKR_ORDER_WORKGROUP:
		return one->is.workgroup + (agent - one->first) / one->is.workgroup_size ==
		       two->is.workgroup + (other - two->first) / two->is.workgroup_size;
	case VKR_ORDER_SHADER_CALL:
		return one->is.shader_call != 0 && one->is.shader_call == two->is.shader_call;
	case VKR_ORDER_FRAGMENT_INTERLOCK:
		return one->is.interlock != 0 && one->is.interlock == two->is.interlock;
	case VKR_ORDER_QUEUE_FAMILY:
		return one->is.queue_family == two->is.queue_family;
	case VKR_ORDER_DEVICE:
		return one->is.device == two->is.device;
	case VKR_ORDER_CROSS_DEVICE:
	case VKR_ORDER_SCOPES:
		break;
	}
	return true;
}

bool vkr_order_in_scope(const struct vkr_order *order, uint64_t agent, enum vkr_order_scope scope,
			uint64_t other, enum vkr_order_scope other_scope)
{
	return vkr_order_within(order, scope, agent, other) &&
	       vkr_order_within(order, other_scope, other, agent);
}

bool vkr_order_mutual(const struct vkr_order *order, const struct vkr_order_access *first,
		      const struct vkr_order_access *second)
{
	if (!first->atomic || !second->atomic || first->memory != second->memory ||
	    first->offset != second->offset || first->size != second->size ||
	    first->reference != second->reference)
		return false;
	if (!vkr_order_in_scope(order, first->agent, first->scope, second->agent, second->scope))
		return false;
	return order->options.concurrent_host_atomics ||
	       vkr_order_host(order, first->agent) == vkr_order_host(order, second->agent);
}
