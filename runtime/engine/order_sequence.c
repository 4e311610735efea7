// SPDX-License-Identifier: Apache-2.0
// Scoped modification orders and release sequences (appendix "Memory Model", sections "Scoped
// Modification Order" and "Release Sequence"). Knows atomic writes; nothing of clocks.
#include "order_state.h"

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

// How many of the writes have a turn up to `turn`.
static size_t upper(const struct vkr_order_nodes *writes, uint64_t turn)
{
	size_t low = 0, high = writes->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (writes->items[middle]->event.turn <= turn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert(struct vkr_order_nodes *writes, struct vkr_order_node *node)
{
	if (!vkr_order_append(writes, node))
		return false;
	for (size_t i = writes->count - 1;
	     i > 0 && writes->items[i - 1]->event.turn > node->event.turn; i--) {
		writes->items[i] = writes->items[i - 1];
		writes->items[i - 1] = node;
	}
	return true;
}

static bool uniform_write(const struct vkr_order *order, const struct vkr_order_site *site,
			  const struct vkr_order_node *node, const struct vkr_order_recent *fences)
{
	const struct vkr_order_access *first =
		site->writes.count ? &site->writes.items[0]->access : &node->access;
	if (node->host || node->access.scope != first->scope || node->event.scope != first->scope ||
	    !vkr_order_within(order, first->scope, first->agent, node->access.agent))
		return false;
	for (; fences; fences = fences->older) {
		if (vkr_order_node_at(order, fences->event)->event.scope != first->scope)
			return false;
	}
	return true;
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
			.uniform = true,
		};
		if (vkr_map_get(&order->sites, site_hash(access), &value))
			site->next = (struct vkr_order_site *)(uintptr_t)value;
		if (!vkr_map_set(&order->sites, site_hash(access), (uint64_t)(uintptr_t)site))
			return false;
	}
	const struct vkr_order_recent *fences =
		vkr_order_state_at(order, access->agent, access->position).release_fences;
	site->uniform = site->uniform && uniform_write(order, site, node, fences);
	return insert(&site->writes, node) &&
	       ((!node->releases && !fences) || insert(&site->heads, node)) &&
	       (access->read || insert(&site->stores, node));
}

// Whether X's own modification order has no plain write behind X and up to `from`; writes that are
// not mutually ordered with X stand in no order with it. So the read-modify-writes from X on are
// one sequence, which holds `from`.
static bool heads(const struct vkr_order *order, const struct vkr_order_site *site,
		  const struct vkr_order_node *head, const struct vkr_order_node *from)
{
	if (head == from)
		return true;
	if (!vkr_order_mutual(order, &head->access, &from->access))
		return false;
	for (size_t i = upper(&site->stores, from->event.turn); i-- > 0;) {
		const struct vkr_order_node *store = site->stores.items[i];
		if (store->event.turn <= head->event.turn)
			return true;
		if (vkr_order_mutual(order, &head->access, &store->access))
			return false;
	}
	return true;
}

// Whether X has itself acquired, from the write right before it, all that earlier heads could hand
// to the acquire: then X alone hands it on.
static bool covers_earlier(const struct vkr_order *order, const struct vkr_order_site *site,
			   const struct vkr_order_node *head, const struct vkr_order_node *read,
			   const struct vkr_order_node *acquire)
{
	size_t at = upper(&site->writes, head->event.turn);
	return site->uniform && head->releases && head->acquires && at >= 2 &&
	       site->writes.items[at - 1] == head &&
	       vkr_order_node_at(order, head->event.from) == site->writes.items[at - 2] &&
	       (head->event.semantics & acquire->event.semantics) == acquire->event.semantics &&
	       acquire->event.scope == head->event.scope &&
	       read->access.scope == head->access.scope;
}

static bool each_head_of(const struct vkr_order *order, const struct vkr_order_node *read,
			 const struct vkr_order_node *from, const struct vkr_order_node *acquire,
			 bool (*head)(void *context, const struct vkr_order_node *write),
			 void *context)
{
	const struct vkr_order_site *site = from ? find_site(order, &from->access) : NULL;
	if (!site)
		return true;
	for (size_t x = upper(&site->heads, from->event.turn); x-- > 0;) {
		const struct vkr_order_node *write = site->heads.items[x];
		if (write == read || !vkr_order_mutual(order, &write->access, &read->access))
			continue;
		if (!heads(order, site, write, from)) {
			if (site->uniform)
				break;
			continue;
		}
		if (!head(context, write))
			return false;
		if (covers_earlier(order, site, write, read, acquire))
			break;
	}
	return true;
}

bool vkr_order_each_head(const struct vkr_order *order, const struct vkr_order_node *read,
			 const struct vkr_order_node *acquire,
			 bool (*head)(void *context, const struct vkr_order_node *write),
			 void *context)
{
	const struct vkr_order_node *from = vkr_order_node_at(order, read->event.from);
	bool going = each_head_of(order, read, from, acquire, head, context);
	for (size_t i = 0; i < read->event.perhaps_count && going; i++) {
		from = vkr_order_node_at(order, read->event.perhaps[i]);
		going = each_head_of(order, read, from, acquire, head, context);
	}
	return going;
}
