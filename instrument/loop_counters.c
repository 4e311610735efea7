// SPDX-License-Identifier: Apache-2.0
#include "loop_counters.h"

#include "search.h"

bool vkr_loops_init(struct vkr_loops *loops, const struct vkr_analysis *analysis,
		    const struct vkr_values *values)
{
	*loops = (struct vkr_loops){.values = values};
	return vkr_slice_read(&loops->slice, analysis, &loops->is_there);
}

// ---- Loops --------------------------------------------------------------------------------------

static uint32_t block_of(const struct vkr_slice *slice, uint32_t instruction)
{
	size_t low = 0;
	VKR_SEARCH(low, slice->block_count - 1, at, slice->blocks[at].terminator < instruction);
	return (uint32_t)low;
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

// Recognizes a result that an instruction computes from a constant and `id`, or a load of the
// variable `id`.
static bool find_move(const struct vkr_slice *slice, uint32_t sum, uint32_t id, uint32_t block,
		      struct vkr_loop_counter *counter)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *in = vkr_module_definition(module, sum);
	const bool adds = in->opcode == SpvOpIAdd;
	uint64_t value;
	if ((!adds && in->opcode != SpvOpISub) || slice->home[sum] != block + 1)
		return false;
	for (uint32_t word = 3; word < 5; word++) {
		const struct vkr_instruction *own =
			vkr_module_definition(module, vkr_module_word(module, in, word));
		bool is_load = own->opcode == SpvOpLoad && vkr_module_word(module, own, 3) == id &&
			       slice->home[own->result] == block + 1;
		if ((is_load || own->result == id) &&
		    vkr_constant_value(slice->analysis->constants,
				       vkr_module_word(module, in, 7 - word), &value)) {
			counter->step = adds ? (uint32_t)value : 0 - (uint32_t)value;
			return word == 3 || adds;
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

// Finds the counter of the loop itself.
static bool find_in(struct vkr_loops *loops, uint32_t id, uint32_t header,
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
	return variable && loops->values->is_plain[variable] &&
	       vkr_module_is_plain(module, in, 4) &&
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
	       vkr_loops_pass(loops, header, block) && find_in(loops, id, header, counter);
}
