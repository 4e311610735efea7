// SPDX-License-Identifier: Apache-2.0
// Memory that is judged in parts (runtime/base/shard.h): which of a dispatch's workgroups are the
// judged part's own, and what it need not be fed.
#pragma once

#include "engine_access.h"

// Workgroups [first, end), by linear index.
struct vkr_engine_workgroups {
	uint64_t first, end;
};

// Deals the open dispatch's workgroups, `count` from `first` on, out among the parts: each of them
// is one part's own, which judges its memory and counts its accesses. Of others those need to be
// fed that access memory which is the judged part's. *own: its own ones; all where the function
// returns false, for memory is not judged in parts.
bool vkr_engine_divide(struct vkr_engine *engine, uint32_t first, uint64_t count,
		       struct vkr_engine_workgroups *own);

// Accesses of whole workgroups that are fed between these two are not counted: they have been.
void vkr_engine_count_pause(struct vkr_engine *engine);
void vkr_engine_count_resume(struct vkr_engine *engine);

// Something of the open dispatch's workgroups, or of reads that are dealt out, is to be reported
// that depends on which of them were fed: all have to be, by the last judge.
void vkr_engine_part_differs(struct vkr_engine *engine);

// Whether all parts judge the target's bytes: of that, a command's reads may be dealt out, as two
// reads never race. What they race with is known to each part.
bool vkr_engine_is_common(struct vkr_engine *engine, const struct vkr_engine_target *target);

// Deals out reads of such targets alone, which take so much work, to the part that has least so
// far: in *own whether they are to be fed here, before vkr_engine_deal_end. Only their part counts
// them. Not while a dispatch is open.
enum vkr_result vkr_engine_deal(struct vkr_engine *engine, uint64_t work, bool *own,
				struct vkr_error *error) VKR_MUST_USE;
void vkr_engine_deal_end(struct vkr_engine *engine);
bool vkr_engine_deals(const struct vkr_engine *engine);

// Whether only a part of memory is judged; and how many parts there are, 1 where it is whole.
bool vkr_engine_has_part(const struct vkr_engine *engine);
uint32_t vkr_engine_part_count(const struct vkr_engine *engine);

// Whether reads by a site of `bytes` bytes each, somewhere within [low, high) of the target, need
// not be fed: workgroups of the open dispatch that are over have read all of it, and nothing races
// with that (read_marks.h).
bool vkr_engine_reads_again(struct vkr_engine *engine, uint32_t site,
			    const struct vkr_engine_target *target, uint64_t low, uint64_t high,
			    uint32_t bytes);

// Whether bytes [low, high) of the target are another part's, so that accesses to nothing else need
// not be fed: they are counted by vkr_engine_count_accesses.
enum vkr_result vkr_engine_is_elsewhere(struct vkr_engine *engine,
					const struct vkr_engine_target *target, uint64_t low,
					uint64_t high, bool *elsewhere,
					struct vkr_error *error) VKR_MUST_USE;
