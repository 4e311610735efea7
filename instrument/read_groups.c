// SPDX-License-Identifier: Apache-2.0
#include "read_groups.h"

#include "array.h"

#include <string.h>

static bool add_group(struct vkr_analysis *analysis, const struct vkr_segment_draft *segment,
		      const struct vkr_site_draft *drafts, uint32_t first, uint32_t count,
		      vkr_allot_marks *allot)
{
	struct vkr_segment_draft group = *segment;
	group.segment.first_site = first;
	group.segment.site_count = count;
	group.segment.words = 0;
	for (uint32_t i = 0; i < count; i++)
		group.segment.words += drafts[i].site.words;
	group.segment.words |= 1; // whole records are an even number of words (gpu_log.h)
	group.shared_by = drafts->shared_by;
	if (group.shared_by != VKR_SHARED_BY_NONE)
		allot(analysis, drafts, &group);
	if (!VKR_ARRAY_RESERVE(&analysis->segments, 1))
		return false;
	analysis->segments.items[analysis->segments.count++] = group;
	return true;
}

bool vkr_read_groups_split(struct vkr_analysis *analysis, const struct vkr_segment_draft *segment,
			   vkr_allot_marks *allot)
{
	const uint32_t first = segment->segment.first_site, count = segment->segment.site_count;
	struct vkr_site_draft *own = analysis->drafts.items + first;
	struct vkr_site_draft *sorted = vkr_arena_alloc(analysis->arena, count * sizeof *sorted);
	uint32_t *moved = vkr_arena_alloc(analysis->arena, count * sizeof *moved);
	if (!sorted || !moved)
		return false;
	memset(moved, 0xff, count * sizeof *moved);
	uint32_t to = 0;
	bool added = true;
	for (uint32_t i = 0; i < count && added; i++) {
		const uint32_t begin = to;
		if (moved[i] != UINT32_MAX)
			continue;
		for (uint32_t k = i; k < count; k++) {
			if (own[k].shared_by != own[i].shared_by)
				continue;
			sorted[to] = own[k];
			moved[k] = to++;
		}
		added = add_group(analysis, segment, sorted + begin, first + begin, to - begin,
				  allot);
	}
	// Words are shared within groups alone.
	for (uint32_t i = 0; i < to && added; i++)
		if (sorted[i].site.flags & VKR_SITE_SHARED)
			sorted[i].site.offset_site =
				first + moved[sorted[i].site.offset_site - first];
	memcpy(own, sorted, to * sizeof *own);
	return added;
}
