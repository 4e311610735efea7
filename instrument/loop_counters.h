// SPDX-License-Identifier: Apache-2.0
// Counters of loops: values that follow from how often a block was executed. Knows SPIR-V's loops;
// not what the values are for.
#pragma once

#include "same_value.h"
#include "summary_slice.h"

struct vkr_loops {
	struct vkr_slice slice; // of the entry point's function, for its blocks
	const struct vkr_values *values;
	bool is_there; // its blocks could be read
};

// The value of a counter when a block is executed for the n-th time, from 0: `initial`, an id, plus
// n times `step`, modulo 2^32.
struct vkr_loop_counter {
	uint32_t initial, step;
};

// False for lack of memory.
bool vkr_loops_init(struct vkr_loops *loops, const struct vkr_analysis *analysis,
		    const struct vkr_values *values);

// The innermost loop that a block is in, by its header; false: none.
bool vkr_loops_loop(struct vkr_loops *loops, uint32_t block, uint32_t *header);

// Marks in slice.seen the blocks of a loop: what can be reached from its header on paths that do
// not pass its merge block, and nothing else.
void vkr_loops_mark(struct vkr_loops *loops, uint32_t header);

// The block of an instruction of the function.
uint32_t vkr_loops_block(const struct vkr_loops *loops, uint32_t instruction);

// Whether a value is such a counter in the block of an instruction: the block is executed once in
// each iteration of a loop that is gone through once; or of the innermost loop around it, `header`,
// where iterations are counted from 0 each time that it is gone through. VKR_NO_BLOCK: they are
// not.
bool vkr_loop_counter_find(struct vkr_loops *loops, uint32_t id, uint32_t instruction,
			   uint32_t header, struct vkr_loop_counter *counter);

// Whether each iteration of a loop that another one follows passes the block.
bool vkr_loops_pass(struct vkr_loops *loops, uint32_t header, uint32_t block);
