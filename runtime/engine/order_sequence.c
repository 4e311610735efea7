// SPDX-License-Identifier: Apache-2.0
// Scoped modification orders and release sequences (appendix "Memory Model", sections "Scoped
// Modification Order" and "Release Sequence"). Knows atomic writes; nothing of clocks.
#include "array.h"
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

static uint64_t site_hash(const struct vkr_order_access *access)
{
	uint64_t hash = vkr_map_hash(access->memory);
	hash = vkr_map_hash(hash ^ access->offset);
	hash = vkr_map_hash(hash ^ access->size);
	return vkr_map_hash(hash ^ access->reference);
}

static struct vkr_order_site *find_site(const struct vkr_order *order,
					const struct vkr_order_access *access)
{
	uint64_t value = 0;
	if (!vkr_map_get(&order->sites, site_hash(access), &value))
		return NULL;
	struct vkr_order_site *site = (struct vkr_order_site *)(uintptr_t)value;
	while (site && (site->memory != access->memory || site->offset != access->offset ||
			site->size != access->size || site->reference != access->reference))
		site = site->next;
	return site;
}

bool vkr_order_add_write(struct vkr_order *order, struct vkr_order_node *node)
{
	const struct vkr_order_access *access = &node->access;
	struct vkr_order_site *site = find_site(order, access);
	if (!site) {
		uint64_t value = 0;
		site = vkr_arena_alloc(&order->memory.arena, sizeof *site);
		if (!site)
			return false;
		*site = (struct vkr_order_site){
			.memory = access->memory,
			.offset = access->offset,
			.size = access->size,
			.reference = access->reference,
		};
		if (vkr_map_get(&order->sites, site_hash(access), &value))
			site->next = (struct vkr_order_site *)(uintptr_t)value;
		if (!vkr_map_set(&order->sites, site_hash(access), (uint64_t)(uintptr_t)site))
			return false;
	}
	if (!vkr_order_append(&site->writes, node))
		return false;
	struct vkr_order_node **writes = site->writes.items;
	for (size_t i = site->writes.count - 1;
	     i > 0 && writes[i - 1]->event.turn > node->event.turn; i--) {
		writes[i] = writes[i - 1];
		writes[i - 1] = node;
	}
	return true;
}

// The last write of the site whose turn is not behind `turn`, plus one.
static size_t upper(const struct vkr_order_site *site, uint64_t turn)
{
	size_t low = 0, high = site->writes.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (site->writes.items[middle]->event.turn <= turn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// X's release sequence runs from X over read-modify-writes up to the first plain write in X's own
// modification order; writes that are not mutually ordered with X stand in no order with it.
static bool heads(const struct vkr_order *order, const struct vkr_order_site *site, size_t x,
		  size_t last)
{
	const struct vkr_order_node *head = site->writes.items[x];
	if (x == last)
		return true;
	if (!vkr_order_mutual(order, &head->access, &site->writes.items[last]->access))
		return false;
	for (size_t i = x + 1; i <= last; i++) {
		const struct vkr_order_node *write = site->writes.items[i];
		if (!write->access.read && vkr_order_mutual(order, &head->access, &write->access))
			return false;
	}
	return true;
}

bool vkr_order_each_head(const struct vkr_order *order, const struct vkr_order_node *read,
			 bool (*head)(void *context, const struct vkr_order_node *write),
			 void *context)
{
	const struct vkr_order_node *from = vkr_order_node_at(order, read->event.from);
	const struct vkr_order_site *site = from ? find_site(order, &from->access) : NULL;
	if (!site)
		return true;
	size_t last = upper(site, from->event.turn) - 1;
	for (size_t x = last + 1; x-- > 0;) {
		const struct vkr_order_node *write = site->writes.items[x];
		if (write == read || !vkr_order_mutual(order, &write->access, &read->access))
			continue;
		// What heads nothing that could synchronize need not be walked to.
		if (!write->releases &&
		    !vkr_order_state_at(order, write->access.agent, write->access.position)
			     .release_fences)
			continue;
		if (heads(order, site, x, last) && !head(context, write))
			return false;
		if (!from->access.read)
			break;
	}
	return true;
}
