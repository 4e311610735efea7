// SPDX-License-Identifier: Apache-2.0
#include "call_order.h"

#include "array.h"
#include "error.h"
#include "invocation_groups.h"
#include "order_ladder.h"
#include "site_table.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

void vkr_calls_finish(struct vkr_calls *calls)
{
	free(calls->ranges.items);
	free(calls->events.items);
	free(calls->agents.items);
	free(calls->accesses.items);
	free(calls->launch_order.items);
	free(calls->launch_ends.items);
	free(calls->released.items);
	*calls = (struct vkr_calls){0};
}

void vkr_calls_clear(struct vkr_calls *calls)
{
	calls->ranges.count = 0;
	calls->events.count = calls->agents.count = calls->accesses.count = 0;
}

bool vkr_calls_order(const struct vkr_shader *first, const struct vkr_shader *second,
		     unsigned of_memory)
{
	return of_memory != 0 &&
	       (first->orders_calls & second->orders_calls & of_memory) == of_memory;
}

// ---- Reading ------------------------------------------------------------------------------------

static bool add_agent(struct vkr_calls *calls, const struct vkr_shader *shader,
		      const struct vkr_sync *sync, const struct vkr_sync_agent *from,
		      const struct vkr_map *begins, const struct vkr_invocation_groups *groups)
{
	const struct vkr_invocation_group *group = &groups->items[from->workgroup];
	uint32_t words[VKR_IDENTITY_WORDS_MOST];
	uint64_t begin = 0;
	if (!VKR_ARRAY_RESERVE(&calls->agents, 1) ||
	    !VKR_ARRAY_RESERVE(&calls->events, from->event_count))
		return false;
	struct vkr_call_agent *agent = &calls->agents.items[calls->agents.count++];
	vkr_map_get(begins, (uint64_t)from->workgroup << 32 | from->local, &begin);
	vkr_invocation_identity(group, from->local, words);
	*agent = (struct vkr_call_agent){.shader = shader,
					 .group = from->workgroup,
					 .local = from->local,
					 .begin = (uint32_t)begin,
					 .first_event = calls->events.count,
					 .event_count = from->event_count,
					 .caller = VKR_SYNC_NONE};
	memcpy(agent->launch, vkr_invocation_told(group->identity, words, VKR_IDENTITY_LAUNCH),
	       sizeof agent->launch);
	for (uint32_t at = 0; at < from->event_count; at++) {
		const struct vkr_sync_event *event = &sync->events.items[from->first_event + at];
		const struct vkr_site *site = &sync->sites[event->site];
		calls->events.items[calls->events.count++] =
			(struct vkr_call_event){.operation = site->operation,
						.order = site->order,
						.semantics = site->semantics,
						.scope = site->scope,
						.head = event->value};
	}
	return true;
}

bool vkr_calls_add(struct vkr_calls *calls, const struct vkr_shader *shader,
		   const struct vkr_sync *sync, const struct vkr_map *begins,
		   const struct vkr_invocation_groups *groups)
{
	for (size_t at = 0; at < sync->agents.count; at++)
		if (!add_agent(calls, shader, sync, &sync->agents.items[at], begins, groups))
			return false;
	return true;
}

static bool take_over(struct vkr_calls *calls, const struct vkr_shader *shader,
		      const struct vkr_sync *sync, const struct vkr_map *begins,
		      const struct vkr_invocation_groups *groups)
{
	const size_t first = calls->agents.count;
	if (!vkr_calls_add(calls, shader, sync, begins, groups) ||
	    !VKR_ARRAY_RESERVE(&calls->accesses, sync->accesses.count))
		return false;
	for (size_t at = 0; at < sync->accesses.count; at++) {
		const struct vkr_sync_access *access = &sync->accesses.items[at];
		struct vkr_call_access *added = &calls->accesses.items[calls->accesses.count++];
		*added = (struct vkr_call_access){*access, &sync->sites[access->table_site]};
		added->at.agent += (uint32_t)first;
	}
	return true;
}

enum vkr_result vkr_calls_collect(struct vkr_calls *calls, struct vkr_dispatch_targets *targets,
				  const struct vkr_chunk *chunks, size_t count,
				  const struct vkr_map *begins,
				  const struct vkr_invocation_groups *groups,
				  struct vkr_error *error)
{
	const struct vkr_shader *shader = targets->program->shader;
	struct vkr_sync sync = {.sites = vkr_site_table_sites(shader->sites),
				.local_size = targets->local_size,
				.calls.each = true,
				.ranges = calls->ranges};
	enum vkr_result result = vkr_sync_collect(&sync, targets, chunks, count, error);
	if (result == VKR_OK && !take_over(calls, shader, &sync, begins, groups))
		result = vkr_error_memory(error, "shader calls");
	sync.ranges = (struct vkr_sync_ranges){0};
	vkr_sync_clear(&sync);
	return result;
}

// ---- Who has called whom ------------------------------------------------------------------------

// Agents of one launch are neighbours, in the order in which they began.
static int compare_agents(const struct vkr_call_agent *a, const struct vkr_call_agent *b)
{
	const int launch = memcmp(a->launch, b->launch, sizeof a->launch);
	if (launch != 0)
		return launch;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

struct sorted {
	const struct vkr_calls *calls;
	uint32_t agent;
};

static int compare_sorted(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	const struct vkr_call_agent *agents = a->calls->agents.items;
	const int order = compare_agents(&agents[a->agent], &agents[b->agent]);
	return order != 0 ? order : (a->agent > b->agent) - (a->agent < b->agent);
}

// An any-hit shader that terminates the ray ends the intersection shader that reported the hit,
// too: what runs after that is not called by it.
static bool may_call(const struct vkr_call_agent *caller, const struct vkr_call_agent *agent)
{
	return caller->shader->stage != VK_SHADER_STAGE_INTERSECTION_BIT_KHR ||
	       agent->shader->stage == VK_SHADER_STAGE_ANY_HIT_BIT_KHR;
}

// The agent's call that was under way as another one began; event_count: none.
static size_t call_at(const struct vkr_calls *calls, const struct vkr_call_agent *agent,
		      uint32_t begin)
{
	const struct vkr_call_event *events = calls->events.items + agent->first_event;
	for (size_t at = agent->event_count; at-- > 0;) {
		if (events[at].operation == VKR_SITE_SHADER_RETURN && events[at].head <= begin)
			return agent->event_count;
		if (events[at].operation == VKR_SITE_SHADER_CALL && events[at].head <= begin)
			return at;
	}
	return agent->event_count;
}

// The caller of the last of these, which are of one launch: the last one that was calling.
static void find_caller(struct vkr_calls *calls, const struct sorted *first, size_t count)
{
	struct vkr_call_agent *agent = &calls->agents.items[first[count - 1].agent];
	for (size_t at = count - 1; at-- > 0;) {
		const struct vkr_call_agent *caller = &calls->agents.items[first[at].agent];
		const size_t call = call_at(calls, caller, agent->begin);
		if (call == caller->event_count || !may_call(caller, agent))
			continue;
		agent->caller = first[at].agent;
		agent->call = (uint32_t)call;
		agent->older = caller->callee;
		calls->agents.items[agent->caller].callee = first[count - 1].agent + 1;
		return;
	}
}

bool vkr_calls_link(struct vkr_calls *calls)
{
	const size_t count = calls->agents.count;
	struct sorted *sorted = calloc(count + 1, sizeof *sorted);
	size_t first = 0;
	calls->launch_order.count = calls->launch_ends.count = 0;
	if (sorted == NULL || !VKR_ARRAY_RESERVE(&calls->launch_order, count) ||
	    !VKR_ARRAY_RESERVE(&calls->launch_ends, count)) {
		free(sorted);
		return false;
	}
	for (size_t at = 0; at < count; at++)
		sorted[at] = (struct sorted){calls, (uint32_t)at};
	vkr_sort(sorted, count, sizeof *sorted, compare_sorted);
	for (size_t at = 0; at < count; at++) {
		const struct vkr_call_agent *agents = calls->agents.items;
		if (memcmp(agents[sorted[at].agent].launch, agents[sorted[first].agent].launch,
			   sizeof agents->launch) != 0) {
			calls->launch_ends.items[calls->launch_ends.count++] = (uint32_t)at;
			first = at;
		}
		calls->launch_order.items[sorted[at].agent] = (uint32_t)at;
		find_caller(calls, sorted + first, at - first + 1);
	}
	if (count > 0)
		calls->launch_ends.items[calls->launch_ends.count++] = (uint32_t)count;
	free(sorted);
	return true;
}

// ---- Pairs --------------------------------------------------------------------------------------

// Of one access's invocation: the events [first, end) that come between it and the other access in
// shader call order.
struct stretch {
	size_t first, end;
};

static uint32_t depth_of(const struct vkr_calls *calls, uint32_t agent)
{
	uint32_t depth = 0;
	while (calls->agents.items[agent].caller != VKR_SYNC_NONE) {
		agent = calls->agents.items[agent].caller;
		depth++;
	}
	return depth;
}

// Climbs from both invocations to the one that called both, or to one of them that called the
// other. *call: the call event of it that led to each; SIZE_MAX: it is that invocation itself.
static bool calls_meet(const struct vkr_calls *calls, const uint32_t *agents, size_t *call)
{
	uint32_t at[2] = {agents[0], agents[1]};
	uint32_t depth[2] = {depth_of(calls, at[0]), depth_of(calls, at[1])};
	call[0] = call[1] = SIZE_MAX;
	while (at[0] != at[1]) {
		const unsigned side = depth[0] >= depth[1] ? 0 : 1;
		const struct vkr_call_agent *agent = &calls->agents.items[at[side]];
		if (agent->caller == VKR_SYNC_NONE)
			return false;
		call[side] = agent->call;
		at[side] = agent->caller;
		depth[side]--;
	}
	return true;
}

bool vkr_calls_returned(const struct vkr_calls *calls, const struct vkr_call_agent *agent,
			size_t call)
{
	return call + 1 < agent->event_count &&
	       calls->events.items[agent->first_event + call + 1].operation ==
		       VKR_SITE_SHADER_RETURN;
}

// The events of both invocations between `a` and a later `b`. False if nothing can order them that
// way.
static bool find_stretches(const struct vkr_calls *calls, const struct vkr_call_access *a,
			   const struct vkr_call_access *b, struct stretch *behind,
			   struct stretch *before)
{
	const struct vkr_call_agent *agents = calls->agents.items;
	const uint32_t pair[2] = {a->at.agent, b->at.agent};
	size_t call[2];
	*behind = (struct stretch){a->at.events, agents[pair[0]].event_count};
	*before = (struct stretch){0, b->at.events};
	if (!calls_meet(calls, pair, call))
		return false;
	if (call[0] == SIZE_MAX) { // `b` was called by the invocation of `a`
		behind->end = call[1];
		return behind->first <= behind->end;
	}
	if (call[1] == SIZE_MAX) { // `a` was, by that of `b`
		before->first = call[0] + 1;
		return vkr_calls_returned(calls, &agents[pair[1]], call[0]);
	}
	return call[0] < call[1];
}

// The barriers of a stretch that count; bits of enum vkr_site_order.
static unsigned barriers_in(const struct vkr_calls *calls, uint32_t agent,
			    const struct stretch *stretch, unsigned order, unsigned classes)
{
	const struct vkr_call_event *events =
		calls->events.items + calls->agents.items[agent].first_event;
	unsigned found = 0;
	for (size_t at = stretch->first; at < stretch->end; at++)
		if (events[at].operation == VKR_SITE_MEMORY_BARRIER && events[at].order & order &&
		    (events[at].semantics & classes) == classes &&
		    vkr_calls_reached(events[at].scope))
			found |= events[at].order;
	return found;
}

static bool is_nonprivate(const struct vkr_call_access *access)
{
	return vkr_sync_is_atomic(access->of) || access->of->flags & VKR_SITE_NONPRIVATE;
}

static bool call_order_makes(const struct vkr_call_access *access, unsigned flag, uint8_t scope)
{
	return vkr_sync_is_atomic(access->of)
		       ? vkr_calls_reached(access->of->scope)
		       : access->of->flags & flag && vkr_calls_reached(scope);
}

// Two accesses, and what the barriers between them do where `a` comes before `b`.
struct call_pair {
	const struct vkr_call_access *a, *b;
	unsigned release, acquire;
};

static bool calls_have(void *context, enum vkr_rung rung)
{
	const struct call_pair *pair = context;
	const struct vkr_call_access *a = pair->a, *b = pair->b;
	switch (rung) {
	case VKR_RUNG_HAPPENS_BEFORE:
		return pair->release & VKR_ORDER_RELEASE && pair->acquire & VKR_ORDER_ACQUIRE;
	case VKR_RUNG_NONPRIVATE:
		return is_nonprivate(a) && is_nonprivate(b);
	case VKR_RUNG_REFERENCE:
		return a->at.reference == b->at.reference;
	case VKR_RUNG_AVAILABLE:
		return pair->release & VKR_ORDER_MAKE_AVAILABLE ||
		       call_order_makes(a, VKR_SITE_MAKE_AVAILABLE, a->of->available_scope);
	case VKR_RUNG_VISIBLE:
		return pair->acquire & VKR_ORDER_MAKE_VISIBLE ||
		       call_order_makes(b, VKR_SITE_MAKE_VISIBLE, b->of->visible_scope);
	case VKR_RUNG_DOMAIN: // both are of shaders
	case VKR_RUNG_TOP:
		break;
	}
	return true;
}

// The class of a race that remains where `a` comes before `b`.
static enum vkr_race_class judge_order(const struct vkr_calls *calls,
				       const struct vkr_call_access *a,
				       const struct vkr_call_access *b)
{
	const unsigned classes = a->of->storage_class | b->of->storage_class;
	struct stretch behind, before;
	if (!find_stretches(calls, a, b, &behind, &before))
		return VKR_RACE_UNORDERED;
	struct call_pair pair = {
		a, b, barriers_in(calls, a->at.agent, &behind, VKR_ORDER_RELEASE, classes),
		barriers_in(calls, b->at.agent, &before, VKR_ORDER_ACQUIRE, classes)};
	return vkr_rung_class(vkr_ladder_climb(calls_have, &pair, a->at.write, b->at.read));
}

// Atomics on the same bytes are ordered by themselves where all invocations are in their scope, or
// those of one chain of calls.
static bool are_mutually_ordered(const struct vkr_calls *calls, const struct vkr_call_access *a,
				 const struct vkr_call_access *b)
{
	const struct vkr_call_agent *agents = calls->agents.items;
	const bool related = memcmp(agents[a->at.agent].launch, agents[b->at.agent].launch,
				    sizeof agents->launch) == 0;
	if (!vkr_sync_is_atomic(a->of) || !vkr_sync_is_atomic(b->of) || a->at.low != b->at.low ||
	    a->at.high != b->at.high || a->at.reference != b->at.reference)
		return false;
	return vkr_calls_reached(a->of->scope) && vkr_calls_reached(b->of->scope) &&
	       (related ||
		(a->of->scope != VKR_SCOPE_SHADER_CALL && b->of->scope != VKR_SCOPE_SHADER_CALL));
}

static enum vkr_race_class judge_pair(const struct vkr_calls *calls,
				      const struct vkr_call_access *a,
				      const struct vkr_call_access *b)
{
	const struct vkr_call_agent *agents = calls->agents.items;
	if ((!a->at.write && !b->at.write) || are_mutually_ordered(calls, a, b) ||
	    !vkr_calls_order(agents[a->at.agent].shader, agents[b->at.agent].shader,
			     a->of->storage_class | b->of->storage_class))
		return VKR_RACE_NONE;
	// A shader's operations make nothing visible through another reference.
	if (a->at.agent == b->at.agent)
		return a->at.reference != b->at.reference &&
				       (a->at.step < b->at.step ? a : b)->at.write
			       ? VKR_RACE_REFERENCE
			       : VKR_RACE_NONE;
	const enum vkr_race_class one = judge_order(calls, a, b);
	if (one == VKR_RACE_NONE)
		return one;
	const enum vkr_race_class other = judge_order(calls, b, a);
	return one == VKR_RACE_UNORDERED ? other : one;
}

// ---- All bytes ----------------------------------------------------------------------------------

static int compare_places(const void *x, const void *y)
{
	const struct vkr_sync_access *a = &((const struct vkr_call_access *)x)->at;
	const struct vkr_sync_access *b = &((const struct vkr_call_access *)y)->at;
	if (a->memory != b->memory)
		return a->memory < b->memory ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->agent != b->agent)
		return a->agent < b->agent ? -1 : 1;
	return (a->step > b->step) - (a->step < b->step);
}

static struct vkr_engine_access call_order_told(const struct vkr_calls *calls,
						const struct vkr_call_access *access,
						uint32_t command)
{
	const struct vkr_call_agent *agent = &calls->agents.items[access->at.agent];
	return (struct vkr_engine_access){.command = command,
					  .invocation = true,
					  .site = access->at.site,
					  .reference = access->at.reference,
					  .workgroup = agent->group,
					  .local = agent->local};
}

static enum vkr_result report_race(const struct vkr_calls *calls, struct vkr_engine *engine,
				   uint32_t command, const struct vkr_call_access *a,
				   const struct vkr_call_access *b, enum vkr_race_class class,
				   struct vkr_error *error)
{
	const uint64_t low = a->at.low > b->at.low ? a->at.low : b->at.low;
	const uint64_t high = a->at.high < b->at.high ? a->at.high : b->at.high;
	return vkr_engine_race_found(
		engine,
		&(struct vkr_engine_race){.race_class = class,
					  .first = call_order_told(calls, a, command),
					  .second = call_order_told(calls, b, command),
					  .memory = (uint32_t)a->at.memory,
					  .offset = low,
					  .bytes = high - low},
		1, error);
}

// Accesses of one instruction through one reference, at bytes that overlap.
struct kind {
	uint32_t site, reference; // the engine's
	const struct vkr_site *of;
	bool writes, is_done; // a race of the present access with one of the kind was reported
};

struct cluster {
	size_t first;  // access
	uint64_t high; // where the last one of its accesses ends
	struct kind *items;
	size_t count, capacity;
};

// Whether no access of the kind can race with the access, whoever made it.
static bool is_harmless(const struct kind *kind, const struct vkr_call_access *access)
{
	if (!kind->writes && !access->at.write)
		return true;
	return vkr_sync_is_atomic(kind->of) && vkr_sync_is_atomic(access->of) &&
	       kind->of->bytes == access->of->bytes && kind->of->bytes != 0 &&
	       kind->reference == access->at.reference && vkr_calls_reached(kind->of->scope) &&
	       vkr_calls_reached(access->of->scope) && kind->of->scope != VKR_SCOPE_SHADER_CALL &&
	       access->of->scope != VKR_SCOPE_SHADER_CALL;
}

static bool is_of_kind(const struct kind *kind, const struct vkr_call_access *access)
{
	return kind->site == access->at.site && kind->reference == access->at.reference;
}

static struct kind *kind_of(struct cluster *cluster, const struct vkr_call_access *access)
{
	for (size_t at = 0; at < cluster->count; at++)
		if (is_of_kind(&cluster->items[at], access))
			return &cluster->items[at];
	if (!VKR_ARRAY_RESERVE(cluster, 1))
		return NULL;
	cluster->items[cluster->count] = (struct kind){
		.site = access->at.site, .reference = access->at.reference, .of = access->of};
	return &cluster->items[cluster->count++];
}

// Judges one access against the earlier ones of its cluster. It is counted once for each
// instruction that it races with.
static enum vkr_result judge_access(const struct vkr_calls *calls, struct vkr_engine *engine,
				    uint32_t command, struct cluster *cluster, size_t index,
				    struct vkr_error *error)
{
	const struct vkr_call_access *own = &calls->accesses.items[index];
	enum vkr_result result = VKR_OK;
	size_t left = 0;
	for (size_t at = 0; at < cluster->count; at++) {
		cluster->items[at].is_done = is_harmless(&cluster->items[at], own);
		left += !cluster->items[at].is_done;
	}
	for (size_t at = index; at-- > cluster->first && left > 0 && result == VKR_OK;) {
		const struct vkr_call_access *other = &calls->accesses.items[at];
		struct kind *kind = kind_of(cluster, other);
		if (kind->is_done || other->at.high <= own->at.low)
			continue;
		const enum vkr_race_class class = judge_pair(calls, other, own);
		if (class == VKR_RACE_NONE)
			continue;
		kind->is_done = true;
		left--;
		result = report_race(calls, engine, command, other, own, class, error);
	}
	struct kind *kind = kind_of(cluster, own);
	if (kind == NULL)
		return vkr_error_memory(error, "races");
	kind->writes |= own->at.write;
	return result;
}

static enum vkr_result judge_all(struct vkr_calls *calls, struct vkr_engine *engine,
				 uint32_t command, struct vkr_error *error)
{
	struct cluster cluster = {0};
	enum vkr_result result = VKR_OK;
	vkr_sort(calls->accesses.items, calls->accesses.count, sizeof *calls->accesses.items,
		 compare_places);
	for (size_t at = 0; at < calls->accesses.count && result == VKR_OK; at++) {
		const struct vkr_sync_access *access = &calls->accesses.items[at].at;
		if (access->memory != calls->accesses.items[cluster.first].at.memory ||
		    access->low >= cluster.high) {
			cluster.first = at;
			cluster.high = access->high;
			cluster.count = 0;
		}
		cluster.high = access->high > cluster.high ? access->high : cluster.high;
		result = judge_access(calls, engine, command, &cluster, at, error);
	}
	free(cluster.items);
	return result;
}

enum vkr_result vkr_calls_judge(struct vkr_calls *calls, struct vkr_engine *engine,
				uint32_t command, struct vkr_error *error)
{
	const enum vkr_result result = vkr_calls_link(calls)
					       ? judge_all(calls, engine, command, error)
					       : vkr_error_memory(error, "shader calls");
	vkr_calls_clear(calls);
	return result;
}
