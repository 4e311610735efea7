// SPDX-License-Identifier: Apache-2.0
// Scoped modification orders and release sequences (appendix "Memory Model", sections "Scoped
// Modification Order" and "Release Sequence"). Knows atomic writes and, of
// clocks, which ones go from write to write.
#include "order_sequence.h"

#include "search.h"
#include "sort.h"

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

// ---- What is in one order -----------------------------------------------------------------------

static bool is_far(enum vkr_order_scope scope)
{
	return scope >= VKR_ORDER_QUEUE_FAMILY;
}

// Whether an agent with that scope is in the scope instances of all that the site has, and they in
// its own.
static bool is_in_order(const struct vkr_order *order, const struct vkr_order_site *site,
			uint64_t agent, enum vkr_order_scope scope)
{
	enum vkr_order_scope narrow = scope < site->scope ? scope : site->scope;
	return (scope == site->scope || (is_far(scope) && is_far(site->scope))) &&
	       (site->shared >> narrow & 1) && vkr_order_within(order, narrow, site->agent, agent);
}

static void join_order(const struct vkr_order *order, struct vkr_order_site *site, uint64_t agent,
		       enum vkr_order_scope scope)
{
	for (unsigned at = 0; at < VKR_ORDER_SCOPES; at++) {
		if (!vkr_order_within(order, (enum vkr_order_scope)at, site->agent, agent))
			site->shared &= ~(1u << at);
	}
	site->uniform = site->uniform && is_in_order(order, site, agent, scope);
	site->scope = scope < site->scope ? scope : site->scope;
}

static struct vkr_order_site *make_site(struct vkr_order *order,
					const struct vkr_order_access *access)
{
	uint64_t value = 0;
	struct vkr_order_site *site = find_site(order, access);
	if (site)
		return site;
	site = vkr_arena_alloc(&order->memory.arena, sizeof *site);
	if (!site)
		return NULL;
	*site = (struct vkr_order_site){
		.memory = access->memory,
		.offset = access->offset,
		.size = access->size,
		.reference = access->reference,
		.uniform = true,
		.agent = access->agent,
		.scope = access->scope,
		.shared = (1u << VKR_ORDER_SCOPES) - 1,
	};
	if (vkr_map_get(&order->sites, site_hash(access), &value))
		site->next = (struct vkr_order_site *)(uintptr_t)value;
	return vkr_map_set(&order->sites, site_hash(access), (uint64_t)(uintptr_t)site) ? site
											: NULL;
}

static struct vkr_order_class *make_class(struct vkr_order *order, uint64_t name)
{
	uint64_t value = 0;
	if (vkr_map_get(&order->classes, name, &value))
		return (struct vkr_order_class *)(uintptr_t)value;
	struct vkr_order_class *made = vkr_arena_alloc(&order->memory.arena, sizeof *made);
	return made && vkr_map_set(&order->classes, name, (uint64_t)(uintptr_t)made) ? made : NULL;
}

static bool add_write(struct vkr_order *order, struct vkr_order_node *node)
{
	const struct vkr_order_access *access = &node->access;
	struct vkr_order_site *site = make_site(order, access);
	if (!site)
		return false;
	const struct vkr_order_recent *fences =
		vkr_order_state_at(order, access->agent, access->position).release_fences;
	const bool heads = node->releases || fences;
	node->site = site;
	site->sorted = false;
	site->uniform = site->uniform && !node->host;
	join_order(order, site, access->agent, access->scope);
	join_order(order, site, access->agent, node->event.scope);
	for (; fences; fences = fences->older)
		join_order(order, site, access->agent,
			   vkr_order_node_at(order, fences->event)->event.scope);
	for (unsigned i = 0; i < 2; i++) {
		if (!node->event.writes_class[i])
			continue;
		node->writes_class[i] = make_class(order, node->event.writes_class[i]);
		if (!node->writes_class[i] ||
		    !vkr_order_append(&node->writes_class[i]->writes, node))
			return false;
	}
	return (!heads || vkr_order_append(&site->heads, node)) &&
	       (access->read || vkr_order_append(&site->stores, node));
}

bool vkr_order_add_atomic(struct vkr_order *order, struct vkr_order_node *node)
{
	if (node->access.read && node->event.reads_class) {
		node->reads_class = make_class(order, node->event.reads_class);
		if (!node->reads_class)
			return false;
	}
	return !node->access.write || add_write(order, node);
}

// ---- Sequences of uniform sites -----------------------------------------------------------------

bool vkr_order_takes_all(const struct vkr_order *order, const struct vkr_order_node *read,
			 const struct vkr_order_node *acquire)
{
	const struct vkr_order_site *site = find_site(order, &read->access);
	// In 2018 what a release fence hands on depended on who reads: each is searched.
	return site && site->uniform && !read->host && !acquire->host &&
	       order->options.rules.model != VKR_MEMORY_VULKAN_2018 &&
	       is_in_order(order, site, read->access.agent, read->access.scope) &&
	       is_in_order(order, site, acquire->access.agent, acquire->event.scope);
}

const struct vkr_vector_clock *vkr_order_handed_to(const struct vkr_order *order,
						   const struct vkr_order_node *read)
{
	if (read->reads_class)
		return read->reads_class->handed;
	const struct vkr_order_node *from = vkr_order_node_at(order, read->event.from);
	return from && from->site && from->site == find_site(order, &read->access) ? from->handed
										   : NULL;
}

bool vkr_order_hand_on(struct vkr_order *order, struct vkr_order_node *node)
{
	struct vkr_clock_arena *memory = &order->memory;
	const struct vkr_vector_clock *own = NULL, *before = node->handed;
	if (!node->site || !node->site->uniform)
		return false;
	if (node->releases)
		own = vkr_vector_clock_join(memory, own, node->before,
					    vkr_sets_within(node->event.semantics));
	const struct vkr_order_recent *fences =
		vkr_order_state_at(order, node->access.agent, node->access.position).release_fences;
	for (; fences; fences = fences->older) {
		const struct vkr_order_node *fence = vkr_order_node_at(order, fences->event);
		if (fence->event.semantics & node->access.storage_class)
			own = vkr_vector_clock_join(memory, own, fence->before,
						    vkr_sets_within(fence->event.semantics));
	}
	// A read-modify-write goes on with the sequences of the value that it reads.
	if (node->access.read)
		own = vkr_vector_clock_join(memory, own, vkr_order_handed_to(order, node),
					    VKR_SETS_THREAD);
	node->handed = vkr_vector_clock_join(memory, node->handed, own, VKR_SETS_THREAD);
	bool grown = node->handed != before;
	for (unsigned i = 0; i < 2; i++) {
		struct vkr_order_class *class = node->writes_class[i];
		if (!class)
			continue;
		before = class->handed;
		class->handed =
			vkr_vector_clock_join(memory, class->handed, node->handed, VKR_SETS_THREAD);
		grown = grown || class->handed != before;
	}
	return grown;
}

// ---- Sequences of others ------------------------------------------------------------------------

static void sort_site(struct vkr_order_site *site)
{
	if (!site->sorted) {
		vkr_sort(site->heads.items, site->heads.count, sizeof *site->heads.items,
			 vkr_order_compare_modifications);
		vkr_sort(site->stores.items, site->stores.count, sizeof *site->stores.items,
			 vkr_order_compare_modifications);
	}
	site->sorted = true;
}

// How many of the writes have a turn up to `modification`.
static size_t order_sequence_upper(const struct vkr_order_nodes *writes, uint64_t modification)
{
	size_t low = 0;
	VKR_SEARCH(low, writes->count, at, writes->items[at]->event.modification <= modification);
	return low;
}

// Whether no plain write lies after X and up to `from` in X's own modification order; writes that
// are not mutually ordered with X have no place in it. Then the read-modify-writes from X on are
// one sequence, which includes `from`.
static bool order_sequence_heads(const struct vkr_order *order, const struct vkr_order_site *site,
				 const struct vkr_order_node *head,
				 const struct vkr_order_node *from)
{
	if (head == from)
		return true;
	if (!vkr_order_mutual(order, &head->access, &from->access))
		return false;
	for (size_t i = order_sequence_upper(&site->stores, from->event.modification); i-- > 0;) {
		const struct vkr_order_node *store = site->stores.items[i];
		if (store->event.modification <= head->event.modification)
			return true;
		if (vkr_order_mutual(order, &head->access, &store->access))
			return false;
	}
	return true;
}

static bool each_head_of(const struct vkr_order *order, const struct vkr_order_node *read,
			 const struct vkr_order_node *from,
			 bool (*head)(void *context, const struct vkr_order_node *write),
			 void *context)
{
	struct vkr_order_site *site = from ? from->site : NULL;
	if (!site)
		return true;
	sort_site(site);
	for (size_t x = order_sequence_upper(&site->heads, from->event.modification); x-- > 0;) {
		const struct vkr_order_node *write = site->heads.items[x];
		if (write != read && vkr_order_mutual(order, &write->access, &read->access) &&
		    order_sequence_heads(order, site, write, from) && !head(context, write))
			return false;
	}
	return true;
}

void vkr_order_place_write(const struct vkr_order *order, struct vkr_order_node *node)
{
	const struct vkr_order_node *from = vkr_order_node_at(order, node->event.from);
	if (!node->site || !node->access.read)
		return;
	node->doubt = node->reads_class ? node->reads_class : from ? from->doubt : NULL;
	const bool elsewhere = from && from->site != node->site;
	if (!node->reads_class && !node->event.follows &&
	    (elsewhere || node->event.modification != (from ? from->event.modification : 0) + 1))
		node->site->uniform = false;
}

// Classes that one search has met, and has not gone through yet.
struct pending {
	struct vkr_order_class *first;
	uint64_t search;
};

static void meet_class(struct pending *pending, struct vkr_order_class *class)
{
	if (!class || class->search == pending->search)
		return;
	class->search = pending->search;
	class->next = pending->first;
	pending->first = class;
}

bool vkr_order_each_head(struct vkr_order *order, const struct vkr_order_node *read,
			 bool (*head)(void *context, const struct vkr_order_node *write),
			 void *context)
{
	struct pending pending = {.search = ++order->searches};
	const struct vkr_order_node *from = vkr_order_node_at(order, read->event.from);
	meet_class(&pending, read->reads_class);
	if (!read->reads_class) {
		meet_class(&pending, from ? from->doubt : NULL);
		if (!each_head_of(order, read, from, head, context))
			return false;
	}
	// What the writes of a class have read is ambiguous too, if their own value is.
	while (pending.first) {
		const struct vkr_order_class *class = pending.first;
		pending.first = class->next;
		for (size_t i = 0; i < class->writes.count; i++) {
			from = class->writes.items[i];
			meet_class(&pending, from->doubt);
			if (!each_head_of(order, read, from, head, context))
				return false;
		}
	}
	return true;
}
