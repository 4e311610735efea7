// SPDX-License-Identifier: Apache-2.0
#include "loop_counters.h"
bool vkr_loops_init(struct vkr_loops *loops, const struct vkr_analysis *analysis,
		    const struct vkr_values *values)
{
	*loops = (struct vkr_loops){.values = values};
	return vkr_slice_read(&loops->slice, analysis, &loops->is_there);
}

// ---- Loops --------------------------------------------------------------------------------------

static uint32_t block_of(const struct vkr_slice *slice, uint32_t instruction)
{
	uint32_t low = 0, high = slice->block_count - 1;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (slice->blocks[middle].terminator < instruction)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Marks in slice->seen what can be reached from a block on paths that do not pass `without` or
// `other`.
static void reach_without(struct vkr_slice *slice, uint32_t from, uint32_t without, uint32_t other)
{
	for (uint32_t b = 0; b < slice->block_count; b++)
		slice->seen[b] = b == without || b == other;
	vkr_slice_reach_from(slice, from);
	slice->seen[without] = slice->seen[other] = false;
}

static bool is_in_loop(struct vkr_slice *slice, uint32_t header, uint32_t block)
{
	uint32_t merge = slice->blocks[header].merge;
	if (block == header)
		return true;
	reach_without(slice, header, merge, merge);
	return slice->seen[block];
}

uint32_t vkr_loops_block(const struct vkr_loops *loops, uint32_t instruction)
{
	return block_of(&loops->slice, instruction);
}

void vkr_loops_mark(struct vkr_loops *loops, uint32_t header)
{
	const uint32_t merge = loops->slice.blocks[header].merge;
	reach_without(&loops->slice, header, merge, merge);
}

bool vkr_loops_loop(struct vkr_loops *loops, uint32_t block, uint32_t *header)
{
	struct vkr_slice *slice = &loops->slice;
	bool found = false;
	for (uint32_t b = 0; b < slice->block_count; b++) {
		if (!slice->blocks[b].is_loop || !is_in_loop(slice, b, block) ||
		    (found && !is_in_loop(slice, *header, b)))
			continue;
		*header = b;
		found = true;
	}
	return found;
}

// The one loop that a block is in; false where it is in none, or in several.
static bool find_loop(struct vkr_slice *slice, uint32_t block, uint32_t *header)
{
	uint32_t found = 0;
	for (uint32_t b = 0; b < slice->block_count; b++) {
		if (!slice->blocks[b].is_loop || !is_in_loop(slice, b, block))
			continue;
		*header = b;
		found++;
	}
	if (found != 1)
		return false;
	for (uint32_t b = 0; b < slice->block_count; b++)
		if (b != *header && slice->blocks[b].is_loop && is_in_loop(slice, b, *header))
			return false;
	return true;
}

void vkr_loops_mark_next(struct vkr_loops *loops, uint32_t header)
{
	const uint32_t merge = loops->slice.blocks[header].merge;
	reach_without(&loops->slice, loops->slice.blocks[header].next, header, merge);
}

// Whether control that enters a block leaves the loop after that block at the latest.
static bool leaves(const struct vkr_slice *slice, uint32_t header, uint32_t block)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *in = &module->instructions[slice->blocks[block].terminator];
	const uint32_t merge = slice->blocks[header].merge;
	return block == merge || (in->opcode == SpvOpBranch &&
				  slice->block_of[vkr_module_word(module, in, 1)] == merge);
}

void vkr_loops_mark_last(struct vkr_loops *loops, uint32_t header, uint32_t test)
{
	struct vkr_slice *slice = &loops->slice;
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *in = &module->instructions[slice->blocks[test].terminator];
	const uint32_t merge = slice->blocks[header].merge;
	reach_without(slice, header, test, merge);
	slice->seen[test] = true;
	for (uint32_t word = 2; word < 4; word++) {
		const uint32_t target = slice->block_of[vkr_module_word(module, in, word)];
		slice->seen[target] |= target != merge && leaves(slice, header, target);
	}
}

bool vkr_loops_pass(struct vkr_loops *loops, uint32_t header, uint32_t block)
{
	struct vkr_slice *slice = &loops->slice;
	if (block == header)
		return true;
	if (block == slice->blocks[header].next)
		return false; // the counter has moved on there
	reach_without(slice, header, block, slice->blocks[header].merge);
	return !slice->seen[slice->blocks[header].next];
}

// ---- Counters -----------------------------------------------------------------------------------

// Operations that counters are moved on by.
static bool is_move(SpvOp operation)
{
	switch (operation) {
	case SpvOpIAdd:
	case SpvOpISub:
	case SpvOpIMul:
	case SpvOpUDiv:
	case SpvOpSDiv:
	case SpvOpShiftLeftLogical:
	case SpvOpShiftRightLogical:
	case SpvOpShiftRightArithmetic:
		return true;
	default:
		return false;
	}
}

// Recognizes a result that an instruction computes from a constant and `id`, or a load of the
// variable `id`.
static bool find_move(const struct vkr_slice *slice, uint32_t sum, uint32_t id, uint32_t block,
		      struct vkr_loop_counter *counter)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *in = vkr_module_definition(module, sum);
	uint64_t value;
	if (in->length != 5 || !is_move((SpvOp)in->opcode) || slice->home[sum] != block + 1)
		return false;
	for (uint32_t word = 3; word < 5; word++) {
		const struct vkr_instruction *own =
			vkr_module_definition(module, vkr_module_word(module, in, word));
		bool is_load = own->opcode == SpvOpLoad && vkr_module_word(module, own, 3) == id &&
			       slice->home[own->result] == block + 1;
		if ((is_load || own->result == id) &&
		    vkr_constant_value(slice->analysis->constants,
				       vkr_module_word(module, in, 7 - word), &value)) {
			counter->operation = (SpvOp)in->opcode;
			counter->constant = (uint32_t)value;
			return word == 3 || in->opcode == SpvOpIAdd || in->opcode == SpvOpIMul;
		}
	}
	return false;
}

// A local variable that is set before the loop and then, in its continue target alone, moved on.
static bool find_variable(struct vkr_loops *loops, uint32_t variable, uint32_t header,
			  struct vkr_loop_counter *counter)
{
	struct vkr_slice *slice = &loops->slice;
	const struct vkr_module *module = slice->analysis->module;
	uint32_t next = slice->blocks[header].next, stores = 0, moves = 0;
	for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode != SpvOpStore || vkr_module_word(module, in, 1) != variable)
			continue;
		uint32_t value = vkr_module_word(module, in, 2), block = block_of(slice, i);
		stores++;
		if (block == next)
			moves += find_move(slice, value, variable, next, counter);
		else
			counter->initial = value;
	}
	if (stores != 2 || moves != 1)
		return false;
	uint32_t set = slice->function->body;
	while (module->instructions[set].opcode != SpvOpStore ||
	       vkr_module_word(module, &module->instructions[set], 1) != variable ||
	       block_of(slice, set) == next)
		set++;
	// All that comes to the loop has set it, each time.
	uint32_t before = block_of(slice, set), merge = slice->blocks[header].merge;
	if (is_in_loop(slice, header, before))
		return false;
	reach_without(slice, merge, before, before);
	if (slice->seen[header])
		return false;
	if (before == 0)
		return true;
	reach_without(slice, 0, before, before);
	return !slice->seen[header];
}

static bool find_phi(struct vkr_loops *loops, const struct vkr_instruction *phi, uint32_t header,
		     struct vkr_loop_counter *counter)
{
	struct vkr_slice *slice = &loops->slice;
	const struct vkr_module *module = slice->analysis->module;
	uint32_t next = slice->blocks[header].next, back = 0;
	if (slice->home[phi->result] != header + 1 || phi->length != 7)
		return false;
	for (uint32_t word = 3; word < 7; word += 2) {
		uint32_t value = vkr_module_word(module, phi, word);
		uint32_t from = slice->block_of[vkr_module_word(module, phi, word + 1)];
		if (from != next)
			counter->initial = value;
		else if (find_move(slice, value, phi->result, slice->home[value] - 1, counter))
			back++;
	}
	return back == 1;
}

bool vkr_loop_counter_find_in(struct vkr_loops *loops, uint32_t id, uint32_t header,
			      struct vkr_loop_counter *counter)
{
	struct vkr_slice *slice = &loops->slice;
	id = vkr_value_source(loops->values, id);
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	const uint32_t home = slice->home[id];
	if (!home || vkr_slice_components(module, in->type) != 1 ||
	    !is_in_loop(slice, header, home - 1) || home - 1 == slice->blocks[header].next)
		return false;
	if (in->opcode == SpvOpPhi)
		return find_phi(loops, in, header, counter);
	uint32_t variable = in->opcode == SpvOpLoad ? vkr_module_word(module, in, 3) : 0;
	return variable && loops->values->is_plain[variable] && in->length == 4 &&
	       find_variable(loops, variable, header, counter);
}

bool vkr_loop_counter_find(struct vkr_loops *loops, uint32_t id, uint32_t instruction,
			   uint32_t header, struct vkr_loop_counter *counter)
{
	struct vkr_slice *slice = &loops->slice;
	if (!loops->is_there || instruction < slice->function->body ||
	    instruction >= slice->function->end)
		return false;
	const uint32_t block = block_of(slice, instruction);
	return (header != VKR_NO_BLOCK || find_loop(slice, block, &header)) &&
	       vkr_loops_pass(loops, header, block) &&
	       vkr_loop_counter_find_in(loops, id, header, counter);
}

bool vkr_loop_counter_step(const struct vkr_loop_counter *counter, uint32_t *step)
{
	*step = counter->operation == SpvOpIAdd ? counter->constant : 0 - counter->constant;
	return counter->operation == SpvOpIAdd || counter->operation == SpvOpISub;
}

bool vkr_loop_counter_values(const struct vkr_loops *loops, const struct vkr_loop_counter *counter,
			     uint32_t count, uint32_t *values)
{
	uint64_t value;
	if (!vkr_constant_value(loops->slice.analysis->constants, counter->initial, &value))
		return false;
	for (uint32_t n = 0; n < count; n++) {
		values[n] = (uint32_t)value;
		if (n + 1 < count && !vkr_constant_operation(counter->operation, 32, values[n],
							     counter->constant, &value))
			return false;
	}
	return true;
}

// ---- How many iterations ------------------------------------------------------------------------

// Finds the iteration after whose test the loop ends, from a comparison of a counter with a
// constant: it ends if the comparison is `is_left`. False if it is unknown.
static bool find_last(struct vkr_loops *loops, uint32_t header, uint32_t condition, bool is_left,
		      uint32_t *last)
{
	const struct vkr_module *module = loops->slice.analysis->module;
	const struct vkr_constants *constants = loops->slice.analysis->constants;
	const struct vkr_instruction *in = vkr_module_definition(module, condition);
	struct vkr_loop_counter counter;
	uint32_t values[VKR_ITERATIONS_MOST + 1];
	uint64_t constant, is_true;
	if (in->length != 5)
		return false;
	const uint32_t a = vkr_module_word(module, in, 3), b = vkr_module_word(module, in, 4);
	const bool is_second = vkr_constant_value(constants, a, &constant);
	if ((!is_second && !vkr_constant_value(constants, b, &constant)) ||
	    !vkr_loop_counter_find_in(loops, is_second ? b : a, header, &counter) ||
	    !vkr_loop_counter_values(loops, &counter, VKR_ITERATIONS_MOST + 1, values))
		return false;
	for (*last = 0; *last <= VKR_ITERATIONS_MOST; ++*last) {
		const uint64_t own = values[*last];
		if (!vkr_constant_operation((SpvOp)in->opcode, 32, is_second ? constant : own,
					    is_second ? own : constant, &is_true))
			return false;
		if ((is_true != 0) == is_left)
			return true;
	}
	return false;
}

uint32_t vkr_loops_most(struct vkr_loops *loops, uint32_t header, uint32_t *test)
{
	struct vkr_slice *slice = &loops->slice;
	const struct vkr_module *module = slice->analysis->module;
	for (uint32_t b = header; b < slice->blocks[header].merge; b++) {
		const struct vkr_instruction *in =
			&module->instructions[slice->blocks[b].terminator];
		uint32_t last;
		*test = b;
		if (in->opcode != SpvOpBranchConditional || !is_in_loop(slice, header, b) ||
		    !vkr_loops_pass(loops, header, b))
			continue;
		const bool yes =
			leaves(slice, header, slice->block_of[vkr_module_word(module, in, 2)]);
		const bool no =
			leaves(slice, header, slice->block_of[vkr_module_word(module, in, 3)]);
		if (yes != no &&
		    find_last(loops, header, vkr_module_word(module, in, 1), yes, &last))
			return last;
	}
	return 0;
}
