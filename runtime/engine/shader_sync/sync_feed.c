// SPDX-License-Identifier: Apache-2.0
// Feeds a dispatch's synchronization to vkr_order: with as few agents as can represent all, in an
// order in which nothing that happens-before an event comes after it. Knows what must come before
// what; not what synchronizes with what.
#include "array.h"
#include "error.h"
#include "search.h"
#include "site_scope.h"
#include "sort.h"
#include "sync_uses.h"

#include <stdlib.h>

// ---- Order of feeding ---------------------------------------------------------------------------

// Tarjan's algorithm over the edges "must not come after" of each event: to its agent's previous
// event, the writes that it may have read from, the other arrivals at its control barrier, and the
// releases along shader calls. A strongly connected component is fed in one call. If several
// commands are judged together, each has two more nodes: its beginning, before its first events and
// after the ends of the commands that it comes after, and its end, after its last event. Their
// numbers follow those of events. Each position of a class of writes has two more nodes: for the
// members before it, and for those from it on.
struct feeding {
	struct vkr_sync *sync;
	struct vkr_map last;   // use of barriers
	uint32_t *part_agents; // by part: its first agent; one more for the end
	uint32_t *number, *low, *edge, *path, *members;
	bool *on_path;
	size_t path_count, member_count;
	uint32_t numbers, components;
	uint32_t left; // numbers whose edges are all followed: then `edge` has the place in this
		       // order
	struct {
		struct vkr_order_event *items;
		size_t count, capacity;
	} batch;
	struct {
		uint64_t *items;
		size_t count, capacity;
	} ids;
	struct vkr_error *error;
};

static uint32_t beginning_of(const struct vkr_sync *sync, uint32_t part)
{
	return (uint32_t)sync->events.count + 2 * part;
}

static bool is_event(const struct feeding *feeding, uint32_t index)
{
	return index < feeding->sync->events.count;
}

static bool is_part(const struct feeding *feeding, uint32_t index)
{
	return !is_event(feeding, index) &&
	       index < beginning_of(feeding->sync, feeding->sync->commands.part_count);
}

// The numbers of a place among vkr_sync's `members`.
static uint32_t members_before(const struct vkr_sync *sync, size_t place)
{
	return (uint32_t)(beginning_of(sync, sync->commands.part_count) + 2 * place);
}

static uint32_t members_from(const struct vkr_sync *sync, size_t place)
{
	return members_before(sync, place) + 1;
}

static uint32_t last_fed(const struct vkr_sync *sync, uint32_t index)
{
	const struct vkr_sync_agent *agent = &sync->agents.items[index];
	if (!vkr_sync_is_fed(sync, index))
		return VKR_SYNC_NONE;
	for (size_t at = agent->first_event + agent->event_count; at-- > agent->first_event;)
		if (vkr_sync_matters(sync, &sync->events.items[at]))
			return (uint32_t)at;
	return VKR_SYNC_NONE;
}

// Of a part's beginning or end, as edge_at.
static bool part_edge_at(const struct feeding *feeding, uint32_t index, uint32_t n, uint32_t *to)
{
	const struct vkr_sync *sync = feeding->sync;
	const uint32_t part = (index - (uint32_t)sync->events.count) / 2;
	if (index == beginning_of(sync, part)) {
		if (n >= sync->commands.parts[part].after_count)
			return false;
		*to = beginning_of(sync, sync->commands.parts[part].after[n]) + 1;
		return true;
	}
	if (n == 0) {
		*to = index - 1;
		return true;
	}
	const uint64_t agent = feeding->part_agents[part] + (uint64_t)n - 1;
	if (agent >= feeding->part_agents[part + 1])
		return false;
	*to = last_fed(sync, (uint32_t)agent);
	return true;
}

// The edges of a node of a class: to the nearest member, and to the node beyond it.
static bool member_edge_at(const struct vkr_sync *sync, uint32_t index, uint32_t n, uint32_t *to)
{
	const uint32_t number = index - members_before(sync, 0);
	const bool before = number % 2 == 0;
	const size_t nearest = before ? number / 2 - 1 : number / 2;
	const struct vkr_sync_member *member = &sync->candidates.members.items[nearest];
	const struct vkr_sync_class *class = &sync->candidates.classes.items[member->class];
	if (n == 0)
		*to = sync->atomics.items[member->atomic].event;
	else if (n == 1 && before && nearest > class->first)
		*to = members_before(sync, nearest);
	else if (n == 1 && !before && nearest + 1 < class->first + class->count)
		*to = members_from(sync, nearest + 1);
	return n < 2;
}

// What the atomic may have read: members of its class, except those of its own agent from the
// atomic on.
static bool class_edge_at(const struct vkr_sync *sync, uint32_t atomic, uint32_t n, uint32_t *to)
{
	const struct vkr_sync_atomic *items = sync->atomics.items;
	const struct vkr_sync_class *class =
		&sync->candidates.classes.items[items[atomic].reads_class - 1];
	const uint32_t agent = vkr_sync_agent_of(sync, atomic);
	const size_t end = class->first + class->count;
	size_t low = class->first;
	VKR_SEARCH(low, end, at,
		   sync->candidates.members.items[at].atomic < atomic ||
			   (n == 1 &&
			    vkr_sync_agent_of(sync, sync->candidates.members.items[at].atomic) <=
				    agent));
	if (n == 0 && low > class->first)
		*to = members_before(sync, low);
	else if (n == 1 && low < end)
		*to = members_from(sync, low);
	return n < 2;
}

// The n-th event that must not come after this one; VKR_SYNC_NONE: no event at this index. False
// after the last.
static bool edge_at(const struct feeding *feeding, uint32_t index, uint32_t n, uint32_t *to)
{
	const struct vkr_sync *sync = feeding->sync;
	*to = VKR_SYNC_NONE;
	if (is_part(feeding, index))
		return part_edge_at(feeding, index, n, to);
	if (!is_event(feeding, index))
		return member_edge_at(sync, index, n, to);
	const struct vkr_sync_event *event = &sync->events.items[index];
	if (n == 0 && event->previous == VKR_SYNC_NONE && sync->commands.parts != NULL)
		*to = beginning_of(sync, vkr_sync_event_part(sync, event));
	else if (n == 0)
		*to = event->previous;
	else if (n == 1)
		*to = event->mate == index ? VKR_SYNC_NONE : event->mate;
	if (n < 2)
		return true;
	if (event->atomic == VKR_SYNC_NONE) {
		*to = vkr_sync_released(sync, event)[n - 2];
		return *to != VKR_SYNC_NONE;
	}
	const struct vkr_sync_atomic *atomic = &sync->atomics.items[event->atomic];
	if (atomic->reads_class != 0)
		return class_edge_at(sync, event->atomic, n - 2, to);
	if (n == 2 && atomic->from != VKR_SYNC_NONE)
		*to = sync->atomics.items[atomic->from].event;
	return n == 2;
}

// Address spaces, of the HRF models.
static unsigned spaces_of(unsigned semantics)
{
	return (semantics & VKR_CLASS_WORKGROUP ? VKR_ORDER_LOCAL : 0) |
	       (semantics & ~(unsigned)VKR_CLASS_WORKGROUP ? VKR_ORDER_GLOBAL : 0);
}

static void fill_event(const struct feeding *feeding, const struct vkr_sync_event *event,
		       struct vkr_order_event *fed)
{
	const struct vkr_sync *sync = feeding->sync;
	const struct vkr_site *site = &sync->sites[event->site];
	const bool leads = sync->commands.parts != NULL &&
			   sync->commands.parts[vkr_sync_event_part(sync, event)].leads;
	const bool used = event->atomic != VKR_SYNC_NONE || leads ||
			  vkr_sync_is_of_use(sync, &feeding->last, event);
	*fed = (struct vkr_order_event){
		.kind = site->operation == VKR_SITE_CONTROL_BARRIER  ? VKR_ORDER_BARRIER
			: site->operation == VKR_SITE_MEMORY_BARRIER ? VKR_ORDER_FENCE
								     : VKR_ORDER_ATOMIC,
		.agent = vkr_sync_agent_id(sync, event->agent),
		.step = (2 * (uint64_t)event->before + 1) << 32,
		.acquire = used && (site->order & VKR_ORDER_ACQUIRE),
		.release = site->order & VKR_ORDER_RELEASE,
		.make_available = site->order & VKR_ORDER_MAKE_AVAILABLE,
		.make_visible = used && (site->order & VKR_ORDER_MAKE_VISIBLE),
		.scope = vkr_sync_scope(site->scope),
		.semantics = site->semantics,
		.spaces = spaces_of(site->semantics),
		.instance = event->instance,
		.execution = vkr_sync_scope(site->execution),
	};
}

static struct vkr_order_access atomic_access(const struct vkr_sync *sync,
					     const struct vkr_sync_event *event)
{
	const struct vkr_site *site = &sync->sites[event->site];
	const struct vkr_sync_atomic *atomic = &sync->atomics.items[event->atomic];
	return (struct vkr_order_access){
		.reference = atomic->reference,
		.memory = atomic->memory,
		.offset = atomic->offset,
		.size = atomic->bytes,
		.storage_class = site->storage_class,
		.read = atomic->reads,
		.write = atomic->writes,
		.atomic = true,
		.nonprivate = true,
		.local = site->storage_class == VKR_CLASS_WORKGROUP,
		.scope = vkr_sync_scope(site->scope),
		.available = atomic->writes ? vkr_sync_scope(site->scope) : VKR_ORDER_INVOCATION,
		.visible = atomic->reads ? vkr_sync_scope(site->scope) : VKR_ORDER_INVOCATION};
}

static void fill_atomic(const struct vkr_sync *sync, const struct vkr_sync_event *event,
			struct vkr_order_event *fed)
{
	const struct vkr_sync_atomic *atomic = &sync->atomics.items[event->atomic];
	fed->access = atomic_access(sync, event);
	fed->modification = atomic->modification;
	fed->since = atomic->since;
	fed->follows = true;
	if (atomic->from != VKR_SYNC_NONE) {
		const struct vkr_sync_atomic *from = &sync->atomics.items[atomic->from];
		fed->from = sync->events.items[from->event].id;
		fed->seen = from->modification;
		fed->since = from->since;
	}
	fed->reads_class = atomic->reads_class;
	fed->writes_class[0] = atomic->value_class;
	fed->writes_class[1] = atomic->place_class;
}

static int compare_indices(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static size_t released_count(const struct vkr_sync *sync, const struct vkr_sync_event *event)
{
	size_t count = 0;
	while (event->atomic == VKR_SYNC_NONE &&
	       vkr_sync_released(sync, event)[count] != VKR_SYNC_NONE)
		count++;
	return count;
}

// Gives the members of a component their ids, in the order in which they will be fed.
static bool number_component(struct feeding *feeding)
{
	struct vkr_sync *sync = feeding->sync;
	feeding->components++;
	feeding->batch.count = 0;
	feeding->ids.count = 0;
	vkr_sort(feeding->members, feeding->member_count, sizeof *feeding->members,
		 compare_indices);
	for (size_t at = 0; at < feeding->member_count; at++) {
		struct vkr_sync_event *event = &sync->events.items[feeding->members[at]];
		event->component = feeding->components;
		event->id = sync->fed.count + 1;
		const size_t others = released_count(sync, event);
		if (!VKR_ARRAY_RESERVE(&feeding->ids, others))
			return false;
		feeding->ids.count += others;
		if (!VKR_ARRAY_RESERVE(&sync->fed, 1))
			return false;
		sync->fed.items[sync->fed.count++] = feeding->members[at];
	}
	return VKR_ARRAY_RESERVE(&feeding->batch, feeding->member_count);
}

static enum vkr_result feed_component(struct feeding *feeding)
{
	struct vkr_sync *sync = feeding->sync;
	if (!number_component(feeding))
		return vkr_error_memory(feeding->error, "events");
	feeding->ids.count = 0;
	for (size_t at = 0; at < feeding->member_count; at++) {
		const struct vkr_sync_event *event = &sync->events.items[feeding->members[at]];
		struct vkr_order_event *fed = &feeding->batch.items[feeding->batch.count++];
		fill_event(feeding, event, fed);
		fed->visit = feeding->edge[feeding->members[at]];
		fed->released_count = released_count(sync, event);
		if (fed->released_count > 0)
			fed->released = feeding->ids.items + feeding->ids.count;
		for (size_t i = 0; i < fed->released_count; i++)
			feeding->ids.items[feeding->ids.count++] =
				sync->events.items[vkr_sync_released(sync, event)[i]].id;
		if (event->atomic != VKR_SYNC_NONE)
			fill_atomic(sync, event, fed);
	}
	return vkr_order_feed(sync->order, feeding->batch.items, feeding->batch.count,
			      feeding->error);
}

static void enter_event(struct feeding *feeding, uint32_t index)
{
	feeding->number[index] = feeding->low[index] = ++feeding->numbers;
	feeding->edge[index] = 0;
	feeding->on_path[index] = true;
	feeding->path[feeding->path_count++] = index;
}

// Everything in a part comes after everything in the parts that it follows.
static enum vkr_result begin_part(struct feeding *feeding, uint32_t index)
{
	struct vkr_sync *sync = feeding->sync;
	struct vkr_sync_part *part = &sync->commands.parts[index];
	enum vkr_result result = VKR_OK;
	const uint64_t begin = vkr_sync_part_begin(sync, index);
	part->component = ++feeding->components;
	for (uint32_t at = 0; at < part->after_count && result == VKR_OK; at++) {
		struct vkr_sync_part *before = &sync->commands.parts[part->after[at]];
		const uint64_t end = vkr_sync_part_end(sync, part->after[at]);
		if (!before->ended)
			result = vkr_order_system_groups(sync->order,
							 vkr_sync_first_agent(sync, before), end,
							 feeding->error);
		before->ended = true;
		if (result == VKR_OK)
			result = vkr_order_system_groups(sync->order, end, begin, feeding->error);
	}
	return result == VKR_OK
		       ? vkr_order_system_groups(sync->order, begin,
						 vkr_sync_first_agent(sync, part), feeding->error)
		       : result;
}

// Takes a finished component off the path. If it holds more than one node and a part, releases and
// acquires contradict the order of the parts: then the values that were read do not determine who
// read from whom.
static enum vkr_result leave_agents(struct feeding *feeding, uint32_t root)
{
	const uint32_t events = (uint32_t)feeding->sync->events.count;
	bool has_part = false;
	size_t size = 0;
	uint32_t index;
	feeding->member_count = 0;
	do {
		size++;
		index = feeding->path[--feeding->path_count];
		feeding->on_path[index] = false;
		has_part = has_part || is_part(feeding, index);
		if (is_event(feeding, index))
			feeding->members[feeding->member_count++] = index;
	} while (index != root);
	if (!has_part)
		return feeding->member_count > 0 ? feed_component(feeding) : VKR_OK;
	if (size > 1)
		feeding->sync->in_circle = true;
	else if ((root - events) % 2 == 0)
		return begin_part(feeding, (root - events) / 2);
	return VKR_OK;
}

// `calls`: a stack in place of recursion.
static enum vkr_result sync_feed_visit(struct feeding *feeding, uint32_t root, uint32_t *calls)
{
	enum vkr_result result = VKR_OK;
	size_t depth = 0;
	enter_event(feeding, root);
	calls[depth++] = root;
	while (depth > 0 && result == VKR_OK && !feeding->sync->in_circle) {
		const uint32_t index = calls[depth - 1];
		uint32_t to = VKR_SYNC_NONE;
		if (edge_at(feeding, index, feeding->edge[index], &to)) {
			feeding->edge[index]++;
			if (to == VKR_SYNC_NONE)
				continue;
			if (feeding->number[to] == 0) {
				enter_event(feeding, to);
				calls[depth++] = to;
			} else if (feeding->on_path[to] &&
				   feeding->number[to] < feeding->low[index]) {
				feeding->low[index] = feeding->number[to];
			}
			continue;
		}
		feeding->edge[index] = ++feeding->left;
		if (feeding->low[index] == feeding->number[index])
			result = leave_agents(feeding, index);
		depth--;
		if (depth > 0 && feeding->low[index] < feeding->low[calls[depth - 1]])
			feeding->low[calls[depth - 1]] = feeding->low[index];
	}
	return result;
}

// Arrivals at one control barrier: of one workgroup, the same in number. Those of less than a
// workgroup are counted by themselves; which of these arrivals belong together their execution
// scope says.
static bool link_barriers(struct vkr_sync *sync, const struct vkr_sync_agent *agent,
			  struct vkr_map *wide, struct vkr_map *narrow)
{
	uint32_t narrow_count = 0;
	for (uint32_t at = 0; at < agent->event_count; at++) {
		const uint32_t index = (uint32_t)agent->first_event + at;
		struct vkr_sync_event *event = &sync->events.items[index];
		const struct vkr_site *site = &sync->sites[event->site];
		const bool is_wide = vkr_site_is_workgroup_barrier(site);
		struct vkr_map *map = is_wide ? wide : narrow;
		uint64_t key = (uint64_t)agent->workgroup << 32, first = 0;
		if (site->operation != VKR_SITE_CONTROL_BARRIER)
			continue;
		key |= is_wide ? event->barriers : narrow_count++;
		if (!vkr_map_get(map, key, &first)) {
			event->instance = index + 1;
			if (!vkr_map_set(map, key, index))
				return false;
			continue;
		}
		event->instance = (uint32_t)first + 1;
		event->mate = sync->events.items[first].mate;
		sync->events.items[first].mate = index;
	}
	return true;
}

static bool link_all(struct vkr_sync *sync)
{
	struct vkr_map wide, narrow;
	bool good = true;
	vkr_map_init(&wide);
	vkr_map_init(&narrow);
	for (uint32_t at = 0; at < sync->agents.count && good; at++)
		if (vkr_sync_is_fed(sync, at))
			good = link_barriers(sync, &sync->agents.items[at], &wide, &narrow);
	vkr_map_finish(&wide);
	vkr_map_finish(&narrow);
	return good;
}

// Where the agents of each part begin: they are in the order of parts.
static bool find_part_agents(struct feeding *feeding)
{
	const struct vkr_sync *sync = feeding->sync;
	feeding->part_agents =
		calloc((size_t)sync->commands.part_count + 1, sizeof *feeding->part_agents);
	if (feeding->part_agents == NULL)
		return false;
	for (uint32_t part = 0, agent = 0; part <= sync->commands.part_count; part++) {
		while (agent < sync->agents.count &&
		       (part == sync->commands.part_count ||
			sync->agents.items[agent].workgroup < sync->commands.parts[part].workgroup))
			agent++;
		feeding->part_agents[part] = agent;
	}
	return true;
}

static enum vkr_result visit_all(struct feeding *feeding, uint32_t *calls)
{
	const struct vkr_sync *sync = feeding->sync;
	const size_t count = sync->events.count;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < count && result == VKR_OK && !sync->in_circle; at++)
		if (feeding->number[at] == 0 &&
		    vkr_sync_is_fed(sync, sync->events.items[at].agent) &&
		    vkr_sync_matters(sync, &sync->events.items[at]))
			result = sync_feed_visit(feeding, (uint32_t)at, calls);
	// The accesses of agents without events are ordered, too.
	for (uint32_t part = 0;
	     part < sync->commands.part_count && result == VKR_OK && !sync->in_circle; part++)
		if (feeding->number[beginning_of(sync, part)] == 0)
			result = sync_feed_visit(feeding, beginning_of(sync, part), calls);
	return result;
}

static enum vkr_result feed_all(struct feeding *feeding)
{
	const struct vkr_sync *sync = feeding->sync;
	const uint64_t count = sync->events.count + 2 * (uint64_t)sync->commands.part_count +
			       2 * (uint64_t)sync->candidates.members.count + 1;
	enum vkr_result result = VKR_OK;
	if (count >= VKR_SYNC_NONE)
		return vkr_error_set(
			feeding->error, VKR_ERROR_UNSUPPORTED,
			"more than 4,294,967,294 synchronizing events and what they may have read");
	uint32_t *words = calloc(count + 1, 6 * sizeof *words);
	bool *on_path = calloc(count + 1, sizeof *on_path);
	if (words == NULL || on_path == NULL || !find_part_agents(feeding)) {
		result = vkr_error_memory(feeding->error, "events");
		goto done;
	}
	feeding->number = words;
	feeding->low = words + count;
	feeding->edge = words + 2 * count;
	feeding->path = words + 3 * count;
	feeding->members = words + 4 * count;
	feeding->on_path = on_path;
	result = visit_all(feeding, words + 5 * count);
done:
	free(words);
	free(on_path);
	free(feeding->part_agents);
	return result;
}

// The component of the last event before an access.
static uint32_t component_before(const struct vkr_sync *sync, const struct vkr_sync_agent *agent,
				 uint32_t before)
{
	size_t low = agent->first_event;
	// Finds the first event with more than this many before it.
	VKR_SEARCH(low, low + agent->event_count, at, sync->events.items[at].before < before);
	while (low-- > agent->first_event)
		if (sync->events.items[low].component != 0)
			return sync->events.items[low].component;
	return 0;
}

static void place_accesses(struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->accesses.count; at++) {
		struct vkr_sync_access *access = &sync->accesses.items[at];
		const uint32_t begin =
			sync->commands.parts != NULL
				? vkr_sync_part_of(sync, access->workgroup)->component
				: 0;
		if (access->agent == VKR_SYNC_NONE) {
			access->events = 0;
			access->component = begin;
			continue;
		}
		const uint32_t stand_in = sync->agents.items[access->agent].stand_in[0];
		access->events = vkr_sync_fed_before(sync, access);
		access->component =
			component_before(sync, &sync->agents.items[stand_in], access->events);
		if (access->component == 0)
			access->component = begin;
		if (access->atomic != VKR_SYNC_NONE && sync->atomics.items[access->atomic].matters)
			access->component =
				sync->events.items[sync->atomics.items[access->atomic].event]
					.component;
	}
}

enum vkr_result vkr_sync_feed(struct vkr_sync *sync, struct vkr_error *error)
{
	struct feeding feeding = {.sync = sync, .error = error};
	enum vkr_result result = vkr_sync_make_order(sync, error);
	if (result != VKR_OK)
		return result;
	vkr_map_init(&feeding.last);
	vkr_sync_find_stand_ins(sync);
	if (!vkr_sync_find_uses(sync, &feeding.last) || !link_all(sync))
		result = vkr_error_memory(error, "events");
	if (result == VKR_OK)
		result = feed_all(&feeding);
	if (result == VKR_OK)
		place_accesses(sync);
	if (result == VKR_OK && !sync->in_circle)
		result = vkr_sync_feed_operations(sync, error);
	vkr_map_finish(&feeding.last);
	free(feeding.batch.items);
	free(feeding.ids.items);
	return result;
}

void vkr_sync_take_back(struct vkr_sync *sync)
{
	vkr_order_destroy(sync->order);
	sync->order = NULL;
	sync->fed.count = 0;
	for (size_t at = 0; at < sync->events.count; at++) {
		struct vkr_sync_event *event = &sync->events.items[at];
		event->mate = (uint32_t)at;
		event->component = event->instance = 0;
		event->id = 0;
	}
	for (size_t at = 0; at < sync->agents.count; at++)
		sync->agents.items[at].last_use = 0;
}
