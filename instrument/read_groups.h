// SPDX-License-Identifier: Apache-2.0
// The sites of a segment in groups of reads that few invocations log for all. Knows what the reads
// of a group have in common; not why few stand for all, which is known for draws (uniform_reads.h)
// and for dispatches (reader_marks.h).
#pragma once

#include "analysis.h"

// What draft->shared_by says: not of this kind, the same bytes for all, or else the id of the value
// that distinguishes them.
#define VKR_SHARED_BY_NONE 0u
#define VKR_SHARED_BY_ALL  UINT32_MAX
// Of a run-length record: how often a loop was gone through distinguishes them.
#define VKR_SHARED_BY_COUNT (UINT32_MAX - 1)
// Of texels: which ones are read does (texel_marks.h).
#define VKR_SHARED_BY_TEXELS (UINT32_MAX - 2)

// Gives a group, whose first draft is `drafts`, its marks, as many as it gets.
typedef void vkr_allot_marks(struct vkr_analysis *analysis, const struct vkr_site_draft *drafts,
			     struct vkr_mark_group *group);

// Puts the drafts of the segment in groups of the same shared_by, and gives each one that is shared
// its marks. Adds a segment for each group; or, where `merges`, one for those with marks together:
// the shader only reads. False for lack of memory.
bool vkr_read_groups_split(struct vkr_analysis *analysis, const struct vkr_segment_draft *segment,
			   vkr_allot_marks *allot, bool merges);
