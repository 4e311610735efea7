// SPDX-License-Identifier: Apache-2.0
// Finds agents, groups, events and states among the engine's records. Knows how they are kept, and
// no rule of any memory model.
#include "order_state.h"

#include "array.h"
#include "search.h"

size_t vkr_order_group_index(const struct vkr_order *order, uint64_t agent)
{
	size_t next = 1;
	VKR_SEARCH(next, order->group_count, at, order->groups[at].first <= agent);
	return next - 1;
}

const struct vkr_order_group_record *vkr_order_group_of(const struct vkr_order *order,
							uint64_t agent)
{
	return &order->groups[vkr_order_group_index(order, agent)];
}

struct vkr_order_agent *vkr_order_agent_at(const struct vkr_order *order, uint64_t agent)
{
	uint64_t value = 0;
	return vkr_map_get(&order->agents, agent, &value)
		       ? (struct vkr_order_agent *)(uintptr_t)value
		       : NULL;
}

struct vkr_order_node *vkr_order_node_at(const struct vkr_order *order, uint64_t event)
{
	return event && event <= order->nodes.count ? order->nodes.items[event - 1] : NULL;
}

struct vkr_order_state vkr_order_state_at(const struct vkr_order *order, uint64_t agent,
					  uint64_t position)
{
	const struct vkr_order_agent *record = vkr_order_agent_at(order, agent);
	// Position 2n-1 is the n-th event, which n-1 events precede; 2n is after it.
	uint64_t events = position / 2;
	if (record && events > record->events.count)
		events = record->events.count;
	if (record && events > 0)
		return record->events.items[events - 1]->after;
	if (record)
		return record->initial;
	return (struct vkr_order_state){
		.base = vkr_order_group_of(order, agent)->base,
		.total = vkr_order_group_of(order, agent)->base,
	};
}

bool vkr_order_append(struct vkr_order_nodes *nodes, struct vkr_order_node *node)
{
	if (!VKR_ARRAY_RESERVE(nodes, 1))
		return false;
	nodes->items[nodes->count++] = node;
	return true;
}

int vkr_order_compare_modifications(const void *a, const void *b)
{
	const struct vkr_order_node *x = *(struct vkr_order_node *const *)a;
	const struct vkr_order_node *y = *(struct vkr_order_node *const *)b;
	if (x->event.modification != y->event.modification)
		return x->event.modification < y->event.modification ? -1 : 1;
	return x->access.event < y->access.event ? -1 : x->access.event > y->access.event;
}
