// SPDX-License-Identifier: Apache-2.0
// The relations of one execution while the oracle builds them, in the order of the appendix.
// Private to the oracle's own files; knows nothing of where executions come from.
#pragma once

#include "clause.h"
#include "litmus.h"
#include "relation.h"

// The memory domains used by shaders, each the dual of a scope, from narrow to broad.
enum vkr_level {
	VKR_LEVEL_SUBGROUP,
	VKR_LEVEL_WORKGROUP,
	VKR_LEVEL_QUEUE_FAMILY,
	VKR_LEVEL_SHADER,
	VKR_LEVEL_COUNT
};

struct vkr_evaluation {
	const struct vkr_litmus *execution;
	bool old;         // the appendix of 2018
	uint64_t without; // clauses left out
	uint32_t count;   // events

	struct vkr_relation program;       // program-ordered before
	struct vkr_relation mutual;        // mutually-ordered
	struct vkr_relation modification;  // earlier in the order of writes to the same bytes
	struct vkr_relation sequence;      // A to each element of the release sequence it heads
	struct vkr_relation synchronizes;  // synchronizes-with
	struct vkr_relation system;        // system-synchronizes-with
	struct vkr_relation system_closed; // transitively
	struct vkr_relation happens;       // happens-before

	// Events of the agents that are in the same instance as this event's agent.
	struct vkr_relation instance[VKR_LEVEL_COUNT];
	// Events with an availability (visibility) operation that reaches its agent's domain of the
	// level.
	uint64_t available[VKR_LEVEL_COUNT], visible[VKR_LEVEL_COUNT];
};

static inline bool vkr_evaluation_left_out(const struct vkr_evaluation *evaluation,
					   enum vkr_clause clause)
{
	return (evaluation->without >> clause) & 1u;
}

// A clause that demands something: where it is left out, nothing is demanded.
static inline bool vkr_demand(const struct vkr_evaluation *evaluation, enum vkr_clause clause,
			      bool holds)
{
	return holds || vkr_evaluation_left_out(evaluation, clause);
}

// A clause that grants something: where it is left out, nothing is granted.
static inline bool vkr_grant(const struct vkr_evaluation *evaluation, enum vkr_clause clause,
			     bool holds)
{
	return holds && !vkr_evaluation_left_out(evaluation, clause);
}

static inline const struct vkr_litmus_event *vkr_event(const struct vkr_evaluation *evaluation,
						       uint32_t event)
{
	return &evaluation->execution->events[event];
}

static inline bool vkr_event_on_host(const struct vkr_evaluation *evaluation, uint32_t event)
{
	return evaluation->execution->agents[vkr_event(evaluation, event)->agent].host;
}

static inline bool vkr_event_reads(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_LOAD || event->operation == VKR_LITMUS_RMW;
}

static inline bool vkr_event_writes(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_STORE || event->operation == VKR_LITMUS_RMW;
}

static inline bool vkr_event_accesses(const struct vkr_litmus_event *event)
{
	return vkr_event_reads(event) || vkr_event_writes(event);
}

// "Memory Semantics": a memory write, or a memory barrier, with Release or AcquireRelease.
static inline bool vkr_event_releases(const struct vkr_litmus_event *event)
{
	return (event->order & VKR_LITMUS_RELEASE) &&
	       (event->fence || (event->atomic && vkr_event_writes(event)));
}

// "Memory Semantics": a memory read, or a memory barrier, with Acquire or AcquireRelease.
static inline bool vkr_event_acquires(const struct vkr_litmus_event *event)
{
	return (event->order & VKR_LITMUS_ACQUIRE) &&
	       (event->fence || (event->atomic && vkr_event_reads(event)));
}

// The byte of its location is one that the event accesses.
static inline bool vkr_event_touches(const struct vkr_litmus_event *event, uint32_t byte)
{
	return byte >= event->offset && byte - event->offset < event->size;
}

uint32_t vkr_event_location(const struct vkr_evaluation *evaluation,
			    const struct vkr_litmus_event *event);

// oracle_scopes.c. The second event's agent is in the instance of `scope` of the first's.
bool vkr_evaluate_in_scope(const struct vkr_evaluation *evaluation, uint32_t first,
			   enum vkr_litmus_scope scope, uint32_t second);
// Both are in the instance of each other's memory scope.
bool vkr_evaluate_scopes_meet(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b);
void vkr_evaluate_program(struct vkr_evaluation *evaluation);

// oracle_atomics.c
void vkr_evaluate_atomics(struct vkr_evaluation *evaluation);

// oracle_synchronizes.c
void vkr_evaluate_synchronizes(struct vkr_evaluation *evaluation);

// oracle_happens.c
void vkr_evaluate_happens(struct vkr_evaluation *evaluation);

// oracle_availability.c
void vkr_evaluate_availability(struct vkr_evaluation *evaluation);
// The last elements of the availability chains that begin at X or program-ordered after it and
// make (X, byte) available, per level of the final destination domain.
void vkr_evaluate_available(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t byte,
			    uint64_t last[VKR_LEVEL_COUNT]);
// The first elements of the visibility chains that end at Y or program-ordered before it and make
// writes to the byte visible to Y, per level of the first source domain.
void vkr_evaluate_visible(const struct vkr_evaluation *evaluation, uint32_t y, uint32_t byte,
			  uint64_t first[VKR_LEVEL_COUNT]);

// oracle_location.c. X is location-ordered before Y for the byte of their common location.
bool vkr_evaluate_location_ordered(const struct vkr_evaluation *evaluation, uint32_t x, uint32_t y,
				   uint32_t byte);
