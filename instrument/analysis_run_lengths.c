// SPDX-License-Identifier: Apache-2.0
// Segments without words that are all that a loop logs: the invocation counts how often it executed
// the segment, and logs the number once, after the loop. Knows control flow; not how records are
// written.
//
// Between the first execution and the record the invocation logs nothing else, and nothing in the
// segment synchronizes: so its records stay in program order, and in the same barrier intervals.
#include "analysis_run_lengths.h"

// Whether control that enters the block goes on to another one of the function.
static bool goes_on(const struct vkr_module *module, const struct vkr_block *block)
{
	switch (module->instructions[block->terminator].opcode) {
	case SpvOpBranch:
	case SpvOpBranchConditional:
	case SpvOpSwitch:
	case SpvOpUnreachable: // no control enters it
		return true;
	default:
		return false;
	}
}

static bool calls_what_logs(const struct vkr_analysis *analysis, const struct vkr_block *block)
{
	for (uint32_t i = block->first; i < block->terminator; i++) {
		const struct vkr_instruction *in = &analysis->module->instructions[i];
		if (in->opcode == SpvOpFunctionCall &&
		    analysis->logs[vkr_module_callee(analysis->module, in)])
			return true;
	}
	return false;
}

// Whether a fragment may be over, or a helper, before it is behind the loop: it would not log what
// it has done in it.
static bool may_end_inside(const struct vkr_analysis *analysis, const struct vkr_slice *slice)
{
	for (uint32_t b = 0; b < slice->block_count; b++) {
		const struct vkr_block *block = &slice->blocks[b];
		for (uint32_t i = block->first; slice->seen[b] && i < block->terminator; i++) {
			const uint16_t opcode = analysis->module->instructions[i].opcode;
			if (opcode == SpvOpFunctionCall || opcode == SpvOpDemoteToHelperInvocation)
				return true;
		}
	}
	return false;
}

bool vkr_run_length_takes(const struct vkr_site_draft *draft)
{
	return draft->pointer && !draft->image &&
	       !(draft->site.flags & (VKR_SITE_VALUES | VKR_SITE_COOPERATIVE));
}

bool vkr_run_length_comes_out(const struct vkr_analysis *analysis, const struct vkr_slice *slice)
{
	for (uint32_t b = 0; b < slice->block_count; b++)
		if (slice->seen[b] && (!goes_on(analysis->module, &slice->blocks[b]) ||
				       calls_what_logs(analysis, &slice->blocks[b])))
			return false;
	return true;
}

// Whether all of these drafts that lie in the block are accesses, and no other one lies in the
// loop, whose blocks are marked, or between the block and `behind`. Segments are numbered in the
// order of the code.
static bool leaves_alone(const struct vkr_loops *loops, uint32_t block, uint32_t behind,
			 const struct vkr_site_draft *drafts, size_t count)
{
	const struct vkr_slice *slice = &loops->slice;
	for (size_t i = 0; i < count; i++) {
		const uint32_t at = drafts[i].instruction;
		if (at < slice->function->body || at >= slice->function->end)
			continue;
		const uint32_t own = vkr_loops_block(loops, at);
		if (own == block && vkr_run_length_takes(&drafts[i]))
			continue;
		if (slice->seen[own] || (at > slice->blocks[block].first && at < behind))
			return false;
	}
	return true;
}

void vkr_run_length_find(const struct vkr_analysis *analysis, struct vkr_loops *loops,
			 uint32_t label, size_t kept, size_t draft,
			 struct vkr_run_length *run_length)
{
	const struct vkr_slice *slice = &loops->slice;
	*run_length = (struct vkr_run_length){.header = VKR_NO_BLOCK};
	uint32_t header;
	// Where atomics order, records are also read one by one.
	if (analysis->options->without & VKR_REDUCE_RUN_LENGTHS || analysis->logs_values ||
	    !loops->is_there || label < slice->function->body || label >= slice->function->end)
		return;
	const uint32_t block = vkr_loops_block(loops, label);
	const size_t count = analysis->drafts.count;
	while (draft + run_length->draft_count < count &&
	       analysis->drafts.items[draft + run_length->draft_count].instruction <
		       slice->blocks[block].terminator)
		run_length->draft_count++;
	if (!run_length->draft_count || !vkr_loops_loop(loops, block, &header))
		return;
	const uint32_t merge = slice->blocks[header].merge;
	run_length->behind = vkr_analysis_behind_phis(analysis->module, slice->blocks[merge].first);
	vkr_loops_mark(loops, header);
	if (!slice->blocks[merge].is_loop &&
	    !(analysis->identity && may_end_inside(analysis, slice)) &&
	    run_length->behind > slice->blocks[block].terminator &&
	    vkr_run_length_comes_out(analysis, slice) &&
	    leaves_alone(loops, block, run_length->behind, analysis->drafts.items, kept) &&
	    leaves_alone(loops, block, run_length->behind, analysis->drafts.items + draft,
			 count - draft))
		run_length->header = header;
}

bool vkr_run_length_make(struct vkr_analysis *analysis, const struct vkr_run_length *run_length,
			 size_t first_segment)
{
	struct vkr_segment_draft *segment = &analysis->segments.items[first_segment];
	if (analysis->segments.count != first_segment + 1)
		return false;
	for (uint32_t s = 0; s < segment->segment.site_count; s++)
		if (analysis->drafts.items[segment->segment.first_site + s].site.words)
			return false;
	segment->segment.kind = VKR_SEGMENT_RUN_LENGTH;
	segment->counted_at = segment->before;
	segment->before = run_length->behind;
	analysis->has_run_lengths = true;
	return true;
}
