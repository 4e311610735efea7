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

// The innermost loop that a block is in, by its header; false: none.
bool vkr_turns_loop(struct vkr_turns *turns, uint32_t block, uint32_t *header);

// Marks in slice.seen the blocks of a loop: what can be reached from its header on ways that do not
// pass its merge block, and nothing else.
void vkr_turns_mark(struct vkr_turns *turns, uint32_t header);

// The block of an instruction of the function.
uint32_t vkr_turns_block(const struct vkr_turns *turns, uint32_t instruction);

// Whether a value is such a counter in the block of an instruction: the block is executed once in
// each turn of a loop that is gone through once; or of the innermost loop around it, `header`,
// where turns are counted from 0 each time that it is gone through. VKR_NO_BLOCK: they are not.
bool vkr_turn_find(struct vkr_turns *turns, uint32_t id, uint32_t instruction, uint32_t header,
		   struct vkr_turn *turn);
