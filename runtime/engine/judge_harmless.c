// SPDX-License-Identifier: Apache-2.0
// Whether what a slot remembers surely does not race with an access, for all fast paths. Knows what
// is cached between commands; where it cannot say so, judge.c decides.
#include "judge.h"

// Whether the access does not race with an older access of its dispatch and reference, whoever made
// it, and it does not outlive the access.
static bool is_safe_from_all(const struct vkr_fast *fast, const struct vkr_judge_site *site,
			     const struct vkr_interval_access *from)
{
	const struct vkr_intervals *intervals = &fast->engine->intervals;
	uint32_t unused = 0;
	if (vkr_intervals_verdict(intervals, from, &fast->step, VKR_SAME_WORKGROUP, &unused) !=
		    VKR_RACE_NONE ||
	    (fast->access->shadow->memory != VKR_ENGINE_WORKGROUP &&
	     vkr_intervals_verdict(intervals, from, &fast->step, VKR_OTHER_WORKGROUP, &unused) !=
		     VKR_RACE_NONE))
		return false;
	return fast->remembers ||
	       !(vkr_judge_remainder(fast->engine, fast->access->what) ||
		 vkr_judge_must_keep(intervals, site, from->interval, fast->access->what));
}

bool vkr_judge_harmless(struct vkr_fast *fast, uint64_t slot, uint64_t distance, uint64_t offset,
			struct vkr_known *safe)
{
	const struct vkr_access *access = fast->access;
	const struct vkr_epoch *x;
	const struct vkr_judge_site *site;
	struct vkr_interval_access from;
	enum vkr_relation relation;
	uint64_t invocation;
	uint32_t unused = 0;

	if (!vkr_slot_is_plain(slot))
		return false;
	x = &fast->engine->epochs.items[vkr_slot_epoch(slot)];
	site = &fast->engine->sites.items[x->site - 1];
	if ((fast->read_only && !(site->flags & VKR_ENGINE_WRITE)) ||
	    (x->against != VKR_AGAINST_ALL && x->command != access->command)) {
		*safe = vkr_known_everywhere(vkr_slot_epoch(slot));
		return true;
	}
	if (x->command != access->command) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(fast->engine, vkr_slot_epoch(slot), access, offset);
		const struct vkr_known known = vkr_known_of(vkr_slot_epoch(slot), cached);
		if (cached->race_class != VKR_RACE_NONE || (!fast->remembers && cached->kept) ||
		    !vkr_known_has(&known, slot, offset))
			return false;
		*safe = known;
		return true;
	}
	if (!x->invocation || !access->invocation)
		return false;
	if (x->reference != access->reference)
		return false;
	from = vkr_judge_step(site, x->reference, x->interval);
	if (is_safe_from_all(fast, site, &from)) {
		*safe = vkr_known_everywhere(vkr_slot_epoch(slot));
		return true;
	}
	if (x->table || access->table)
		return false;
	if (vkr_fast_is_own(slot, x, access, distance, offset))
		return fast->remembers || !vkr_judge_must_keep(&fast->engine->intervals, site,
							       x->interval, access->what);
	invocation = vkr_slot_number(slot, x, distance, false);
	relation = invocation >> x->local_bits == access->workgroup ? VKR_SAME_WORKGROUP
								    : VKR_OTHER_WORKGROUP;
	if (relation == VKR_SAME_WORKGROUP && !fast->remembers &&
	    vkr_judge_remainder(fast->engine, access->what))
		return false;
	return vkr_intervals_verdict(&fast->engine->intervals, &from, &fast->step, relation,
				     &unused) == VKR_RACE_NONE;
}
