// SPDX-License-Identifier: Apache-2.0
// Loops of few turns whose runs are without words: which of them each turn came by is a bit, and
// all bits are logged once, behind the loop. Knows control flow; not how records are written.
//
// A turn comes by the runs in the order in which they stand in the code, by each at most once, and
// between the first turn and the record nothing else is logged by the invocation. So its accesses
// stay in program order, and between the barriers that they were between.
#include "survey_ways.h"

#include "array.h"
#include "survey_lists.h"

static bool is_plain(const struct vkr_draft *draft)
{
	return draft->site.operation == VKR_SITE_CONTROL_BARRIER || vkr_list_takes(draft);
}

struct forward {
	const struct vkr_slice *slice;
	uint32_t header, merge, block;
	bool is_good;
};

static void visit_forward(uint32_t block, void *user)
{
	struct forward *forward = user;
	forward->is_good &=
		block == forward->header || (block > forward->block && block <= forward->merge);
}

// Whether all branches in the loop, whose blocks are marked, lead forward in the code, but for
// those to its header: so there is no loop in it. What stands behind it in the code is its merge
// block.
static bool is_forward(const struct vkr_slice *slice, uint32_t header)
{
	struct forward forward = {slice, header, slice->blocks[header].merge, 0, true};
	for (; forward.block < slice->block_count; forward.block++)
		if (slice->seen[forward.block])
			vkr_slice_targets(slice, forward.block, &forward, visit_forward);
	return forward.is_good;
}

// Whether a draft of the loop is in a block that is marked.
static bool has_marked(const struct vkr_survey *survey, const struct vkr_turns *turns, size_t draft,
		       const struct vkr_ways *ways)
{
	for (size_t i = draft; i < draft + ways->draft_count; i++)
		if (turns->slice.seen[vkr_turns_block(turns, survey->drafts.items[i].instruction)])
			return true;
	return false;
}

void vkr_ways_find(const struct vkr_survey *survey, struct vkr_turns *turns, uint32_t label,
		   size_t draft, struct vkr_ways *ways)
{
	const struct vkr_slice *slice = &turns->slice;
	*ways = (struct vkr_ways){.header = VKR_NO_BLOCK};
	// Where atomics order, records are also read one by one.
	if (survey->options->without & VKR_REDUCE_WAYS || survey->identity ||
	    survey->has_evidence || !turns->is_there || label < slice->function->body ||
	    label >= slice->function->end)
		return;
	const uint32_t header = vkr_turns_block(turns, label);
	const struct vkr_block *block = &slice->blocks[header];
	if (!block->is_loop || block->next == header || slice->blocks[block->merge].is_loop)
		return;
	const struct vkr_block *merge = &slice->blocks[block->merge];
	ways->end = merge->first;
	ways->behind = vkr_survey_behind_phis(survey->module, merge->first);
	ways->next = vkr_survey_behind_phis(survey->module, slice->blocks[block->next].first);
	while (draft + ways->draft_count < survey->drafts.count &&
	       survey->drafts.items[draft + ways->draft_count].instruction < ways->behind)
		ways->draft_count++;
	vkr_turns_mark(turns, header);
	if (!ways->draft_count || !vkr_list_comes_out(survey, slice) || !is_forward(slice, header))
		return;
	for (size_t i = draft; i < draft + ways->draft_count; i++) {
		const struct vkr_draft *own = &survey->drafts.items[i];
		if (!is_plain(own) || !slice->seen[vkr_turns_block(turns, own->instruction)])
			return;
	}
	vkr_turns_mark_next(turns, header);
	if (has_marked(survey, turns, draft, ways))
		return;
	uint32_t test, most = vkr_turns_most(turns, header, &test);
	if (!most)
		return;
	vkr_turns_mark_last(turns, header, test);
	most += has_marked(survey, turns, draft, ways);
	if (most > VKR_TURNS_MOST)
		return;
	ways->turn_bits = VKR_TURNS_MOST / most;
	ways->header = header;
}

// Whether a run is a list as well, which has no end of turns.
static bool is_list(const struct vkr_survey *survey, struct vkr_turns *turns,
		    const struct vkr_ways *ways, const struct vkr_run *run)
{
	bool moves = false;
	if (survey->options->without & VKR_REDUCE_LISTS)
		return false;
	for (uint32_t s = 0; s < run->segment.site_count; s++) {
		const struct vkr_draft *draft = &survey->drafts.items[run->segment.first_site + s];
		if (!vkr_list_takes(draft) || draft->site.turn_values)
			return false;
		moves |= draft->site.by_turn != 0;
	}
	return !moves || vkr_turns_pass(turns, ways->header, vkr_turns_block(turns, run->before));
}

static bool add_step(struct vkr_survey *survey, struct vkr_way_step step)
{
	if (!VKR_ARRAY_RESERVE(&survey->way_steps, 1))
		return false;
	size_t at = survey->way_steps.count++;
	for (; at > 0 && survey->way_steps.items[at - 1].before > step.before; at--)
		survey->way_steps.items[at] = survey->way_steps.items[at - 1];
	survey->way_steps.items[at] = step;
	return true;
}

bool vkr_ways_make(struct vkr_survey *survey, struct vkr_turns *turns, const struct vkr_ways *ways,
		   size_t first_run, bool *made)
{
	const size_t count = survey->runs.count - first_run;
	const uint32_t words = ((uint32_t)count + ways->turn_bits - 1) / ways->turn_bits;
	struct vkr_run *first = &survey->runs.items[first_run];
	*made = false;
	if (!count || words > VKR_WAY_WORDS || (count == 1 && is_list(survey, turns, ways, first)))
		return true;
	const uint32_t first_site = first->segment.first_site;
	const struct vkr_run *last = &survey->runs.items[survey->runs.count - 1];
	const uint32_t end = last->segment.first_site + last->segment.site_count;
	for (uint32_t s = first_site; s < end; s++)
		if (survey->drafts.items[s].site.words)
			return true;
	for (uint32_t way = 0; way < count; way++) {
		const struct vkr_run *run = &first[way];
		survey->drafts.items[run->segment.first_site].site.flags |= VKR_SITE_WAY;
		if (!add_step(survey, (struct vkr_way_step){run->before, way / ways->turn_bits,
							    way % ways->turn_bits, 0}))
			return false;
	}
	if (!add_step(survey,
		      (struct vkr_way_step){.before = ways->next, .turn_bits = ways->turn_bits}))
		return false;
	survey->runs.count = first_run + 1;
	*first = (struct vkr_run){.segment = {.first_site = first_site,
					      .site_count = end - first_site,
					      .words = words | 1,
					      .kind = VKR_SEGMENT_WAYS,
					      .turn_bits = (uint16_t)ways->turn_bits},
				  .before = ways->behind,
				  .way_words = words};
	if (survey->way_words < words)
		survey->way_words = words;
	*made = true;
	return true;
}
