// SPDX-License-Identifier: Apache-2.0
// Which loops log their ways: which of their runs each turn came by, once, behind the loop. Knows
// control flow; not what is left out of records.
#pragma once

#include "loop_turns.h"
#include "sites.h"

// A loop whose runs would be ways.
struct vkr_ways {
	uint32_t header;    // block of the loop; VKR_NO_BLOCK: they cannot be
	uint32_t end;       // the label of its merge block
	uint32_t behind;    // the instruction in front of which the record is
	uint32_t next;      // in front of which a turn ends
	uint32_t turn_bits; // for as many turns as there can be
	size_t draft_count; // in the loop
};

// Whether the drafts of a loop, from `draft` on, can be ways, where they are without words. `label`
// is that of its header. Of survey->drafts those from `draft` on are there.
void vkr_ways_find(const struct vkr_survey *survey, struct vkr_turns *turns, uint32_t label,
		   size_t draft, struct vkr_ways *ways);

// Makes one run of those from first_run on: *made is false where they have words, or are a list.
// False for lack of memory.
bool vkr_ways_make(struct vkr_survey *survey, struct vkr_turns *turns, const struct vkr_ways *ways,
		   size_t first_run, bool *made);
