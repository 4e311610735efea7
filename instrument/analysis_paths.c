// SPDX-License-Identifier: Apache-2.0
// Loops of few iterations whose segments have no words. Each iteration records in one bit for each
// segment whether it executed that segment; all bits are logged once, after the loop. Knows control
// flow; not how records are written.
//
// An iteration passes the segments in the order of the code, each at most once, and between the
// first iteration and the record the invocation logs nothing else. So its accesses stay in program
// order and between the same barriers.
#include "analysis_paths.h"

#include "analysis_run_lengths.h"
#include "array.h"

static bool is_plain(const struct vkr_site_draft *draft)
{
	return draft->site.operation == VKR_SITE_CONTROL_BARRIER || vkr_run_length_takes(draft);
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

// Whether all branches in the loop, whose blocks are marked, lead forward in the code, except those
// to its header. Then the loop contains no other loop, and its merge block follows it in the code.
static bool is_forward(const struct vkr_slice *slice, uint32_t header)
{
	struct forward forward = {slice, header, slice->blocks[header].merge, 0, true};
	for (; forward.block < slice->block_count; forward.block++)
		if (slice->seen[forward.block])
			vkr_slice_targets(slice, forward.block, &forward, visit_forward);
	return forward.is_good;
}

// Whether a draft of the loop is in a block that is marked.
static bool has_marked(const struct vkr_analysis *analysis, const struct vkr_loops *loops,
		       size_t draft, const struct vkr_path_masks *paths)
{
	for (size_t i = draft; i < draft + paths->draft_count; i++)
		if (loops->slice
			    .seen[vkr_loops_block(loops, analysis->drafts.items[i].instruction)])
			return true;
	return false;
}

void vkr_path_masks_find(const struct vkr_analysis *analysis, struct vkr_loops *loops,
			 uint32_t label, size_t draft, struct vkr_path_masks *paths)
{
	const struct vkr_slice *slice = &loops->slice;
	*paths = (struct vkr_path_masks){.header = VKR_NO_BLOCK};
	// Where atomics order, records are also read one by one.
	if (analysis->options->without & VKR_REDUCE_PATHS || analysis->identity ||
	    analysis->logs_values || !loops->is_there || label < slice->function->body ||
	    label >= slice->function->end)
		return;
	const uint32_t header = vkr_loops_block(loops, label);
	const struct vkr_block *block = &slice->blocks[header];
	if (!block->is_loop || block->next == header || slice->blocks[block->merge].is_loop)
		return;
	const struct vkr_block *merge = &slice->blocks[block->merge];
	paths->end = merge->first;
	paths->behind = vkr_analysis_behind_phis(analysis->module, merge->first);
	paths->next = vkr_analysis_behind_phis(analysis->module, slice->blocks[block->next].first);
	while (draft + paths->draft_count < analysis->drafts.count &&
	       analysis->drafts.items[draft + paths->draft_count].instruction < paths->behind)
		paths->draft_count++;
	vkr_loops_mark(loops, header);
	if (!paths->draft_count || !vkr_run_length_comes_out(analysis, slice) ||
	    !is_forward(slice, header))
		return;
	for (size_t i = draft; i < draft + paths->draft_count; i++) {
		const struct vkr_site_draft *own = &analysis->drafts.items[i];
		if (!is_plain(own) || !slice->seen[vkr_loops_block(loops, own->instruction)])
			return;
	}
	vkr_loops_mark_next(loops, header);
	if (has_marked(analysis, loops, draft, paths))
		return;
	uint32_t test, most = vkr_loops_most(loops, header, &test);
	if (!most)
		return;
	vkr_loops_mark_last(loops, header, test);
	most += has_marked(analysis, loops, draft, paths);
	if (most > VKR_ITERATIONS_MOST)
		return;
	paths->iteration_bits = VKR_ITERATIONS_MOST / most;
	paths->header = header;
}

// Whether a segment is a run-length record as well, which has no end of iterations.
static bool is_run_length(const struct vkr_analysis *analysis, struct vkr_loops *loops,
			  const struct vkr_path_masks *paths,
			  const struct vkr_segment_draft *segment)
{
	bool moves = false;
	if (analysis->options->without & VKR_REDUCE_RUN_LENGTHS)
		return false;
	for (uint32_t s = 0; s < segment->segment.site_count; s++) {
		const struct vkr_site_draft *draft =
			&analysis->drafts.items[segment->segment.first_site + s];
		if (!vkr_run_length_takes(draft) || draft->site.iteration_values)
			return false;
		moves |= draft->site.by_iteration != 0;
	}
	return !moves ||
	       vkr_loops_pass(loops, paths->header, vkr_loops_block(loops, segment->before));
}

static bool add_step(struct vkr_analysis *analysis, struct vkr_path_step step)
{
	if (!VKR_ARRAY_RESERVE(&analysis->path_steps, 1))
		return false;
	size_t at = analysis->path_steps.count++;
	for (; at > 0 && analysis->path_steps.items[at - 1].before > step.before; at--)
		analysis->path_steps.items[at] = analysis->path_steps.items[at - 1];
	analysis->path_steps.items[at] = step;
	return true;
}

bool vkr_path_masks_make(struct vkr_analysis *analysis, struct vkr_loops *loops,
			 const struct vkr_path_masks *paths, size_t first_segment, bool *made)
{
	const size_t count = analysis->segments.count - first_segment;
	const uint32_t words =
		((uint32_t)count + paths->iteration_bits - 1) / paths->iteration_bits;
	struct vkr_segment_draft *first = &analysis->segments.items[first_segment];
	*made = false;
	if (!count || words > VKR_PATH_WORDS ||
	    (count == 1 && is_run_length(analysis, loops, paths, first)))
		return true;
	const uint32_t first_site = first->segment.first_site;
	const struct vkr_segment_draft *last =
		&analysis->segments.items[analysis->segments.count - 1];
	const uint32_t end = last->segment.first_site + last->segment.site_count;
	for (uint32_t s = first_site; s < end; s++)
		if (analysis->drafts.items[s].site.words)
			return true;
	for (uint32_t path = 0; path < count; path++) {
		const struct vkr_segment_draft *segment = &first[path];
		analysis->drafts.items[segment->segment.first_site].site.flags |= VKR_SITE_PATH;
		if (!add_step(analysis,
			      (struct vkr_path_step){segment->before, path / paths->iteration_bits,
						     path % paths->iteration_bits, 0}))
			return false;
	}
	if (!add_step(analysis, (struct vkr_path_step){.before = paths->next,
						       .iteration_bits = paths->iteration_bits}))
		return false;
	analysis->segments.count = first_segment + 1;
	*first = (struct vkr_segment_draft){
		.segment = {.first_site = first_site,
			    .site_count = end - first_site,
			    .words = words | 1,
			    .kind = VKR_SEGMENT_PATHS,
			    .iteration_bits = (uint16_t)paths->iteration_bits},
		.before = paths->behind,
		.path_words = words};
	if (analysis->path_words < words)
		analysis->path_words = words;
	*made = true;
	return true;
}
