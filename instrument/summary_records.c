// SPDX-License-Identifier: Apache-2.0
// Which values of a slice are logged, block by block, so that the rest of it follows. Knows values;
// not how they are written.
#include "array.h"
#include "inline_calls.h"
#include "summary_slice.h"

#include <string.h>

// The words of records whose own count is this, their number included.
static uint64_t record_size(uint32_t words)
{
	return (words | 1u) + (uint64_t)1;
}

// The slice's instruction as the analysis has it, or VKR_NO_ORIGIN.
static uint32_t original(const struct vkr_slice *slice, uint32_t index)
{
	return slice->origins ? slice->origins[index] : index;
}

// How often each instruction of the analysis stands in the slice: 0, 1, or 2 for more.
static uint8_t *count_copies(const struct vkr_slice *slice, const struct vkr_analysis *analysis)
{
	uint8_t *copies =
		vkr_arena_alloc(analysis->arena, analysis->module->instruction_count + (size_t)1);
	for (uint32_t i = slice->function->body; copies && i < slice->function->end; i++) {
		const uint32_t at = original(slice, i);
		if (at != VKR_NO_ORIGIN && copies[at] < 2)
			copies[at]++;
	}
	return copies;
}

// The values of a block that are logged, as the analysis has them; false where one has no place of
// its own there.
static bool find_values(const struct vkr_slice *slice, const struct vkr_analysis *analysis,
			struct vkr_block *block, const uint8_t *copies, uint32_t *values,
			uint32_t *count)
{
	const struct vkr_module *module = slice->analysis->module;
	*count = block->record_words = 0;
	for (uint32_t i = block->first + 1; i < block->terminator; i++) {
		const uint32_t id = module->instructions[i].result, at = original(slice, i);
		if (!id || !slice->is_logged[id])
			continue;
		if (at == VKR_NO_ORIGIN || copies[at] > 1)
			return false;
		block->record_words += vkr_slice_words(module, id);
		values[(*count)++] = analysis->module->instructions[at].result;
	}
	return true;
}

// The instruction of the analysis in front of which a block's values are logged: where the block
// ends, or calls, or returns from a call.
static uint32_t end_of(const struct vkr_slice *slice, const struct vkr_block *block)
{
	uint32_t last = block->terminator;
	if (original(slice, last) != VKR_NO_ORIGIN)
		return original(slice, last) - (block->merge != VKR_NO_BLOCK);
	while (original(slice, last) == VKR_NO_ORIGIN)
		last--;
	return original(slice, last) + 1;
}

// The segment that logs a block's values where it ends.
static bool add_record(struct vkr_analysis *analysis, const struct vkr_block *block,
		       uint32_t before, const uint32_t *values, uint32_t count)
{
	uint32_t *kept = vkr_arena_alloc(analysis->arena, count * sizeof *kept);
	if (!kept || !VKR_ARRAY_RESERVE(&analysis->records, 1))
		return false;
	memcpy(kept, values, count * sizeof *kept);
	analysis->records.items[analysis->records.count++] = (struct vkr_segment_draft){
		.segment.words =
			analysis->wants_streams ? block->record_words : block->record_words | 1u,
		.before = before,
		.values = kept,
		.value_count = count,
	};
	return true;
}

// Puts the records in the order of what they stand in front of, and numbers them so.
static void sort_records(struct vkr_slice *slice, struct vkr_analysis *analysis)
{
	struct vkr_segment_draft *items = analysis->records.items;
	for (size_t i = 1; i < analysis->records.count; i++) {
		const struct vkr_segment_draft moved = items[i];
		size_t at = i;
		for (; at > 0 && items[at - 1].before > moved.before; at--)
			items[at] = items[at - 1];
		items[at] = moved;
	}
	for (uint32_t b = 0; b < slice->block_count; b++) {
		struct vkr_block *block = &slice->blocks[b];
		uint32_t number = 0;
		if (!block->record)
			continue;
		const uint32_t before = end_of(slice, block);
		while (items[number].before != before)
			number++;
		block->record = number + 1;
	}
}

// Worth it where no more is logged than by what has sites.
static bool is_worth_it(const struct vkr_analysis *analysis)
{
	uint64_t records = 0, segments = 0;
	for (size_t i = 0; i < analysis->records.count; i++)
		records += record_size(analysis->records.items[i].segment.words);
	for (size_t i = 0; i < analysis->segments.count; i++)
		segments += record_size(analysis->segments.items[i].segment.words);
	return records <= segments;
}

// Whether an instruction is in a loop. Blocks of a loop stand before its merge block.
static bool is_in_loop(const struct vkr_slice *slice, uint32_t index)
{
	for (uint32_t b = 0; b < slice->block_count; b++) {
		const struct vkr_block *block = &slice->blocks[b];
		if (block->is_loop && index > block->first &&
		    index < slice->blocks[block->merge].first)
			return true;
	}
	return false;
}

// Whether an instruction has an operand of those that are marked.
static bool uses_marked(const struct vkr_module *module, const struct vkr_instruction *in,
			const bool *marked)
{
	for (uint16_t use = 0; use < in->use_count; use++)
		if (marked[module->words[module->uses[in->first_use + use]]])
			return true;
	return false;
}

// Marks what follows from marked values and variables; whether something was new.
static bool spread_marks(const struct vkr_slice *slice, bool *marked)
{
	const struct vkr_module *module = slice->analysis->module;
	bool changed = false;
	for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		const uint32_t to =
			in->opcode == SpvOpStore
				? vkr_pointer_root(module, vkr_module_word(module, in, 1))
				: in->result;
		if (to == 0 || marked[to] || !uses_marked(module, in, marked))
			continue;
		marked[to] = changed = true;
	}
	return changed;
}

// Whether an instruction's result may be another one in each invocation, whatever its operands are.
static bool varies_by_itself(const struct vkr_slice *slice, const struct vkr_instruction *in)
{
	const struct vkr_module *module = slice->analysis->module;
	uint32_t builtin;
	if (in->opcode != SpvOpLoad)
		return vkr_opcode_atomic(in->opcode);
	const uint32_t root = vkr_pointer_root(module, vkr_module_word(module, in, 3));
	return vkr_module_decorated(module, root, VKR_NO_MEMBER, SpvDecorationBuiltIn, &builtin) &&
	       builtin != SpvBuiltInWorkgroupId && builtin != SpvBuiltInNumWorkgroups &&
	       builtin != SpvBuiltInWorkgroupSize;
}

// Marks values that follow from which invocation it is, or from what it alone has found in memory.
static void mark_varying(const struct vkr_slice *slice, bool *marked)
{
	const struct vkr_module *module = slice->analysis->module;
	for (uint32_t i = slice->function->body; i < slice->function->end; i++)
		if (module->instructions[i].result &&
		    varies_by_itself(slice, &module->instructions[i]))
			marked[module->instructions[i].result] = true;
	while (spread_marks(slice, marked))
		;
}

// Whether branches depend on what is logged in loops, and is another value in each invocation:
// there invocations part, and a summary takes longer than records of each of them.
static bool parts_in_loops(const struct vkr_slice *slice, bool *varying, bool *marked)
{
	const struct vkr_module *module = slice->analysis->module;
	bool any = false;
	mark_varying(slice, varying);
	for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
		const uint32_t id = module->instructions[i].result;
		if (!id || !slice->is_logged[id] || !varying[id] || !is_in_loop(slice, i))
			continue;
		any = marked[id] = true;
	}
	while (any && spread_marks(slice, marked))
		;
	for (uint32_t b = 0; any && b < slice->block_count; b++) {
		const struct vkr_block *block = &slice->blocks[b];
		if (block->reached && !block->passed &&
		    uses_marked(module, &module->instructions[block->terminator], marked))
			return true;
	}
	return false;
}

bool vkr_slice_records(struct vkr_slice *slice, struct vkr_analysis *analysis, bool *no_memory)
{
	const uint8_t *copies = count_copies(slice, analysis);
	uint32_t *values =
		vkr_arena_alloc(analysis->arena, slice->analysis->module->bound * sizeof *values);
	*no_memory = !copies || !values;
	for (uint32_t b = 0; b < slice->block_count && !*no_memory; b++) {
		struct vkr_block *block = &slice->blocks[b];
		uint32_t count;
		if (!find_values(slice, analysis, block, copies, values, &count) ||
		    block->record_words > VKR_SUMMARY_RECORD_WORDS)
			return false;
		block->record = count > 0;
		*no_memory = count > 0 &&
			     !add_record(analysis, block, end_of(slice, block), values, count);
	}
	if (*no_memory)
		return false;
	sort_records(slice, analysis);
	bool *marked = vkr_arena_alloc(analysis->arena, slice->analysis->module->bound);
	bool *varying = vkr_arena_alloc(analysis->arena, slice->analysis->module->bound);
	*no_memory = !marked || !varying;
	return !*no_memory && !(slice->origins && parts_in_loops(slice, varying, marked)) &&
	       is_worth_it(analysis);
}
