// SPDX-License-Identifier: Apache-2.0
// Reads that may have been made, by their ranges. Knows verdicts between commands; nothing of the
// bytes within a range.
//
// Each stands until a plain write covers it, or a newer one of the same site stands for it: a write
// that covers it in part leaves it, for what is ordered after that write is ordered after it too.
#include "array.h"
#include "error.h"
#include "judge.h"

#include <string.h>

typedef struct vkr_possible_read read_range;

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

// The first one that begins at `low` or behind it.
static size_t first_from(const struct vkr_shadow *shadow, uint64_t low)
{
	size_t least = 0, most = shadow->possible.count;
	while (least < most) {
		const size_t middle = least + (most - least) / 2;
		if (shadow->possible.items[middle].low < low)
			least = middle + 1;
		else
			most = middle;
	}
	return least;
}

// Whether the touch, a read of the same range, stands for the older one from now on.
static bool is_replaced(struct vkr_engine *engine, const read_range *older,
			const struct vkr_touch *touch)
{
	const struct vkr_cached_verdict *cached =
		vkr_judge_commands(engine, older->stamp, touch, older->low);
	return cached->replaces &&
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
		    vkr_judge_supersedes(engine, &engine->stamps.items[items[other].stamp],
					 &engine->stamps.items[items[at].stamp]))
			return true;
	return false;
}

enum vkr_result vkr_possible_add(struct vkr_engine *engine, const struct vkr_touch *touch,
				 uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_shadow *shadow = touch->shadow;
	size_t at = first_from(shadow, low);
	while (at < shadow->possible.count && shadow->possible.items[at].low == low) {
		const read_range *older = &shadow->possible.items[at];
		const struct vkr_stamp *x = &engine->stamps.items[older->stamp];
		if (older->high == high && older->stamp == touch->stamp)
			return VKR_OK;
		if (older->high == high && x->command != touch->command &&
		    (is_replaced(engine, older, touch) || is_superseded(engine, shadow, at)))
			take_out(shadow, at);
		else
			at++;
	}
	if (!VKR_ARRAY_RESERVE(&shadow->possible, 1))
		return vkr_error_memory(error, "reads");
	read_range *items = shadow->possible.items;
	memmove(&items[at + 1], &items[at], (shadow->possible.count - at) * sizeof *items);
	items[at] = (read_range){.low = low, .high = high, .stamp = touch->stamp};
	shadow->possible.count++;
	find_reach(shadow, at);
	return VKR_OK;
}

enum vkr_result vkr_possible_judge(struct vkr_engine *engine, const struct vkr_touch *touch,
				   uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_shadow *shadow = touch->shadow;
	const bool covers = !vkr_judge_remembers(touch->what) && !touch->invocation;
	enum vkr_result result = VKR_OK;
	// From behind: what is taken out moves what was looked at.
	for (size_t at = first_from(shadow, high); at > 0 && result == VKR_OK; at--) {
		const read_range *of = &shadow->possible.items[at - 1];
		const uint64_t from = of->low > low ? of->low : low;
		const uint64_t to = of->high < high ? of->high : high;
		if (of->reach <= low)
			break;
		if (from >= to)
			continue;
		result = vkr_judge_slot(engine, touch, vkr_slot_make(VKR_SLOT_SINGLE, of->stamp, 0),
					from, to, error);
		if (result == VKR_OK && engine->found.count != 0)
			result = vkr_judge_found_end(engine, touch, error);
		if (covers && from == of->low && to == of->high)
			take_out(shadow, at - 1);
	}
	return result;
}

bool vkr_possible_harmless(struct vkr_engine *engine, const struct vkr_touch *touch, uint64_t low,
			   uint64_t high)
{
	const struct vkr_shadow *shadow = touch->shadow;
	for (size_t at = first_from(shadow, high); at > 0; at--) {
		const read_range *of = &shadow->possible.items[at - 1];
		if (of->reach <= low)
			break;
		if (of->high <= low)
			continue;
		if (engine->stamps.items[of->stamp].command == touch->command)
			return false;
		const uint64_t from = of->low > low ? of->low : low;
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(engine, of->stamp, touch, from);
		if (cached->race_class != VKR_RACE_NONE ||
		    (cached->memory != 0 && cached->high < (of->high < high ? of->high : high)))
			return false;
	}
	return true;
}
