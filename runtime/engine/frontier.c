// SPDX-License-Identifier: Apache-2.0
// Building and asking sets of stretches. Knows their order and their pruning, and not who asks.
#include "frontier.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

struct vkr_frontier *vkr_frontier_hold(struct vkr_frontier *frontier)
{
	if (frontier)
		frontier->references++;
	return frontier;
}

void vkr_frontier_drop(struct vkr_frontier *frontier)
{
	if (frontier && --frontier->references == 0)
		free(frontier);
}

static struct vkr_frontier *frontier_alloc(size_t count)
{
	struct vkr_frontier *made = malloc(sizeof *made + count * sizeof made->reach[0]);
	if (made) {
		made->references = 1;
		made->count = 0;
		made->everywhere = 0;
	}
	return made;
}

// Whether a covers all of b, range included, but for stages that a lacks.
static bool reach_covers_later(const struct vkr_reach *a, const struct vkr_reach *b)
{
	return a->timeline == b->timeline && a->behind <= b->behind && a->position >= b->position &&
	       (b->accesses & ~a->accesses) == 0 &&
	       (a->memory == 0 ||
		(a->memory == b->memory && a->low <= b->low && b->high <= a->high));
}

static int reach_compare(const struct vkr_reach *a, const struct vkr_reach *b)
{
#define VKR_COMPARE(member)                                                                        \
	if (a->member != b->member)                                                                \
		return a->member < b->member ? -1 : 1;
	VKR_COMPARE(memory)
	VKR_COMPARE(low)
	VKR_COMPARE(high)
	VKR_COMPARE(timeline)
	VKR_COMPARE(stages)
	VKR_COMPARE(accesses)
	VKR_COMPARE(behind)
#undef VKR_COMPARE
	return 0;
}

// Whether two stretches without range leave nothing out between them.
static bool reach_touches(const struct vkr_reach *a, const struct vkr_reach *b)
{
	return a->timeline == b->timeline && a->accesses == b->accesses &&
	       a->behind <= b->position && b->behind <= a->position;
}

// Makes one stretch of two that touch, for the stages of one that the other has, too: what is left
// of either has fewer stages, or none.
static void reach_unite(struct vkr_reach *old, struct vkr_reach *reach)
{
	struct vkr_reach both = *reach;
	if (!reach_touches(old, reach))
		return;
	both.stages &= old->stages;
	both.behind = both.behind < old->behind ? both.behind : old->behind;
	both.position = both.position > old->position ? both.position : old->position;
	if (both.stages == reach->stages) {
		old->stages &= ~both.stages;
		*reach = both;
	} else if (both.stages == old->stages) {
		reach->stages &= ~both.stages;
		*old = both;
	}
}

// Puts a stretch without range into the front part of a set that has room for it. Stages that
// another one covers are taken out, on both sides, so that the front stays as short as the number
// of different stretches in use.
static void front_insert(struct vkr_frontier *made, struct vkr_reach reach)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < made->everywhere; i++) {
		if (reach_covers_later(&made->reach[i], &reach))
			reach.stages &= ~made->reach[i].stages;
		else if (reach.behind != 0 || made->reach[i].behind != 0)
			reach_unite(&made->reach[i], &reach);
	}
	for (uint32_t i = 0; i < made->everywhere; i++) {
		struct vkr_reach old = made->reach[i];
		if (reach_covers_later(&reach, &old))
			old.stages &= ~reach.stages;
		if (old.stages == 0)
			continue;
		// One stretch of more stages stands for two that are the same but for these.
		if (old.timeline == reach.timeline && old.position == reach.position &&
		    old.behind == reach.behind && old.accesses == reach.accesses) {
			reach.stages |= old.stages;
			continue;
		}
		made->reach[kept++] = old;
	}
	if (reach.stages != 0)
		made->reach[kept++] = reach;
	made->everywhere = made->count = kept;
}

// Appends a stretch with a range, unless the front covers it.
static void range_append(struct vkr_frontier *made, const struct vkr_reach *reach)
{
	struct vkr_reach rest = *reach;
	struct vkr_reach *last =
		made->count > made->everywhere ? &made->reach[made->count - 1] : NULL;
	for (uint32_t i = 0; i < made->everywhere; i++) {
		if (reach_covers_later(&made->reach[i], &rest))
			rest.stages &= ~made->reach[i].stages;
	}
	if (rest.stages == 0)
		return;
	// The same but for where it begins: it touches the one before, or stands alone.
	rest = *reach;
	if (last != NULL && reach->behind <= last->position) {
		rest.behind = last->behind;
		if (reach_compare(last, &rest) == 0) {
			last->position =
				last->position > rest.position ? last->position : rest.position;
			return;
		}
	}
	// What is left keeps its stages: the ascending order is by them.
	made->reach[made->count++] = *reach;
}

static void ranges_merge(struct vkr_frontier *made, const struct vkr_reach *a, uint32_t a_count,
			 const struct vkr_reach *b, uint32_t b_count)
{
	uint32_t i = 0, j = 0;
	while (i < a_count || j < b_count) {
		int order = i == a_count ? 1 : j == b_count ? -1 : reach_compare(&a[i], &b[j]);
		range_append(made, order <= 0 ? &a[i++] : &b[j++]);
	}
}

bool vkr_frontier_equal(const struct vkr_frontier *a, const struct vkr_frontier *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->count != b->count || a->everywhere != b->everywhere)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->reach[i].position != b->reach[i].position ||
		    reach_compare(&a->reach[i], &b->reach[i]) != 0)
			return false;
	}
	return true;
}

enum vkr_result vkr_frontier_join(struct vkr_frontier *a, struct vkr_frontier *b,
				  struct vkr_frontier **result, struct vkr_error *error)
{
	struct vkr_frontier *made;

	*result = NULL;
	if (a == b || !b || !a) {
		*result = vkr_frontier_hold(a ? a : b);
		return VKR_OK;
	}
	made = frontier_alloc((size_t)a->count + b->count);
	if (!made)
		return vkr_error_memory(error, "order between commands");
	memcpy(made->reach, a->reach, a->everywhere * sizeof made->reach[0]);
	made->count = made->everywhere = a->everywhere;
	for (uint32_t i = 0; i < b->everywhere; i++)
		front_insert(made, b->reach[i]);
	ranges_merge(made, a->reach + a->everywhere, a->count - a->everywhere,
		     b->reach + b->everywhere, b->count - b->everywhere);
	if (vkr_frontier_equal(made, a) || vkr_frontier_equal(made, b)) {
		*result = vkr_frontier_hold(vkr_frontier_equal(made, a) ? a : b);
		vkr_frontier_drop(made);
		return VKR_OK;
	}
	*result = made;
	return VKR_OK;
}

static int compare_reaches(const void *a, const void *b)
{
	return reach_compare(a, b);
}

enum vkr_result vkr_frontier_extend(struct vkr_frontier *frontier, struct vkr_reach *reaches,
				    size_t count, struct vkr_frontier **result,
				    struct vkr_error *error)
{
	struct vkr_frontier *more = frontier_alloc(count);
	enum vkr_result r;

	*result = NULL;
	if (!more)
		return vkr_error_memory(error, "order between commands");
	if (count > 1)
		qsort(reaches, count, sizeof *reaches, compare_reaches);
	for (size_t i = 0; i < count; i++) {
		if (reaches[i].stages == 0 || reaches[i].accesses == 0 || reaches[i].position == 0)
			continue;
		if (reaches[i].memory == 0)
			front_insert(more, reaches[i]);
		else
			range_append(more, &reaches[i]);
	}
	r = vkr_frontier_join(frontier, more->count > 0 ? more : NULL, result, error);
	vkr_frontier_drop(more);
	return r;
}

enum vkr_result vkr_frontier_restrict(const struct vkr_frontier *frontier, uint32_t memory,
				      uint64_t low, uint64_t high, struct vkr_frontier **result,
				      struct vkr_error *error)
{
	struct vkr_frontier *made = NULL;
	enum vkr_result r = VKR_OK;

	*result = NULL;
	for (uint32_t i = 0; frontier && i < frontier->count && r == VKR_OK; i++) {
		struct vkr_reach part = frontier->reach[i];
		struct vkr_frontier *more;
		if (part.memory != 0 && part.memory != memory)
			continue;
		part.memory = memory;
		part.low = part.low > low ? part.low : low;
		part.high = part.high < high ? part.high : high;
		if (part.low >= part.high)
			continue;
		r = vkr_frontier_extend(made, &part, 1, &more, error);
		if (r == VKR_OK) {
			vkr_frontier_drop(made);
			made = more;
		}
	}
	if (r != VKR_OK) {
		vkr_frontier_drop(made);
		return r;
	}
	*result = made;
	return VKR_OK;
}

bool vkr_frontier_has(const struct vkr_frontier *frontier, uint32_t timeline, uint64_t position,
		      uint64_t stage, uint64_t access, struct vkr_place *place)
{
	for (uint32_t i = 0; frontier && i < frontier->count; i++) {
		const struct vkr_reach *reach = &frontier->reach[i];
		if (reach->timeline != timeline || reach->position < position ||
		    reach->behind >= position || !(reach->stages & stage) ||
		    !(reach->accesses & access))
			continue;
		if (reach->memory == 0)
			return true;
		place->by_memory = true;
		if (reach->memory != place->memory)
			continue;
		if (reach->low > place->offset) {
			place->high = place->high < reach->low ? place->high : reach->low;
		} else if (reach->high <= place->offset) {
			place->low = place->low > reach->high ? place->low : reach->high;
		} else {
			place->low = place->low > reach->low ? place->low : reach->low;
			place->high = place->high < reach->high ? place->high : reach->high;
			return true;
		}
	}
	return false;
}
