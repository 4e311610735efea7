// SPDX-License-Identifier: Apache-2.0
// Inter-thread-happens-before and happens-before (appendix "Memory Model", sections of these
// names), computed forward into clocks. Knows edges; nothing of availability.
#include "order_sequence.h"

// The sets for which the event is an operation of a set's storage classes, or has them all in its
// semantics. A host operation is ordered by its language, whatever the set.
static uint16_t covered_sets(const struct vkr_order_node *node)
{
	if (node->host)
		return VKR_SETS_THREAD;
	return vkr_sets_with(node->access.storage_class) | vkr_sets_within(node->event.semantics);
}

// What a release hands to an acquire that it synchronizes-with, joined to the view.
static const struct vkr_vector_clock *join_release(struct vkr_order *order,
						   const struct vkr_vector_clock *vector,
						   const struct vkr_order_node *release,
						   const struct vkr_order_node *acquire)
{
	struct vkr_clock_arena *memory = &order->memory;
	if (release->host != acquire->host)
		return vector;
	if (!release->host)
		return vkr_vector_clock_join(
			memory, vector, release->before,
			vkr_sets_within(release->event.semantics & acquire->event.semantics));
	// C++ [intro.races]: what is sequenced before the release is ordered with it.
	uint64_t agent = release->access.agent, position = release->access.position;
	struct vkr_order_state state = vkr_order_state_at(order, agent, position);
	vector = vkr_vector_clock_join(memory, vector, release->before, VKR_SETS_THREAD);
	vector = vkr_vector_clock_join(memory, vector, state.gathered, VKR_SETS_THREAD);
	return vkr_vector_clock_add(memory, vector, agent, VKR_CLOCK_ALL, position,
				    VKR_SETS_THREAD);
}

// "A inter-thread-happens-before<SC> B": the bullets that end at B.
static void compute_before(struct vkr_order *order, struct vkr_order_node *node,
			   const struct vkr_order_state *state)
{
	struct vkr_clock_arena *memory = &order->memory;
	uint64_t agent = node->access.agent, position = node->access.position;
	// System-synchronizes-with, which also stands alone in set 0.
	for (size_t i = 0; i < node->event.system_count; i++) {
		const struct vkr_order_node *from = vkr_order_node_at(order, node->event.system[i]);
		node->system =
			vkr_vector_clock_join(memory, node->system, from->before, VKR_SETS_ALL);
		node->system =
			vkr_vector_clock_add(memory, node->system, from->access.agent,
					     VKR_CLOCK_SINGLE, from->access.position, VKR_SETS_ALL);
	}
	for (size_t i = 0; i < node->source_count; i++)
		node->synced = join_release(order, node->synced,
					    vkr_order_node_at(order, node->sources[i]), node);
	for (size_t i = 0; i < node->read_count; i++)
		node->synced = vkr_vector_clock_join(memory, node->synced,
						     vkr_order_handed_to(order, node->reads[i]),
						     vkr_sets_within(node->event.semantics));
	node->before = vkr_vector_clock_join(memory, node->before, state->base, VKR_SETS_ALL);
	node->before = vkr_vector_clock_join(memory, node->before, node->system, VKR_SETS_ALL);
	node->before = vkr_vector_clock_join(memory, node->before, node->synced, VKR_SETS_THREAD);
	// "A is an acquire ..., A is program-ordered before B".
	node->before =
		vkr_vector_clock_join(memory, node->before, state->acquired, covered_sets(node));
	// "B is a release ..., and A is program-ordered before B".
	if (node->releases && !node->host) {
		uint16_t sets = vkr_sets_within(node->event.semantics);
		node->before = vkr_vector_clock_join(memory, node->before, state->gathered, sets);
		node->before = vkr_vector_clock_add(memory, node->before, agent,
						    VKR_CLOCK_QUALIFIED, position, sets);
	}
}

static void compute_after(struct vkr_order *order, struct vkr_order_node *node,
			  const struct vkr_order_state *state)
{
	struct vkr_clock_arena *memory = &order->memory;
	struct vkr_order_state *after = &node->after;
	after->base = vkr_vector_clock_join(memory, after->base, state->base, VKR_SETS_ALL);
	after->acquired =
		vkr_vector_clock_join(memory, after->acquired, state->acquired, VKR_SETS_THREAD);
	after->gathered =
		vkr_vector_clock_join(memory, after->gathered, state->gathered, VKR_SETS_THREAD);
	after->gathered =
		vkr_vector_clock_join(memory, after->gathered, node->system, covered_sets(node));
	after->total = vkr_vector_clock_join(memory, after->total, state->total, VKR_SETS_ALL);
	after->total = vkr_vector_clock_join(memory, after->total, node->before, VKR_SETS_ALL);
	if (node->acquires && node->host)
		after->acquired = vkr_vector_clock_join(memory, after->acquired, node->synced,
							VKR_SETS_THREAD);
	if (node->acquires && !node->host) {
		uint16_t sets = vkr_sets_within(node->event.semantics);
		after->acquired =
			vkr_vector_clock_join(memory, after->acquired, node->before, sets);
		after->acquired =
			vkr_vector_clock_add(memory, after->acquired, node->access.agent,
					     VKR_CLOCK_ACQUIRED, node->access.position, sets);
	}
}

bool vkr_order_propagate(struct vkr_order *order, struct vkr_order_node *node)
{
	struct vkr_order_state state =
		vkr_order_state_at(order, node->access.agent, node->access.position);
	const struct vkr_vector_clock *before = node->before;
	struct vkr_order_state after = node->after;
	compute_before(order, node, &state);
	compute_after(order, node, &state);
	return vkr_order_hand_on(order, node) || before != node->before ||
	       after.base != node->after.base || after.acquired != node->after.acquired ||
	       after.gathered != node->after.gathered || after.total != node->after.total;
}

// A point of an agent's life, as the first of a happens-before.
struct point {
	uint64_t agent, position, group;
	bool fed;
	uint16_t qualified; // sets that cover it
	uint16_t acquired;  // sets that it is an acquire of
};

static struct point point_of(const struct vkr_order *order, const struct vkr_order_access *access)
{
	const struct vkr_order_node *node = vkr_order_node_at(order, access->event);
	struct point point = {
		.agent = access->agent,
		.position = access->position,
		.group = vkr_order_group_of(order, access->agent)->first,
		.fed = node != NULL,
		.qualified = node ? covered_sets(node) : vkr_sets_with(access->storage_class),
	};
	if (node && node->acquires)
		point.acquired = vkr_sets_within(node->event.semantics);
	return point;
}

static bool clock_holds(const struct vkr_clock *clock, const struct point *point, unsigned set)
{
	const struct vkr_clock *entry = vkr_clock_find(clock, point->agent, VKR_CLOCK_ALL, 0);
	if (entry && point->position <= entry->position)
		return true;
	if (point->qualified >> set & 1) {
		entry = vkr_clock_find(clock, point->agent, VKR_CLOCK_QUALIFIED, 0);
		if (entry && point->position <= entry->position)
			return true;
	}
	if (point->acquired >> set & 1) {
		entry = vkr_clock_find(clock, point->agent, VKR_CLOCK_ACQUIRED, 0);
		if (entry && point->position <= entry->position)
			return true;
	}
	if (point->fed && vkr_clock_find(clock, point->agent, VKR_CLOCK_SINGLE, point->position))
		return true;
	return vkr_clock_find(clock, point->group, VKR_CLOCK_GROUP, 0) != NULL;
}

static bool view_holds(const struct vkr_vector_clock *vector, const struct point *point,
		       uint16_t sets)
{
	for (unsigned set = 0; vector && set < VKR_CLOCK_SETS; set++) {
		if ((sets >> set & 1) && clock_holds(vector->clocks[set], point, set))
			return true;
	}
	return false;
}

// "A inter-thread-happens-before<SC> B for some SC", or for set 0 alone the closure of
// system-synchronizes-with.
static bool order_happens_before(const struct vkr_order *order,
				 const struct vkr_order_access *first,
				 const struct vkr_order_access *second, uint16_t sets)
{
	struct point point = point_of(order, first);
	const struct vkr_order_node *node = vkr_order_node_at(order, second->event);
	if (node)
		return view_holds(node->before, &point, sets);
	struct vkr_order_state state = vkr_order_state_at(order, second->agent, second->position);
	if (view_holds(state.base, &point, sets))
		return true;
	uint16_t covered = vkr_order_host(order, second->agent)
				   ? VKR_SETS_THREAD
				   : vkr_sets_with(second->storage_class);
	return view_holds(state.acquired, &point, sets & covered);
}

bool vkr_order_happens_before(const struct vkr_order *order, const struct vkr_order_access *first,
			      const struct vkr_order_access *second)
{
	if (first->agent == second->agent && first->step < second->step)
		return true;
	return order_happens_before(order, first, second, VKR_SETS_THREAD);
}

bool vkr_order_system_before(const struct vkr_order *order, const struct vkr_order_access *first,
			     const struct vkr_order_access *second)
{
	return order_happens_before(order, first, second, 1);
}
