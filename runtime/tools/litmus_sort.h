// SPDX-License-Identifier: Apache-2.0
// The order in which a litmus execution's events must reach the engine. Knows which statements
// bind events together; not what the engine makes of them.
#pragma once

#include "litmus.h"

// Events sorted so that whatever may happen-before an event stands before it. Events that bind one
// another both ways, such as the arrivals at one control barrier, form a group and stand together.
struct vkr_litmus_sort {
	uint32_t *events; // in sorted order
	uint32_t *groups; // of each event, by its index in the execution; ascending along `events`
	uint32_t group_count;
	// Of each event: its index in the modification order of its bytes, from 1. With a coherent
	// order: of each write, ordinary ones included, its index in the order of all locations.
	uint64_t *turns;
	uint64_t *seen; // with a coherent order: the turn of the write that an atomic reads from, 0
			// for the initial value
	uint32_t *first_events; // of each agent, in the file; VKR_LITMUS_NONE where it has none
	uint32_t *last_events;
};

// `coherent`: for a model whose coherent order is of all accesses to a location.
enum vkr_result vkr_litmus_sort(const struct vkr_litmus *execution, bool coherent,
				struct vkr_litmus_sort *sort, struct vkr_error *error) VKR_MUST_USE;
void vkr_litmus_sort_finish(struct vkr_litmus_sort *sort);
