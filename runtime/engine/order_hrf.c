// SPDX-License-Identifier: Apache-2.0
// Heterogeneous races (figures 9, 13, 14 and 17): conflicts that nothing orders, or of which one
// cannot be observed by the other. Knows the definitions; how they are met is asked of
// order_hrf_*.c.
#include "order_hrf.h"

#include "error.h"

static bool in_scopes(const struct vkr_order *order, const struct vkr_order_access *first,
		      const struct vkr_order_access *second)
{
	const bool shared = !first->local && !first->coarse;
	return vkr_hrf_inclusive(order, first->agent, vkr_hrf_scope_of(first->scope), second->agent,
				 vkr_hrf_scope_of(second->scope), shared);
}

// "Ordinary Conflict" and "Atomic Conflict", of accesses that overlap.
static bool order_hrf_conflict(const struct vkr_order *order, const struct vkr_order_access *first,
			       const struct vkr_order_access *second)
{
	const bool same_bytes = first->offset == second->offset && first->size == second->size;
	if (!first->write && !second->write)
		return false;
	return !first->atomic || !second->atomic || !in_scopes(order, first, second) ||
	       (order->options.rules.readings.atomic_overlap && !same_bytes);
}

static bool out_of_scope(const struct vkr_order *order,
			 const struct vkr_order_separation *separation)
{
	const struct vkr_order_node *release = vkr_order_node_at(order, separation->release);
	const struct vkr_order_node *acquire = vkr_order_node_at(order, separation->acquire);
	return release && acquire &&
	       !vkr_hrf_inclusive(order, release->access.agent,
				  vkr_hrf_scope_of(release->event.scope), acquire->access.agent,
				  vkr_hrf_scope_of(acquire->event.scope),
				  !release->access.local && !release->access.coarse);
}

// Alike whichever of the two is called first: nothing says which was meant to be.
static void order_hrf_classify(const struct vkr_order *order, const struct vkr_order_access *first,
			       const struct vkr_order_access *second,
			       struct vkr_order_separation *separation)
{
	struct vkr_order_separation forward = {.forward = true}, backward = {0};
	vkr_order_find_nearest(order, first, second, &forward);
	vkr_order_find_nearest(order, second, first, &backward);
	const bool forward_apart = out_of_scope(order, &forward);
	const bool backward_apart = out_of_scope(order, &backward);
	const bool choose_forward =
		forward_apart != backward_apart ? forward_apart : first->agent <= second->agent;
	*separation = choose_forward ? forward : backward;
	separation->race_class =
		forward_apart || backward_apart || (first->atomic && second->atomic)
			? VKR_RACE_SCOPE
			: VKR_RACE_UNORDERED;
}

static enum vkr_result
order_hrf_compare(const struct vkr_order *order, const struct vkr_order_access *first,
		  const struct vkr_order_access *second,
		  bool (*report)(void *context, const struct vkr_order_run *run), void *context,
		  struct vkr_error *error)
{
	const uint64_t first_end = first->offset + first->size;
	const uint64_t second_end = second->offset + second->size;
	const uint64_t low = first->offset > second->offset ? first->offset : second->offset;
	const uint64_t high = first_end < second_end ? first_end : second_end;
	struct vkr_order_run run = {.offset = low, .size = high - low};
	if (first->memory != second->memory || low >= high ||
	    !order_hrf_conflict(order, first, second))
		return VKR_OK;
	const bool forward = vkr_hrf_before(order, first, second, false);
	const bool backward = vkr_hrf_before(order, second, first, false);
	const bool observed = vkr_hrf_observable(order, first, second) ||
			      vkr_hrf_before(order, first, second, true) ||
			      vkr_hrf_before(order, second, first, true);
	if ((forward || backward) && observed) {
		run.relation = forward ? VKR_ORDER_FIRST : VKR_ORDER_SECOND;
	} else if (forward || backward) {
		run.separation.race_class = VKR_RACE_UNOBSERVABLE;
		run.separation.forward = forward;
		vkr_order_find_nearest(order, forward ? first : second, forward ? second : first,
				       &run.separation);
	} else {
		order_hrf_classify(order, first, second, &run.separation);
	}
	return report(context, &run) ? VKR_OK : vkr_error_memory(error, "races");
}

static bool order_hrf_operate(struct vkr_order *order, const struct vkr_order_access *access)
{
	(void)order;
	(void)access;
	return true;
}

bool vkr_order_is_before(const struct vkr_order *order, const struct vkr_order_access *first,
			 const struct vkr_order_access *second)
{
	return vkr_memory_is_hrf(&order->options.rules)
		       ? vkr_hrf_before(order, first, second, false)
		       : vkr_order_happens_before(order, first, second);
}

const struct vkr_order_policy vkr_order_hrf_policy = {
	.node_bytes = sizeof(struct vkr_hrf_node),
	.add = vkr_hrf_add,
	.place = vkr_hrf_place,
	.find_sources = vkr_hrf_find_sources,
	.propagate = vkr_hrf_propagate,
	.sweep = vkr_hrf_sweep,
	.follow = vkr_hrf_follow,
	.follow_group = vkr_hrf_follow_group,
	.operate = order_hrf_operate,
	.compare = order_hrf_compare,
};
