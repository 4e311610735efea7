// SPDX-License-Identifier: Apache-2.0
// The device and the host domain (appendix "Memory Model", section "Availability, Visibility, and
// Domain Operations", and the last bullet of "Location-Ordered"). Knows API-level operations; of
// order only what it asks happens-before.
//
// Such operations are performed by no invocation, are in no scope instance, and so are never
// elements of a chain. The specification speaks of one device domain, whatever the number of
// devices.
#include "order_state.h"

// Whether the operation's source or destination scope holds the access at the byte.
static bool operation_covers(const struct vkr_order_node *operation,
			     const struct vkr_order_access *access, uint64_t offset)
{
	const struct vkr_order_event *event = &operation->event;
	if (event->kinds && access->kinds && !(event->kinds & access->kinds))
		return false;
	for (size_t i = 0; i < event->range_count; i++) {
		const struct vkr_order_range *range = &event->ranges[i];
		if ((range->reference == 0 || range->reference == access->reference) &&
		    range->memory == access->memory && offset >= range->offset &&
		    offset - range->offset < range->size)
			return true;
	}
	return event->all_memory;
}

// One step of X->AV->DOM->VIS->Y: what comes after an operation, or after X itself.
struct path {
	const struct vkr_order *order;
	const struct vkr_order_access *first, *second;
	uint64_t offset;
	bool first_host, second_host;
	struct vkr_order_separation *separation;
};

// [->VIS]->Y from a point at which the write is available in Y's domain.
static bool path_reaches(const struct path *path, const struct vkr_order_access *from)
{
	const struct vkr_order *order = path->order;
	const struct vkr_order_access *second = path->second;
	if ((second->write || (path->second_host && second->coherent)) &&
	    vkr_order_happens_before(order, from, second))
		return true;
	if (!second->read)
		return false;
	const struct vkr_order_nodes *visible = &order->api[VKR_ORDER_VISIBLE];
	for (size_t i = visible->count; i-- > 0;) {
		const struct vkr_order_node *node = visible->items[i];
		if (node->event.host_domain != path->second_host ||
		    !operation_covers(node, second, path->offset))
			continue;
		if (!path->separation->visible)
			path->separation->visible = node->access.event;
		if (vkr_order_happens_before(order, from, &node->access) &&
		    vkr_order_happens_before(order, &node->access, second))
			return true;
	}
	return false;
}

// ->DOM[->VIS]->Y from a point at which the write is available in X's domain.
static enum vkr_rung from_available(const struct path *path, const struct vkr_order_access *from)
{
	const struct vkr_order *order = path->order;
	enum vkr_rung lacks = VKR_RUNG_DOMAIN;
	if (path->first_host == path->second_host) {
		if (path_reaches(path, from))
			return VKR_RUNG_TOP;
		return vkr_order_happens_before(order, from, path->second) ? VKR_RUNG_VISIBLE
									   : VKR_RUNG_AVAILABLE;
	}
	const struct vkr_order_nodes *steps =
		&order->api[path->first_host ? VKR_ORDER_HOST_DEVICE : VKR_ORDER_DEVICE_HOST];
	for (size_t i = steps->count; i-- > 0;) {
		const struct vkr_order_access *step = &steps->items[i]->access;
		if (!vkr_order_happens_before(order, from, step))
			continue;
		if (path_reaches(path, step))
			return VKR_RUNG_TOP;
		if (vkr_order_happens_before(order, step, path->second))
			lacks = VKR_RUNG_VISIBLE;
	}
	return lacks;
}

enum vkr_rung vkr_order_device_path(const struct vkr_order *order,
				    const struct vkr_order_access *first,
				    const struct vkr_order_access *second, uint64_t offset,
				    struct vkr_order_separation *separation)
{
	struct path path = {
		.order = order,
		.first = first,
		.second = second,
		.offset = offset,
		.first_host = vkr_order_host(order, first->agent),
		.second_host = vkr_order_host(order, second->agent),
		.separation = separation,
	};
	enum vkr_rung best = VKR_RUNG_AVAILABLE;
	const struct vkr_order_nodes *available = &order->api[VKR_ORDER_AVAILABLE];
	// Coherent memory needs no flush: the write itself is where it becomes available.
	if (path.first_host && first->coherent)
		best = from_available(&path, first);
	for (size_t i = available->count; i-- > 0 && best != VKR_RUNG_TOP;) {
		const struct vkr_order_node *node = available->items[i];
		if (node->event.host_domain != path.first_host ||
		    !operation_covers(node, first, offset) ||
		    !vkr_order_happens_before(order, first, &node->access))
			continue;
		enum vkr_rung lacks = from_available(&path, &node->access);
		if (lacks > best) {
			best = lacks;
			separation->available = node->access.event;
		}
	}
	return best;
}
