// SPDX-License-Identifier: Apache-2.0
// Synchronizes-with (appendix "Memory Model", section "Synchronizes-With"): which releases an
// acquire synchronizes with. Knows the structure of the execution; nothing of clocks.
#include "array.h"
#include "order_sequence.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct search {
	struct vkr_order *order;
	struct vkr_order_node *acquire; // B of the specification
	struct vkr_order_node *read;    // the atomic read between, B itself where B is atomic
	uint64_t *items;
	size_t count, capacity;
	struct vkr_map known; // the items, once they are many
	struct vkr_order_nodes reads;
};

#define FEW_SOURCES 16u

static bool is_known(const struct search *search, uint64_t event)
{
	uint64_t unused;
	if (search->count > FEW_SOURCES)
		return vkr_map_get(&search->known, event, &unused);
	for (size_t i = 0; i < search->count; i++) {
		if (search->items[i] == event)
			return true;
	}
	return false;
}

static bool add_source(struct search *search, uint64_t event)
{
	if (is_known(search, event))
		return true;
	if (!VKR_ARRAY_RESERVE(search, 1))
		return false;
	assert(search->items != NULL);
	for (size_t i = 0; search->count == FEW_SOURCES && i < FEW_SOURCES; i++) {
		if (!vkr_map_set(&search->known, search->items[i], 1))
			return false;
	}
	if (search->count >= FEW_SOURCES && !vkr_map_set(&search->known, event, 1))
		return false;
	search->items[search->count++] = event;
	return true;
}

static bool in_scope(const struct search *search, const struct vkr_order_node *release)
{
	const struct vkr_order_node *acquire = search->acquire;
	assert(acquire != NULL);
	return vkr_order_in_scope(search->order, release->access.agent, release->event.scope,
				  acquire->access.agent, acquire->event.scope);
}

// Host fences have no storage class semantics; they order everything.
static bool order_sync_constrains(const struct vkr_order_node *fence,
				  const struct vkr_order_node *access)
{
	return fence->host || (fence->event.semantics & access->access.storage_class) != 0;
}

// Whether a release fence before the write can use its release sequence. In 2018 that of a relaxed
// write was the write alone: "B reads the value written by X (or the release sequence headed by X,
// if X has release semantics)".
static bool heads_for_fences(const struct search *search, const struct vkr_order_node *write)
{
	const struct vkr_order_event *read = &search->read->event;
	if (search->order->options.rules.model != VKR_MEMORY_VULKAN_2018 || write->releases ||
	    read->from == write->access.event)
		return true;
	const struct vkr_order_class *class = search->read->reads_class;
	return class && (write->writes_class[0] == class || write->writes_class[1] == class);
}

// One atomic write X whose release sequence the read takes its value from.
static bool meet_head(void *context, const struct vkr_order_node *write)
{
	struct search *search = context;
	struct vkr_order *order = search->order;
	const struct vkr_order_node *acquire = search->acquire;
	bool fence = acquire != search->read;
	// Atomic to atomic, and atomic to fence.
	if (write->releases && (!fence || in_scope(search, write)) &&
	    !add_source(search, write->access.event))
		return false;
	if (!heads_for_fences(search, write))
		return true;
	// Fence to atomic, and fence to fence, by the hypothetical release sequence of X.
	struct vkr_order_state state =
		vkr_order_state_at(order, write->access.agent, write->access.position);
	for (const struct vkr_order_recent *recent = state.release_fences; recent;
	     recent = recent->older) {
		const struct vkr_order_node *release = vkr_order_node_at(order, recent->event);
		// "X's and Y's storage class is in A's and B's semantics", each in the semantics of
		// its own agent's fence, as in the two rules with one fence: mutually ordered
		// atomics of shaders have one class, so that nothing else could be meant.
		if (!in_scope(search, release) || !order_sync_constrains(release, write))
			continue;
		if (!add_source(search, recent->event))
			return false;
	}
	return true;
}

static bool meet_read(struct search *search, struct vkr_order_node *read)
{
	search->read = read;
	return vkr_order_takes_all(search->order, read, search->acquire)
		       ? vkr_order_append(&search->reads, read)
		       : vkr_order_each_head(search->order, read, meet_head, search);
}

// Fence to fence by a control barrier that the acquire's agent executed.
static bool meet_barrier(struct search *search, const struct vkr_order_node *arrival)
{
	const struct vkr_order_node *acquire = search->acquire;
	struct vkr_order *order = search->order;
	uint64_t value = 0;
	const struct vkr_order_node *other = arrival;
	if (arrival->event.instance &&
	    vkr_map_get(&order->instances, arrival->event.instance, &value))
		other = (const struct vkr_order_node *)(uintptr_t)value;
	for (; other; other = other->participant) {
		if (!vkr_order_in_scope(order, other->access.agent, other->event.execution,
					acquire->access.agent, arrival->event.execution))
			continue;
		for (const struct vkr_order_recent *recent = other->after.release_fences; recent;
		     recent = recent->older) {
			if (in_scope(search, vkr_order_node_at(order, recent->event)) &&
			    !add_source(search, recent->event))
				return false;
		}
	}
	return true;
}

// An earlier acquire fence of the same scope and semantics has brought what stood before it.
static uint64_t floor_of(const struct vkr_order *order, const struct vkr_order_node *acquire)
{
	struct vkr_order_state state =
		vkr_order_state_at(order, acquire->access.agent, acquire->access.position);
	for (const struct vkr_order_recent *recent = state.acquire_fences; recent;
	     recent = recent->older) {
		const struct vkr_order_node *fence = vkr_order_node_at(order, recent->event);
		if (fence->event.scope == acquire->event.scope &&
		    fence->event.semantics == acquire->event.semantics)
			return fence->access.position;
	}
	return 0;
}

static bool search_fence(struct search *search)
{
	const struct vkr_order_node *acquire = search->acquire;
	struct vkr_order *order = search->order;
	uint64_t floor = floor_of(order, acquire);
	struct vkr_order_node *node = vkr_order_node_at(order, acquire->older_read);
	for (; node && node->access.position > floor;
	     node = vkr_order_node_at(order, node->older_read)) {
		if (order_sync_constrains(acquire, node) && !meet_read(search, node))
			return false;
	}
	// The barrier may be the acquire fence itself.
	node = acquire->event.kind == VKR_ORDER_BARRIER
		       ? search->acquire
		       : vkr_order_node_at(order, acquire->older_barrier);
	for (; node && node->access.position > floor;
	     node = vkr_order_node_at(order, node->older_barrier)) {
		if (!meet_barrier(search, node))
			return false;
	}
	// Fragment interlock and shader calls.
	for (size_t i = 0; i < acquire->event.released_count; i++) {
		uint64_t event = acquire->event.released[i];
		const struct vkr_order_node *release = vkr_order_node_at(order, event);
		if (release && release->releases && in_scope(search, release) &&
		    !add_source(search, event))
			return false;
	}
	return true;
}

static bool keep_found(const struct search *search, struct vkr_order_node *node)
{
	struct vkr_arena *arena = &search->order->memory.arena;
	const size_t count = search->count, read_count = search->reads.count;
	uint64_t *sources = vkr_arena_alloc(arena, count * sizeof *sources + 1);
	struct vkr_order_node **reads = vkr_arena_alloc(arena, read_count * sizeof(void *) + 1);
	if (!sources || !reads)
		return false;
	if (count)
		memcpy(sources, search->items, count * sizeof *sources);
	if (read_count)
		memcpy(reads, search->reads.items, read_count * sizeof(void *));
	node->sources = sources;
	node->source_count = count;
	node->reads = reads;
	node->read_count = read_count;
	return true;
}

bool vkr_order_find_sources(struct vkr_order *order, struct vkr_order_node *node)
{
	struct search search = {.order = order, .acquire = node, .read = node};
	if (!node->acquires)
		return true;
	bool found = node->event.kind == VKR_ORDER_ATOMIC ? meet_read(&search, node)
							  : search_fence(&search);
	found = found && (search.count + search.reads.count == 0 || keep_found(&search, node));
	vkr_map_finish(&search.known);
	free(search.items);
	free(search.reads.items);
	return found;
}
