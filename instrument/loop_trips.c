// SPDX-License-Identifier: Apache-2.0
#include "loop_trips.h"

#include <assert.h>

struct loop {
	const struct vkr_module *module;
	const struct vkr_constants *constants;
	const struct vkr_function *function;
	uint32_t header, behind, next; // labels: of the loop, of its merge block, continue target
	// The first block of each iteration, which may leave the loop, [first, last] of its
	// instructions, after those of the header, [header_first, header_last].
	uint32_t header_first, header_last, first, last;
	uint32_t next_first, next_last; // of the continue target
};

struct counting {
	uint32_t initial, step, bound;
	uint16_t compare;
	bool stays; // the loop goes on where the comparison holds
};

static uint32_t label_index(const struct vkr_module *module, uint32_t label)
{
	return (uint32_t)(vkr_module_definition(module, label) - module->instructions);
}

// The index of the terminator of the block that an instruction is in.
static uint32_t block_last(const struct vkr_module *module, uint32_t at)
{
	while (!vkr_opcode_is(module->instructions[at].opcode, VKR_OPCODE_TERMINATOR))
		at++;
	return at;
}

static bool is_in_test(const struct loop *loop, uint32_t at)
{
	return (at >= loop->header_first && at <= loop->header_last) ||
	       (at >= loop->first && at <= loop->last);
}

static bool find_constant(const struct loop *loop, uint32_t id, uint32_t *value)
{
	uint64_t found;
	const struct vkr_instruction *type =
		vkr_module_definition(loop->module, vkr_module_definition(loop->module, id)->type);
	if (type->opcode != SpvOpTypeInt || vkr_module_word(loop->module, type, 2) != 32 ||
	    !vkr_constant_value(loop->constants, id, &found))
		return false;
	*value = (uint32_t)found;
	return true;
}

// The loop's blocks; false where iterations do not begin with a test, or end in one block.
static bool read_blocks(struct loop *loop, uint32_t merge)
{
	const struct vkr_module *module = loop->module;
	const struct vkr_instruction *in = &module->instructions[merge];
	uint32_t label = merge;
	while (module->instructions[label].opcode != SpvOpLabel)
		label--;
	loop->header = module->instructions[label].result;
	loop->behind = vkr_module_word(module, in, 1);
	loop->next = vkr_module_word(module, in, 2);
	loop->header_first = loop->first = label;
	loop->header_last = loop->last = merge + 1;
	const struct vkr_instruction *end = &module->instructions[merge + 1];
	if (end->opcode == SpvOpBranch) {
		loop->first = label_index(module, vkr_module_word(module, end, 1));
		loop->last = block_last(module, loop->first);
	}
	loop->next_first = label_index(module, loop->next);
	loop->next_last = block_last(module, loop->next_first);
	const struct vkr_instruction *back = &module->instructions[loop->next_last];
	return loop->next != loop->header && back->opcode == SpvOpBranch &&
	       vkr_module_word(module, back, 1) == loop->header &&
	       module->instructions[loop->last].opcode == SpvOpBranchConditional;
}

// Whether a value is the counter plus a constant. `counter`: a phi, or else the variable that it
// is loaded from in the continue target.
static bool find_step(const struct loop *loop, uint32_t value, uint32_t counter, uint32_t *step)
{
	const struct vkr_module *module = loop->module;
	const struct vkr_instruction *in = vkr_module_definition(module, value);
	if (in->opcode != SpvOpIAdd && in->opcode != SpvOpISub)
		return false;
	for (uint32_t word = 3; word < 5; word++) {
		const uint32_t own = vkr_module_word(module, in, word);
		const uint32_t at = label_index(module, own);
		const bool is_load =
			module->instructions[at].opcode == SpvOpLoad &&
			vkr_module_word(module, &module->instructions[at], 3) == counter &&
			at > loop->next_first && at < loop->next_last;
		if ((own != counter && !is_load) || (word == 4 && in->opcode == SpvOpISub) ||
		    !find_constant(loop, vkr_module_word(module, in, 7 - word), step))
			continue;
		*step = in->opcode == SpvOpISub ? 0 - *step : *step;
		return true;
	}
	return false;
}

static bool find_phi(const struct loop *loop, const struct vkr_instruction *phi,
		     struct counting *counting)
{
	bool begins = false, moves = false;
	for (uint32_t word = 3; phi->length == 7 && word < 7; word += 2) {
		const uint32_t value = vkr_module_word(loop->module, phi, word);
		if (vkr_module_word(loop->module, phi, word + 1) == loop->next)
			moves = find_step(loop, value, phi->result, &counting->step);
		else
			begins = find_constant(loop, value, &counting->initial);
	}
	return begins && moves;
}

// A local variable that is stored to twice: a constant before the loop, and in its continue target.
// Where it is not set again before the loop is, it goes on from where it was, to the same bound.
static bool find_variable(const struct loop *loop, uint32_t variable, struct counting *counting)
{
	const struct vkr_module *module = loop->module;
	bool begins = false, moves = false;
	for (uint32_t i = loop->function->body; i < loop->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		bool uses = false;
		for (uint16_t u = 0; u < in->use_count && !uses; u++)
			uses = module->words[module->uses[in->first_use + u]] == variable;
		if (!uses || in->opcode == SpvOpLoad)
			continue;
		if (in->opcode != SpvOpStore || vkr_module_word(module, in, 1) != variable)
			return false;
		const uint32_t value = vkr_module_word(module, in, 2);
		if (i < loop->header_first && !begins)
			begins = find_constant(loop, value, &counting->initial);
		else if (i > loop->next_first && i < loop->next_last && !moves)
			moves = find_step(loop, value, variable, &counting->step);
		else
			return false;
		if (i < loop->header_first ? !begins : !moves)
			return false;
	}
	return begins && moves;
}

// What the test holds against a constant, at `word`, is the loop's counter.
static bool find_counter(const struct loop *loop, uint32_t id, struct counting *counting)
{
	const struct vkr_module *module = loop->module;
	const uint32_t at = label_index(module, id);
	const struct vkr_instruction *in = &module->instructions[at];
	if (in->opcode == SpvOpPhi && at > loop->header_first && at < loop->header_last)
		return find_phi(loop, in, counting);
	if (in->opcode != SpvOpLoad || !is_in_test(loop, at))
		return false;
	const struct vkr_instruction *variable =
		vkr_module_definition(module, vkr_module_word(module, in, 3));
	return variable->opcode == SpvOpVariable &&
	       vkr_module_word(module, variable, 3) == SpvStorageClassFunction &&
	       find_variable(loop, variable->result, counting);
}

static uint16_t loop_trips_swapped(uint16_t compare)
{
	switch (compare) {
	case SpvOpSLessThan:
		return SpvOpSGreaterThan;
	case SpvOpSLessThanEqual:
		return SpvOpSGreaterThanEqual;
	case SpvOpSGreaterThan:
		return SpvOpSLessThan;
	case SpvOpSGreaterThanEqual:
		return SpvOpSLessThanEqual;
	case SpvOpULessThan:
		return SpvOpUGreaterThan;
	case SpvOpULessThanEqual:
		return SpvOpUGreaterThanEqual;
	case SpvOpUGreaterThan:
		return SpvOpULessThan;
	case SpvOpUGreaterThanEqual:
		return SpvOpULessThanEqual;
	default:
		return compare;
	}
}

static bool find_test(const struct loop *loop, struct counting *counting)
{
	const struct vkr_module *module = loop->module;
	const struct vkr_instruction *branch = &module->instructions[loop->last];
	const uint32_t at = label_index(module, vkr_module_word(module, branch, 1));
	const struct vkr_instruction *in = &module->instructions[at];
	const bool leaves_first = vkr_module_word(module, branch, 2) == loop->behind;
	if (!is_in_test(loop, at) || in->length != 5 ||
	    leaves_first == (vkr_module_word(module, branch, 3) == loop->behind))
		return false;
	counting->stays = !leaves_first;
	counting->compare = in->opcode;
	if (find_constant(loop, vkr_module_word(module, in, 4), &counting->bound))
		return find_counter(loop, vkr_module_word(module, in, 3), counting);
	counting->compare = loop_trips_swapped(in->opcode);
	return find_constant(loop, vkr_module_word(module, in, 3), &counting->bound) &&
	       find_counter(loop, vkr_module_word(module, in, 4), counting);
}

// Whether the comparison holds; *known: it is one.
static bool loop_trips_holds(const struct counting *counting, uint32_t value, bool *known)
{
	const uint32_t bound = counting->bound;
	*known = true;
	switch (counting->compare) {
	case SpvOpSLessThan:
		return (int32_t)value < (int32_t)bound;
	case SpvOpSLessThanEqual:
		return (int32_t)value <= (int32_t)bound;
	case SpvOpSGreaterThan:
		return (int32_t)value > (int32_t)bound;
	case SpvOpSGreaterThanEqual:
		return (int32_t)value >= (int32_t)bound;
	case SpvOpULessThan:
		return value < bound;
	case SpvOpULessThanEqual:
		return value <= bound;
	case SpvOpUGreaterThan:
		return value > bound;
	case SpvOpUGreaterThanEqual:
		return value >= bound;
	case SpvOpINotEqual:
		return value != bound;
	default:
		*known = false;
		return false;
	}
}

uint32_t vkr_loop_trips(const struct vkr_module *module, const struct vkr_constants *constants,
			const struct vkr_function *function, uint32_t merge, uint32_t most)
{
	struct loop loop = {.module = module, .constants = constants, .function = function};
	struct counting counting = {0};
	uint32_t trips = 0;
	bool known = true;
	assert(module->instructions[merge].opcode == SpvOpLoopMerge);
	if (!read_blocks(&loop, merge) || !find_test(&loop, &counting))
		return 0;
	for (uint32_t value = counting.initial;
	     trips <= most && loop_trips_holds(&counting, value, &known) == counting.stays && known;
	     value += counting.step)
		trips++;
	if (!known || trips > most)
		return 0;
	return trips ? trips : 1;
}
