// SPDX-License-Identifier: Apache-2.0
#include "read_groups.h"

#include "array.h"

#include <string.h>

struct splitting {
	struct vkr_analysis *analysis;
	const struct vkr_segment_draft *segment;
	struct vkr_site_draft *own;    // the segment's drafts
	struct vkr_site_draft *sorted; // group by group
	uint32_t *moved;               // by draft: where it is in `sorted`
	uint32_t done;                 // of `sorted`
	struct vkr_mark_group *groups; // that have marks
	uint32_t group_count;
};

// Adds a segment of what was sorted from `first` on, with those groups that come last.
static bool add_segment(const struct splitting *of, uint32_t first, uint32_t group_count)
{
	struct vkr_analysis *analysis = of->analysis;
	struct vkr_segment_draft added = *of->segment;
	added.segment.first_site += first;
	added.segment.site_count = of->done - first;
	added.segment.words = 0;
	for (uint32_t i = first; i < of->done; i++)
		added.segment.words += of->sorted[i].site.words;
	added.segment.words |= 1; // whole records are an even number of words (gpu_log.h)
	added.groups = of->groups + of->group_count - group_count;
	added.group_count = group_count;
	if (!VKR_ARRAY_RESERVE(&analysis->segments, 1))
		return false;
	analysis->segments.items[analysis->segments.count++] = added;
	return true;
}

static void sort_group(struct splitting *of, uint32_t shared_by)
{
	for (uint32_t i = 0; i < of->segment->segment.site_count; i++) {
		if (of->own[i].shared_by != shared_by)
			continue;
		of->sorted[of->done] = of->own[i];
		of->moved[i] = of->done++;
	}
}

static bool is_first_of_group(const struct splitting *of, uint32_t draft)
{
	for (uint32_t i = 0; i < draft; i++)
		if (of->own[i].shared_by == of->own[draft].shared_by)
			return false;
	return true;
}

// Sorts the drafts of the group that this one is the first of.
static void take_group(struct splitting *of, uint32_t draft, const struct vkr_mark_group *marks)
{
	sort_group(of, of->own[draft].shared_by);
	if (marks->count > 0)
		of->groups[of->group_count++] = *marks;
}

// Adds a segment for each group, in the order in which they begin: what is between them, as a
// barrier is, has its place in it. Where `merges`, only of those without marks.
static bool add_groups(struct splitting *of, const struct vkr_mark_group *marks, bool merges)
{
	bool added = true;
	for (uint32_t i = 0; i < of->segment->segment.site_count && added; i++) {
		const uint32_t first = of->done;
		if (!is_first_of_group(of, i) || (merges && marks[i].count > 0))
			continue;
		take_group(of, i, &marks[i]);
		added = add_segment(of, first, marks[i].count > 0 ? 1 : 0);
	}
	return added;
}

// Adds one segment for all groups with marks.
static bool add_marked(struct splitting *of, const struct vkr_mark_group *marks)
{
	const uint32_t first = of->done;
	for (uint32_t i = 0; i < of->segment->segment.site_count; i++)
		if (is_first_of_group(of, i) && marks[i].count > 0)
			take_group(of, i, &marks[i]);
	return of->done == first || add_segment(of, first, of->group_count);
}

// Words are shared within groups alone.
static void move_words(const struct splitting *of)
{
	const uint32_t first = of->segment->segment.first_site;
	for (uint32_t i = 0; i < of->done; i++)
		if (of->sorted[i].site.flags & VKR_SITE_SHARED)
			of->sorted[i].site.offset_site =
				first + of->moved[of->sorted[i].site.offset_site - first];
	memcpy(of->own, of->sorted, of->done * sizeof *of->own);
}

bool vkr_read_groups_split(struct vkr_analysis *analysis, const struct vkr_segment_draft *segment,
			   vkr_allot_marks *allot, bool merges)
{
	const uint32_t count = segment->segment.site_count;
	struct splitting of = {
		.analysis = analysis,
		.segment = segment,
		.own = analysis->drafts.items + segment->segment.first_site,
		.sorted = vkr_arena_alloc(analysis->arena, count * sizeof *of.sorted),
		.moved = vkr_arena_alloc(analysis->arena, count * sizeof *of.moved),
		.groups = vkr_arena_alloc(analysis->arena, count * sizeof *of.groups),
	};
	struct vkr_mark_group *marks = vkr_arena_alloc(analysis->arena, count * sizeof *marks);
	if (!of.sorted || !of.moved || !of.groups || !marks)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		marks[i] = (struct vkr_mark_group){.shared_by = of.own[i].shared_by};
		if (marks[i].shared_by != VKR_SHARED_BY_NONE && is_first_of_group(&of, i))
			allot(analysis, &of.own[i], &marks[i]);
	}
	if (!add_groups(&of, marks, merges) || (merges && !add_marked(&of, marks)))
		return false;
	move_words(&of);
	return true;
}
