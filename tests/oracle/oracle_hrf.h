// SPDX-License-Identifier: Apache-2.0
// The oracle of the HRF models: the figures of "HRF-Relaxed", evaluated by brute force over the
// places that the operations of one small execution have in the address spaces. Private to the
// oracle; shares no code with the engine, and knows nothing of it.
#pragma once

#include "clause_hrf.h"
#include "litmus.h"

enum {
	VKR_HRF_EVENTS = 64,
	VKR_HRF_PLACES = VKR_HRF_EVENTS * 4, // a barrier has two halves, each two spaces
	VKR_HRF_WORDS = VKR_HRF_PLACES / 64,
};

struct vkr_hrf_evaluation {
	const struct vkr_litmus *execution;
	const struct vkr_memory_rules *rules;
	uint64_t without; // clauses left out
	uint32_t count;
	uint32_t modification[VKR_HRF_EVENTS]; // of a store in the coherent order, from 1
	uint32_t seen[VKR_HRF_EVENTS];         // of a load: the turn that it comes right after
	uint64_t coarse[VKR_HRF_EVENTS];       // the events that each system-synchronizes-with
	bool coarse_end[VKR_HRF_EVENTS];
	uint64_t fixed[VKR_HRF_PLACES][VKR_HRF_WORDS]; // program order and coarse points
	// x happens-before y, for some closure; and past a coarse-grained synchronization point.
	bool before[VKR_HRF_EVENTS][VKR_HRF_EVENTS];
	bool beyond[VKR_HRF_EVENTS][VKR_HRF_EVENTS];
};

// At most VKR_HRF_EVENTS events and 64 agents.
void vkr_hrf_evaluate(struct vkr_hrf_evaluation *evaluation, const struct vkr_litmus *execution,
		      const struct vkr_memory_rules *rules, uint64_t without);

// Whether the execution is a candidate one (figure 9, section IV).
bool vkr_hrf_evaluate_candidate(const struct vkr_hrf_evaluation *evaluation);

// Whether two events that access common bytes are a heterogeneous race.
bool vkr_hrf_evaluate_race(const struct vkr_hrf_evaluation *evaluation, uint32_t x, uint32_t y);
