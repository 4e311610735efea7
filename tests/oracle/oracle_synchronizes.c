// SPDX-License-Identifier: Apache-2.0
// The oracle's section "Synchronizes-With", its five combinations in the order of the text.
// Knows nothing of storage classes beyond the atomics' own, and nothing of happens-before.
#include "evaluation.h"

// A performs a release operation / B performs an acquire operation.
static bool releases(const struct vkr_evaluation *evaluation, const struct vkr_litmus_event *event)
{
	return vkr_demand(evaluation, VKR_CLAUSE_SW_RELEASE, vkr_event_releases(event));
}

static bool acquires(const struct vkr_evaluation *evaluation, const struct vkr_litmus_event *event)
{
	return vkr_demand(evaluation, VKR_CLAUSE_SW_ACQUIRE, vkr_event_acquires(event));
}

static bool atomic_write(const struct vkr_litmus_event *event)
{
	return event->atomic && vkr_event_writes(event);
}

static bool atomic_read(const struct vkr_litmus_event *event)
{
	return event->atomic && vkr_event_reads(event);
}

// X and Y are mutually-ordered, and Y reads a value written by X or by an operation in the release
// sequence headed by X.
static bool passes_value(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y)
{
	uint32_t from = vkr_event(evaluation, y)->from;
	bool value = from != VKR_LITMUS_NONE && vkr_set_has(evaluation->sequence.row[x], from);
	return x != y && atomic_write(vkr_event(evaluation, x)) &&
	       atomic_read(vkr_event(evaluation, y)) &&
	       vkr_demand(evaluation, VKR_CLAUSE_SW_MUTUAL,
			  vkr_relation_has(&evaluation->mutual, x, y)) &&
	       vkr_demand(evaluation, VKR_CLAUSE_SW_VALUE, value);
}

// Whether the value passes if X follows a release barrier: "if X is relaxed, it is still considered
// to head a hypothetical release sequence for this rule".
static bool passes_value_hypothetically(const struct vkr_evaluation *evaluation, uint32_t x,
					uint32_t y)
{
	// In 2018: "the value written by X (or the release sequence headed by X, if X has release
	// semantics)".
	if (evaluation->old && !vkr_event_releases(vkr_event(evaluation, x)) &&
	    !vkr_evaluation_left_out(evaluation, VKR_CLAUSE_OLD_SEQUENCE))
		return passes_value(evaluation, x, y) && vkr_event(evaluation, y)->from == x;
	return passes_value(evaluation, x, y) &&
	       (!vkr_evaluation_left_out(evaluation, VKR_CLAUSE_SW_HYPOTHETICAL) ||
		vkr_event_releases(vkr_event(evaluation, x)));
}

// A is program-ordered before X.
static bool before(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t x)
{
	bool same_agent = vkr_event(evaluation, a)->agent == vkr_event(evaluation, x)->agent;
	return same_agent && a != x &&
	       vkr_demand(evaluation, VKR_CLAUSE_SW_ORDER,
			  vkr_relation_has(&evaluation->program, a, x));
}

// A is program-ordered before C, or equals it.
static bool before_or_equal(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t c)
{
	return a == c || before(evaluation, a, c);
}

// X's storage class is in the barrier's semantics. The host knows no storage classes: its fences
// order everything.
static bool has_class(const struct vkr_evaluation *evaluation, uint32_t barrier, uint32_t x)
{
	return vkr_event_on_host(evaluation, barrier) ||
	       vkr_demand(evaluation, VKR_CLAUSE_SW_CLASS,
			  vkr_event(evaluation, barrier)->semantics &
				  vkr_event(evaluation, x)->storage_class);
}

// A and B are in the instance of each other's memory scopes.
static bool scopes_meet(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	return vkr_demand(evaluation, VKR_CLAUSE_SW_SCOPE,
			  vkr_evaluate_scopes_meet(evaluation, a, b));
}

// "If A and B are atomic operations"
static bool atomic_atomic(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	const struct vkr_litmus_event *x = vkr_event(evaluation, a);
	const struct vkr_litmus_event *y = vkr_event(evaluation, b);
	return x->atomic && y->atomic && releases(evaluation, x) && acquires(evaluation, y) &&
	       passes_value(evaluation, a, b);
}

// "If A is a release barrier and B is an atomic operation that performs an acquire operation"
static bool barrier_atomic(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	const struct vkr_litmus_event *acquire = vkr_event(evaluation, b);
	if (!vkr_event(evaluation, a)->fence || !releases(evaluation, vkr_event(evaluation, a)) ||
	    !acquire->atomic || !acquires(evaluation, acquire) || !scopes_meet(evaluation, a, b))
		return false;
	for (uint32_t x = 0; x < evaluation->count; x++) {
		if (before(evaluation, a, x) && passes_value_hypothetically(evaluation, x, b) &&
		    has_class(evaluation, a, x))
			return true;
	}
	return false;
}

// "If A is an atomic operation that performs a release operation and B is an acquire barrier"
static bool atomic_barrier(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	const struct vkr_litmus_event *release = vkr_event(evaluation, a);
	if (!release->atomic || !releases(evaluation, release) ||
	    !vkr_event(evaluation, b)->fence || !acquires(evaluation, vkr_event(evaluation, b)) ||
	    !scopes_meet(evaluation, a, b))
		return false;
	for (uint32_t x = 0; x < evaluation->count; x++) {
		if (before(evaluation, x, b) && passes_value(evaluation, a, x) &&
		    has_class(evaluation, b, x))
			return true;
	}
	return false;
}

static bool barriers(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	return vkr_event(evaluation, a)->fence && releases(evaluation, vkr_event(evaluation, a)) &&
	       vkr_event(evaluation, b)->fence && acquires(evaluation, vkr_event(evaluation, b)) &&
	       scopes_meet(evaluation, a, b);
}

// "If A is a release barrier and B is an acquire barrier"
static bool barrier_barrier(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	if (!barriers(evaluation, a, b))
		return false;
	for (uint32_t x = 0; x < evaluation->count; x++) {
		if (!before(evaluation, a, x) || !has_class(evaluation, a, x))
			continue;
		for (uint32_t y = 0; y < evaluation->count; y++) {
			if (before(evaluation, y, b) && has_class(evaluation, b, y) &&
			    passes_value_hypothetically(evaluation, x, y))
				return true;
		}
	}
	return false;
}

// The events at which two agents execute one dynamic instance of a control barrier. One without a
// name is an instance of its own.
static bool same_instance(const struct vkr_evaluation *evaluation, uint32_t c, uint32_t d)
{
	const struct vkr_litmus_event *x = vkr_event(evaluation, c);
	const struct vkr_litmus_event *y = vkr_event(evaluation, d);
	return x->operation == VKR_LITMUS_BARRIER && y->operation == VKR_LITMUS_BARRIER &&
	       vkr_demand(evaluation, VKR_CLAUSE_SW_INSTANCE,
			  c == d || (x->instance == y->instance && x->instance != VKR_LITMUS_NONE));
}

// "If A is a release barrier, B is an acquire barrier, and C is a control barrier": C is the
// dynamic instance, of which A's agent executes c and B's agent executes d.
static bool control_barrier(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	if (!barriers(evaluation, a, b))
		return false;
	for (uint32_t c = 0; c < evaluation->count; c++) {
		if (!before_or_equal(evaluation, a, c))
			continue;
		for (uint32_t d = 0; d < evaluation->count; d++) {
			if (!before_or_equal(evaluation, d, b) || !same_instance(evaluation, c, d))
				continue;
			bool in_execution_scope =
				vkr_evaluate_in_scope(evaluation, c,
						      vkr_event(evaluation, c)->execution, d) &&
				vkr_evaluate_in_scope(evaluation, d,
						      vkr_event(evaluation, d)->execution, c);
			if (vkr_demand(evaluation, VKR_CLAUSE_SW_EXECUTION, in_execution_scope))
				return true;
		}
	}
	return false;
}

void vkr_evaluate_synchronizes(struct vkr_evaluation *evaluation)
{
	const struct vkr_evaluation *e = evaluation;
	vkr_relation_clear(&evaluation->synchronizes, evaluation->count);
	for (uint32_t a = 0; a < e->count; a++) {
		for (uint32_t b = 0; b < e->count; b++) {
			if (vkr_grant(e, VKR_CLAUSE_SW_ATOMIC_ATOMIC, atomic_atomic(e, a, b)) ||
			    vkr_grant(e, VKR_CLAUSE_SW_BARRIER_ATOMIC, barrier_atomic(e, a, b)) ||
			    vkr_grant(e, VKR_CLAUSE_SW_ATOMIC_BARRIER, atomic_barrier(e, a, b)) ||
			    vkr_grant(e, VKR_CLAUSE_SW_BARRIER_BARRIER, barrier_barrier(e, a, b)) ||
			    vkr_grant(e, VKR_CLAUSE_SW_CONTROL_BARRIER, control_barrier(e, a, b)))
				vkr_relation_add(&evaluation->synchronizes, a, b);
		}
	}
}
