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

// What a counter is when a block is executed for the n-th time, from 0: `initial`, an id, to which
// an operation was applied n times, with a constant as its other operand.
struct vkr_turn {
	uint32_t initial;
	SpvOp operation;
	uint32_t constant;
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

// The same of turns of the loop itself, wherever in it the instruction is but in the continue
// construct: some of them may not execute it.
bool vkr_turn_find_in(struct vkr_turns *turns, uint32_t id, uint32_t header, struct vkr_turn *turn);

// Whether the counter is `initial` + n * step, modulo 2^32.
bool vkr_turn_step(const struct vkr_turn *turn, uint32_t *step);

// The counter's first values; false where they are not known.
bool vkr_turn_values(const struct vkr_turns *turns, const struct vkr_turn *turn, uint32_t count,
		     uint32_t *values);

// How many turns of a loop, which stands in front of its merge block, go on behind its test, at
// most whenever it is gone through; `test` is the test's block, which each turn passes, or is the
// last one. 0: more than VKR_TURNS_MOST, or not known.
#define VKR_TURNS_MOST 32u
uint32_t vkr_turns_most(struct vkr_turns *turns, uint32_t header, uint32_t *test);

// Marks in slice.seen the blocks of a loop that its last turn may come by, and nothing else, where
// that leaves it behind `test` at the latest.
void vkr_turns_mark_last(struct vkr_turns *turns, uint32_t header, uint32_t test);

// Marks in slice.seen the blocks of a loop's continue construct, and nothing else.
void vkr_turns_mark_next(struct vkr_turns *turns, uint32_t header);

// Whether each turn of a loop that another one follows passes the block.
bool vkr_turns_pass(struct vkr_turns *turns, uint32_t header, uint32_t block);
