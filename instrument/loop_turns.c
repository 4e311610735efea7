// SPDX-License-Identifier: Apache-2.0
#include "loop_turns.h"
bool vkr_turns_init(struct vkr_turns *turns, const struct vkr_survey *survey,
		    const struct vkr_values *values)
{
	*turns = (struct vkr_turns){.values = values};
	return vkr_slice_read(&turns->slice, survey, &turns->is_there);
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

// Marks in slice->seen what can be reached from a block on ways that do not pass `without` or
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

uint32_t vkr_turns_block(const struct vkr_turns *turns, uint32_t instruction)
{
	return block_of(&turns->slice, instruction);
}

void vkr_turns_mark(struct vkr_turns *turns, uint32_t header)
{
	const uint32_t merge = turns->slice.blocks[header].merge;
	reach_without(&turns->slice, header, merge, merge);
}

bool vkr_turns_loop(struct vkr_turns *turns, uint32_t block, uint32_t *header)
{
	struct vkr_slice *slice = &turns->slice;
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

void vkr_turns_mark_next(struct vkr_turns *turns, uint32_t header)
{
	const uint32_t merge = turns->slice.blocks[header].merge;
	reach_without(&turns->slice, turns->slice.blocks[header].next, header, merge);
}

// Whether control that goes on with a block leaves the loop behind it at the latest.
static bool leaves(const struct vkr_slice *slice, uint32_t header, uint32_t block)
{
	const struct vkr_module *module = slice->survey->module;
	const struct vkr_instruction *in = &module->instructions[slice->blocks[block].terminator];
	const uint32_t merge = slice->blocks[header].merge;
	return block == merge || (in->opcode == SpvOpBranch &&
				  slice->block_of[vkr_module_word(module, in, 1)] == merge);
}

void vkr_turns_mark_last(struct vkr_turns *turns, uint32_t header, uint32_t test)
{
	struct vkr_slice *slice = &turns->slice;
	const struct vkr_module *module = slice->survey->module;
	const struct vkr_instruction *in = &module->instructions[slice->blocks[test].terminator];
	const uint32_t merge = slice->blocks[header].merge;
	reach_without(slice, header, test, merge);
	slice->seen[test] = true;
	for (uint32_t word = 2; word < 4; word++) {
		const uint32_t target = slice->block_of[vkr_module_word(module, in, word)];
		slice->seen[target] |= target != merge && leaves(slice, header, target);
	}
}

bool vkr_turns_pass(struct vkr_turns *turns, uint32_t header, uint32_t block)
{
	struct vkr_slice *slice = &turns->slice;
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

// What an instruction makes of `id`, or of what a load of the variable `id` yields, and a constant.
static bool find_move(const struct vkr_slice *slice, uint32_t sum, uint32_t id, uint32_t block,
		      struct vkr_turn *turn)
{
	const struct vkr_module *module = slice->survey->module;
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
		    vkr_constant_value(slice->survey->constants,
				       vkr_module_word(module, in, 7 - word), &value)) {
			turn->operation = (SpvOp)in->opcode;
			turn->constant = (uint32_t)value;
			return word == 3 || in->opcode == SpvOpIAdd || in->opcode == SpvOpIMul;
		}
	}
	return false;
}

// A local variable that is set before the loop and then, in its continue target alone, moved on.
static bool find_variable(struct vkr_turns *turns, uint32_t variable, uint32_t header,
			  struct vkr_turn *turn)
{
	struct vkr_slice *slice = &turns->slice;
	const struct vkr_module *module = slice->survey->module;
	uint32_t next = slice->blocks[header].next, stores = 0, moves = 0;
	for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode != SpvOpStore || vkr_module_word(module, in, 1) != variable)
			continue;
		uint32_t value = vkr_module_word(module, in, 2), block = block_of(slice, i);
		stores++;
		if (block == next)
			moves += find_move(slice, value, variable, next, turn);
		else
			turn->initial = value;
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

static bool find_phi(struct vkr_turns *turns, const struct vkr_instruction *phi, uint32_t header,
		     struct vkr_turn *turn)
{
	struct vkr_slice *slice = &turns->slice;
	const struct vkr_module *module = slice->survey->module;
	uint32_t next = slice->blocks[header].next, back = 0;
	if (slice->home[phi->result] != header + 1 || phi->length != 7)
		return false;
	for (uint32_t word = 3; word < 7; word += 2) {
		uint32_t value = vkr_module_word(module, phi, word);
		uint32_t from = slice->block_of[vkr_module_word(module, phi, word + 1)];
		if (from != next)
			turn->initial = value;
		else if (find_move(slice, value, phi->result, slice->home[value] - 1, turn))
			back++;
	}
	return back == 1;
}

bool vkr_turn_find_in(struct vkr_turns *turns, uint32_t id, uint32_t header, struct vkr_turn *turn)
{
	struct vkr_slice *slice = &turns->slice;
	id = vkr_value_source(turns->values, id);
	const struct vkr_module *module = slice->survey->module;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	const uint32_t home = slice->home[id];
	if (!home || vkr_slice_components(module, in->type) != 1 ||
	    !is_in_loop(slice, header, home - 1) || home - 1 == slice->blocks[header].next)
		return false;
	if (in->opcode == SpvOpPhi)
		return find_phi(turns, in, header, turn);
	uint32_t variable = in->opcode == SpvOpLoad ? vkr_module_word(module, in, 3) : 0;
	return variable && turns->values->is_plain[variable] && in->length == 4 &&
	       find_variable(turns, variable, header, turn);
}

bool vkr_turn_find(struct vkr_turns *turns, uint32_t id, uint32_t instruction, uint32_t header,
		   struct vkr_turn *turn)
{
	struct vkr_slice *slice = &turns->slice;
	if (!turns->is_there || instruction < slice->function->body ||
	    instruction >= slice->function->end)
		return false;
	const uint32_t block = block_of(slice, instruction);
	return (header != VKR_NO_BLOCK || find_loop(slice, block, &header)) &&
	       vkr_turns_pass(turns, header, block) && vkr_turn_find_in(turns, id, header, turn);
}

bool vkr_turn_step(const struct vkr_turn *turn, uint32_t *step)
{
	*step = turn->operation == SpvOpIAdd ? turn->constant : 0 - turn->constant;
	return turn->operation == SpvOpIAdd || turn->operation == SpvOpISub;
}

bool vkr_turn_values(const struct vkr_turns *turns, const struct vkr_turn *turn, uint32_t count,
		     uint32_t *values)
{
	uint64_t value;
	if (!vkr_constant_value(turns->slice.survey->constants, turn->initial, &value))
		return false;
	for (uint32_t n = 0; n < count; n++) {
		values[n] = (uint32_t)value;
		if (n + 1 < count &&
		    !vkr_constant_operation(turn->operation, 32, values[n], turn->constant, &value))
			return false;
	}
	return true;
}

// ---- How many turns -----------------------------------------------------------------------------

// The turn behind whose test a loop is left, by a comparison of a counter with a constant: where
// that `is_left`. False where it is not known.
static bool find_last(struct vkr_turns *turns, uint32_t header, uint32_t condition, bool is_left,
		      uint32_t *last)
{
	const struct vkr_module *module = turns->slice.survey->module;
	const struct vkr_constants *constants = turns->slice.survey->constants;
	const struct vkr_instruction *in = vkr_module_definition(module, condition);
	struct vkr_turn turn;
	uint32_t values[VKR_TURNS_MOST + 1];
	uint64_t constant, is_true;
	if (in->length != 5)
		return false;
	const uint32_t a = vkr_module_word(module, in, 3), b = vkr_module_word(module, in, 4);
	const bool is_second = vkr_constant_value(constants, a, &constant);
	if ((!is_second && !vkr_constant_value(constants, b, &constant)) ||
	    !vkr_turn_find_in(turns, is_second ? b : a, header, &turn) ||
	    !vkr_turn_values(turns, &turn, VKR_TURNS_MOST + 1, values))
		return false;
	for (*last = 0; *last <= VKR_TURNS_MOST; ++*last) {
		const uint64_t own = values[*last];
		if (!vkr_constant_operation((SpvOp)in->opcode, 32, is_second ? constant : own,
					    is_second ? own : constant, &is_true))
			return false;
		if ((is_true != 0) == is_left)
			return true;
	}
	return false;
}

uint32_t vkr_turns_most(struct vkr_turns *turns, uint32_t header, uint32_t *test)
{
	struct vkr_slice *slice = &turns->slice;
	const struct vkr_module *module = slice->survey->module;
	for (uint32_t b = header; b < slice->blocks[header].merge; b++) {
		const struct vkr_instruction *in =
			&module->instructions[slice->blocks[b].terminator];
		uint32_t last;
		*test = b;
		if (in->opcode != SpvOpBranchConditional || !is_in_loop(slice, header, b) ||
		    !vkr_turns_pass(turns, header, b))
			continue;
		const bool yes =
			leaves(slice, header, slice->block_of[vkr_module_word(module, in, 2)]);
		const bool no =
			leaves(slice, header, slice->block_of[vkr_module_word(module, in, 3)]);
		if (yes != no &&
		    find_last(turns, header, vkr_module_word(module, in, 1), yes, &last))
			return last;
	}
	return 0;
}
