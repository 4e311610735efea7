// SPDX-License-Identifier: Apache-2.0
// Counters of loops: values that follow from how often a block was executed. Knows SPIR-V's loops;
// not what the values are for.
#pragma once

#include "same_value.h"
#include "summary_slice.h"

struct vkr_turns {
	struct vkr_slice slice; // of the entry point's function, for its blocks
	const struct vkr_values *values;
	bool is_there; // its blocks could be read
};

// What a counter is when a block is executed for the n-th time, from 0: `initial` + n * step,
// modulo 2^32. `initial` is an id.
struct vkr_turn {
	uint32_t initial, step;
};

// False for lack of memory.
bool vkr_turns_init(struct vkr_turns *turns, const struct vkr_survey *survey,
		    const struct vkr_values *values);

// Whether a value is such a counter in the block of an instruction: the block is executed once in
// each turn of a loop that is gone through once.
bool vkr_turn_find(struct vkr_turns *turns, uint32_t id, uint32_t instruction,
		   struct vkr_turn *turn);
