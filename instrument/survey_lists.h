// SPDX-License-Identifier: Apache-2.0
// Which runs can be lists: logged once, behind the loop that goes through them. Knows control flow;
// not what is left out of records.
#pragma once

#include "loop_turns.h"
#include "sites.h"

// What a block's drafts would be the list of.
struct vkr_list {
	uint32_t header; // block of the loop; VKR_NO_BLOCK: they cannot be one
	uint32_t behind; // the instruction in front of which the record is
	size_t draft_count;
};

// Whether the drafts of a block, from `draft` on, are all that the innermost loop around it logs,
// and accesses. Of survey->drafts those below `kept` and from `draft` on are there.
void vkr_list_find(const struct vkr_survey *survey, struct vkr_turns *turns, uint32_t label,
		   size_t kept, size_t draft, struct vkr_list *list);

// Whether a list may have the draft as one of its sites: an access.
bool vkr_list_takes(const struct vkr_draft *draft);

// Whether all that goes into a loop, whose blocks are marked, comes out at its merge block, and
// calls nothing on its way that logs.
bool vkr_list_comes_out(const struct vkr_survey *survey, const struct vkr_slice *slice);

// Makes a list of the runs from first_run on: of one without words. False where it is not.
bool vkr_list_make(struct vkr_survey *survey, const struct vkr_list *list, size_t first_run);
