// SPDX-License-Identifier: Apache-2.0
// Judges the accesses to the bytes that barriers alone leave unordered. Knows accesses and asks
// vkr_order about pairs; not what orders them.
//
// The accesses to each byte are visited in an order that agrees with happens-before, as in the
// engine: what a plain write was compared with need not be compared with later accesses.
#include "array.h"
#include "error.h"
#include "map.h"
#include "site_scope.h"
#include "sort.h"
#include "sync_locks.h"
#include "sync_parts.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

// Accesses of one instruction through one reference since the last write, newest first.
struct kind {
	uint32_t table_site, reference, newest; // index of a member; NOBODY
	bool read_only;
};

// The answer of vkr_order about two accesses; it is equal for all accesses with equal keys.
struct known {
	uint64_t key[6];
	enum vkr_race_class race_class;
	uint64_t release, acquire;
	bool backward;
	bool reversed; // the access of the command that was fed later is before the other
	bool in_order; // they race, and one happens-before the other
};

struct judging {
	struct vkr_sync *sync;
	struct vkr_engine *engine;
	const struct vkr_sync_access **members; // at the present bytes
	uint32_t *older;                        // by member: the next older one of its kind
	uint32_t *told; // by access: 1 + table site of the other side, when a race was last told
	size_t member_count;
	uint64_t low, high; // the present bytes
	bool has_atomics;   // among them, such as can order others
	uint32_t last_write;
	struct {
		struct kind *items;
		size_t count, capacity;
	} kinds;
	struct {
		struct known *items;
		size_t count, capacity;
	} known;
	struct vkr_map known_places; // hash of a key to 1 + index of known
	struct vkr_order_run run;    // that vkr_order_compare reported last
	bool reported, by_bytes;     // by_bytes: the answer may be another one for other bytes
	struct vkr_sync_locks locks; // where ambiguous values order nothing
	struct vkr_error *error;
};

static const struct vkr_site *site_of(const struct judging *judging,
				      const struct vkr_sync_access *access)
{
	return &judging->sync->sites[access->table_site];
}

// ---- Pairs --------------------------------------------------------------------------------------

static bool take_run(void *context, const struct vkr_order_run *run)
{
	struct judging *judging = context;
	judging->run = *run;
	judging->reported = true;
	return true;
}

// What was fed as an event.
static const struct vkr_site *site_of_event(const struct judging *judging, uint64_t event)
{
	const struct vkr_sync *sync = judging->sync;
	return &sync->sites[sync->events.items[sync->fed.items[event - 1]].site];
}

// A release and an acquire of other storage classes than the access's are not what was meant to
// order it, and their scopes are not what is wrong.
static bool is_meant(const struct judging *judging, uint64_t event, unsigned storage_class)
{
	return event != 0 && (site_of_event(judging, event)->semantics & storage_class);
}

// Agents of commands that were fed earlier have lower numbers.
static bool is_reversed(const struct judging *judging, const struct vkr_order_access *x,
			const struct vkr_order_access *y)
{
	const enum vkr_order_relation reversed =
		x->agent < y->agent ? VKR_ORDER_SECOND : VKR_ORDER_FIRST;
	return judging->sync->commands.parts != NULL && judging->reported &&
	       judging->run.relation == reversed;
}

// Whether a point of a part is before an access, or before the point of another.
static bool is_point_before(const struct judging *judging, uint64_t point,
			    const struct vkr_order_access *access)
{
	return vkr_order_happens_before(judging->sync->order,
					&(struct vkr_order_access){.agent = point}, access);
}

static uint32_t index_of_part(const struct judging *judging, const struct vkr_sync_access *access)
{
	return (uint32_t)(vkr_sync_part_of(judging->sync, access->workgroup) -
			  judging->sync->commands.parts);
}

// Whether an operation of the API between two parts, after the point, has made the present bytes
// visible to what reads them.
static bool is_seen_after(const struct judging *judging, uint64_t point,
			  const struct vkr_sync_range *bytes, uint32_t reader)
{
	const struct vkr_sync *sync = judging->sync;
	for (uint32_t part = 0; part < sync->commands.part_count; part++)
		if (part != reader && sync->commands.parts[part].ended &&
		    sync->commands.is_visible(sync->commands.parts_context, bytes, part, reader) &&
		    is_point_before(
			    judging, point,
			    &(struct vkr_order_access){.agent = vkr_sync_part_end(sync, part)}))
			return true;
	return false;
}

// Whether the write `a` is ordered before `b` through the device domain: made available between its
// command and one from which shaders carry it on ("Location-Ordered", the last bullet; vkr_order
// knows no operations of the API).
static bool is_carried(const struct judging *judging, const struct vkr_sync_access *a,
		       const struct vkr_sync_access *b, const struct vkr_order_access *later)
{
	const struct vkr_sync *sync = judging->sync;
	const struct vkr_sync_range bytes = {
		.memory = a->memory, .low = judging->low, .high = judging->high};
	if (!a->write)
		return false;
	const uint32_t of = index_of_part(judging, a);
	for (uint32_t at = 0; at < sync->commands.part_count; at++) {
		const uint64_t point = vkr_sync_part_begin(sync, at);
		if (at != of &&
		    sync->commands.is_available(sync->commands.parts_context, &bytes, of, at) &&
		    is_point_before(judging, point, later) &&
		    (b->write || is_seen_after(judging, point, &bytes, index_of_part(judging, b))))
			return true;
	}
	return false;
}

// Asks vkr_order; the verdict holds for the present bytes.
static enum vkr_result ask_order(struct judging *judging, const struct vkr_order_access *x,
				 const struct vkr_order_access *y, const struct vkr_sync_access *a,
				 const struct vkr_sync_access *b, struct known *answer)
{
	struct vkr_order_access first = *x, second = *y;
	// Atomics are compared whole, for whether they are of the same bytes matters.
	if (!first.atomic || !second.atomic) {
		first.offset = second.offset = judging->low;
		first.size = second.size = judging->high - judging->low;
	}
	judging->reported = judging->by_bytes = false;
	const enum vkr_result result = vkr_order_compare(judging->sync->order, &first, &second,
							 take_run, judging, judging->error);
	if (result != VKR_OK)
		return result;
	answer->race_class = VKR_RACE_NONE;
	answer->reversed = is_reversed(judging, x, y);
	if (!judging->reported || judging->run.relation != VKR_ORDER_NEITHER)
		return VKR_OK;
	if (judging->sync->commands.is_available != NULL) {
		judging->by_bytes = true;
		const bool forward = is_carried(judging, a, b, y);
		if (forward || is_carried(judging, b, a, x)) {
			answer->reversed = judging->sync->commands.parts != NULL &&
					   forward != (x->agent < y->agent);
			return VKR_OK;
		}
	}
	answer->race_class = judging->run.separation.race_class;
	answer->in_order =
		answer->race_class != VKR_RACE_UNORDERED && answer->race_class != VKR_RACE_SCOPE;
	answer->release = judging->run.separation.release;
	answer->acquire = judging->run.separation.acquire;
	answer->backward = !judging->run.separation.forward;
	if (answer->race_class == VKR_RACE_SCOPE && !(first.atomic && second.atomic) &&
	    !(is_meant(judging, answer->release, first.storage_class) &&
	      is_meant(judging, answer->acquire, first.storage_class)))
		answer->race_class = VKR_RACE_UNORDERED;
	if (judging->sync->commands.parts != NULL &&
	    judging->sync->commands.between != VKR_RACE_UNORDERED)
		answer->race_class = judging->sync->commands.between;
	return VKR_OK;
}

// The verdict on two accesses depends on bytes only where atomics that order others are on these.
static enum vkr_result find_known(struct judging *judging, const struct vkr_order_access *x,
				  const struct vkr_order_access *y, const struct vkr_sync_access *a,
				  const struct vkr_sync_access *b, struct known *answer)
{
	const struct known wanted = {.key = {x->agent, y->agent, x->position << 1 | x->write,
					     y->position << 1 | y->write,
					     (uint64_t)a->table_site << 32 | b->table_site,
					     (uint64_t)a->reference << 32 | b->reference}};
	uint64_t hash = 0, place = 0;
	if (judging->has_atomics || x->agent == y->agent || (x->atomic && y->atomic))
		return ask_order(judging, x, y, a, b, answer);
	for (size_t at = 0; at < 6; at++)
		hash = vkr_map_hash(hash ^ wanted.key[at]);
	if (vkr_map_get(&judging->known_places, hash, &place)) {
		*answer = judging->known.items[place - 1];
		if (memcmp(answer->key, wanted.key, sizeof wanted.key) == 0)
			return VKR_OK;
	}
	*answer = wanted;
	const enum vkr_result result = ask_order(judging, x, y, a, b, answer);
	// What operations of the API do, they may do for some bytes only.
	if (result != VKR_OK || judging->by_bytes)
		return result;
	if (!VKR_ARRAY_RESERVE(&judging->known, 1) ||
	    !vkr_map_set(&judging->known_places, hash, judging->known.count + 1))
		return vkr_error_memory(judging->error, "races");
	judging->known.items[judging->known.count++] = *answer;
	return VKR_OK;
}

static const struct vkr_sync_part *part_of(const struct judging *judging,
					   const struct vkr_sync_access *access)
{
	return judging->sync->commands.parts != NULL
		       ? vkr_sync_part_of(judging->sync, access->workgroup)
		       : NULL;
}

static struct vkr_engine_access told_access(const struct judging *judging,
					    const struct vkr_sync_access *access)
{
	const struct vkr_sync_part *part = part_of(judging, access);
	return (struct vkr_engine_access){
		.command = part != NULL ? part->command : judging->sync->command,
		.invocation = site_of(judging, access)->storage_class != 0,
		.site = access->site,
		.reference = access->reference,
		.workgroup = access->workgroup - (part != NULL ? part->workgroup : 0),
		.local = access->local,
		.interval = access->barriers};
}

// 1 + the place in the site table of what was fed as an event.
static uint64_t name_of(const struct judging *judging, uint64_t event)
{
	const struct vkr_sync *sync = judging->sync;
	if (event == 0)
		return 0;
	const uint32_t site = sync->events.items[sync->fed.items[event - 1]].site;
	return 1 + (uint64_t)(sync->site_numbers != NULL ? sync->site_numbers[site] : site);
}

static uint32_t sync_judge_shortfall(const struct judging *judging, const struct vkr_sync_access *a,
				     const struct vkr_sync_access *b, const struct known *answer)
{
	const struct vkr_site *x = site_of(judging, a), *y = site_of(judging, b);
	uint32_t lacks = 0;
	if (answer->race_class == VKR_RACE_REFERENCE ||
	    (vkr_sync_is_atomic(x) && vkr_sync_is_atomic(y) && a->reference != b->reference))
		lacks = VKR_SHORT_OTHER_REFERENCE;
	else if (vkr_sync_is_atomic(x) && vkr_sync_is_atomic(y))
		lacks = a->low == b->low && a->high == b->high ? VKR_SHORT_ATOMIC_SCOPE
							       : VKR_SHORT_ATOMIC_BYTES;
	else if (answer->race_class == VKR_RACE_PRIVATE)
		lacks = VKR_SHORT_PRIVATE_ACCESS;
	else if (a->workgroup != b->workgroup)
		lacks = VKR_SHORT_OTHER_WORKGROUP;
	else if (answer->race_class == VKR_RACE_UNORDERED)
		lacks = a->barriers == b->barriers ? VKR_SHORT_NO_BARRIER
						   : VKR_SHORT_BARRIER_SEMANTICS;
	if (!(lacks & (VKR_SHORT_ATOMIC_BYTES | VKR_SHORT_ATOMIC_SCOPE)) &&
	    (answer->release != 0 || answer->acquire != 0))
		lacks |= VKR_SHORT_SYNCHRONIZATION;
	return lacks;
}

static enum vkr_result report_race(struct judging *judging, const struct vkr_sync_access *a,
				   const struct vkr_sync_access *b, const struct known *answer)
{
	// Of several commands, the access of the one that was fed first is reported first.
	if (part_of(judging, a) > part_of(judging, b)) {
		struct known reversed = *answer;
		reversed.backward = !answer->backward;
		return report_race(judging, b, a, &reversed);
	}
	judging->sync->judging.races++;
	if (judging->sync->judging.only_count)
		return VKR_OK;
	uint32_t *told = &judging->told[b - judging->sync->accesses.items];
	// One access of several runs of bytes is counted once.
	if (*told == a->table_site + 1)
		return VKR_OK;
	*told = a->table_site + 1;
	return vkr_engine_race_found(
		judging->engine,
		&(struct vkr_engine_race){.race_class = answer->race_class,
					  .possible = judging->sync->judging.possible,
					  .first = told_access(judging, a),
					  .second = told_access(judging, b),
					  .memory = a->memory > UINT32_MAX ? VKR_ENGINE_WORKGROUP
									   : (uint32_t)a->memory,
					  .offset = judging->low,
					  .bytes = judging->high - judging->low,
					  .shortfall = sync_judge_shortfall(judging, a, b, answer),
					  .release = name_of(judging, answer->release),
					  .acquire = name_of(judging, answer->acquire),
					  .backward = answer->backward},
		1, judging->error);
}

// Invocations that access a cooperative matrix together do not race with each other.
static bool is_together(const struct judging *judging, const struct vkr_sync_access *a,
			const struct vkr_sync_access *b)
{
	const struct vkr_site *x = site_of(judging, a), *y = site_of(judging, b);
	const struct vkr_site *of = x->flags & VKR_SITE_COOPERATIVE ? x : y;
	return of->flags & VKR_SITE_COOPERATIVE && a->workgroup == b->workgroup &&
	       vkr_make_together(of->execution, judging->sync->subgroup_size, a->local, b->local);
}

// Accesses that are judged elsewhere (vkr_sync's `judged`), or need not be: of what the first is
// ordered before, a later access may have overwritten the first's.
static bool is_left_out(const struct judging *judging, const struct vkr_sync_access *a,
			const struct vkr_sync_access *b, const struct known *answer)
{
	const struct vkr_sync *sync = judging->sync;
	if (sync->judging.judged == NULL && sync->judging.overwritten == NULL)
		return false;
	const bool as_fed = part_of(judging, a) < part_of(judging, b);
	const struct vkr_sync_access *first = as_fed ? a : b, *second = as_fed ? b : a;
	struct vkr_sync_access here = *first;
	here.low = judging->low;
	here.high = judging->high;
	if (as_fed && answer->in_order &&
	    (sync->judging.overwritten == NULL ||
	     vkr_sync_ranges_access(sync->judging.overwritten, &here)))
		return true;
	return sync->judging.judged != NULL &&
	       vkr_sync_ranges_access(&sync->judging.judged[2 * first->write + second->write],
				      &here);
}

// Judges a pair; `a` was gone through first.
static enum vkr_result judge_pair(struct judging *judging, const struct vkr_sync_access *a,
				  const struct vkr_sync_access *b, bool *race)
{
	const bool same = a->workgroup == b->workgroup && a->local == b->local;
	struct known answer = {.race_class = VKR_RACE_NONE};
	*race = false;
	if ((!a->write && !b->write) || (same && a->reference == b->reference) ||
	    is_together(judging, a, b) ||
	    (judging->sync->commands.parts != NULL && !judging->sync->commands.within &&
	     part_of(judging, a)->command == part_of(judging, b)->command))
		return VKR_OK;
	const struct vkr_order_access x = vkr_sync_order_access(judging->sync, a, 0);
	struct vkr_order_access y = vkr_sync_order_access(judging->sync, b, 0);
	// Two agents that are ordered alike are still different agents.
	if (!same && x.agent == y.agent)
		y = vkr_sync_order_access(judging->sync, b, 1);
	enum vkr_result result = find_known(judging, &x, &y, a, b, &answer);
	if (result == VKR_OK && answer.reversed && !judging->sync->judging.possible &&
	    !judging->sync->commands.within)
		judging->sync->commands.reversed = true;
	if (result != VKR_OK || answer.race_class == VKR_RACE_NONE ||
	    is_left_out(judging, a, b, &answer) ||
	    (judging->sync->judging.possible &&
	     vkr_sync_locks_protect(&judging->locks, judging->sync, a, b)))
		return result;
	*race = true;
	return report_race(judging, a, b, &answer);
}

// ---- One run of bytes ---------------------------------------------------------------------------

static bool reaches_all(const struct judging *judging, uint8_t scope)
{
	return vkr_scope_is_far(scope) &&
	       (scope != VKR_SCOPE_QUEUE_FAMILY || judging->sync->commands.one_family);
}

// Whether no access of a kind can race with the access, whoever made it.
static bool sync_judge_harmless(const struct judging *judging, const struct kind *kind,
				const struct vkr_sync_access *access)
{
	const struct vkr_site *x = &judging->sync->sites[kind->table_site];
	const struct vkr_site *y = site_of(judging, access);
	if (kind->read_only && !access->write)
		return true;
	if (judging->sync->rules.model == VKR_MEMORY_HRF_OPENCL && x->scope != y->scope)
		return false;
	return vkr_sync_is_atomic(x) && vkr_sync_is_atomic(y) && x->bytes == y->bytes &&
	       kind->reference == access->reference && reaches_all(judging, x->scope) &&
	       reaches_all(judging, y->scope);
}

static enum vkr_result judge_kind(struct judging *judging, const struct kind *kind, uint32_t member)
{
	const struct vkr_sync_access *access = judging->members[member];
	bool race = false;
	enum vkr_result result = VKR_OK;
	if (sync_judge_harmless(judging, kind, access))
		return VKR_OK;
	// An access is counted once for each instruction that it races with.
	for (uint32_t at = kind->newest; at != NOBODY && !race && result == VKR_OK;
	     at = judging->older[at])
		result = judge_pair(judging, judging->members[at], access, &race);
	return result;
}

static enum vkr_result sync_judge_remember(struct judging *judging, uint32_t member)
{
	const struct vkr_sync_access *access = judging->members[member];
	struct kind *kind = NULL;
	for (size_t at = 0; at < judging->kinds.count && kind == NULL; at++)
		if (judging->kinds.items[at].table_site == access->table_site &&
		    judging->kinds.items[at].reference == access->reference)
			kind = &judging->kinds.items[at];
	if (kind == NULL) {
		if (!VKR_ARRAY_RESERVE(&judging->kinds, 1))
			return vkr_error_memory(judging->error, "races");
		kind = &judging->kinds.items[judging->kinds.count++];
		*kind = (struct kind){.table_site = access->table_site,
				      .reference = access->reference,
				      .newest = NOBODY,
				      .read_only = true};
	}
	kind->read_only = kind->read_only && !access->write;
	judging->older[member] = kind->newest;
	kind->newest = member;
	return VKR_OK;
}

static enum vkr_result judge_member(struct judging *judging, uint32_t member)
{
	const struct vkr_sync_access *access = judging->members[member];
	enum vkr_result result = VKR_OK;
	bool race = false;
	if (judging->last_write != NOBODY)
		result = judge_pair(judging, judging->members[judging->last_write], access, &race);
	for (size_t at = 0; at < judging->kinds.count && result == VKR_OK; at++)
		result = judge_kind(judging, &judging->kinds.items[at], member);
	if (result != VKR_OK)
		return result;
	if (!access->write || vkr_sync_is_atomic(site_of(judging, access)))
		return sync_judge_remember(judging, member);
	judging->last_write = member;
	judging->kinds.count = 0;
	return VKR_OK;
}

static int compare_order(const struct vkr_sync_access *a, const struct vkr_sync_access *b)
{
	if (a->component != b->component)
		return a->component < b->component ? -1 : 1;
	if (a->workgroup != b->workgroup)
		return a->workgroup < b->workgroup ? -1 : 1;
	if (a->local != b->local)
		return a->local < b->local ? -1 : 1;
	return a->step < b->step ? -1 : a->step > b->step;
}

static int compare_members(const void *a, const void *b)
{
	return compare_order(*(const struct vkr_sync_access *const *)a,
			     *(const struct vkr_sync_access *const *)b);
}

// Bytes [low, high), at which the accesses [first, end) are all or not at all.
static enum vkr_result judge_bytes(struct judging *judging, size_t first, size_t end, uint64_t low,
				   uint64_t high)
{
	const struct vkr_sync *sync = judging->sync;
	enum vkr_result result = VKR_OK;
	judging->low = low;
	judging->high = high;
	judging->member_count = 0;
	judging->kinds.count = 0;
	judging->last_write = NOBODY;
	judging->has_atomics = false;
	for (size_t at = first; at < end; at++) {
		const struct vkr_sync_access *access = &sync->accesses.items[at];
		if (access->low > low || access->high < high)
			continue;
		judging->members[judging->member_count++] = access;
		judging->has_atomics =
			judging->has_atomics || (access->atomic != VKR_SYNC_NONE &&
						 sync->atomics.items[access->atomic].matters);
	}
	vkr_sort(judging->members, judging->member_count, sizeof(void *), compare_members);
	for (uint32_t at = 0; at < judging->member_count && result == VKR_OK; at++)
		result = judge_member(judging, at);
	return result;
}

// ---- All bytes ----------------------------------------------------------------------------------

static int compare_bytes(const void *x, const void *y)
{
	const struct vkr_sync_access *a = x, *b = y;
	if (a->memory != b->memory)
		return a->memory < b->memory ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	return compare_order(a, b);
}

static int compare_offsets(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// Accesses [first, end) overlap each other in a row: runs of bytes between their ends.
static enum vkr_result judge_cluster(struct judging *judging, size_t first, size_t end)
{
	const struct vkr_sync_access *items = judging->sync->accesses.items;
	enum vkr_result result = VKR_OK;
	size_t count = 0;
	uint64_t *cuts = calloc(end - first, 2 * sizeof *cuts);
	if (cuts == NULL)
		return vkr_error_memory(judging->error, "races");
	for (size_t at = first; at < end; at++) {
		cuts[count++] = items[at].low;
		cuts[count++] = items[at].high;
	}
	vkr_sort(cuts, count, sizeof *cuts, compare_offsets);
	for (size_t at = 0; at + 1 < count && result == VKR_OK; at++)
		if (cuts[at] != cuts[at + 1])
			result = judge_bytes(judging, first, end, cuts[at], cuts[at + 1]);
	free(cuts);
	return result;
}

static enum vkr_result judge_all(struct judging *judging)
{
	struct vkr_sync *sync = judging->sync;
	enum vkr_result result = VKR_OK;
	vkr_sort(sync->accesses.items, sync->accesses.count, sizeof *sync->accesses.items,
		 compare_bytes);
	for (size_t at = 0; at < sync->accesses.count && result == VKR_OK;) {
		const struct vkr_sync_access *first = &sync->accesses.items[at];
		uint64_t high = first->high;
		bool uniform = true;
		size_t end = at + 1;
		for (; end < sync->accesses.count; end++) {
			const struct vkr_sync_access *next = &sync->accesses.items[end];
			if (next->memory != first->memory || next->low >= high)
				break;
			uniform = uniform && next->low == first->low && next->high == high;
			high = next->high > high ? next->high : high;
		}
		result = uniform ? judge_bytes(judging, at, end, first->low, high)
				 : judge_cluster(judging, at, end);
		at = end;
	}
	return result;
}

enum vkr_result vkr_sync_judge(struct vkr_sync *sync, struct vkr_engine *engine,
			       struct vkr_error *error)
{
	const size_t count = sync->accesses.count;
	enum vkr_result result = VKR_OK;
	struct judging judging = {.sync = sync,
				  .engine = engine,
				  .members = calloc(count + 1, sizeof *judging.members),
				  .older = calloc(count + 1, sizeof *judging.older),
				  .told = calloc(count + 1, sizeof *judging.told),
				  .error = error};
	vkr_map_init(&judging.known_places);
	if (judging.members == NULL || judging.older == NULL || judging.told == NULL ||
	    (sync->judging.possible && !vkr_sync_locks_find(&judging.locks, sync)))
		result = vkr_error_memory(error, "races");
	else
		result = judge_all(&judging);
	vkr_map_finish(&judging.known_places);
	vkr_sync_locks_finish(&judging.locks);
	free(judging.members);
	free(judging.older);
	free(judging.told);
	free(judging.kinds.items);
	free(judging.known.items);
	return result;
}
