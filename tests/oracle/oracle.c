// SPDX-License-Identifier: Apache-2.0
// The oracle's sections "Data Race" and "Acyclicity", over the relations that the other oracle_*.c
// build in the order of the appendix. Knows nothing of the engine.
#include "oracle.h"

#include "array.h"
#include "error.h"
#include "evaluation.h"
#include "oracle_hrf.h"

#include <stdlib.h>

void vkr_oracle_races_finish(struct vkr_oracle_races *races)
{
	free(races->items);
	*races = (struct vkr_oracle_races){0};
}

bool vkr_oracle_races_equal(const struct vkr_oracle_races *a, const struct vkr_oracle_races *b)
{
	if (a->count != b->count || a->candidate != b->candidate)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct vkr_litmus_race *x = &a->items[i], *y = &b->items[i];
		if (x->first != y->first || x->second != y->second || x->location != y->location ||
		    x->offset != y->offset || x->size != y->size)
			return false;
	}
	return true;
}

static void evaluate(struct vkr_evaluation *evaluation, const struct vkr_litmus *execution,
		     bool old, uint64_t without)
{
	evaluation->execution = execution;
	evaluation->old = old;
	evaluation->without = without;
	evaluation->count = (uint32_t)execution->event_count;
	vkr_evaluate_program(evaluation);
	vkr_evaluate_atomics(evaluation);
	vkr_evaluate_synchronizes(evaluation);
	vkr_evaluate_happens(evaluation);
	vkr_evaluate_availability(evaluation);
}

// The bytes that both access, as [*begin, *end) of their location. False where there are none.
static bool overlap(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b,
		    uint32_t *begin, uint32_t *end)
{
	const struct vkr_litmus_event *x = vkr_event(evaluation, a);
	const struct vkr_litmus_event *y = vkr_event(evaluation, b);
	if (a == b || !vkr_event_accesses(x) || !vkr_event_accesses(y) ||
	    vkr_event_location(evaluation, x) != vkr_event_location(evaluation, y))
		return false;
	uint32_t x_end = x->offset + x->size, y_end = y->offset + y->size;
	*begin = x->offset > y->offset ? x->offset : y->offset;
	*end = x_end < y_end ? x_end : y_end;
	return *begin < *end;
}

static bool add_race(struct vkr_oracle_races *races, struct vkr_litmus_race race)
{
	if (races->count > 0) {
		struct vkr_litmus_race *last = &races->items[races->count - 1];
		if (last->first == race.first && last->second == race.second &&
		    last->offset + last->size == race.offset) {
			last->size += race.size;
			return true;
		}
	}
	if (!VKR_ARRAY_RESERVE(races, 1))
		return false;
	races->items[races->count++] = race;
	return true;
}

// Data Race: "at least one of X and Y is a write, and X and Y are not mutually-ordered atomic
// operations. If there does not exist a location-ordered relation between X and Y for each
// location in M, then there is a data race."
static bool judge_pair(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y,
		       struct vkr_oracle_races *races)
{
	uint32_t byte = 0, end = 0;
	if (!overlap(evaluation, x, y, &byte, &end))
		return true;
	if (!vkr_event_writes(vkr_event(evaluation, x)) &&
	    !vkr_event_writes(vkr_event(evaluation, y)))
		return true;
	if (vkr_grant(evaluation, VKR_CLAUSE_RACE_MUTUAL,
		      vkr_relation_has(&evaluation->mutual, x, y)))
		return true;
	for (; byte < end; byte++) {
		if (vkr_evaluate_location_ordered(evaluation, x, y, byte) ||
		    vkr_evaluate_location_ordered(evaluation, y, x, byte))
			continue;
		struct vkr_litmus_race race = {
			.first = x,
			.second = y,
			.location = vkr_event_location(evaluation, vkr_event(evaluation, x)),
			.offset = byte,
			.size = 1,
		};
		if (!add_race(races, race))
			return false;
	}
	return true;
}

// A heterogeneous race is one of all common bytes.
static bool judge_hrf_pair(const struct vkr_evaluation *evaluation,
			   const struct vkr_hrf_evaluation *hrf, uint32_t x, uint32_t y,
			   struct vkr_oracle_races *races)
{
	uint32_t begin = 0, end = 0;
	if (!overlap(evaluation, x, y, &begin, &end) || !vkr_hrf_evaluate_race(hrf, x, y))
		return true;
	struct vkr_litmus_race race = {
		.first = x,
		.second = y,
		.location = vkr_event_location(evaluation, vkr_event(evaluation, x)),
		.offset = begin,
		.size = end - begin,
	};
	return add_race(races, race);
}

// Location order for any common byte.
static void relate_location_order(const struct vkr_evaluation *evaluation,
				  struct vkr_relation *order)
{
	vkr_relation_clear(order, evaluation->count);
	for (uint32_t x = 0; x < evaluation->count; x++) {
		for (uint32_t y = 0; y < evaluation->count; y++) {
			uint32_t byte = 0, end = 0;
			if (!overlap(evaluation, x, y, &byte, &end))
				continue;
			for (; byte < end; byte++) {
				if (vkr_evaluate_location_ordered(evaluation, x, y, byte))
					vkr_relation_add(order, x, y);
			}
		}
	}
}

// "From-reads is a relation [...] where the first operation is a read, the second operation is a
// write, and the first operation reads a value written earlier than the second operation in the
// second operation's scoped modification order or location order (or the first operation reads
// from the initial value, and the second operation is any write to the same locations)".
static bool reads_earlier(const struct vkr_evaluation *evaluation,
			  const struct vkr_relation *earlier, uint32_t read, uint32_t write)
{
	uint32_t begin = 0, end = 0;
	uint32_t from = vkr_event(evaluation, read)->from;
	if (!overlap(evaluation, read, write, &begin, &end) ||
	    !vkr_event_reads(vkr_event(evaluation, read)) ||
	    !vkr_event_writes(vkr_event(evaluation, write)))
		return false;
	return from == VKR_LITMUS_NONE || vkr_relation_has(earlier, from, write);
}

// "Acyclicity" of today's appendix.
static bool is_acyclic(const struct vkr_evaluation *evaluation)
{
	struct vkr_relation order, earlier;
	relate_location_order(evaluation, &order);
	earlier = order;
	for (uint32_t a = 0; a < evaluation->count; a++)
		earlier.row[a] |= evaluation->modification.row[a] & evaluation->mutual.row[a];
	order = earlier;
	for (uint32_t a = 0; a < evaluation->count; a++) {
		uint32_t from = vkr_event(evaluation, a)->from;
		if (vkr_event_reads(vkr_event(evaluation, a)) && from != VKR_LITMUS_NONE)
			vkr_relation_add(&order, from, a);
		for (uint32_t b = 0; b < evaluation->count; b++) {
			if (reads_earlier(evaluation, &earlier, a, b))
				vkr_relation_add(&order, a, b);
		}
	}
	vkr_relation_close(&order, evaluation->count);
	return vkr_relation_is_acyclic(&order, evaluation->count);
}

// ---- 2018 ---------------------------------------------------------------------------------------

// The write at which an operation stands in a modification order: its own, or the one that it
// reads from. The initial value is before all.
static bool stands_before(const struct vkr_evaluation *evaluation, uint32_t one, uint32_t other)
{
	if (other == VKR_LITMUS_NONE)
		return false;
	return one == VKR_LITMUS_NONE || vkr_relation_has(&evaluation->modification, one, other);
}

// "Scoped Modification Order Coherence": the four rules, of A that happens-before B.
static bool is_coherent(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	const struct vkr_litmus_event *x = vkr_event(evaluation, a), *y = vkr_event(evaluation, b);
	if (!vkr_relation_has(&evaluation->mutual, a, b) ||
	    !vkr_relation_has(&evaluation->happens, a, b))
		return true;
	// "If A and B are both writes, then A must be earlier than B in O"
	if (vkr_event_writes(x) && vkr_event_writes(y) && !stands_before(evaluation, a, b))
		return false;
	// "If A and B are both reads, then the write that A takes its value from must be earlier in
	// O than (or the same as) the write that B takes its value from"
	if (vkr_event_reads(x) && vkr_event_reads(y) && stands_before(evaluation, y->from, x->from))
		return false;
	// "If A is a write and B is a read, then B must take its value from A or a write later"
	if (vkr_event_writes(x) && vkr_event_reads(y) && stands_before(evaluation, y->from, a))
		return false;
	// "If A is a read and B is a write, then A must take its value from a write earlier"
	return !vkr_event_reads(x) || !vkr_event_writes(y) || stands_before(evaluation, x->from, b);
}

// "Visible-To": no other write Z between what is read and the read.
static bool takes_what_is_visible(const struct vkr_evaluation *evaluation, uint32_t read)
{
	struct vkr_relation order;
	uint32_t from = vkr_event(evaluation, read)->from;
	if (!vkr_event_reads(vkr_event(evaluation, read)))
		return true;
	relate_location_order(evaluation, &order);
	for (uint32_t z = 0; z < evaluation->count; z++) {
		if (z != from && z != read && vkr_event_writes(vkr_event(evaluation, z)) &&
		    vkr_relation_has(&order, z, read) &&
		    (from == VKR_LITMUS_NONE || vkr_relation_has(&order, from, z)))
			return false;
	}
	return true;
}

static bool is_coherent_as_of_2018(const struct vkr_evaluation *evaluation)
{
	for (uint32_t a = 0; a < evaluation->count; a++) {
		if (!takes_what_is_visible(evaluation, a))
			return false;
		for (uint32_t b = 0; b < evaluation->count; b++) {
			if (!is_coherent(evaluation, a, b))
				return false;
		}
	}
	return true;
}

enum vkr_result vkr_oracle_judge(const struct vkr_litmus *execution,
				 const struct vkr_memory_rules *rules, uint64_t without,
				 struct vkr_oracle_races *races, struct vkr_error *error)
{
	static struct vkr_hrf_evaluation hrf;
	const bool is_hrf = vkr_memory_is_hrf(rules);
	struct vkr_evaluation evaluation = {.execution = execution};
	races->count = 0;
	if (execution->event_count > VKR_RELATION_MAX ||
	    (is_hrf && execution->agent_count > VKR_RELATION_MAX))
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "the oracle judges at most %d events and agents, not %zu and "
				     "%zu",
				     VKR_RELATION_MAX, execution->event_count,
				     execution->agent_count);
	evaluation.count = (uint32_t)execution->event_count;
	if (is_hrf)
		vkr_hrf_evaluate(&hrf, execution, rules, without);
	else
		evaluate(&evaluation, execution, rules->model == VKR_MEMORY_VULKAN_2018, without);
	for (uint32_t x = 0; x < evaluation.count; x++) {
		for (uint32_t y = x + 1; y < evaluation.count; y++) {
			if (is_hrf ? !judge_hrf_pair(&evaluation, &hrf, x, y, races)
				   : !judge_pair(&evaluation, x, y, races))
				return vkr_error_memory(error, "the oracle's races");
		}
	}
	races->candidate = is_hrf           ? vkr_hrf_evaluate_candidate(&hrf)
			   : evaluation.old ? is_coherent_as_of_2018(&evaluation)
					    : is_acyclic(&evaluation);
	return VKR_OK;
}

static const struct {
	const char *name, *section, *gist;
} vulkan_clauses[] = {
#define VKR_CLAUSE(name, section, gist) {#name, section, gist},
	VKR_CLAUSES(VKR_CLAUSE)
#undef VKR_CLAUSE
};

static const struct {
	const char *name, *section, *gist;
	unsigned models;
} hrf_clauses[] = {
#define VKR_CLAUSE(name, models, section, gist) {#name, section, gist, models},
	VKR_HRF_CLAUSES(VKR_CLAUSE)
#undef VKR_CLAUSE
};

unsigned vkr_oracle_clause_count(enum vkr_memory_model model)
{
	return vkr_memory_is_hrf(&(struct vkr_memory_rules){.model = model}) ? VKR_HRF_CLAUSE_COUNT
									     : VKR_CLAUSE_COUNT;
}

struct vkr_oracle_clause vkr_oracle_clause(enum vkr_memory_model model, unsigned number)
{
	if (vkr_memory_is_hrf(&(struct vkr_memory_rules){.model = model}))
		return (struct vkr_oracle_clause){
			hrf_clauses[number].name, hrf_clauses[number].section,
			hrf_clauses[number].gist, (hrf_clauses[number].models >> model & 1u) != 0};
	const bool of_2018 = number == VKR_CLAUSE_OLD_SEQUENCE || number == VKR_CLAUSE_OLD_CHAINS;
	// What the appendix got later.
	const bool later =
		number == VKR_CLAUSE_CHAIN_AVAILABLE || number == VKR_CLAUSE_CHAIN_VISIBLE ||
		number == VKR_CLAUSE_CHAIN_DUAL || number == VKR_CLAUSE_CHAIN_ORDER ||
		number == VKR_CLAUSE_LO_SHADER_FEATURE || number == VKR_CLAUSE_SW_HYPOTHETICAL;
	return (struct vkr_oracle_clause){
		vulkan_clauses[number].name, vulkan_clauses[number].section,
		vulkan_clauses[number].gist, model == VKR_MEMORY_VULKAN_2018 ? !later : !of_2018};
}

bool vkr_oracle_is_consistent(const struct vkr_litmus *execution)
{
	struct vkr_evaluation evaluation;
	if (execution->event_count > VKR_RELATION_MAX)
		return false;
	evaluate(&evaluation, execution, false, 0);
	return is_acyclic(&evaluation);
}

bool vkr_oracle_is_in_order(const struct vkr_litmus *execution)
{
	struct vkr_evaluation evaluation;
	if (execution->event_count > VKR_RELATION_MAX)
		return false;
	evaluate(&evaluation, execution, false, 0);
	for (uint32_t a = 0; a < evaluation.count; a++) {
		const struct vkr_litmus_event *event = vkr_event(&evaluation, a);
		for (uint32_t b = 0; b < a; b++) {
			// The arrivals at one control barrier synchronize with each other.
			const struct vkr_litmus_event *other = vkr_event(&evaluation, b);
			bool arrivals = event->operation == VKR_LITMUS_BARRIER &&
					other->operation == VKR_LITMUS_BARRIER &&
					event->instance == other->instance;
			if (vkr_relation_has(&evaluation.system, a, b) ||
			    (vkr_relation_has(&evaluation.synchronizes, a, b) && !arrivals))
				return false;
		}
		if (vkr_event_reads(event) && event->from != VKR_LITMUS_NONE && event->from >= a)
			return false;
	}
	return true;
}
