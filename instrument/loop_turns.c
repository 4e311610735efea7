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

// Whether each turn that another one follows passes the block.
static bool is_in_each_turn(struct vkr_slice *slice, uint32_t header, uint32_t block)
{
	if (block == header)
		return true;
	if (block == slice->blocks[header].next)
		return false; // the counter has moved on there
	reach_without(slice, header, block, slice->blocks[header].merge);
	return !slice->seen[slice->blocks[header].next];
}

// ---- Counters -----------------------------------------------------------------------------------

// The constant that an instruction adds to `id`, or to what a load of the variable `id` yields.
static bool find_step(const struct vkr_slice *slice, uint32_t sum, uint32_t id, uint32_t block,
		      uint32_t *step)
{
	const struct vkr_module *module = slice->survey->module;
	const struct vkr_instruction *in = vkr_module_definition(module, sum);
	uint64_t value;
	if (in->opcode != SpvOpIAdd || slice->home[sum] != block + 1)
		return false;
	for (uint32_t word = 3; word < 5; word++) {
		const struct vkr_instruction *own =
			vkr_module_definition(module, vkr_module_word(module, in, word));
		bool is_load = own->opcode == SpvOpLoad && vkr_module_word(module, own, 3) == id &&
			       slice->home[own->result] == block + 1;
		if ((is_load || own->result == id) &&
		    vkr_constant_value(slice->survey->constants,
				       vkr_module_word(module, in, 7 - word), &value)) {
			*step = (uint32_t)value;
			return true;
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
			moves += find_step(slice, value, variable, next, &turn->step);
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
		else if (find_step(slice, value, phi->result, slice->home[value] - 1, &turn->step))
			back++;
	}
	return back == 1;
}

bool vkr_turn_find(struct vkr_turns *turns, uint32_t id, uint32_t instruction, uint32_t header,
		   struct vkr_turn *turn)
{
	struct vkr_slice *slice = &turns->slice;
	if (!turns->is_there || instruction < slice->function->body ||
	    instruction >= slice->function->end)
		return false;
	id = vkr_value_source(turns->values, id);
	const struct vkr_module *module = slice->survey->module;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	uint32_t block = block_of(slice, instruction), home = slice->home[id];
	if (!home || vkr_slice_components(module, in->type) != 1 ||
	    (header == VKR_NO_BLOCK && !find_loop(slice, block, &header)) ||
	    !is_in_each_turn(slice, header, block) || !is_in_loop(slice, header, home - 1) ||
	    home - 1 == slice->blocks[header].next)
		return false;
	if (in->opcode == SpvOpPhi)
		return find_phi(turns, in, header, turn);
	uint32_t variable = in->opcode == SpvOpLoad ? vkr_module_word(module, in, 3) : 0;
	return variable && turns->values->is_plain[variable] && in->length == 4 &&
	       find_variable(turns, variable, header, turn);
}
