// SPDX-License-Identifier: Apache-2.0
// Scoped synchronization orders of the HRF models (figures 9, 14 and 17): which releases an acquire
// is ordered after. Knows the coherent order of atomics; nothing of clocks.
#include "array.h"
#include "order_hrf.h"

#include <stdlib.h>
#include <string.h>

// ---- Sources ------------------------------------------------------------------------------------

struct search {
	struct vkr_order *order;
	struct vkr_order_node *acquire;
	const struct vkr_order_node *read; // the atomic before it, Y of figure 14; or itself
	struct {
		struct vkr_hrf_source *items;
		size_t count, capacity;
	} sources;
	struct vkr_map known; // event to 1 + index of a source
	// Atomics that pass on whatever the releases before them in the coherent order bring.
	struct vkr_order_nodes reads;
};

static bool add_source(struct search *search, uint64_t event, unsigned spaces)
{
	uint64_t place = 0;
	if (vkr_map_get(&search->known, event, &place)) {
		search->sources.items[place - 1].spaces |= spaces;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(&search->sources, 1) ||
	    !vkr_map_set(&search->known, event, search->sources.count + 1))
		return false;
	search->sources.items[search->sources.count++] =
		(struct vkr_hrf_source){.event = event, .spaces = spaces};
	return true;
}

// Whether a release and the acquire are inclusive; `through` is the location of the atomics between
// them, or that they are to.
static bool order_hrf_sync_inclusive(const struct search *search,
				     const struct vkr_order_node *release,
				     const struct vkr_order_access *through)
{
	const struct vkr_order_node *acquire = search->acquire;
	const bool fence =
		release->event.kind != VKR_ORDER_ATOMIC || acquire->event.kind != VKR_ORDER_ATOMIC;
	const bool shared = through && !through->local && !through->coarse &&
			    !(fence && search->order->options.rules.readings.fence_allocation);
	return vkr_hrf_inclusive(search->order, release->access.agent,
				 vkr_hrf_scope_of(release->event.scope), acquire->access.agent,
				 vkr_hrf_scope_of(acquire->event.scope), shared);
}

// Whether X comes before Y in the coherent order of a location. A load stands right after the store
// that it reads from; loads of one store in program order, or by age.
static bool order_hrf_sync_coherent(const struct search *search, const struct vkr_order_node *x,
				    const struct vkr_order_node *y, bool any)
{
	if (x->access.write && y->access.read) {
		if (y->event.since <= x->event.modification &&
		    x->event.modification <= y->event.seen)
			return true;
		const struct vkr_hrf_class *class =
			vkr_hrf_class_of(search->order, y->event.reads_class);
		for (size_t i = 0; class && i < class->writes.count; i++) {
			const struct vkr_order_event *from = &class->writes.items[i]->event;
			if (from->since <= x->event.modification &&
			    x->event.modification <= from->modification)
				return true;
		}
	}
	if (!any)
		return false;
	const uint64_t one = x->access.write ? 2 * x->event.modification : 2 * x->event.seen + 1;
	const uint64_t two = y->access.write ? 2 * y->event.modification : 2 * y->event.seen + 1;
	return one != two ? one < two : !x->access.write && x->access.step < y->access.step;
}

static bool meet_fences(struct search *search, const struct vkr_order_node *x)
{
	const struct vkr_order_state state =
		vkr_order_state_at(search->order, x->access.agent, x->access.position);
	const unsigned space = vkr_hrf_space_of(&x->access);
	for (const struct vkr_order_recent *recent = state.release_fences; recent;
	     recent = recent->older) {
		const struct vkr_order_node *fence =
			vkr_order_node_at(search->order, recent->event);
		if ((fence->event.spaces & space) &&
		    order_hrf_sync_inclusive(search, fence, &x->access) &&
		    !add_source(search, recent->event, space))
			return false;
	}
	return true;
}

// X of figure 14, of which the reading asks no more than that it comes before Y; or a release
// atomic.
static bool hrf_sync_meet(struct search *search, const struct vkr_order_node *x)
{
	const struct vkr_order_node *y = search->read;
	const struct vkr_order_access *a = &x->access, *b = &y->access;
	if (x == y || a->offset >= b->offset + b->size || b->offset >= a->offset + a->size ||
	    !order_hrf_sync_coherent(search, x, y, true))
		return true;
	if (x->releases && search->order->options.rules.readings.fence_pair &&
	    order_hrf_sync_coherent(search, x, y, false) &&
	    order_hrf_sync_inclusive(search, x, a) &&
	    !add_source(search, a->event, vkr_hrf_space_of(a)))
		return false;
	return meet_fences(search, x);
}

static bool meet_site(void *context, struct vkr_hrf_site *site)
{
	for (size_t i = 0; i < site->atomics.count; i++) {
		if (!hrf_sync_meet(context, site->atomics.items[i]))
			return false;
	}
	return true;
}

static bool hrf_sync_serve(void *context, struct vkr_hrf_site *site)
{
	const struct search *search = context;
	vkr_hrf_hand_to(search->order, site, vkr_hrf_scope_of(search->acquire->event.scope));
	return true;
}

// All that the atomic, Y of figure 14 or the acquire itself, can come after.
static bool search_atomic(struct search *search, struct vkr_order_node *read)
{
	const struct vkr_order *order = search->order;
	search->read = read;
	if (read != search->acquire && order->options.rules.readings.fence_atomics)
		return vkr_hrf_each_site(order, &read->access, meet_site, search);
	return vkr_hrf_each_site(order, &read->access, hrf_sync_serve, search) &&
	       vkr_order_append(&search->reads, read);
}

// A barrier is a release by all its members followed by an acquire.
static bool search_members(struct search *search)
{
	const struct vkr_order_node *acquire = search->acquire;
	uint64_t value = 0;
	if (acquire->event.kind != VKR_ORDER_BARRIER || !acquire->event.instance ||
	    !vkr_map_get(&search->order->instances, acquire->event.instance, &value))
		return true;
	for (const struct vkr_order_node *other = (const struct vkr_order_node *)(uintptr_t)value;
	     other; other = other->participant) {
		const unsigned spaces = other->event.spaces & acquire->event.spaces;
		const bool members =
			vkr_hrf_instance_of(search->order, other->access.agent,
					    vkr_hrf_scope_of(other->event.execution))
					.number ==
				vkr_hrf_instance_of(search->order, acquire->access.agent,
						    vkr_hrf_scope_of(other->event.execution))
					.number &&
			vkr_hrf_instance_of(search->order, other->access.agent,
					    vkr_hrf_scope_of(acquire->event.execution))
					.number ==
				vkr_hrf_instance_of(search->order, acquire->access.agent,
						    vkr_hrf_scope_of(acquire->event.execution))
					.number;
		if (other != acquire && other->releases && spaces && members &&
		    order_hrf_sync_inclusive(search, other, NULL) &&
		    !add_source(search, other->access.event, spaces))
			return false;
	}
	return true;
}

// Where the latest acquire fence like this one stands: it has brought what stood before it.
static uint64_t floor_of(const struct search *search)
{
	const struct vkr_order_node *acquire = search->acquire;
	const struct vkr_order_state state =
		vkr_order_state_at(search->order, acquire->access.agent, acquire->access.position);
	for (const struct vkr_order_recent *recent = state.acquire_fences; recent;
	     recent = recent->older) {
		const struct vkr_order_node *fence =
			vkr_order_node_at(search->order, recent->event);
		if (fence->event.scope == acquire->event.scope &&
		    fence->event.spaces == acquire->event.spaces)
			return fence->access.position;
	}
	return 0;
}

static bool search_fence(struct search *search)
{
	const struct vkr_order_node *acquire = search->acquire;
	const struct vkr_order_agent *agent =
		vkr_order_agent_at(search->order, acquire->access.agent);
	const uint64_t floor = floor_of(search);
	for (uint64_t i = acquire->access.position / 2; i-- > 0;) {
		struct vkr_order_node *y = agent->events.items[i];
		if (y->access.position < floor)
			break;
		if (y->event.kind == VKR_ORDER_ATOMIC &&
		    (acquire->event.spaces & vkr_hrf_space_of(&y->access)) &&
		    !search_atomic(search, y))
			return false;
	}
	// Where agents' order is given from outside.
	for (size_t i = 0; i < acquire->event.released_count; i++) {
		const uint64_t event = acquire->event.released[i];
		const struct vkr_order_node *release = vkr_order_node_at(search->order, event);
		const unsigned spaces = release ? release->event.spaces & acquire->event.spaces : 0;
		if (release && release->releases && spaces &&
		    order_hrf_sync_inclusive(search, release, NULL) &&
		    !add_source(search, event, spaces))
			return false;
	}
	return search_members(search);
}

static bool hrf_sync_keep(struct vkr_order *order, const void *items, size_t bytes,
			  const void **kept)
{
	void *copy = bytes ? vkr_arena_alloc(&order->memory.arena, bytes) : NULL;
	if (copy)
		memcpy(copy, items, bytes);
	*kept = copy;
	return copy || !bytes;
}

bool vkr_hrf_find_sources(struct vkr_order *order, struct vkr_order_node *node)
{
	struct search search = {.order = order, .acquire = node};
	if (!node->acquires)
		return true;
	vkr_map_init(&search.known);
	bool found = node->event.kind == VKR_ORDER_ATOMIC ? search_atomic(&search, node)
							  : search_fence(&search);
	const void *sources = NULL, *reads = NULL;
	found = found &&
		hrf_sync_keep(order, search.sources.items,
			      search.sources.count * sizeof *search.sources.items, &sources) &&
		hrf_sync_keep(order, search.reads.items,
			      search.reads.count * sizeof *search.reads.items, &reads);
	vkr_hrf_node_of(node)->sources = sources;
	node->source_count = search.sources.count;
	node->reads = reads;
	node->read_count = search.reads.count;
	vkr_map_finish(&search.known);
	free(search.sources.items);
	free(search.reads.items);
	return found;
}
