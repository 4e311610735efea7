// SPDX-License-Identifier: Apache-2.0
// Location-ordered, data races and why a pair is one (appendix "Memory Model", sections
// "Location-Ordered", "Data Race" and "Private vs. Non-Private"). Knows the bullets; how they are
// met is asked of the other order*.c.
#include "error.h"
#include "order_state.h"

// "X is a write", both bullets that need availability: what the path lacks that gets furthest.
static enum vkr_rung write_path(const struct vkr_order *order, const struct vkr_order_access *first,
				const struct vkr_order_access *second, uint64_t offset,
				struct vkr_order_separation *separation)
{
	enum vkr_rung shader = VKR_RUNG_AVAILABLE;
	if (first->reference == second->reference && first->nonprivate && second->nonprivate)
		shader = vkr_order_shader_path(order, first, second, offset, separation);
	if (shader == VKR_RUNG_TOP)
		return shader;
	enum vkr_rung device = vkr_order_device_path(order, first, second, offset, separation);
	return device > shader ? device : shader;
}

static bool is_location_ordered(const struct vkr_order *order, const struct vkr_order_access *first,
				const struct vkr_order_access *second, uint64_t offset,
				enum vkr_rung *lacks, struct vkr_order_separation *separation)
{
	*lacks = VKR_RUNG_AVAILABLE;
	// Both accesses are of one agent, through one reference.
	if (first->agent == second->agent && first->reference == second->reference &&
	    vkr_order_happens_before(order, first, second))
		return true;
	// "X is a read": a read-modify-write is one as well as a write, and any bullet suffices.
	if (first->read && first->nonprivate && second->nonprivate &&
	    vkr_order_happens_before(order, first, second))
		return true;
	if (first->read && vkr_order_system_before(order, first, second))
		return true;
	if (!first->write)
		return false;
	*lacks = write_path(order, first, second, offset, separation);
	return *lacks == VKR_RUNG_TOP;
}

bool vkr_order_located(const struct vkr_order *order, const struct vkr_order_access *first,
		       const struct vkr_order_access *second, uint64_t offset)
{
	enum vkr_rung lacks;
	struct vkr_order_separation separation = {0};
	return is_location_ordered(order, first, second, offset, &lacks, &separation);
}

// The nearest synchronization there was between the earlier and the later of two accesses.
void vkr_order_find_nearest(const struct vkr_order *order, const struct vkr_order_access *earlier,
			    const struct vkr_order_access *later,
			    struct vkr_order_separation *separation)
{
	const struct vkr_order_agent *agent = vkr_order_agent_at(order, earlier->agent);
	for (uint64_t i = earlier->position / 2; agent && i < agent->events.count; i++) {
		const struct vkr_order_node *node = agent->events.items[i];
		if (node->releases && node->access.step >= earlier->step) {
			separation->release = node->access.event;
			break;
		}
	}
	separation->acquire = vkr_order_state_at(order, later->agent, later->position).acquire;
}

// A release and an acquire that stand as they should, but for their scopes.
static bool out_of_scope(const struct vkr_order *order,
			 const struct vkr_order_separation *separation)
{
	const struct vkr_order_node *release = vkr_order_node_at(order, separation->release);
	const struct vkr_order_node *acquire = vkr_order_node_at(order, separation->acquire);
	return release && acquire &&
	       !vkr_order_in_scope(order, release->access.agent, release->event.scope,
				   acquire->access.agent, acquire->event.scope);
}

// The class of a pair of which neither happens-before the other: the same whichever of the two is
// called first, since nothing says which was meant to be.
static enum vkr_race_class classify_unordered(const struct vkr_order *order,
					      const struct vkr_order_access *first,
					      const struct vkr_order_access *second,
					      struct vkr_order_separation *separation)
{
	struct vkr_order_separation forward = {.forward = true}, backward = {0};
	vkr_order_find_nearest(order, first, second, &forward);
	vkr_order_find_nearest(order, second, first, &backward);
	bool forward_apart = out_of_scope(order, &forward);
	bool backward_apart = out_of_scope(order, &backward);
	bool apart = forward_apart || backward_apart;
	bool choose_forward =
		forward_apart != backward_apart ? forward_apart : first->agent <= second->agent;
	*separation = choose_forward ? forward : backward;
	if (first->atomic && second->atomic && first->offset == second->offset &&
	    first->size == second->size)
		return first->reference == second->reference ? VKR_RACE_SCOPE : VKR_RACE_REFERENCE;
	return apart ? VKR_RACE_SCOPE : VKR_RACE_UNORDERED;
}

// A pair of which first happens-before second without being location-ordered.
struct ordered_pair {
	const struct vkr_order *order;
	const struct vkr_order_access *first, *second;
	enum vkr_rung lacks; // the path that gets furthest
	bool crossing;       // between host and device
};

static bool ordered_has(void *context, enum vkr_rung rung)
{
	const struct ordered_pair *pair = context;
	const struct vkr_order_access *first = pair->first, *second = pair->second;
	const bool nonprivate = first->nonprivate && second->nonprivate;
	switch (rung) {
	case VKR_RUNG_NONPRIVATE:
		return pair->crossing || nonprivate ||
		       vkr_order_system_before(pair->order, first, second);
	case VKR_RUNG_REFERENCE: // those that are private are ordered by the API
		return pair->crossing || !nonprivate || first->reference == second->reference ||
		       pair->lacks > VKR_RUNG_AVAILABLE;
	case VKR_RUNG_AVAILABLE:
	case VKR_RUNG_DOMAIN:
	case VKR_RUNG_VISIBLE:
		return pair->lacks > rung;
	case VKR_RUNG_HAPPENS_BEFORE:
	case VKR_RUNG_TOP:
		break;
	}
	return true;
}

static enum vkr_race_class classify_ordered(const struct vkr_order *order,
					    const struct vkr_order_access *first,
					    const struct vkr_order_access *second,
					    enum vkr_rung lacks)
{
	struct ordered_pair pair = {order, first, second, lacks,
				    vkr_order_host(order, first->agent) !=
					    vkr_order_host(order, second->agent)};
	return vkr_rung_class(vkr_ladder_climb(ordered_has, &pair, true, true));
}

static struct vkr_order_run order_location_judge(const struct vkr_order *order,
						 const struct vkr_order_access *first,
						 const struct vkr_order_access *second,
						 uint64_t offset)
{
	struct vkr_order_run run = {.offset = offset};
	struct vkr_order_separation *separation = &run.separation;
	struct vkr_order_separation backward = {0};
	enum vkr_rung lacks, backward_lacks;
	if (is_location_ordered(order, first, second, offset, &lacks, separation)) {
		run.relation = VKR_ORDER_FIRST;
	} else if (is_location_ordered(order, second, first, offset, &backward_lacks, &backward)) {
		run.relation = VKR_ORDER_SECOND;
	} else if (vkr_order_happens_before(order, first, second)) {
		vkr_order_find_nearest(order, first, second, separation);
		separation->forward = true;
		separation->race_class = classify_ordered(order, first, second, lacks);
	} else if (vkr_order_happens_before(order, second, first)) {
		*separation = backward;
		vkr_order_find_nearest(order, second, first, separation);
		separation->race_class = classify_ordered(order, second, first, backward_lacks);
	} else {
		separation->race_class = classify_unordered(order, first, second, separation);
	}
	return run;
}

static bool order_location_alike(const struct vkr_order_run *one, const struct vkr_order_run *other)
{
	const struct vkr_order_separation *a = &one->separation, *b = &other->separation;
	if (one->relation != other->relation)
		return false;
	return one->relation != VKR_ORDER_NEITHER ||
	       (a->race_class == b->race_class && a->forward == b->forward);
}

enum vkr_result
vkr_order_compare_vulkan(const struct vkr_order *order, const struct vkr_order_access *first,
			 const struct vkr_order_access *second,
			 bool (*report)(void *context, const struct vkr_order_run *run),
			 void *context, struct vkr_error *error)
{
	uint64_t low = first->offset > second->offset ? first->offset : second->offset;
	uint64_t first_end = first->offset + first->size,
		 second_end = second->offset + second->size;
	uint64_t high = first_end < second_end ? first_end : second_end;
	if (first->memory != second->memory || low >= high || (!first->write && !second->write) ||
	    vkr_order_mutual(order, first, second))
		return VKR_OK;
	// Between two cuts every operation covers all bytes or none.
	struct vkr_order_run run = {0};
	for (uint64_t offset = low; offset < high;) {
		uint64_t end = vkr_order_next_cut(order, first->memory, offset, high);
		struct vkr_order_run next = order_location_judge(order, first, second, offset);
		next.size = end - offset;
		if (run.size && order_location_alike(&run, &next)) {
			run.size += next.size;
		} else {
			if (run.size && !report(context, &run))
				return vkr_error_memory(error, "races");
			run = next;
		}
		offset = end;
	}
	if (vkr_order_scratch_failed(order->scratch))
		return vkr_error_memory(error, "availability");
	return report(context, &run) ? VKR_OK : vkr_error_memory(error, "races");
}
