// SPDX-License-Identifier: Apache-2.0
#include "loop_trips.h"

#include <assert.h>

struct loop {
	const struct vkr_module *module;
	const struct vkr_constants *constants;
	const struct vkr_function *function;
	uint32_t header, behind, next; // labels: of the loop, of its merge block, continue target
	// Instructions of the header, of the continue target, and the last one of the block that is
	// looked at, which each iteration comes to.
	uint32_t header_first, header_last, next_first, next_last, last;
};

struct counting {
	uint32_t initials[2], initial_count; // it begins at one of these
	uint32_t step, bound;
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

// Whether an instruction that the test uses is in the loop: each iteration comes to it.
static bool is_in_iteration(const struct loop *loop, uint32_t at)
{
	return at >= loop->header_first && at <= loop->last;
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

// The loop's blocks; false where its iterations do not end in one block.
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
	loop->header_first = label;
	loop->header_last = loop->last = merge + 1;
	loop->next_first = label_index(module, loop->next);
	loop->next_last = block_last(module, loop->next_first);
	const struct vkr_instruction *back = &module->instructions[loop->next_last];
	return loop->next != loop->header && back->opcode == SpvOpBranch &&
	       vkr_module_word(module, back, 1) == loop->header;
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
			begins = find_constant(loop, value, &counting->initials[0]);
	}
	counting->initial_count = 1;
	return begins && moves;
}

// What a local variable begins at: its initializer, or what is stored before the loop.
static bool add_initial(const struct loop *loop, uint32_t value, struct counting *counting)
{
	return counting->initial_count < 2 &&
	       find_constant(loop, value, &counting->initials[counting->initial_count++]);
}

// A local variable that is stored to in the loop's continue target, and before the loop is a
// constant. Where it is not set again before the loop is, it goes on from where it was, to the same
// bound.
static bool find_variable(const struct loop *loop, const struct vkr_instruction *variable,
			  struct counting *counting)
{
	const struct vkr_module *module = loop->module;
	bool moves = false;
	counting->initial_count = 0;
	if (variable->length > 4 &&
	    !add_initial(loop, vkr_module_word(module, variable, 4), counting))
		return false;
	for (uint32_t i = loop->function->body; i < loop->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		bool uses = false;
		for (uint16_t u = 0; u < in->use_count && !uses; u++)
			uses = module->words[module->uses[in->first_use + u]] == variable->result;
		if (!uses || in->opcode == SpvOpLoad)
			continue;
		if (in->opcode != SpvOpStore || vkr_module_word(module, in, 1) != variable->result)
			return false;
		const uint32_t value = vkr_module_word(module, in, 2);
		if (i < loop->header_first) {
			if (!add_initial(loop, value, counting))
				return false;
			continue;
		}
		if (moves || i < loop->next_first || i > loop->next_last ||
		    !find_step(loop, value, variable->result, &counting->step))
			return false;
		moves = true;
	}
	return counting->initial_count > 0 && moves;
}

// What the test holds against a constant, at `word`, is the loop's counter.
static bool find_counter(const struct loop *loop, uint32_t id, struct counting *counting)
{
	const struct vkr_module *module = loop->module;
	const uint32_t at = label_index(module, id);
	const struct vkr_instruction *in = &module->instructions[at];
	if (in->opcode == SpvOpPhi && at > loop->header_first && at < loop->header_last)
		return find_phi(loop, in, counting);
	if (in->opcode != SpvOpLoad || !is_in_iteration(loop, at))
		return false;
	const struct vkr_instruction *variable =
		vkr_module_definition(module, vkr_module_word(module, in, 3));
	return variable->opcode == SpvOpVariable &&
	       vkr_module_word(module, variable, 3) == SpvStorageClassFunction &&
	       find_variable(loop, variable, counting);
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

// Whether the block that is looked at ends with a test of the loop's counter.
static bool read_test(const struct loop *loop, bool leaves_first, struct counting *counting)
{
	const struct vkr_module *module = loop->module;
	const struct vkr_instruction *branch = &module->instructions[loop->last];
	const uint32_t at = label_index(module, vkr_module_word(module, branch, 1));
	const struct vkr_instruction *in = &module->instructions[at];
	if (!is_in_iteration(loop, at) || in->length != 5)
		return false;
	counting->stays = !leaves_first;
	counting->compare = in->opcode;
	if (find_constant(loop, vkr_module_word(module, in, 4), &counting->bound))
		return find_counter(loop, vkr_module_word(module, in, 3), counting);
	counting->compare = loop_trips_swapped(in->opcode);
	return find_constant(loop, vkr_module_word(module, in, 3), &counting->bound) &&
	       find_counter(loop, vkr_module_word(module, in, 4), counting);
}

// Whether control leaves the loop by a label, perhaps through a block that does nothing.
static bool leaves_by(const struct loop *loop, uint32_t label)
{
	const struct vkr_module *module = loop->module;
	uint32_t at = label_index(module, label) + 1;
	while (module->instructions[at].opcode == SpvOpLine ||
	       module->instructions[at].opcode == SpvOpNoLine)
		at++;
	const struct vkr_instruction *in = &module->instructions[at];
	return label == loop->behind ||
	       (in->opcode == SpvOpBranch && vkr_module_word(module, in, 1) == loop->behind);
}

// The test of the loop's counter, among the tests that each iteration begins with: a compiler may
// have put others before it. Lists the blocks up to it.
static bool find_test(struct loop *loop, struct vkr_loop_trips *trips, struct counting *counting)
{
	const struct vkr_module *module = loop->module;
	uint32_t label = loop->header;
	while (trips->block_count < VKR_LOOP_TEST_BLOCKS) {
		const struct vkr_instruction *end = &module->instructions[loop->last];
		trips->blocks[trips->block_count++] = label;
		if (end->opcode == SpvOpBranchConditional) {
			const uint32_t first = vkr_module_word(module, end, 2);
			const uint32_t second = vkr_module_word(module, end, 3);
			const bool leaves_first = leaves_by(loop, first);
			if (leaves_first == leaves_by(loop, second))
				return false;
			if (read_test(loop, leaves_first, counting))
				return true;
			label = leaves_first ? second : first;
		} else if (end->opcode == SpvOpBranch) {
			label = vkr_module_word(module, end, 1);
		} else {
			return false;
		}
		const uint32_t at = label_index(module, label);
		if (at <= loop->last || at >= loop->next_first)
			return false;
		loop->last = block_last(module, at);
		if (module->instructions[loop->last - 1].opcode == SpvOpLoopMerge)
			return false;
	}
	return false;
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

// How often the loop is gone through; more than `most`: more, or it is not known.
static uint32_t count_trips(const struct counting *counting, uint32_t initial, uint32_t most)
{
	uint32_t trips = 0, value = initial;
	bool known = true;
	while (trips <= most && loop_trips_holds(counting, value, &known) == counting->stays &&
	       known) {
		value += counting->step;
		trips++;
	}
	return known ? trips : most + 1;
}

bool vkr_loop_trips_find(const struct vkr_module *module, const struct vkr_constants *constants,
			 const struct vkr_function *function, uint32_t merge, uint32_t most,
			 struct vkr_loop_trips *trips)
{
	struct loop loop = {.module = module, .constants = constants, .function = function};
	struct counting counting = {0};
	*trips = (struct vkr_loop_trips){.most = 1};
	assert(module->instructions[merge].opcode == SpvOpLoopMerge);
	if (!read_blocks(&loop, merge) || !find_test(&loop, trips, &counting))
		return false;
	for (uint32_t at = 0; at < counting.initial_count; at++) {
		const uint32_t count = count_trips(&counting, counting.initials[at], most);
		trips->most = count > trips->most ? count : trips->most;
	}
	return trips->most <= most;
}
