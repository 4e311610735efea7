// SPDX-License-Identifier: Apache-2.0
// The figures of "HRF-Relaxed" over explicit sets of agents and relations of places. Where the
// paper leaves room the readings of vkrace/memory_model.h choose.
#include "oracle_hrf.h"

#include "relation.h"

#include <string.h>

static bool left_out(const struct vkr_hrf_evaluation *e, enum vkr_hrf_clause clause)
{
	return (e->without >> clause) & 1u;
}

// A clause that demands something, and one that grants something.
static bool demand(const struct vkr_hrf_evaluation *e, enum vkr_hrf_clause clause, bool holds)
{
	return holds || left_out(e, clause);
}

static bool grant(const struct vkr_hrf_evaluation *e, enum vkr_hrf_clause clause, bool holds)
{
	return holds && !left_out(e, clause);
}

static const struct vkr_litmus_event *at(const struct vkr_hrf_evaluation *e, uint32_t event)
{
	return &e->execution->events[event];
}

static bool is_access(const struct vkr_litmus_event *event)
{
	return event->reference != VKR_LITMUS_NONE;
}

static bool is_fence(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_FENCE || event->operation == VKR_LITMUS_BARRIER;
}

static bool is_barrier(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_BARRIER;
}

static bool reads(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_LOAD || event->operation == VKR_LITMUS_RMW;
}

static bool writes(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_STORE || event->operation == VKR_LITMUS_RMW;
}

static const struct vkr_litmus_location *location(const struct vkr_hrf_evaluation *e,
						  const struct vkr_litmus_event *event)
{
	return &e->execution->locations[e->execution->references[event->reference].location];
}

static bool overlap(const struct vkr_hrf_evaluation *e, const struct vkr_litmus_event *a,
		    const struct vkr_litmus_event *b)
{
	return location(e, a) == location(e, b) && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

// ---- Dynamic scopes: sets of agents (Definition 2.2) --------------------------------------------

// The static scope: atomics and fences say device where they say nothing, barriers their execution
// scope. A queue family is no group of the paper's.
static enum vkr_litmus_scope static_scope(const struct vkr_litmus_event *event)
{
	enum vkr_litmus_scope scope = event->scope;
	if (scope == VKR_LITMUS_SCOPE_NONE)
		scope = is_barrier(event) ? event->execution : VKR_LITMUS_DEVICE;
	return scope == VKR_LITMUS_QUEUE_FAMILY ? VKR_LITMUS_DEVICE : scope;
}

static uint64_t agents_in(const struct vkr_hrf_evaluation *e, uint32_t agent,
			  enum vkr_litmus_scope scope)
{
	const struct vkr_litmus_agent *agents = e->execution->agents, *self = &agents[agent];
	uint64_t set = UINT64_C(1) << agent;
	for (uint32_t i = 0; i < e->execution->agent_count; i++) {
		const struct vkr_litmus_agent *other = &agents[i];
		bool invocations = !self->host && !other->host;
		bool in = false;
		if (scope == VKR_LITMUS_SUBGROUP)
			in = invocations && self->subgroup == other->subgroup;
		if (scope == VKR_LITMUS_WORKGROUP_SCOPE)
			in = invocations && self->workgroup == other->workgroup;
		if (scope == VKR_LITMUS_DEVICE || scope == VKR_LITMUS_QUEUE_FAMILY)
			in = self->host ? other->host
					: invocations && self->device == other->device;
		if (scope == VKR_LITMUS_CROSS_DEVICE)
			in = true;
		if (in)
			set |= UINT64_C(1) << i;
	}
	return set;
}

static uint64_t dynamic_scope(const struct vkr_hrf_evaluation *e, uint32_t event)
{
	return agents_in(e, at(e, event)->agent, static_scope(at(e, event)));
}

static bool has(uint64_t set, uint32_t agent)
{
	return (set >> agent) & 1u;
}

// Definition 3.1.
static bool inclusive_by_sets(const struct vkr_hrf_evaluation *e, uint32_t a, uint32_t b)
{
	uint64_t s = dynamic_scope(e, a), t = dynamic_scope(e, b);
	return demand(e, VKR_HRF_CLAUSE_SCOPE_FIRST, has(s, at(e, b)->agent)) &&
	       demand(e, VKR_HRF_CLAUSE_SCOPE_SECOND, has(t, at(e, a)->agent)) &&
	       ((s & t) == s || (s & t) == t || left_out(e, VKR_HRF_CLAUSE_SCOPE_FIRST) ||
		left_out(e, VKR_HRF_CLAUSE_SCOPE_SECOND));
}

// Definition 6.1; `fga`: of the locations that both affect.
static bool equivalent(const struct vkr_hrf_evaluation *e, uint32_t a, uint32_t b, bool fga)
{
	enum vkr_litmus_scope s = static_scope(at(e, a)), t = static_scope(at(e, b));
	if (!demand(e, VKR_HRF_CLAUSE_EQUAL_STATIC, s == t))
		return false;
	// There is no line for work-items.
	if (s == VKR_LITMUS_INVOCATION || t == VKR_LITMUS_INVOCATION)
		return false;
	enum vkr_litmus_scope wider = s > t ? s : t;
	if (wider == VKR_LITMUS_CROSS_DEVICE)
		return demand(e, VKR_HRF_CLAUSE_EQUAL_SYSTEM,
			      fga || has(agents_in(e, at(e, a)->agent, VKR_LITMUS_DEVICE),
					 at(e, b)->agent));
	return demand(e, VKR_HRF_CLAUSE_EQUAL_GROUP,
		      has(agents_in(e, at(e, a)->agent, wider), at(e, b)->agent));
}

static bool inclusive(const struct vkr_hrf_evaluation *e, uint32_t a, uint32_t b, bool fga)
{
	return e->rules->model == VKR_MEMORY_HRF_OPENCL ? equivalent(e, a, b, fga)
							: inclusive_by_sets(e, a, b);
}

static bool fine_grained_with_atomics(const struct vkr_hrf_evaluation *e, uint32_t access)
{
	const struct vkr_litmus_location *of = location(e, at(e, access));
	return !of->local && of->alloc == VKR_LITMUS_ALLOC_ATOMIC;
}

// ---- Coherent order -----------------------------------------------------------------------------

static void order_stores(struct vkr_hrf_evaluation *e)
{
	uint32_t list[VKR_HRF_EVENTS], length = 0;
	for (uint32_t i = 0; i < e->count; i++) {
		if (is_access(at(e, i)) && writes(at(e, i)))
			list[length++] = i;
	}
	// after= says which write this one comes right behind.
	for (uint32_t i = 0; i < e->count; i++) {
		uint32_t rest[VKR_HRF_EVENTS], count = 0;
		if (at(e, i)->after == VKR_LITMUS_NONE)
			continue;
		for (uint32_t k = 0; k < length; k++) {
			if (list[k] != i)
				rest[count++] = list[k];
			if (list[k] == at(e, i)->after)
				rest[count++] = i;
		}
		memcpy(list, rest, length * sizeof *list);
	}
	memset(e->modification, 0, sizeof e->modification);
	memset(e->seen, 0, sizeof e->seen);
	for (uint32_t k = 0; k < length; k++)
		e->modification[list[k]] = k + 1;
	for (uint32_t i = 0; i < e->count; i++) {
		if (is_access(at(e, i)) && reads(at(e, i)) && at(e, i)->from != VKR_LITMUS_NONE)
			e->seen[i] = e->modification[at(e, i)->from];
	}
}

// A store that comes before a load in coh of a common byte.
static bool store_before_load(const struct vkr_hrf_evaluation *e, uint32_t x, uint32_t y)
{
	if (x == y || !writes(at(e, x)) || !reads(at(e, y)) || !overlap(e, at(e, x), at(e, y)))
		return false;
	if (left_out(e, VKR_HRF_CLAUSE_SYNC_COHERENT) && at(e, y)->from != x)
		return false;
	return demand(e, VKR_HRF_CLAUSE_SYNC_LATER, e->modification[x] <= e->seen[y]);
}

// Any access before any: loads of one store in the order of the file.
static bool coherent(const struct vkr_hrf_evaluation *e, uint32_t x, uint32_t y)
{
	if (x == y || !overlap(e, at(e, x), at(e, y)))
		return false;
	if (store_before_load(e, x, y))
		return true;
	uint64_t one = writes(at(e, x)) ? 2 * e->modification[x] : 2 * e->seen[x] + 1;
	uint64_t two = writes(at(e, y)) ? 2 * e->modification[y] : 2 * e->seen[y] + 1;
	bool loads = !writes(at(e, x)) && !writes(at(e, y));
	return one < two || (one == two && loads && x < y);
}

// ---- Places -------------------------------------------------------------------------------------

// Of a half (0: what it releases, 1: what it acquires; one and the same but for barriers).
static uint32_t place(const struct vkr_hrf_evaluation *e, uint32_t event, unsigned half,
		      unsigned space)
{
	return event * 4 + (is_barrier(at(e, event)) ? half * 2 : 0) + space;
}

static unsigned own_spaces(const struct vkr_hrf_evaluation *e, uint32_t event)
{
	const struct vkr_litmus_event *of = at(e, event);
	if (is_access(of))
		return location(e, of)->local ? VKR_LITMUS_LOCAL : VKR_LITMUS_GLOBAL;
	return is_fence(of) ? of->spaces : VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL;
}

static unsigned spaces_of(const struct vkr_hrf_evaluation *e, uint32_t event)
{
	bool all = e->coarse_end[event] ||
		   (is_fence(at(e, event)) && left_out(e, VKR_HRF_CLAUSE_BRIDGE_BOTH));
	return all ? VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL : own_spaces(e, event);
}

static void relate(uint64_t relation[][VKR_HRF_WORDS], uint32_t a, uint32_t b)
{
	relation[a][b / 64] |= UINT64_C(1) << (b % 64);
}

static bool related(uint64_t relation[][VKR_HRF_WORDS], uint32_t a, uint32_t b)
{
	return (relation[a][b / 64] >> (b % 64)) & 1u;
}

static void close(uint64_t relation[][VKR_HRF_WORDS], uint32_t count)
{
	for (uint32_t via = 0; via < count; via++) {
		for (uint32_t a = 0; a < count; a++) {
			if (a == via || !related(relation, a, via))
				continue;
			for (uint32_t w = 0; w < (count + 63) / 64; w++)
				relation[a][w] |= relation[via][w];
		}
	}
}

// ---- Synchronization ----------------------------------------------------------------------------

static bool releases(const struct vkr_hrf_evaluation *e, uint32_t event)
{
	const struct vkr_litmus_event *of = at(e, event);
	bool able = is_fence(of) || (is_access(of) && of->atomic && writes(of));
	return able && (is_barrier(of) ||
			demand(e, VKR_HRF_CLAUSE_SYNC_RELEASE, of->order & VKR_LITMUS_RELEASE));
}

static bool acquires(const struct vkr_hrf_evaluation *e, uint32_t event)
{
	const struct vkr_litmus_event *of = at(e, event);
	bool able = is_fence(of) || (is_access(of) && of->atomic && reads(of));
	return able && (is_barrier(of) ||
			demand(e, VKR_HRF_CLAUSE_SYNC_ACQUIRE, of->order & VKR_LITMUS_ACQUIRE));
}

static bool scopes_meet(const struct vkr_hrf_evaluation *e, uint32_t a, uint32_t b, bool fga)
{
	return demand(e, VKR_HRF_CLAUSE_SYNC_INCLUSIVE, inclusive(e, a, b, fga));
}

static bool program(const struct vkr_hrf_evaluation *e, uint32_t a, uint32_t b)
{
	return at(e, a)->agent == at(e, b)->agent && a < b;
}

static bool names(const struct vkr_hrf_evaluation *e, uint32_t fence, uint32_t atomic)
{
	return demand(e, VKR_HRF_CLAUSE_SYNC_SPACE, at(e, fence)->spaces & own_spaces(e, atomic));
}

static bool fence_fga(const struct vkr_hrf_evaluation *e, uint32_t atomic)
{
	return !e->rules->readings.fence_allocation && fine_grained_with_atomics(e, atomic);
}

static bool before_x(const struct vkr_hrf_evaluation *e, uint32_t release, uint32_t x)
{
	return at(e, release)->agent == at(e, x)->agent && release != x && names(e, release, x) &&
	       demand(e, VKR_HRF_CLAUSE_SYNC_BEFORE_X, release < x);
}

static bool after_y(const struct vkr_hrf_evaluation *e, uint32_t y, uint32_t acquire)
{
	return at(e, y)->agent == at(e, acquire)->agent && y != acquire && names(e, acquire, y) &&
	       demand(e, VKR_HRF_CLAUSE_SYNC_AFTER_Y, y < acquire);
}

static bool is_atomic(const struct vkr_hrf_evaluation *e, uint32_t event)
{
	return is_access(at(e, event)) && at(e, event)->atomic;
}

// The spaces in which two fences synchronize by X and Y.
static unsigned by_fences(const struct vkr_hrf_evaluation *e, uint32_t release, uint32_t acquire)
{
	unsigned spaces = 0;
	for (uint32_t x = 0; x < e->count; x++) {
		if (!is_atomic(e, x) || !before_x(e, release, x))
			continue;
		for (uint32_t y = 0; y < e->count; y++) {
			if (!is_atomic(e, y) || !after_y(e, y, acquire))
				continue;
			bool through = e->rules->readings.fence_atomics
					       ? coherent(e, x, y)
					       : store_before_load(e, x, y);
			if (through && scopes_meet(e, release, acquire, fence_fga(e, x)))
				spaces |= own_spaces(e, x);
		}
	}
	return spaces;
}

// The reading that fences synchronize with atomics as well.
static unsigned by_fence_and_atomic(const struct vkr_hrf_evaluation *e, uint32_t release,
				    uint32_t acquire)
{
	unsigned spaces = 0;
	for (uint32_t between = 0; between < e->count; between++) {
		if (!is_atomic(e, between))
			continue;
		bool first = is_fence(at(e, release)) && is_atomic(e, acquire) &&
			     before_x(e, release, between) &&
			     store_before_load(e, between, acquire);
		bool second = is_atomic(e, release) && is_fence(at(e, acquire)) &&
			      store_before_load(e, release, between) &&
			      after_y(e, between, acquire);
		if ((first || second) && scopes_meet(e, release, acquire, fence_fga(e, between)))
			spaces |= own_spaces(e, between);
	}
	return spaces;
}

static unsigned by_barrier(const struct vkr_hrf_evaluation *e, uint32_t release, uint32_t acquire)
{
	const struct vkr_litmus_event *a = at(e, release), *b = at(e, acquire);
	if (!is_barrier(a) || !is_barrier(b) || release == acquire)
		return 0;
	bool instance = a->instance != VKR_LITMUS_NONE && a->instance == b->instance;
	bool members = has(agents_in(e, a->agent, a->execution), b->agent) &&
		       has(agents_in(e, b->agent, b->execution), a->agent);
	return demand(e, VKR_HRF_CLAUSE_BARRIER_INSTANCE, instance) &&
			       demand(e, VKR_HRF_CLAUSE_BARRIER_MEMBERS, members) &&
			       scopes_meet(e, release, acquire, false)
		       ? a->spaces & b->spaces
		       : 0;
}

// The spaces in which a release is ordered before an acquire.
static unsigned synchronizes(const struct vkr_hrf_evaluation *e, uint32_t release, uint32_t acquire)
{
	unsigned spaces = 0;
	if (release == acquire || !releases(e, release) || !acquires(e, acquire))
		return 0;
	if (is_atomic(e, release) && is_atomic(e, acquire) &&
	    store_before_load(e, release, acquire) && grant(e, VKR_HRF_CLAUSE_SYNC_ATOMICS, true) &&
	    scopes_meet(e, release, acquire, fine_grained_with_atomics(e, release)))
		spaces |= own_spaces(e, release);
	if (is_fence(at(e, release)) && is_fence(at(e, acquire)) &&
	    grant(e, VKR_HRF_CLAUSE_SYNC_FENCES, true))
		spaces |= by_fences(e, release, acquire);
	if (e->rules->readings.fence_pair)
		spaces |= by_fence_and_atomic(e, release, acquire);
	if (grant(e, VKR_HRF_CLAUSE_BARRIER, true))
		spaces |= by_barrier(e, release, acquire);
	return spaces;
}

// ---- Happens-before -----------------------------------------------------------------------------

static void relate_all(const struct vkr_hrf_evaluation *e, uint64_t relation[][VKR_HRF_WORDS],
		       uint32_t a, uint32_t b)
{
	for (unsigned from = 0; from < 2; from++) {
		for (unsigned to = 0; to < 2; to++)
			relate(relation, place(e, a, 1, from), place(e, b, 0, to));
	}
}

static bool coarse_edge(const struct vkr_hrf_evaluation *e, uint32_t a, uint32_t b)
{
	const struct vkr_litmus *execution = e->execution;
	for (size_t i = 0; i < execution->event_edge_count; i++) {
		if (execution->event_edges[i].first == a && execution->event_edges[i].second == b)
			return true;
	}
	for (size_t i = 0; i < execution->agent_edge_count; i++) {
		if (execution->agent_edges[i].first == at(e, a)->agent &&
		    execution->agent_edges[i].second == at(e, b)->agent)
			return true;
	}
	return false;
}

// What counts for every scope: program order by space, and coarse-grained synchronization points.
static void fix(struct vkr_hrf_evaluation *e)
{
	memset(e->fixed, 0, sizeof e->fixed);
	memset(e->coarse, 0, sizeof e->coarse);
	memset(e->coarse_end, 0, sizeof e->coarse_end);
	for (uint32_t a = 0; a < e->count; a++) {
		for (uint32_t b = 0; b < e->count; b++) {
			if (!coarse_edge(e, a, b))
				continue;
			e->coarse[a] |= UINT64_C(1) << b;
			if (grant(e, VKR_HRF_CLAUSE_COARSE, true)) {
				e->coarse_end[a] = e->coarse_end[b] = true;
				relate_all(e, e->fixed, a, b);
			}
		}
	}
	for (uint32_t a = 0; a < e->count; a++) {
		bool both = at(e, a)->spaces == (VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL);
		bool merges = e->rules->readings.join && is_fence(at(e, a)) && both;
		for (unsigned half = 0; merges && half < 2; half++) {
			relate(e->fixed, place(e, a, half, 0), place(e, a, half, 1));
			relate(e->fixed, place(e, a, half, 1), place(e, a, half, 0));
		}
		for (unsigned space = 0; space < 2; space++) {
			if (!(spaces_of(e, a) >> space & 1u))
				continue;
			if (is_barrier(at(e, a)))
				relate(e->fixed, place(e, a, 0, space), place(e, a, 1, space));
			if (left_out(e, VKR_HRF_CLAUSE_BARRIER_HALVES) && is_barrier(at(e, a)))
				relate(e->fixed, place(e, a, 1, space), place(e, a, 0, space));
			for (uint32_t b = 0; b < e->count; b++) {
				if (!grant(e, VKR_HRF_CLAUSE_PROGRAM, program(e, a, b)))
					continue;
				if (spaces_of(e, b) >> space & 1u)
					relate(e->fixed, place(e, a, 1, space),
					       place(e, b, 0, space));
				if (left_out(e, VKR_HRF_CLAUSE_PROGRAM_SPACE))
					relate_all(e, e->fixed, a, b);
			}
		}
	}
}

// A synchronization order between places, to the relation.
static void relate_sync(const struct vkr_hrf_evaluation *e, uint64_t relation[][VKR_HRF_WORDS],
			uint32_t a, uint32_t b, unsigned spaces)
{
	unsigned both = VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL;
	bool bridges = is_fence(at(e, a)) && is_fence(at(e, b)) &&
		       demand(e, VKR_HRF_CLAUSE_BRIDGE_BOTH,
			      at(e, a)->spaces == both && at(e, b)->spaces == both);
	bridges = grant(e, VKR_HRF_CLAUSE_BRIDGE, bridges);
	for (unsigned from = 0; from < 2; from++) {
		for (unsigned to = 0; to < 2; to++) {
			if (bridges || (from == to && spaces >> from & 1u))
				relate(relation, place(e, a, 0, from), place(e, b, 1, to));
		}
	}
}

static void collect(struct vkr_hrf_evaluation *e, uint64_t closed[][VKR_HRF_WORDS])
{
	for (uint32_t x = 0; x < e->count; x++) {
		for (uint32_t y = 0; y < e->count; y++) {
			if (!is_access(at(e, x)) || !is_access(at(e, y)) || x == y)
				continue;
			unsigned one = location(e, at(e, x))->local ? 1 : 0;
			unsigned two = location(e, at(e, y))->local ? 1 : 0;
			uint32_t from = place(e, x, 0, one), to = place(e, y, 0, two);
			if (related(closed, from, to))
				e->before[x][y] = true;
			for (uint32_t p = 0; p < e->count && e->before[x][y]; p++) {
				for (uint64_t ends = e->coarse[p]; ends && e->coarse_end[p];
				     ends &= ends - 1) {
					uint32_t q = (uint32_t)__builtin_ctzll(ends);
					if (e->beyond[x][y])
						break;
					bool left = false, right = false;
					for (unsigned space = 0; space < 2; space++) {
						uint32_t a = place(e, p, 1, space);
						uint32_t b = place(e, q, 0, space);
						left = left || from == a ||
						       related(closed, from, a);
						right = right || to == b || related(closed, b, to);
					}
					// The operation itself has a place in every space there.
					left = left || p == x;
					right = right || q == y;
					e->beyond[x][y] = left && right;
				}
			}
		}
	}
}

// One closure: the synchronization orders that `in` accepts.
struct union_part {
	enum vkr_litmus_scope scope; // of an agent's: SCOPE_NONE
	uint64_t agents;
};

static void close_part(struct vkr_hrf_evaluation *e, const struct union_part *part,
		       unsigned spaces[VKR_HRF_EVENTS][VKR_HRF_EVENTS])
{
	static uint64_t relation[VKR_HRF_PLACES][VKR_HRF_WORDS];
	memcpy(relation, e->fixed, sizeof relation);
	for (uint32_t a = 0; a < e->count; a++) {
		for (uint32_t b = 0; b < e->count; b++) {
			if (!spaces[a][b])
				continue;
			enum vkr_litmus_scope s = static_scope(at(e, a)),
					      t = static_scope(at(e, b));
			uint64_t agents = s < t ? dynamic_scope(e, a) : dynamic_scope(e, b);
			bool in = !part || left_out(e, VKR_HRF_CLAUSE_DIRECT) ||
				  (part->scope == VKR_LITMUS_SCOPE_NONE
					   ? (part->agents & dynamic_scope(e, a) &
					      dynamic_scope(e, b)) != 0
					   : part->scope == (s < t ? s : t) &&
						     part->agents == agents);
			if (in)
				relate_sync(e, relation, a, b, spaces[a][b]);
		}
	}
	if (!left_out(e, VKR_HRF_CLAUSE_TRANSITIVE))
		close(relation, e->count * 4);
	collect(e, relation);
}

void vkr_hrf_evaluate(struct vkr_hrf_evaluation *e, const struct vkr_litmus *execution,
		      const struct vkr_memory_rules *rules, uint64_t without)
{
	static unsigned spaces[VKR_HRF_EVENTS][VKR_HRF_EVENTS];
	e->execution = execution;
	e->rules = rules;
	e->without = without;
	e->count = (uint32_t)execution->event_count;
	memset(e->before, 0, sizeof e->before);
	memset(e->beyond, 0, sizeof e->beyond);
	order_stores(e);
	fix(e);
	for (uint32_t a = 0; a < e->count; a++) {
		for (uint32_t b = 0; b < e->count; b++)
			spaces[a][b] = synchronizes(e, a, b);
	}
	if (rules->model != VKR_MEMORY_HRF_DIRECT) {
		close_part(e, NULL, spaces);
		return;
	}
	// Program order alone, then each part of the union.
	struct union_part none = {.scope = VKR_LITMUS_SCOPE_NONE};
	close_part(e, &none, spaces);
	for (uint32_t agent = 0; agent < execution->agent_count; agent++) {
		if (rules->readings.direct_union) {
			struct union_part part = {.agents = UINT64_C(1) << agent};
			close_part(e, &part, spaces);
			continue;
		}
		for (enum vkr_litmus_scope scope = VKR_LITMUS_INVOCATION;
		     scope <= VKR_LITMUS_CROSS_DEVICE; scope++) {
			struct union_part part = {scope, agents_in(e, agent, scope)};
			uint32_t first = (uint32_t)__builtin_ctzll(part.agents);
			if (first == agent && scope != VKR_LITMUS_QUEUE_FAMILY)
				close_part(e, &part, spaces);
		}
	}
}

// ---- Races --------------------------------------------------------------------------------------

// "Ordinary Conflict", "Atomic Conflict".
static bool conflict(const struct vkr_hrf_evaluation *e, uint32_t x, uint32_t y)
{
	const struct vkr_litmus_event *a = at(e, x), *b = at(e, y);
	if (!writes(a) && !writes(b))
		return false;
	if (!a->atomic || !b->atomic)
		return true;
	bool apart = !inclusive(e, x, y, fine_grained_with_atomics(e, x));
	bool same = a->offset == b->offset && a->size == b->size;
	return grant(e, VKR_HRF_CLAUSE_CONFLICT_ATOMIC, apart) ||
	       left_out(e, VKR_HRF_CLAUSE_CONFLICT_INCLUSIVE) ||
	       (e->rules->readings.atomic_overlap && !same);
}

// "Observability": by the maximum dynamic scope of the location.
static bool observable(const struct vkr_hrf_evaluation *e, uint32_t x, uint32_t y)
{
	const struct vkr_litmus_location *of = location(e, at(e, x));
	uint32_t a = at(e, x)->agent, b = at(e, y)->agent;
	if (of->local)
		return demand(e, VKR_HRF_CLAUSE_OBSERVE_LOCAL,
			      has(agents_in(e, a, VKR_LITMUS_WORKGROUP_SCOPE), b));
	return of->alloc == VKR_LITMUS_ALLOC_ATOMIC ||
	       demand(e, VKR_HRF_CLAUSE_OBSERVE_DEVICE, has(agents_in(e, a, VKR_LITMUS_DEVICE), b));
}

bool vkr_hrf_evaluate_race(const struct vkr_hrf_evaluation *e, uint32_t x, uint32_t y)
{
	bool ordered = e->before[x][y] || e->before[y][x];
	bool beyond = e->beyond[x][y] || e->beyond[y][x];
	bool observed = observable(e, x, y) || grant(e, VKR_HRF_CLAUSE_OBSERVE_COARSE, beyond);
	return conflict(e, x, y) && !(ordered && observed);
}

// ---- Candidate executions -----------------------------------------------------------------------

static bool is_sequential(const struct vkr_hrf_evaluation *e, uint32_t event)
{
	return is_atomic(e, event) && at(e, event)->order == VKR_LITMUS_SEQ_CST;
}

// The coherent order of a location, or of all of them where it is NULL.
static void coherent_order(const struct vkr_hrf_evaluation *e, const struct vkr_litmus_location *of,
			   struct vkr_relation *order)
{
	vkr_relation_clear(order, e->count);
	for (uint32_t x = 0; x < e->count; x++) {
		for (uint32_t y = 0; y < e->count; y++) {
			if (!is_access(at(e, x)) || !is_access(at(e, y)) || x == y ||
			    !overlap(e, at(e, x), at(e, y)) || (of && location(e, at(e, x)) != of))
				continue;
			// Loads right after one store are in any order.
			uint32_t one = writes(at(e, x)) ? e->modification[x] : e->seen[x];
			uint32_t two = writes(at(e, y)) ? e->modification[y] : e->seen[y];
			if (one < two || (one == two && writes(at(e, x)) && !writes(at(e, y))))
				vkr_relation_add(order, x, y);
		}
	}
}

// "Two orders are consistent iff their union's closure is acyclic".
static bool consistent(const struct vkr_hrf_evaluation *e, const struct vkr_relation *one,
		       const struct vkr_relation *other)
{
	struct vkr_relation both = *one;
	vkr_relation_unite(&both, other, e->count);
	vkr_relation_close(&both, e->count);
	return vkr_relation_is_acyclic(&both, e->count);
}

static bool consistent_with_all(const struct vkr_hrf_evaluation *e, const struct vkr_relation *one)
{
	struct vkr_relation order;
	for (size_t l = 0; l < e->execution->location_count; l++) {
		coherent_order(e, &e->execution->locations[l], &order);
		if (!consistent(e, one, &order))
			return false;
	}
	return true;
}

// "The read and write components [...] must be adjacent in coh": no store between what it reads and
// itself.
static bool adjacent(const struct vkr_hrf_evaluation *e, uint32_t rmw)
{
	if (e->seen[rmw] >= e->modification[rmw])
		return false;
	for (uint32_t z = 0; z < e->count; z++) {
		if (is_access(at(e, z)) && writes(at(e, z)) && overlap(e, at(e, z), at(e, rmw)) &&
		    e->modification[z] > e->seen[rmw] && e->modification[z] < e->modification[rmw])
			return false;
	}
	return true;
}

// "There is an apparent total order of all the memory_order_seq_cst operations iff ..." (figure
// 17).
static bool demands_sequence(const struct vkr_hrf_evaluation *e)
{
	bool wide = true, narrow = true;
	if (e->rules->model != VKR_MEMORY_HRF_OPENCL)
		return true;
	for (uint32_t x = 0; x < e->count; x++) {
		if (!(e->rules->readings.sequential_atomics ? is_atomic(e, x)
							    : is_sequential(e, x)))
			continue;
		bool fga = fine_grained_with_atomics(e, x);
		wide = wide && static_scope(at(e, x)) == VKR_LITMUS_CROSS_DEVICE && fga;
		narrow = narrow && static_scope(at(e, x)) == VKR_LITMUS_DEVICE && !fga;
	}
	return demand(e, VKR_HRF_CLAUSE_SEQUENCE_KIND, wide || narrow);
}

// Of the sequentially consistent operations, what the order's closure orders.
static void add_demands(const struct vkr_hrf_evaluation *e, const struct vkr_relation *order,
			struct vkr_relation *demands)
{
	struct vkr_relation closed = *order;
	vkr_relation_close(&closed, e->count);
	for (uint32_t x = 0; x < e->count; x++) {
		for (uint32_t y = 0; y < e->count; y++) {
			if (is_sequential(e, x) && is_sequential(e, y) &&
			    vkr_relation_has(&closed, x, y))
				vkr_relation_add(demands, x, y);
		}
	}
}

// The total order is made one operation after the other, each after all that must come before it,
// and then it is tried by the letter.
static bool has_sequence(const struct vkr_hrf_evaluation *e, const struct vkr_relation *program,
			 const struct vkr_relation *before)
{
	struct vkr_relation demands, order, sequence;
	uint64_t left = 0;
	vkr_relation_clear(&demands, e->count);
	vkr_relation_clear(&sequence, e->count);
	if (grant(e, VKR_HRF_CLAUSE_SEQUENCE_PROGRAM, true))
		add_demands(e, program, &demands);
	if (grant(e, VKR_HRF_CLAUSE_SEQUENCE_BEFORE, true))
		add_demands(e, before, &demands);
	for (size_t l = 0;
	     l < e->execution->location_count && grant(e, VKR_HRF_CLAUSE_SEQUENCE_COHERENT, true);
	     l++) {
		coherent_order(e, &e->execution->locations[l], &order);
		add_demands(e, &order, &demands);
	}
	for (uint32_t x = 0; x < e->count; x++) {
		if (is_sequential(e, x))
			left |= vkr_set_of(x);
	}
	while (left) {
		uint64_t ready = left;
		for (uint32_t x = 0; x < e->count; x++) {
			if (vkr_set_has(left, x))
				ready &= ~demands.row[x];
		}
		if (!ready)
			return false;
		left &= ~vkr_set_of(vkr_set_first(ready));
		sequence.row[vkr_set_first(ready)] = left;
	}
	return e->without ||
	       (consistent(e, &sequence, program) && consistent(e, &sequence, before) &&
		consistent_with_all(e, &sequence));
}

bool vkr_hrf_evaluate_candidate(const struct vkr_hrf_evaluation *e)
{
	struct vkr_relation program, before, all;
	vkr_relation_clear(&program, e->count);
	vkr_relation_clear(&before, e->count);
	for (uint32_t x = 0; x < e->count; x++) {
		if (is_access(at(e, x)) && reads(at(e, x)) && writes(at(e, x)) &&
		    !demand(e, VKR_HRF_CLAUSE_ADJACENT, adjacent(e, x)))
			return false;
		for (uint32_t y = 0; y < e->count; y++) {
			if (!is_access(at(e, x)) || !is_access(at(e, y)))
				continue;
			if (at(e, x)->agent == at(e, y)->agent && x < y)
				vkr_relation_add(&program, x, y);
			if (e->before[x][y])
				vkr_relation_add(&before, x, y);
		}
	}
	coherent_order(e, NULL, &all);
	return demand(e, VKR_HRF_CLAUSE_COHERENT_BEFORE,
		      e->rules->readings.coherence ? consistent(e, &before, &all)
						   : consistent_with_all(e, &before)) &&
	       (!demands_sequence(e) ||
		demand(e, VKR_HRF_CLAUSE_SEQUENCE, has_sequence(e, &program, &before)));
}
