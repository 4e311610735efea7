// SPDX-License-Identifier: Apache-2.0
#include "litmus_sort.h"

#include "array.h"
#include "error.h"
#include "sort.h"

#include <stdlib.h>

// Edges "from must not come after to", gathered, then indexed by `from`.
struct graph {
	struct vkr_litmus_edge *items;
	size_t count, capacity;
	size_t *starts; // of each event's edges among the sorted items
};

static bool litmus_sort_bind(struct graph *graph, uint32_t from, uint32_t to)
{
	if (!VKR_ARRAY_RESERVE(graph, 1))
		return false;
	graph->items[graph->count++] = (struct vkr_litmus_edge){.first = from, .second = to};
	return true;
}

static int compare_edges(const void *one, const void *other)
{
	const struct vkr_litmus_edge *a = one, *b = other;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->second < b->second ? -1 : a->second > b->second;
}

static bool atomic_write(const struct vkr_litmus_event *event)
{
	return event->atomic && event->operation != VKR_LITMUS_LOAD;
}

static bool same_bytes(const struct vkr_litmus *execution, const struct vkr_litmus_event *one,
		       const struct vkr_litmus_event *other)
{
	return execution->references[one->reference].location ==
		       execution->references[other->reference].location &&
	       one->offset == other->offset && one->size == other->size;
}

// The atomic writes to the bytes of `event`, in file order, except that a write with after= comes
// right after the write that it names.
static size_t modification_order(const struct vkr_litmus *execution, uint32_t event,
				 uint32_t *order)
{
	size_t count = 0;
	for (uint32_t i = 0; i < execution->event_count; i++) {
		if (atomic_write(&execution->events[i]) &&
		    same_bytes(execution, &execution->events[event], &execution->events[i]))
			order[count++] = i;
	}
	for (uint32_t i = 0; i < execution->event_count; i++) {
		uint32_t after = execution->events[i].after;
		size_t from = 0, to = 0;
		while (from < count && order[from] != i)
			from++;
		if (after == VKR_LITMUS_NONE || from == count)
			continue;
		for (; from + 1 < count; from++)
			order[from] = order[from + 1];
		while (to < count - 1 && order[to] != after)
			to++;
		for (size_t k = count - 1; k > to + 1; k--)
			order[k] = order[k - 1];
		order[to + 1] = i;
	}
	return count;
}

// Sorts atomic writes to the same bytes, each after the one before it: whether a write ends a
// release sequence must be known before the next read.
static bool bind_modifications(const struct vkr_litmus *execution, struct vkr_litmus_sort *sort,
			       struct graph *graph, uint32_t *order)
{
	for (uint32_t i = 0; i < execution->event_count; i++) {
		if (!atomic_write(&execution->events[i]) || sort->turns[i])
			continue;
		size_t count = modification_order(execution, i, order);
		for (size_t k = 0; k < count; k++) {
			sort->turns[order[k]] = k + 1;
			if (k > 0 && !litmus_sort_bind(graph, order[k - 1], order[k]))
				return false;
		}
	}
	return true;
}

static bool litmus_sort_overlap(const struct vkr_litmus *execution,
				const struct vkr_litmus_event *one,
				const struct vkr_litmus_event *other)
{
	return execution->references[one->reference].location ==
		       execution->references[other->reference].location &&
	       one->offset < other->offset + other->size && other->offset < one->offset + one->size;
}

// The coherent order of stores is their order in the file, except that after= moves a write right
// after the one it names. A load comes right after the store that it reads from.
static void order_coherently(const struct vkr_litmus *execution, struct vkr_litmus_sort *sort,
			     uint32_t *order)
{
	size_t count = 0;
	for (uint32_t i = 0; i < execution->event_count; i++) {
		if (execution->events[i].reference != VKR_LITMUS_NONE &&
		    execution->events[i].operation != VKR_LITMUS_LOAD)
			order[count++] = i;
	}
	for (uint32_t i = 0; i < execution->event_count; i++) {
		size_t from = 0, to = 0;
		if (execution->events[i].after == VKR_LITMUS_NONE)
			continue;
		while (order[from] != i)
			from++;
		for (; from + 1 < count; from++)
			order[from] = order[from + 1];
		while (order[to] != execution->events[i].after)
			to++;
		for (size_t k = count - 1; k > to + 1; k--)
			order[k] = order[k - 1];
		order[to + 1] = i;
	}
	for (size_t i = 0; i < count; i++)
		sort->turns[order[i]] = i + 1;
	for (uint32_t i = 0; i < execution->event_count; i++) {
		uint32_t from = execution->events[i].from;
		sort->seen[i] = from == VKR_LITMUS_NONE ? 0 : sort->turns[from];
	}
}

// Atomics that one comes after in the coherent order, whether or not it reads from them.
static bool bind_coherently(const struct vkr_litmus *execution, struct vkr_litmus_sort *sort,
			    struct graph *graph, uint32_t *scratch)
{
	order_coherently(execution, sort, scratch);
	for (uint32_t i = 0; i < execution->event_count; i++) {
		const struct vkr_litmus_event *one = &execution->events[i];
		if (!one->atomic)
			continue;
		uint64_t at = one->operation == VKR_LITMUS_LOAD ? 2 * sort->seen[i] + 1
								: 2 * sort->turns[i];
		for (uint32_t k = 0; k < execution->event_count; k++) {
			const struct vkr_litmus_event *other = &execution->events[k];
			if (k == i || !other->atomic || !litmus_sort_overlap(execution, one, other))
				continue;
			bool load = other->operation == VKR_LITMUS_LOAD;
			uint64_t to = load ? 2 * sort->seen[k] + 1 : 2 * sort->turns[k];
			bool read = other->operation != VKR_LITMUS_STORE;
			bool before =
				at < to || (at == to && i < k) ||
				(atomic_write(one) && read && sort->turns[i] <= sort->seen[k]);
			if (before && !litmus_sort_bind(graph, i, k))
				return false;
		}
	}
	return true;
}

// The arrivals at one control barrier, in a ring.
static bool bind_barriers(const struct vkr_litmus *execution, struct graph *graph, uint32_t *newest)
{
	for (uint32_t i = 0; i < execution->event_count; i++)
		newest[i] = VKR_LITMUS_NONE;
	for (uint32_t i = 0; i < execution->event_count; i++) {
		uint32_t instance = execution->events[i].instance;
		if (execution->events[i].operation != VKR_LITMUS_BARRIER ||
		    instance >= execution->event_count)
			continue;
		if (newest[instance] != VKR_LITMUS_NONE &&
		    (!litmus_sort_bind(graph, newest[instance], i) ||
		     !litmus_sort_bind(graph, i, newest[instance])))
			return false;
		newest[instance] = i;
	}
	return true;
}

static bool bind_all(const struct vkr_litmus *execution, bool coherent,
		     struct vkr_litmus_sort *sort, struct graph *graph, uint32_t *scratch)
{
	for (uint32_t i = 0; i < execution->event_count; i++) {
		const struct vkr_litmus_event *event = &execution->events[i];
		uint32_t previous = sort->last_events[event->agent];
		if (previous == VKR_LITMUS_NONE)
			sort->first_events[event->agent] = i;
		else if (!litmus_sort_bind(graph, previous, i))
			return false;
		sort->last_events[event->agent] = i;
		if (event->atomic && event->from != VKR_LITMUS_NONE &&
		    !litmus_sort_bind(graph, event->from, i))
			return false;
	}
	for (size_t i = 0; i < execution->event_edge_count; i++) {
		const struct vkr_litmus_edge *edge = &execution->event_edges[i];
		if (!litmus_sort_bind(graph, edge->first, edge->second))
			return false;
	}
	for (size_t i = 0; i < execution->agent_edge_count; i++) {
		uint32_t from = sort->last_events[execution->agent_edges[i].first];
		uint32_t to = sort->first_events[execution->agent_edges[i].second];
		if (from != VKR_LITMUS_NONE && to != VKR_LITMUS_NONE &&
		    !litmus_sort_bind(graph, from, to))
			return false;
	}
	return (coherent ? bind_coherently(execution, sort, graph, scratch)
			 : bind_modifications(execution, sort, graph, scratch)) &&
	       bind_barriers(execution, graph, scratch);
}

// Tarjan's strongly connected components, with a stack of its own. They come out last first.
struct walk {
	const struct graph *graph;
	size_t *next;  // edge to follow, of each event
	uint32_t *low; // lowest number reached; 0: not seen
	uint32_t *number;
	uint32_t *open; // events whose component is not closed
	uint32_t *path; // events being followed
	uint32_t open_count, path_count, seen;
	struct vkr_litmus_sort *sort;
	uint32_t written; // events at the end of sort->events
};

static void enter_event(struct walk *walk, uint32_t event)
{
	walk->number[event] = walk->low[event] = ++walk->seen;
	walk->next[event] = walk->graph->starts[event];
	walk->open[walk->open_count++] = event;
	walk->path[walk->path_count++] = event;
}

static void leave_component(struct walk *walk)
{
	uint32_t event = walk->path[--walk->path_count];
	if (walk->path_count) {
		uint32_t *low = &walk->low[walk->path[walk->path_count - 1]];
		if (walk->low[event] < *low)
			*low = walk->low[event];
	}
	if (walk->low[event] != walk->number[event])
		return;
	uint32_t member;
	do {
		member = walk->open[--walk->open_count];
		walk->sort->events[--walk->written] = member;
		walk->sort->groups[member] = walk->sort->group_count;
		walk->low[member] = UINT32_MAX; // closed: no one's lowest
	} while (member != event);
	walk->sort->group_count++;
}

static void follow_event(struct walk *walk, uint32_t root)
{
	enter_event(walk, root);
	while (walk->path_count) {
		uint32_t event = walk->path[walk->path_count - 1];
		if (walk->next[event] == walk->graph->starts[event + 1]) {
			leave_component(walk);
			continue;
		}
		uint32_t to = walk->graph->items[walk->next[event]++].second;
		if (!walk->low[to])
			enter_event(walk, to);
		else if (walk->low[to] != UINT32_MAX && walk->number[to] < walk->low[event])
			walk->low[event] = walk->number[to];
	}
}

static int compare_numbers(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	return a < b ? -1 : a > b;
}

// Numbers the groups along the sorted events, and puts each group's events into file order, which
// is the program order of each agent.
static void number_groups(struct vkr_litmus_sort *sort, size_t count)
{
	for (size_t i = 0; i < count;) {
		uint32_t group = sort->groups[sort->events[i]];
		size_t end = i;
		while (end < count && sort->groups[sort->events[end]] == group)
			end++;
		vkr_sort(&sort->events[i], end - i, sizeof *sort->events, compare_numbers);
		i = end;
	}
	for (size_t i = 0; i < count; i++)
		sort->groups[i] = sort->group_count - 1 - sort->groups[i];
}

static bool find_groups(const struct graph *graph, struct vkr_litmus_sort *sort, uint32_t count)
{
	struct walk walk = {.graph = graph, .sort = sort, .written = count};
	uint32_t *scratch = calloc((size_t)count * 4 + 1, sizeof *scratch);
	walk.next = calloc((size_t)count + 1, sizeof *walk.next);
	bool room = scratch && walk.next;
	if (room) {
		walk.low = scratch;
		walk.number = scratch + count;
		walk.open = scratch + (size_t)count * 2;
		walk.path = scratch + (size_t)count * 3;
		// From the last event back, so that events that nothing binds keep the file's
		// order.
		for (uint32_t i = count; i-- > 0;) {
			if (!walk.low[i])
				follow_event(&walk, i);
		}
		number_groups(sort, count);
	}
	free(scratch);
	free(walk.next);
	return room;
}

enum vkr_result vkr_litmus_sort(const struct vkr_litmus *execution, bool coherent,
				struct vkr_litmus_sort *sort, struct vkr_error *error)
{
	size_t count = execution->event_count;
	struct graph graph = {0};
	uint32_t *scratch = calloc(count + 1, sizeof *scratch);
	*sort = (struct vkr_litmus_sort){
		.events = calloc(count + 1, sizeof *sort->events),
		.groups = calloc(count + 1, sizeof *sort->groups),
		.turns = calloc(count + 1, sizeof *sort->turns),
		.seen = calloc(count + 1, sizeof *sort->seen),
		.first_events = calloc(execution->agent_count + 1, sizeof *sort->first_events),
		.last_events = calloc(execution->agent_count + 1, sizeof *sort->last_events),
	};
	graph.starts = calloc(count + 2, sizeof *graph.starts);
	bool good = scratch && sort->events && sort->groups && sort->turns && sort->seen &&
		    sort->first_events && sort->last_events && graph.starts;
	for (size_t i = 0; good && i < execution->agent_count; i++)
		sort->first_events[i] = sort->last_events[i] = VKR_LITMUS_NONE;
	good = good && bind_all(execution, coherent, sort, &graph, scratch);
	if (good)
		vkr_sort(graph.items, graph.count, sizeof *graph.items, compare_edges);
	for (size_t i = 0, event = 0; good && event <= count; event++) {
		while (i < graph.count && graph.items[i].first < event)
			i++;
		graph.starts[event] = i;
	}
	good = good && find_groups(&graph, sort, (uint32_t)count);
	free(scratch);
	free(graph.items);
	free(graph.starts);
	if (good)
		return VKR_OK;
	vkr_litmus_sort_finish(sort);
	return vkr_error_memory(error, "litmus order");
}

void vkr_litmus_sort_finish(struct vkr_litmus_sort *sort)
{
	free(sort->events);
	free(sort->groups);
	free(sort->turns);
	free(sort->seen);
	free(sort->first_events);
	free(sort->last_events);
	*sort = (struct vkr_litmus_sort){0};
}
