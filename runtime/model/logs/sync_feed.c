// SPDX-License-Identifier: Apache-2.0
// Feeds a dispatch's synchronization to vkr_order: as few agents as stand for all, in an order in
// which nothing that happens-before an event comes after it. Knows what must come before what;
// nothing of what synchronizes with what.
#include "array.h"
#include "error.h"
#include "shader_sync.h"

#include <stdlib.h>

// ---- Who is fed ---------------------------------------------------------------------------------

static bool matters(const struct vkr_sync *sync, const struct vkr_sync_event *event)
{
	if (event->atomic != VKR_SYNC_NONE)
		return sync->atomics.items[event->atomic].matters;
	return sync->sites[event->site].operation < VKR_SITE_SHADER_CALL;
}

// The release barriers that synchronize with an acquire barrier along shader calls.
static const uint32_t *released(const struct vkr_sync *sync, const struct vkr_sync_event *event)
{
	static const uint32_t none = VKR_SYNC_NONE;
	const bool has_some = sync->released != NULL && event->value != 0 &&
			      sync->sites[event->site].operation == VKR_SITE_MEMORY_BARRIER;
	return has_some ? &sync->released[event->value - 1] : &none;
}

static bool is_fed(const struct vkr_sync *sync, uint32_t agent)
{
	const uint32_t *stand_in = sync->agents.items[agent].stand_in;
	return stand_in[0] == agent || stand_in[1] == agent;
}

// What of an agent's events counts, and whether an atomic does.
static bool count_events(struct vkr_sync *sync, struct vkr_sync_agent *agent)
{
	uint32_t previous = VKR_SYNC_NONE;
	bool synchronizes = false;
	agent->fed_count = 0;
	for (uint32_t at = 0; at < agent->event_count; at++) {
		const size_t index = agent->first_event + at;
		struct vkr_sync_event *event = &sync->events.items[index];
		event->before = agent->fed_count;
		event->previous = previous;
		if (!matters(sync, event))
			continue;
		synchronizes = synchronizes || event->atomic != VKR_SYNC_NONE;
		previous = (uint32_t)index;
		agent->fed_count++;
	}
	return synchronizes;
}

static bool alike(const struct vkr_sync *sync, const struct vkr_sync_agent *x,
		  const struct vkr_sync_agent *y)
{
	const struct vkr_sync_event *a = &sync->events.items[x->first_event];
	const struct vkr_sync_event *b = &sync->events.items[y->first_event];
	const struct vkr_sync_event *a_end = a + x->event_count, *b_end = b + y->event_count;
	if (x->subgroup != y->subgroup || x->fed_count != y->fed_count)
		return false;
	for (;; a++, b++) {
		while (a < a_end && !matters(sync, a))
			a++;
		while (b < b_end && !matters(sync, b))
			b++;
		if (a == a_end || b == b_end)
			return a == a_end && b == b_end;
		if (a->site != b->site)
			return false;
	}
}

// An agent whose atomics do not matter joins those of its workgroup that are like it.
static void join_alike(struct vkr_sync *sync, uint32_t index)
{
	struct vkr_sync_agent *agents = sync->agents.items;
	for (uint32_t at = index; at-- > 0 && agents[at].workgroup == agents[index].workgroup;) {
		if (agents[at].stand_in[0] != at || agents[at].has_atomics ||
		    !alike(sync, &agents[at], &agents[index]))
			continue;
		agents[index].stand_in[0] = at;
		if (agents[at].stand_in[1] == at)
			agents[at].stand_in[1] = index;
		agents[index].stand_in[1] = agents[at].stand_in[1];
		return;
	}
}

static void find_stand_ins(struct vkr_sync *sync)
{
	for (uint32_t at = 0; at < sync->agents.count; at++) {
		struct vkr_sync_agent *agent = &sync->agents.items[at];
		const bool had_atomics = agent->has_atomics;
		agent->has_atomics = count_events(sync, agent);
		if (had_atomics && !agent->has_atomics && !sync->each)
			join_alike(sync, at);
	}
}

// Events of the agent that are fed and stand before an access.
static uint32_t fed_before(const struct vkr_sync *sync, const struct vkr_sync_access *access)
{
	const struct vkr_sync_agent *agent = &sync->agents.items[access->agent];
	return access->events < agent->event_count
		       ? sync->events.items[agent->first_event + access->events].before
		       : agent->fed_count;
}

// ---- Acquires that nothing comes of -------------------------------------------------------------

static void use_up_to(struct vkr_sync *sync, uint32_t agent, uint32_t events)
{
	for (unsigned at = 0; at < 2; at++) {
		struct vkr_sync_agent *used =
			&sync->agents.items[sync->agents.items[agent].stand_in[at]];
		if (used->last_use < events)
			used->last_use = events;
	}
}

static bool use_barriers(struct vkr_map *last, uint32_t workgroup, uint32_t barriers)
{
	uint64_t known = 0;
	if (vkr_map_get(last, workgroup, &known) && known >= barriers)
		return true;
	return vkr_map_set(last, workgroup, barriers);
}

// By workgroup, in *last, the most barriers that anything of use stands behind.
static bool find_uses(struct vkr_sync *sync, struct vkr_map *last)
{
	for (size_t at = 0; at < sync->accesses.count; at++) {
		const struct vkr_sync_access *access = &sync->accesses.items[at];
		if (access->agent == VKR_SYNC_NONE)
			continue;
		use_up_to(sync, access->agent, fed_before(sync, access) + 1);
		if (!use_barriers(last, access->workgroup, access->barriers))
			return false;
	}
	for (size_t at = 0; at < sync->atomics.count; at++) {
		const struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		const struct vkr_sync_event *event = &sync->events.items[atomic->event];
		if (!atomic->matters || !atomic->releases)
			continue;
		use_up_to(sync, event->agent, event->before + 1);
		if (!use_barriers(last, sync->agents.items[event->agent].workgroup,
				  event->barriers))
			return false;
	}
	// Along shader calls any barrier may hand it on.
	for (size_t at = 0; sync->released != NULL && at < sync->events.count; at++) {
		const uint32_t *releases = released(sync, &sync->events.items[at]);
		for (; *releases != VKR_SYNC_NONE; releases++) {
			const struct vkr_sync_event *event = &sync->events.items[*releases];
			use_up_to(sync, event->agent, event->before + 1);
		}
	}
	return true;
}

// Whether what an acquire brings could get anywhere: to a later access or release of its own agent,
// or through a later barrier to its workgroup.
static bool is_of_use(const struct vkr_sync *sync, const struct vkr_map *last,
		      const struct vkr_sync_event *event)
{
	const struct vkr_sync_agent *agent = &sync->agents.items[event->agent];
	const bool barrier = vkr_sync_is_barrier(&sync->sites[event->site]);
	uint64_t barriers = 0;
	if (agent->last_use > event->before + 1)
		return true;
	return vkr_map_get(last, agent->workgroup, &barriers) &&
	       barriers > event->barriers + barrier;
}

// ---- Order of feeding ---------------------------------------------------------------------------

// Tarjan's algorithm over "must not come after": an event's agent's previous one, the writes that
// it may have read from, the others at its control barrier, and what was released to it along
// shader calls. A component is fed in one call.
struct feeding {
	struct vkr_sync *sync;
	struct vkr_map last; // use of barriers
	uint32_t *number, *low, *edge, *path, *members;
	bool *on_path;
	size_t path_count, member_count;
	uint32_t numbers, components;
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

// The n-th event that must not come after this one; VKR_SYNC_NONE: none in this place. False behind
// the last.
static bool edge_at(const struct vkr_sync *sync, uint32_t index, uint32_t n, uint32_t *to)
{
	const struct vkr_sync_event *event = &sync->events.items[index];
	*to = VKR_SYNC_NONE;
	if (n == 0)
		*to = event->previous;
	else if (n == 1)
		*to = event->mate == index ? VKR_SYNC_NONE : event->mate;
	if (n < 2)
		return true;
	if (event->atomic == VKR_SYNC_NONE) {
		*to = released(sync, event)[n - 2];
		return *to != VKR_SYNC_NONE;
	}
	const struct vkr_sync_atomic *atomic = &sync->atomics.items[event->atomic];
	if (n == 2) {
		if (atomic->from != VKR_SYNC_NONE)
			*to = sync->atomics.items[atomic->from].event;
		return true;
	}
	if (n - 3 >= atomic->perhaps_count)
		return false;
	*to = sync->atomics.items[sync->perhaps.items[atomic->first_perhaps + n - 3]].event;
	return true;
}

static void fill_event(const struct feeding *feeding, const struct vkr_sync_event *event,
		       struct vkr_order_event *fed)
{
	const struct vkr_sync *sync = feeding->sync;
	const struct vkr_site *site = &sync->sites[event->site];
	const bool used = event->atomic != VKR_SYNC_NONE || is_of_use(sync, &feeding->last, event);
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
		.scope = vkr_sync_scope(site->scope),
		.available = atomic->writes ? vkr_sync_scope(site->scope) : VKR_ORDER_INVOCATION,
		.visible = atomic->reads ? vkr_sync_scope(site->scope) : VKR_ORDER_INVOCATION};
}

static int compare_indices(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

// Events that are fed with this one: that it perhaps reads from, or that were released to it.
static size_t others_of(const struct vkr_sync *sync, const struct vkr_sync_event *event)
{
	size_t count = 0;
	if (event->atomic != VKR_SYNC_NONE)
		return sync->atomics.items[event->atomic].perhaps_count;
	while (released(sync, event)[count] != VKR_SYNC_NONE)
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
	qsort(feeding->members, feeding->member_count, sizeof *feeding->members, compare_indices);
	for (size_t at = 0; at < feeding->member_count; at++) {
		struct vkr_sync_event *event = &sync->events.items[feeding->members[at]];
		event->component = feeding->components;
		event->id = sync->fed.count + 1;
		const size_t others = others_of(sync, event);
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
		fed->released = feeding->ids.items + feeding->ids.count;
		for (const uint32_t *from = released(sync, event);
		     event->atomic == VKR_SYNC_NONE && *from != VKR_SYNC_NONE; from++) {
			feeding->ids.items[feeding->ids.count++] = sync->events.items[*from].id;
			fed->released_count++;
		}
		if (event->atomic == VKR_SYNC_NONE)
			continue;
		const struct vkr_sync_atomic *atomic = &sync->atomics.items[event->atomic];
		fed->access = atomic_access(sync, event);
		fed->turn = atomic->turn;
		if (atomic->from != VKR_SYNC_NONE)
			fed->from = sync->events.items[sync->atomics.items[atomic->from].event].id;
		fed->perhaps_count = atomic->perhaps_count;
		fed->perhaps = feeding->ids.items + feeding->ids.count;
		for (size_t i = 0; i < atomic->perhaps_count; i++) {
			const uint32_t writer = sync->perhaps.items[atomic->first_perhaps + i];
			feeding->ids.items[feeding->ids.count++] =
				sync->events.items[sync->atomics.items[writer].event].id;
		}
	}
	return vkr_order_feed(sync->order, feeding->batch.items, feeding->batch.count,
			      feeding->error);
}

static void enter(struct feeding *feeding, uint32_t index)
{
	feeding->number[index] = feeding->low[index] = ++feeding->numbers;
	feeding->edge[index] = 0;
	feeding->on_path[index] = true;
	feeding->path[feeding->path_count++] = index;
}

// Takes a finished component off the path.
static enum vkr_result leave(struct feeding *feeding, uint32_t root)
{
	uint32_t index;
	feeding->member_count = 0;
	do {
		index = feeding->path[--feeding->path_count];
		feeding->on_path[index] = false;
		feeding->members[feeding->member_count++] = index;
	} while (index != root);
	return feed_component(feeding);
}

// `calls`: a stack in place of recursion.
static enum vkr_result visit(struct feeding *feeding, uint32_t root, uint32_t *calls)
{
	enum vkr_result result = VKR_OK;
	size_t depth = 0;
	enter(feeding, root);
	calls[depth++] = root;
	while (depth > 0 && result == VKR_OK) {
		const uint32_t index = calls[depth - 1];
		uint32_t to = VKR_SYNC_NONE;
		if (edge_at(feeding->sync, index, feeding->edge[index], &to)) {
			feeding->edge[index]++;
			if (to == VKR_SYNC_NONE)
				continue;
			if (feeding->number[to] == 0) {
				enter(feeding, to);
				calls[depth++] = to;
			} else if (feeding->on_path[to] &&
				   feeding->number[to] < feeding->low[index]) {
				feeding->low[index] = feeding->number[to];
			}
			continue;
		}
		if (feeding->low[index] == feeding->number[index])
			result = leave(feeding, index);
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
		const bool is_wide = vkr_sync_is_barrier(site);
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
		if (is_fed(sync, at))
			good = link_barriers(sync, &sync->agents.items[at], &wide, &narrow);
	vkr_map_finish(&wide);
	vkr_map_finish(&narrow);
	return good;
}

static enum vkr_result feed_all(struct feeding *feeding)
{
	struct vkr_sync *sync = feeding->sync;
	const size_t count = sync->events.count;
	enum vkr_result result = VKR_OK;
	uint32_t *words = calloc(count + 1, 6 * sizeof *words);
	bool *on_path = calloc(count + 1, sizeof *on_path);
	if (words == NULL || on_path == NULL)
		result = vkr_error_memory(feeding->error, "events");
	feeding->number = words;
	feeding->low = words + count;
	feeding->edge = words + 2 * count;
	feeding->path = words + 3 * count;
	feeding->members = words + 4 * count;
	feeding->on_path = on_path;
	for (size_t at = 0; at < count && result == VKR_OK; at++)
		if (feeding->number[at] == 0 && is_fed(sync, sync->events.items[at].agent) &&
		    matters(sync, &sync->events.items[at]))
			result = visit(feeding, (uint32_t)at, words + 5 * count);
	free(words);
	free(on_path);
	return result;
}

// The component of the last event before an access.
static uint32_t component_before(const struct vkr_sync *sync, const struct vkr_sync_agent *agent,
				 uint32_t before)
{
	size_t low = agent->first_event, high = low + agent->event_count;
	// The first event with so many before it is behind the one that is looked for.
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (sync->events.items[middle].before < before)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > agent->first_event)
		if (sync->events.items[low].component != 0)
			return sync->events.items[low].component;
	return 0;
}

static void place_accesses(struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->accesses.count; at++) {
		struct vkr_sync_access *access = &sync->accesses.items[at];
		if (access->agent == VKR_SYNC_NONE) {
			access->events = 0;
			continue;
		}
		const uint32_t stand_in = sync->agents.items[access->agent].stand_in[0];
		access->events = fed_before(sync, access);
		access->component =
			component_before(sync, &sync->agents.items[stand_in], access->events);
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
	find_stand_ins(sync);
	if (!find_uses(sync, &feeding.last) || !link_all(sync))
		result = vkr_error_memory(error, "events");
	if (result == VKR_OK)
		result = feed_all(&feeding);
	if (result == VKR_OK)
		place_accesses(sync);
	vkr_map_finish(&feeding.last);
	free(feeding.batch.items);
	free(feeding.ids.items);
	return result;
}
