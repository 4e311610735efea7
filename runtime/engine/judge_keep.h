// SPDX-License-Identifier: Apache-2.0
// What is remembered of reads and atomics since the last write: as little as keeps every later
// verdict exact. The one rule of it, for judge_history.c and the fast paths beside it. Knows
// nothing of which accesses race.
#pragma once

#include "judge.h"

// What a new access makes of an older one beside it.
enum vkr_outcome {
	VKR_KEEP_BOTH,
	VKR_KEEP_OLD,   // the new one need not be remembered
	VKR_KEEP_NEW,   // the old one need not be remembered
	VKR_RESTRICT,   // the old one only against private accesses (vkr_judge_remainder)
	VKR_MAKE_LOCAL, // the two become one slot of kind pair
	VKR_SPLIT,      // not the same for all bytes of the node
};

// Same site, same dispatch, same reference: both conflict with the same other accesses, so that
// only their places in the dispatch matter.
//
// Different workgroups: these are fed one after the other, so that the old access's workgroup is
// complete and any later writer is of another one. It races with the old access, whoever else
// accessed the byte.
//
// One workgroup, and a barrier orders the two: whatever is ordered after the new access is ordered
// after the old one, except for private accesses of the new one's invocation. To find races with
// these it is enough to keep one access of another invocation, the last one: whoever does not race
// with that one races with the new one. No barrier orders the two: any later writer differs from
// one of the two invocations, and a barrier that orders it after one of them orders it after both.
// Private accesses are ordered by no barrier. Atomic writes are ordered in this way only by a
// barrier that has made them available and visible: a plain read by the new one's invocation would
// race with the old one alone. After a barrier that does less, both are kept, so that the two
// accesses of one slot always stand between the same barriers that order.
static inline enum vkr_outcome vkr_combine_dispatch(const struct vkr_engine *engine, uint64_t old,
						    const struct vkr_epoch *x,
						    const struct vkr_access *access,
						    const struct vkr_leaf *leaf)
{
	const uint64_t one = vkr_slot_number(old, x, 0, false);
	const uint64_t own = vkr_access_invocation(access, leaf->start);
	const bool nonprivate = access->what->flags & VKR_ENGINE_NONPRIVATE;
	const bool one_byte = vkr_level_shift[leaf->level] == 0;
	bool passed;

	if (!vkr_slot_is_mate(old, x, access))
		return VKR_KEEP_OLD;
	passed = nonprivate && vkr_judge_passed(&engine->intervals, access->what, x->interval);
	if (passed && !vkr_judge_remainder(engine, access->what))
		return VKR_KEEP_NEW;
	if (!passed && nonprivate &&
	    vkr_judge_half_passed(&engine->intervals, access->what, x->interval))
		return VKR_KEEP_BOTH;
	if (!passed && x->against != VKR_AGAINST_ALL)
		return VKR_KEEP_BOTH;
	if (!passed && x->pair)
		return VKR_KEEP_OLD;
	if (x->shape != access->paint.shape && !one_byte) {
		// Shapes that are wider than the node are one invocation each, as uniform is.
		if (x->shape < vkr_level_shift[leaf->level] ||
		    access->paint.shape < vkr_level_shift[leaf->level])
			return VKR_SPLIT;
	}
	if (passed)
		return x->pair || one != own ? VKR_RESTRICT : VKR_KEEP_NEW;
	return one == own ? VKR_KEEP_NEW : VKR_MAKE_LOCAL;
}

// Whether a plain write that is remembered beside older accesses replaces this one.
static inline bool vkr_combine_overwrites(const struct vkr_engine *engine,
					  const struct vkr_epoch *x,
					  const struct vkr_access *access,
					  const struct vkr_cached_verdict *cached)
{
	return vkr_judge_keeps(engine, access->command) && !vkr_judge_remembers(access->what) &&
	       !cached->kept && !cached->only_in_order &&
	       !(engine->sites.items[x->site - 1].flags & VKR_ENGINE_LASTING);
}

// What the access makes of what a slot of kind single or pair says in a leaf.
static inline enum vkr_outcome vkr_judge_combine(struct vkr_engine *engine, uint64_t old,
						 const struct vkr_access *access,
						 const struct vkr_leaf *leaf)
{
	const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(old)];
	uint64_t at = leaf->low;

	// The workgroup that could race with it is over.
	if (x->against != VKR_AGAINST_ALL &&
	    (x->command != access->command || !vkr_slot_is_mate(old, x, access)))
		return VKR_KEEP_NEW;
	if (x->command == access->command) {
		// Each site for itself: races are reported by pairs of sites.
		if (x->site != access->site || x->reference != access->reference)
			return VKR_KEEP_BOTH;
		return x->invocation ? vkr_combine_dispatch(engine, old, x, access, leaf)
				     : VKR_KEEP_NEW;
	}
	while (at < leaf->high) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(engine, vkr_slot_epoch(old), access, at);
		if (!cached->subsumes && !vkr_combine_overwrites(engine, x, access, cached))
			return VKR_KEEP_BOTH;
		at = cached->memory && cached->high < leaf->high ? cached->high : leaf->high;
	}
	return VKR_KEEP_NEW;
}
