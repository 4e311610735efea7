// SPDX-License-Identifier: Apache-2.0
// Scoped synchronization orders of the HRF models (figures 9, 14 and 17): which releases an acquire
// is ordered after. Knows the coherent order of atomics; nothing of clocks.
#include "array.h"
#include "order_hrf.h"

#include <stdlib.h>
#include <string.h>

// Atomics by the bytes that they are of: in the cells that their 64 bytes are. An atomic of more
// bytes is in the cell of its memory.
#define PACKED_BYTES 64u
#define WHOLE        UINT64_MAX

struct packed_cell {
	uint64_t memory, at; // offset / PACKED_BYTES, or WHOLE
	struct vkr_order_nodes atomics;
	struct packed_cell *next; // of the same hash
};

struct vkr_order_hrf {
	struct vkr_map packed;  // hash to struct cell *
	struct vkr_map classes; // of writes: to struct vkr_order_nodes *
	struct {
		struct packed_cell **items;
		size_t count, capacity;
	} all;
};

bool vkr_hrf_begin(struct vkr_order *order)
{
	order->hrf = calloc(1, sizeof *order->hrf);
	if (!order->hrf)
		return false;
	vkr_map_init(&order->hrf->packed);
	vkr_map_init(&order->hrf->classes);
	return true;
}

void vkr_hrf_finish(struct vkr_order *order)
{
	if (!order->hrf)
		return;
	for (size_t i = 0; i < order->hrf->all.count; i++) {
		free(order->hrf->all.items[i]->atomics.items);
		free(order->hrf->all.items[i]);
	}
	free(order->hrf->all.items);
	for (size_t i = 0; i < order->hrf->classes.capacity; i++) {
		if (order->hrf->classes.slots[i].used)
			free(((struct vkr_order_nodes *)(uintptr_t)order->hrf->classes.slots[i]
				      .value)
				     ->items);
	}
	vkr_map_finish(&order->hrf->classes);
	vkr_map_finish(&order->hrf->packed);
	free(order->hrf);
	order->hrf = NULL;
}

static struct packed_cell *find_packed(const struct vkr_order_hrf *hrf, uint64_t memory,
				       uint64_t at)
{
	uint64_t value = 0;
	if (!vkr_map_get(&hrf->packed, vkr_map_hash(vkr_map_hash(memory) ^ at), &value))
		return NULL;
	struct packed_cell *packed_cell = (struct packed_cell *)(uintptr_t)value;
	while (packed_cell && (packed_cell->memory != memory || packed_cell->at != at))
		packed_cell = packed_cell->next;
	return packed_cell;
}

static bool add_to_packed(struct vkr_order_hrf *hrf, uint64_t memory, uint64_t at,
			  struct vkr_order_node *node)
{
	struct packed_cell *packed_cell = find_packed(hrf, memory, at);
	if (!packed_cell) {
		const uint64_t key = vkr_map_hash(vkr_map_hash(memory) ^ at);
		uint64_t value = 0;
		packed_cell = calloc(1, sizeof *packed_cell);
		if (!packed_cell || !VKR_ARRAY_RESERVE(&hrf->all, 1)) {
			free(packed_cell);
			return false;
		}
		hrf->all.items[hrf->all.count++] = packed_cell;
		packed_cell->memory = memory;
		packed_cell->at = at;
		if (vkr_map_get(&hrf->packed, key, &value))
			packed_cell->next = (struct packed_cell *)(uintptr_t)value;
		if (!vkr_map_set(&hrf->packed, key, (uint64_t)(uintptr_t)packed_cell))
			return false;
	}
	return vkr_order_append(&packed_cell->atomics, node);
}

// The writes of a class that have been fed; NULL where there are none.
static struct vkr_order_nodes *class_of(const struct vkr_order *order, uint64_t number)
{
	uint64_t value = 0;
	return number && vkr_map_get(&order->hrf->classes, number, &value)
		       ? (struct vkr_order_nodes *)(uintptr_t)value
		       : NULL;
}

static bool add_to_class(struct vkr_order *order, uint64_t number, struct vkr_order_node *node)
{
	struct vkr_order_nodes *class = class_of(order, number);
	if (!number)
		return true;
	if (!class) {
		class = vkr_arena_alloc(&order->memory.arena, sizeof *class);
		if (!class ||
		    !vkr_map_set(&order->hrf->classes, number, (uint64_t)(uintptr_t) class))
			return false;
	}
	return vkr_order_append(class, node);
}

bool vkr_hrf_add(struct vkr_order *order, struct vkr_order_node *of)
{
	struct vkr_hrf_node *node = vkr_hrf_node_of(of);
	const struct vkr_order_access *access = &of->access;
	const bool fence = of->event.kind == VKR_ORDER_FENCE || of->event.kind == VKR_ORDER_BARRIER;
	node->spaces = fence              ? of->event.spaces
		       : access->size > 0 ? vkr_hrf_space_of(access)
					  : VKR_ORDER_GLOBAL | VKR_ORDER_LOCAL;
	if (of->event.kind != VKR_ORDER_ATOMIC)
		return true;
	if (access->write && (!add_to_class(order, of->event.writes_class[0], of) ||
			      !add_to_class(order, of->event.writes_class[1], of)))
		return false;
	const uint64_t first = access->offset / PACKED_BYTES;
	const uint64_t last = (access->offset + access->size - 1) / PACKED_BYTES;
	if (last - first > 1)
		return add_to_packed(order->hrf, access->memory, WHOLE, of);
	return add_to_packed(order->hrf, access->memory, first, of) &&
	       (first == last || add_to_packed(order->hrf, access->memory, last, of));
}

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
static bool inclusive(const struct search *search, const struct vkr_order_node *release,
		      const struct vkr_order_access *through)
{
	const struct vkr_order_node *acquire = search->acquire;
	const bool fence =
		release->event.kind != VKR_ORDER_ATOMIC || acquire->event.kind != VKR_ORDER_ATOMIC;
	const bool shared = through && !through->local && !through->coarse &&
			    !(fence && search->order->options.rules.readings.fence_allocation);
	return vkr_hrf_inclusive(search->order, release->access.agent, release->event.scope,
				 acquire->access.agent, acquire->event.scope, shared);
}

// Whether X comes before Y in the coherent order of a location. A load stands right after the store
// that it reads from; loads of one store in program order, or by age.
static bool coherent(const struct search *search, const struct vkr_order_node *x,
		     const struct vkr_order_node *y, bool any)
{
	if (x->access.write && y->access.read) {
		if (y->event.since <= x->event.modification &&
		    x->event.modification <= y->event.seen)
			return true;
		const struct vkr_order_nodes *class = class_of(search->order, y->event.reads_class);
		for (size_t i = 0; class && i < class->count; i++) {
			const struct vkr_order_event *from = &class->items[i]->event;
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
		if ((fence->event.spaces & space) && inclusive(search, fence, &x->access) &&
		    !add_source(search, recent->event, space))
			return false;
	}
	return true;
}

// X of figure 14, or a release atomic.
static bool meet(struct search *search, const struct vkr_order_node *x)
{
	const struct vkr_readings *readings = &search->order->options.rules.readings;
	const struct vkr_order_node *y = search->read;
	const bool fence = y != search->acquire;
	const struct vkr_order_access *a = &x->access, *b = &y->access;
	if (x == y || a->offset >= b->offset + b->size || b->offset >= a->offset + a->size ||
	    !coherent(search, x, y, fence && readings->fence_atomics))
		return true;
	if (x->releases && (!fence || readings->fence_pair) && coherent(search, x, y, false) &&
	    inclusive(search, x, a) && !add_source(search, a->event, vkr_hrf_space_of(a)))
		return false;
	return fence || readings->fence_pair ? meet_fences(search, x) : true;
}

static bool meet_packed(struct search *search, const struct packed_cell *packed_cell)
{
	for (size_t i = 0; packed_cell && i < packed_cell->atomics.count; i++) {
		if (!meet(search, packed_cell->atomics.items[i]))
			return false;
	}
	return true;
}

// All that the atomic, Y of figure 14 or the acquire itself, can come after.
static bool search_atomic(struct search *search, const struct vkr_order_node *read)
{
	const struct vkr_order_hrf *hrf = search->order->hrf;
	const struct vkr_order_access *access = &read->access;
	const uint64_t first = access->offset / PACKED_BYTES;
	const uint64_t last = (access->offset + access->size - 1) / PACKED_BYTES;
	search->read = read;
	if (last - first > hrf->all.count) {
		for (size_t i = 0; i < hrf->all.count; i++) {
			if (hrf->all.items[i]->memory == access->memory &&
			    !meet_packed(search, hrf->all.items[i]))
				return false;
		}
		return true;
	}
	for (uint64_t at = first; at <= last; at++) {
		if (!meet_packed(search, find_packed(hrf, access->memory, at)))
			return false;
	}
	return meet_packed(search, find_packed(hrf, access->memory, WHOLE));
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
		    inclusive(search, other, NULL) &&
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
		const struct vkr_order_node *y = agent->events.items[i];
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
		if (release && release->releases && spaces && inclusive(search, release, NULL) &&
		    !add_source(search, event, spaces))
			return false;
	}
	return search_members(search);
}

bool vkr_hrf_find_sources(struct vkr_order *order, struct vkr_order_node *node)
{
	struct search search = {.order = order, .acquire = node};
	bool found = true;
	if (!node->acquires)
		return true;
	vkr_map_init(&search.known);
	found = node->event.kind == VKR_ORDER_ATOMIC ? search_atomic(&search, node)
						     : search_fence(&search);
	if (found && search.sources.count) {
		const size_t bytes = search.sources.count * sizeof *search.sources.items;
		struct vkr_hrf_source *kept = vkr_arena_alloc(&order->memory.arena, bytes);
		found = kept != NULL;
		if (kept) {
			memcpy(kept, search.sources.items, bytes);
			vkr_hrf_node_of(node)->sources = kept;
			node->source_count = search.sources.count;
		}
	}
	vkr_map_finish(&search.known);
	free(search.sources.items);
	return found;
}
