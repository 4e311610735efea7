// SPDX-License-Identifier: Apache-2.0
// The oracle: the appendix "Memory Model" of the Vulkan specification, evaluated by brute force
// over explicit relations between the events of one small execution. Shares no code with the
// engine, and knows nothing of it.
//
// Where the text leaves room, the oracle reads it so:
//  - An availability or visibility operation that an instruction performs implicitly is that
//    instruction's own event. Location-ordered allows it: the program order around AVC and VISC is
//    reflexive there.
//  - Of a chain, every element has the reference and the byte in its source (destination) scope;
//    the agent A_X (A_Y) is the first availability (last visibility) element's alone, since the
//    others are performed by whoever is in the dual scope instance. Domains grow (shrink) strictly:
//    "increasingly broad".
//  - Operations of the API have no storage class and no semantics, and no invocation performs
//    them: they are in no chain, and serve the device and host domains alone.
//  - "If write W2 happens-after W, [...] W will not be available" tells which value is read. The
//    AVC(A,R,D,L) of location-ordered names no write, so an overwritten write stays ordered.
//  - A read-modify-write is a read and a write, and may use the bullets of both.
//  - Device and host atomics are mutually-ordered where the other conditions hold: what the
//    implementation supports is not in the execution, and this reading reports no false race.
//  - CrossDevice scope, which selects no domain of its own, selects those of the smaller scopes.
//  - A control barrier also joins fences of one agent that stand around it: nothing in the rule has
//    A's and B's agents differ.
//
// The published formal model (KhronosGroup/Vulkan-MemoryModel) differs in four places, where the
// text is followed: there a fence cannot follow a fence in a chain, a control barrier joins
// different agents only, the reader has to be mutually-ordered with the very write it reads and not
// only with the release sequence's head, and which accesses an operation covers is symmetric, so
// that a MakeVisible can stand in for an availability operation.
//
// Not in the litmus format, and so not here: shader calls, fragment interlock, shader input and
// output, legacy tessellation outputs, cooperative matrices, deallocation.
#pragma once

#include "clause.h"
#include "litmus.h"

// Of the HRF models see oracle_hrf.c, and docs/models.md for the readings.

// The racing pairs of one execution, ordered by first, second and offset. Zeroed to begin with,
// reusable, released by vkr_oracle_races_finish.
struct vkr_oracle_races {
	struct vkr_litmus_race *items; // their reason is NULL
	size_t count, capacity;
	bool candidate; // the model lets the execution happen
};

void vkr_oracle_races_finish(struct vkr_oracle_races *races);

// Whether both have equal pairs with equal bytes, and both are candidates or none.
bool vkr_oracle_races_equal(const struct vkr_oracle_races *a, const struct vkr_oracle_races *b);

// Replaces *races by every pair of events with its bytes on which there is a race under the model.
// `without` is the set of its clauses to leave out, 0 for the model itself. VKR_ERROR_UNSUPPORTED
// where the execution has more than 64 events or, for the HRF models, agents; VKR_ERROR_MEMORY.
enum vkr_result vkr_oracle_judge(const struct vkr_litmus *execution,
				 const struct vkr_memory_rules *rules, uint64_t without,
				 struct vkr_oracle_races *races,
				 struct vkr_error *error) VKR_MUST_USE;

// A clause of a model: of those of its family by number, up to vkr_oracle_clause_count.
struct vkr_oracle_clause {
	const char *name, *section, *gist;
	bool in_model; // the others of the family decide nothing
};
unsigned vkr_oracle_clause_count(enum vkr_memory_model model);
struct vkr_oracle_clause vkr_oracle_clause(enum vkr_memory_model model, unsigned number);

// Whether the execution keeps the section "Acyclicity". False also above 64 events.
bool vkr_oracle_is_consistent(const struct vkr_litmus *execution);

// Whether from= and every synchronization agree with the order of the events, so that the order is
// one in which the execution can have taken place. False also above 64 events.
bool vkr_oracle_is_in_order(const struct vkr_litmus *execution);
