// SPDX-License-Identifier: Apache-2.0
// The oracle's sections "Availability and Visibility", "Availability and Visibility Semantics" and
// "Per-Instruction Availability and Visibility Semantics": what shader instructions make available
// and visible, and in chains how far. The operations of the API are with location-ordered.
#include "evaluation.h"

// "Each memory domain is considered the dual of a scope, and vice versa."
static enum vkr_litmus_scope dual(enum vkr_level level)
{
	switch (level) {
	case VKR_LEVEL_SUBGROUP:
		return VKR_LITMUS_SUBGROUP;
	case VKR_LEVEL_WORKGROUP:
		return VKR_LITMUS_WORKGROUP_SCOPE;
	case VKR_LEVEL_QUEUE_FAMILY:
		return VKR_LITMUS_QUEUE_FAMILY;
	case VKR_LEVEL_SHADER:
	case VKR_LEVEL_COUNT:
		break;
	}
	return VKR_LITMUS_DEVICE;
}

// "The memory domains are selected based on the memory scope of the instruction": its dual, and
// "the memory domains that correspond to each smaller scope instance". A scope of none is
// Invocation: "perform no availability/visibility operations".
static bool selects(const struct vkr_evaluation *evaluation, enum vkr_litmus_scope scope,
		    enum vkr_level level)
{
	bool widest = level == VKR_LEVEL_SHADER && scope == VKR_LITMUS_CROSS_DEVICE;
	if (scope <= VKR_LITMUS_INVOCATION)
		return false;
	if (scope < dual(level))
		return vkr_demand(evaluation, VKR_CLAUSE_MAKE_SCOPE, false);
	return scope == dual(level) || widest ||
	       vkr_grant(evaluation, VKR_CLAUSE_MAKE_SMALLER, true);
}

// The instruction performs an availability operation of its semantics.
static bool makes_available(const struct vkr_evaluation *evaluation,
			    const struct vkr_litmus_event *event)
{
	return vkr_grant(evaluation, VKR_CLAUSE_MAKE_AVAILABLE,
			 event->make_available && vkr_event_releases(event));
}

static bool makes_visible(const struct vkr_evaluation *evaluation,
			  const struct vkr_litmus_event *event)
{
	return vkr_grant(evaluation, VKR_CLAUSE_MAKE_VISIBLE,
			 event->make_visible && vkr_event_acquires(event));
}

// The instruction performs a per-instruction availability operation.
static bool points_available(const struct vkr_evaluation *evaluation,
			     const struct vkr_litmus_event *event)
{
	return vkr_grant(evaluation, VKR_CLAUSE_POINTER_AVAILABLE,
			 vkr_event_writes(event) && event->available > VKR_LITMUS_INVOCATION);
}

static bool points_visible(const struct vkr_evaluation *evaluation,
			   const struct vkr_litmus_event *event)
{
	return vkr_grant(evaluation, VKR_CLAUSE_POINTER_VISIBLE,
			 vkr_event_reads(event) && event->visible > VKR_LITMUS_INVOCATION);
}

// "workgroup instance - accessible by shader agents in the same workgroup", and so on: the events
// of the agents that access this event's domain. Shader domains are no host's.
static uint64_t in_instance(const struct vkr_evaluation *evaluation, uint32_t event,
			    enum vkr_level level)
{
	uint64_t instance = 0;
	if (vkr_event_on_host(evaluation, event))
		return 0;
	for (uint32_t other = 0; other < evaluation->count; other++) {
		if (vkr_evaluate_in_scope(evaluation, event, dual(level), other))
			instance |= vkr_set_of(other);
	}
	return instance;
}

static bool reaches_available(const struct vkr_evaluation *evaluation, uint32_t event,
			      enum vkr_level level)
{
	const struct vkr_litmus_event *a = vkr_event(evaluation, event);
	return !vkr_event_on_host(evaluation, event) &&
	       ((points_available(evaluation, a) && selects(evaluation, a->available, level)) ||
		(makes_available(evaluation, a) && selects(evaluation, a->scope, level)));
}

static bool reaches_visible(const struct vkr_evaluation *evaluation, uint32_t event,
			    enum vkr_level level)
{
	const struct vkr_litmus_event *v = vkr_event(evaluation, event);
	return !vkr_event_on_host(evaluation, event) &&
	       ((points_visible(evaluation, v) && selects(evaluation, v->visible, level)) ||
		(makes_visible(evaluation, v) && selects(evaluation, v->scope, level)));
}

void vkr_evaluate_availability(struct vkr_evaluation *evaluation)
{
	for (enum vkr_level level = 0; level < VKR_LEVEL_COUNT; level++) {
		evaluation->available[level] = evaluation->visible[level] = 0;
		for (uint32_t event = 0; event < evaluation->count; event++) {
			evaluation->instance[level].row[event] =
				in_instance(evaluation, event, level);
			if (reaches_available(evaluation, event, level))
				evaluation->available[level] |= vkr_set_of(event);
			if (reaches_visible(evaluation, event, level))
				evaluation->visible[level] |= vkr_set_of(event);
		}
	}
}

// The operation that an access performs on "the agent and reference used" and "the memory
// locations" of the instruction covers the access at that byte. The agent is the same already.
static bool pointer_covers(const struct vkr_evaluation *evaluation,
			   const struct vkr_litmus_event *operation,
			   const struct vkr_litmus_event *access, uint32_t byte)
{
	bool here = vkr_event_location(evaluation, operation) ==
			    vkr_event_location(evaluation, access) &&
		    vkr_event_touches(operation, byte);
	return vkr_demand(evaluation, VKR_CLAUSE_POINTER_REFERENCE,
			  operation->reference == access->reference) &&
	       vkr_demand(evaluation, VKR_CLAUSE_POINTER_LOCATIONS, here);
}

// The operation of the semantics covers "agent A and all references in the storage classes in that
// instruction's storage class semantics, and all memory locations".
static bool semantics_cover(const struct vkr_evaluation *evaluation,
			    const struct vkr_litmus_event *operation,
			    const struct vkr_litmus_event *access)
{
	return vkr_demand(evaluation, VKR_CLAUSE_MAKE_CLASS,
			  (operation->semantics & access->storage_class) != 0);
}

// The source scope of the event's availability operations to that level includes R_X and the byte,
// for the event's own agent. X's own operation comes behind X where it is per-instruction, but
// before X where it is of the semantics.
static bool source_includes(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t x,
			    uint32_t byte, enum vkr_level level)
{
	const struct vkr_litmus_event *event = vkr_event(evaluation, a);
	const struct vkr_litmus_event *access = vkr_event(evaluation, x);
	bool pointer = points_available(evaluation, event) &&
		       selects(evaluation, event->available, level) &&
		       pointer_covers(evaluation, event, access, byte);
	bool semantics = a != x && makes_available(evaluation, event) &&
			 selects(evaluation, event->scope, level) &&
			 semantics_cover(evaluation, event, access);
	return pointer || semantics;
}

// The destination scope of the event's visibility operations from that level includes R_Y and the
// byte. Y's own operation comes before Y where it is per-instruction, but behind Y where it is of
// the semantics.
static bool destination_includes(const struct vkr_evaluation *evaluation, uint32_t v, uint32_t y,
				 uint32_t byte, enum vkr_level level)
{
	const struct vkr_litmus_event *event = vkr_event(evaluation, v);
	const struct vkr_litmus_event *access = vkr_event(evaluation, y);
	bool pointer = points_visible(evaluation, event) &&
		       selects(evaluation, event->visible, level) &&
		       pointer_covers(evaluation, event, access, byte);
	bool semantics = v != y && makes_visible(evaluation, event) &&
			 selects(evaluation, event->scope, level) &&
			 semantics_cover(evaluation, event, access);
	return pointer || semantics;
}

// The first elements of availability chains for (X, byte): X ->rcpo element.
static uint64_t first_available(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t byte,
				enum vkr_level level)
{
	uint64_t set = 0;
	for (uint32_t a = x; a < evaluation->count; a++) {
		if ((a == x || vkr_relation_has(&evaluation->program, x, a)) &&
		    vkr_set_has(evaluation->available[level], a) &&
		    source_includes(evaluation, a, x, byte, level))
			set |= vkr_set_of(a);
	}
	return set;
}

// The last elements of visibility chains for (Y, byte): element ->rcpo Y.
static uint64_t last_visible(const struct vkr_evaluation *evaluation, uint32_t y, uint32_t byte,
			     enum vkr_level level)
{
	uint64_t set = 0;
	for (uint32_t v = 0; v <= y; v++) {
		if ((v == y || vkr_relation_has(&evaluation->program, v, y)) &&
		    vkr_set_has(evaluation->visible[level], v) &&
		    destination_includes(evaluation, v, y, byte, level))
			set |= vkr_set_of(v);
	}
	return set;
}

static bool chains_allowed(const struct vkr_evaluation *evaluation)
{
	if (evaluation->old)
		return vkr_evaluation_left_out(evaluation, VKR_CLAUSE_OLD_CHAINS);
	return vkr_demand(evaluation, VKR_CLAUSE_LO_SHADER_FEATURE, evaluation->execution->chains);
}

// The events performed in the instance of the element's domain of that level.
static uint64_t in_domain(const struct vkr_evaluation *evaluation, uint32_t element,
			  enum vkr_level level)
{
	if (vkr_evaluation_left_out(evaluation, VKR_CLAUSE_CHAIN_DUAL))
		return UINT64_MAX;
	return evaluation->instance[level].row[element];
}

// Element N happens-before element N+1.
static bool element_before(const struct vkr_evaluation *evaluation, uint32_t n, uint32_t next)
{
	return vkr_demand(evaluation, VKR_CLAUSE_CHAIN_ORDER,
			  vkr_relation_has(&evaluation->happens, n, next));
}

// Availability chain: "element N+1 of the chain is performed in the dual scope instance of the
// destination memory domain of element N and element N happens-before element N+1", to
// "increasingly broad memory domains".
void vkr_evaluate_available(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t byte,
			    uint64_t last[VKR_LEVEL_COUNT])
{
	bool chains = chains_allowed(evaluation) &&
		      vkr_grant(evaluation, VKR_CLAUSE_CHAIN_AVAILABLE, true);
	for (enum vkr_level level = 0; level < VKR_LEVEL_COUNT; level++) {
		last[level] = first_available(evaluation, x, byte, level);
		for (enum vkr_level narrow = 0; chains && narrow < level; narrow++) {
			for (uint64_t set = last[narrow]; set; set &= set - 1) {
				uint32_t n = vkr_set_first(set);
				uint64_t next = evaluation->available[level] &
						in_domain(evaluation, n, narrow) & ~last[level];
				for (; next; next &= next - 1) {
					uint32_t element = vkr_set_first(next);
					if (element_before(evaluation, n, element) &&
					    source_includes(evaluation, element, x, byte, level))
						last[level] |= vkr_set_of(element);
				}
			}
		}
	}
}

// Visibility chain: "element N of the chain is performed in the dual scope instance of the source
// memory domain of element N+1 and element N happens-before element N+1", from "increasingly
// narrow memory domains"; walked from its last element backwards.
void vkr_evaluate_visible(const struct vkr_evaluation *evaluation, uint32_t y, uint32_t byte,
			  uint64_t first[VKR_LEVEL_COUNT])
{
	bool chains =
		chains_allowed(evaluation) && vkr_grant(evaluation, VKR_CLAUSE_CHAIN_VISIBLE, true);
	for (enum vkr_level level = 0; level < VKR_LEVEL_COUNT; level++) {
		first[level] = last_visible(evaluation, y, byte, level);
		for (enum vkr_level narrow = 0; chains && narrow < level; narrow++) {
			for (uint64_t set = first[narrow]; set; set &= set - 1) {
				uint32_t next = vkr_set_first(set);
				uint64_t n = evaluation->visible[level] &
					     in_domain(evaluation, next, narrow) & ~first[level];
				for (; n; n &= n - 1) {
					uint32_t element = vkr_set_first(n);
					if (element_before(evaluation, element, next) &&
					    destination_includes(evaluation, element, y, byte,
								 level))
						first[level] |= vkr_set_of(element);
				}
			}
		}
	}
}
