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

// The values of a block that are logged, as the analysis has them.
static void find_values(const struct vkr_slice *slice, const struct vkr_analysis *analysis,
			struct vkr_block *block, uint32_t *values, uint32_t *count)
{
	const struct vkr_module *module = slice->analysis->module;
	*count = block->record_words = 0;
	for (uint32_t i = block->first + 1; i < block->terminator; i++) {
		const uint32_t id = module->instructions[i].result,
			       at = vkr_slice_original(slice, i);
		if (!id || !slice->is_logged[id])
			continue;
		block->record_words += vkr_slice_words(module, id);
		values[(*count)++] = analysis->module->instructions[at].result;
	}
}

// The instruction of the analysis in front of which a block's values are logged: where the block
// ends, or calls, or returns from a call.
static uint32_t end_of(const struct vkr_slice *slice, const struct vkr_block *block)
{
	uint32_t last = block->terminator;
	if (vkr_slice_original(slice, last) != VKR_NO_ORIGIN)
		return vkr_slice_original(slice, last) - (block->merge != VKR_NO_BLOCK);
	while (vkr_slice_original(slice, last) == VKR_NO_ORIGIN)
		last--;
	return vkr_slice_original(slice, last) + 1;
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

bool vkr_slice_records(struct vkr_slice *slice, struct vkr_analysis *analysis, bool *no_memory)
{
	uint32_t *values =
		vkr_arena_alloc(analysis->arena, slice->analysis->module->bound * sizeof *values);
	*no_memory = !values;
	for (uint32_t b = 0; b < slice->block_count && !*no_memory; b++) {
		struct vkr_block *block = &slice->blocks[b];
		uint32_t count;
		find_values(slice, analysis, block, values, &count);
		if (block->record_words > VKR_SUMMARY_RECORD_WORDS)
			return false;
		block->record = count > 0;
		*no_memory = count > 0 &&
			     !add_record(analysis, block, end_of(slice, block), values, count);
	}
	if (*no_memory)
		return false;
	sort_records(slice, analysis);
	return is_worth_it(analysis);
}
