// SPDX-License-Identifier: Apache-2.0
// Which segments can be run-length records: logged once, after the loop that goes through them.
// Knows control flow; not what is left out of records.
#pragma once

#include "analysis.h"
#include "loop_counters.h"

// The run-length record that a block's drafts would become.
struct vkr_run_length {
	uint32_t header; // block of the loop; VKR_NO_BLOCK: they cannot be one
	uint32_t behind; // the instruction in front of which the record is
	size_t draft_count;
};

// Whether the drafts of a block, from `draft` on, are all that the innermost loop around it logs,
// and accesses. Of analysis->drafts those below `kept` and from `draft` on are there.
void vkr_run_length_find(const struct vkr_analysis *analysis, struct vkr_loops *loops,
			 uint32_t label, size_t kept, size_t draft,
			 struct vkr_run_length *run_length);

// Whether a run-length record may have the draft as one of its sites: an access.
bool vkr_run_length_takes(const struct vkr_site_draft *draft);

// Whether all that goes into a loop, whose blocks are marked, comes out at its merge block, and
// calls nothing on its way that logs.
bool vkr_run_length_comes_out(const struct vkr_analysis *analysis, const struct vkr_slice *slice);

// Makes a run-length record of the segments from first_segment on: of one without words. False
// where it is not.
bool vkr_run_length_make(struct vkr_analysis *analysis, const struct vkr_run_length *run_length,
			 size_t first_segment);
