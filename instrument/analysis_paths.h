// SPDX-License-Identifier: Apache-2.0
// Which loops log their paths: the segments that each iteration passed, logged once, after the
// loop. Knows control flow; not what is left out of records.
#pragma once

#include "analysis.h"
#include "loop_counters.h"

// A loop whose segments would be paths.
struct vkr_path_masks {
	uint32_t header;         // block of the loop; VKR_NO_BLOCK: they cannot be
	uint32_t end;            // the label of its merge block
	uint32_t behind;         // the instruction in front of which the record is
	uint32_t next;           // in front of which an iteration ends
	uint32_t iteration_bits; // for as many iterations as there can be
	size_t draft_count;      // in the loop
};

// Whether the drafts of a loop, from `draft` on, can be paths if they have no words. `label` is the
// label of the loop's header. analysis->drafts must already hold the drafts from `draft` on.
void vkr_path_masks_find(const struct vkr_analysis *analysis, struct vkr_loops *loops,
			 uint32_t label, size_t draft, struct vkr_path_masks *paths);

// Makes one segment of those from first_segment on: *made is false where they have words, or are a
// run-length record. False for lack of memory.
bool vkr_path_masks_make(struct vkr_analysis *analysis, struct vkr_loops *loops,
			 const struct vkr_path_masks *paths, size_t first_segment, bool *made);
