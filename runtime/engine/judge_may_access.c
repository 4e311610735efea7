// SPDX-License-Identifier: Apache-2.0
// Reads that may have been made, by their ranges. Knows verdicts between commands; nothing of the
// bytes within a range.
//
// Each stands until a plain write covers it, or a newer one of the same site stands for it: a write
// that covers it in part leaves it, for what is ordered after that write is ordered after it too.
#include "array.h"
#include "error.h"
#include "judge.h"
#include "search.h"

#include <string.h>

typedef struct vkr_may_read read_range;

static void find_reach(struct vkr_shadow *shadow, size_t from)
{
	read_range *items = shadow->possible.items;
	for (size_t at = from; at < shadow->possible.count; at++) {
		const uint64_t before = at > 0 ? items[at - 1].reach : 0;
		items[at].reach = items[at].high > before ? items[at].high : before;
	}
}

static void take_out(struct vkr_shadow *shadow, size_t at)
{
	read_range *items = shadow->possible.items;
	shadow->possible.count--;
	memmove(&items[at], &items[at + 1], (shadow->possible.count - at) * sizeof *items);
	find_reach(shadow, at);
}

// The first one that begins at `low` or after it.
static size_t first_from(const struct vkr_shadow *shadow, uint64_t low)
{
	size_t least = 0;
	VKR_SEARCH(least, shadow->possible.count, at, shadow->possible.items[at].low < low);
	return least;
}

// Whether the access, a read of the same range, stands for the older one from now on.
static bool is_replaced(struct vkr_engine *engine, const read_range *older,
			const struct vkr_access *access)
{
	const struct vkr_cached_verdict *cached =
		vkr_judge_commands(engine, older->epoch, access, older->low);
	return cached->subsumes &&
	       (cached->memory == 0 || (cached->low <= older->low && cached->high >= older->high));
}

// Whether another one of the same range stands for it.
static bool is_superseded(const struct vkr_engine *engine, const struct vkr_shadow *shadow,
			  size_t at)
{
	const read_range *items = shadow->possible.items;
	for (size_t other = first_from(shadow, items[at].low);
	     other < shadow->possible.count && items[other].low == items[at].low; other++)
		if (items[other].high == items[at].high &&
		    vkr_judge_subsumes(engine, &engine->epochs.items[items[other].epoch],
				       &engine->epochs.items[items[at].epoch]))
			return true;
	return false;
}

enum vkr_result vkr_may_access_add(struct vkr_engine *engine, const struct vkr_access *access,
				   uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_shadow *shadow = access->shadow;
	size_t at = first_from(shadow, low);
	engine->may_accesses++;
	while (at < shadow->possible.count && shadow->possible.items[at].low == low) {
		const read_range *older = &shadow->possible.items[at];
		const struct vkr_epoch *x = &engine->epochs.items[older->epoch];
		if (older->high == high && older->epoch == access->epoch)
			return VKR_OK;
		if (older->high == high && x->command != access->command &&
		    (is_replaced(engine, older, access) || is_superseded(engine, shadow, at)))
			take_out(shadow, at);
		else
			at++;
	}
	if (!VKR_ARRAY_RESERVE(&shadow->possible, 1))
		return vkr_error_memory(error, "reads");
	read_range *items = shadow->possible.items;
	memmove(&items[at + 1], &items[at], (shadow->possible.count - at) * sizeof *items);
	items[at] = (read_range){.low = low, .high = high, .epoch = access->epoch};
	shadow->possible.count++;
	find_reach(shadow, at);
	return VKR_OK;
}

static bool is_kept(struct vkr_engine *engine, const read_range *of,
		    const struct vkr_access *access)
{
	return engine->epochs.items[of->epoch].command != access->command &&
	       vkr_judge_commands(engine, of->epoch, access, of->low)->kept;
}

enum vkr_result vkr_may_access_judge(struct vkr_engine *engine, const struct vkr_access *access,
				     uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_shadow *shadow = access->shadow;
	const bool covers = !vkr_judge_remembers(access->what) && !access->invocation;
	enum vkr_result result = VKR_OK;
	// From the end, because removing one moves those after it, which have been looked at.
	for (size_t at = first_from(shadow, high); at > 0 && result == VKR_OK; at--) {
		const read_range *of = &shadow->possible.items[at - 1];
		const uint64_t from = of->low > low ? of->low : low;
		const uint64_t to = of->high < high ? of->high : high;
		if (of->reach <= low)
			break;
		if (from >= to)
			continue;
		const uint64_t slot = vkr_slot_single(of->epoch, 0);
		for (uint64_t own = from, end;
		     result == VKR_OK && vkr_share_next(&shadow->share, &own, to, &end); own = end)
			result = vkr_judge_slot(engine, access, slot, own, end, error);
		if (result == VKR_OK && engine->found.count != 0)
			result = vkr_judge_found_end(engine, access, error);
		if (covers && !is_kept(engine, of, access) && from == of->low && to == of->high)
			take_out(shadow, at - 1);
	}
	return result;
}

bool vkr_may_access_harmless(struct vkr_engine *engine, const struct vkr_access *access,
			     uint64_t low, uint64_t high)
{
	const struct vkr_shadow *shadow = access->shadow;
	for (size_t at = first_from(shadow, high); at > 0; at--) {
		const read_range *of = &shadow->possible.items[at - 1];
		if (of->reach <= low)
			break;
		if (of->high <= low)
			continue;
		if (engine->epochs.items[of->epoch].command == access->command)
			return false;
		const uint64_t from = of->low > low ? of->low : low;
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(engine, of->epoch, access, from);
		if (cached->race_class != VKR_RACE_NONE ||
		    (cached->memory != 0 && cached->high < (of->high < high ? of->high : high)))
			return false;
	}
	return true;
}
