// SPDX-License-Identifier: Apache-2.0
// Runs without words that are all that a loop logs: how often the loop went through one is counted,
// and logged once, behind the loop. Knows control flow; not how records are written.
//
// Between the first time and the record nothing else is logged by the invocation, and nothing in
// the run synchronizes: so its records stay in program order, and in the intervals between barriers
// that they were in.
#include "survey_lists.h"

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

static bool calls_what_logs(const struct vkr_survey *survey, const struct vkr_block *block)
{
	for (uint32_t i = block->first; i < block->terminator; i++) {
		const struct vkr_instruction *in = &survey->module->instructions[i];
		if (in->opcode == SpvOpFunctionCall && survey->logs[vkr_survey_callee(survey, in)])
			return true;
	}
	return false;
}

bool vkr_list_takes(const struct vkr_draft *draft)
{
	return draft->pointer && !draft->image &&
	       !(draft->site.flags & (VKR_SITE_EVIDENCE | VKR_SITE_COOPERATIVE));
}

bool vkr_list_comes_out(const struct vkr_survey *survey, const struct vkr_slice *slice)
{
	for (uint32_t b = 0; b < slice->block_count; b++)
		if (slice->seen[b] && (!goes_on(survey->module, &slice->blocks[b]) ||
				       calls_what_logs(survey, &slice->blocks[b])))
			return false;
	return true;
}

// Whether those of these drafts that are in the block are accesses, and the others neither in the
// loop, whose blocks are marked, nor between the block and `behind`: segments are numbered in the
// order of the code.
static bool leaves_alone(const struct vkr_turns *turns, uint32_t block, uint32_t behind,
			 const struct vkr_draft *drafts, size_t count)
{
	const struct vkr_slice *slice = &turns->slice;
	for (size_t i = 0; i < count; i++) {
		const uint32_t at = drafts[i].instruction;
		if (at < slice->function->body || at >= slice->function->end)
			continue;
		const uint32_t own = vkr_turns_block(turns, at);
		if (own == block && vkr_list_takes(&drafts[i]))
			continue;
		if (slice->seen[own] || (at > slice->blocks[block].first && at < behind))
			return false;
	}
	return true;
}

void vkr_list_find(const struct vkr_survey *survey, struct vkr_turns *turns, uint32_t label,
		   size_t kept, size_t draft, struct vkr_list *list)
{
	const struct vkr_slice *slice = &turns->slice;
	*list = (struct vkr_list){.header = VKR_NO_BLOCK};
	uint32_t header;
	// Where atomics order, records are also read one by one.
	if (survey->options->without & VKR_REDUCE_LISTS || survey->identity ||
	    survey->has_evidence || !turns->is_there || label < slice->function->body ||
	    label >= slice->function->end)
		return;
	const uint32_t block = vkr_turns_block(turns, label);
	const size_t count = survey->drafts.count;
	while (draft + list->draft_count < count &&
	       survey->drafts.items[draft + list->draft_count].instruction <
		       slice->blocks[block].terminator)
		list->draft_count++;
	if (!list->draft_count || !vkr_turns_loop(turns, block, &header))
		return;
	const uint32_t merge = slice->blocks[header].merge;
	list->behind = vkr_survey_behind_phis(survey->module, slice->blocks[merge].first);
	vkr_turns_mark(turns, header);
	if (!slice->blocks[merge].is_loop && list->behind > slice->blocks[block].terminator &&
	    vkr_list_comes_out(survey, slice) &&
	    leaves_alone(turns, block, list->behind, survey->drafts.items, kept) &&
	    leaves_alone(turns, block, list->behind, survey->drafts.items + draft, count - draft))
		list->header = header;
}

bool vkr_list_make(struct vkr_survey *survey, const struct vkr_list *list, size_t first_run)
{
	struct vkr_run *run = &survey->runs.items[first_run];
	if (survey->runs.count != first_run + 1)
		return false;
	for (uint32_t s = 0; s < run->segment.site_count; s++)
		if (survey->drafts.items[run->segment.first_site + s].site.words)
			return false;
	run->segment.kind = VKR_SEGMENT_LIST;
	run->turned_at = run->before;
	run->before = list->behind;
	survey->has_lists = true;
	return true;
}
