// SPDX-License-Identifier: Apache-2.0
// Which values of a slice are logged, block by block, so that the rest of it follows. Knows values;
// not how they are written.
#include "array.h"
#include "summary_slice.h"

// The words of records whose own count is this, their number included.
static uint64_t record_size(uint32_t words)
{
	return (words | 1u) + (uint64_t)1;
}

static uint32_t count_words(const struct vkr_slice *slice, const struct vkr_block *block,
			    uint32_t *values)
{
	const struct vkr_module *module = slice->analysis->module;
	uint32_t words = 0;
	*values = 0;
	for (uint32_t i = block->first + 1; i < block->terminator; i++) {
		uint32_t id = module->instructions[i].result;
		if (!id || !slice->is_logged[id])
			continue;
		words += vkr_slice_words(module, id);
		++*values;
	}
	return words;
}

// The segment that logs a block's values where it ends.
static bool add_record(const struct vkr_slice *slice, struct vkr_analysis *analysis,
		       struct vkr_block *block, uint32_t count)
{
	const struct vkr_module *module = analysis->module;
	uint32_t *values = vkr_arena_alloc(analysis->arena, count * sizeof *values), at = 0;
	if (!values || !VKR_ARRAY_RESERVE(&analysis->records, 1))
		return false;
	for (uint32_t i = block->first + 1; i < block->terminator; i++) {
		uint32_t id = module->instructions[i].result;
		if (id && slice->is_logged[id])
			values[at++] = id;
	}
	analysis->records.items[analysis->records.count++] = (struct vkr_segment_draft){
		.segment.words =
			analysis->wants_streams ? block->record_words : block->record_words | 1u,
		.before = block->terminator - (block->merge != VKR_NO_BLOCK),
		.values = values,
		.value_count = count,
	};
	block->record = (uint32_t)analysis->records.count;
	return true;
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
	for (uint32_t b = 0; b < slice->block_count; b++) {
		struct vkr_block *block = &slice->blocks[b];
		uint32_t values;
		block->record_words = count_words(slice, block, &values);
		if (block->record_words > VKR_SUMMARY_RECORD_WORDS)
			return false;
		// Of calls that are written out it would stand in several places.
		if (values && slice->analysis != analysis)
			return false;
		if (values && !add_record(slice, analysis, block, values)) {
			*no_memory = true;
			return false;
		}
	}
	return is_worth_it(analysis);
}
