// SPDX-License-Identifier: Apache-2.0
// Building and asking sets of stretches. Knows their order and their pruning, and not who asks.
#include "queue_clock.h"

#include "error.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

struct vkr_queue_clock *vkr_queue_clock_hold(struct vkr_queue_clock *clock)
{
	if (clock)
		clock->references++;
	return clock;
}

void vkr_queue_clock_drop(struct vkr_queue_clock *clock)
{
	if (clock && --clock->references == 0)
		free(clock);
}

static struct vkr_queue_clock *queue_clock_alloc(size_t count)
{
	struct vkr_queue_clock *made = malloc(sizeof *made + count * sizeof made->span[0]);
	if (made) {
		made->references = 1;
		made->count = 0;
		made->everywhere = 0;
	}
	return made;
}

// Whether a covers all of b, range included, but for stages that a lacks.
static bool reach_covers_later(const struct vkr_queue_span *a, const struct vkr_queue_span *b)
{
	return a->timeline == b->timeline && a->behind <= b->behind && a->position >= b->position &&
	       (b->accesses & ~a->accesses) == 0 &&
	       (a->memory == 0 ||
		(a->memory == b->memory && a->low <= b->low && b->high <= a->high));
}

static int reach_compare(const struct vkr_queue_span *a, const struct vkr_queue_span *b)
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
static bool reach_overlaps(const struct vkr_queue_span *a, const struct vkr_queue_span *b)
{
	return a->timeline == b->timeline && a->accesses == b->accesses &&
	       a->behind <= b->position && b->behind <= a->position;
}

// Makes one stretch of two that adjoin, for the stages of one that the other has, too: what is left
// of either has fewer stages, or none.
static void reach_unite(struct vkr_queue_span *old, struct vkr_queue_span *span)
{
	struct vkr_queue_span both = *span;
	if (!reach_overlaps(old, span))
		return;
	both.stages &= old->stages;
	both.behind = both.behind < old->behind ? both.behind : old->behind;
	both.position = both.position > old->position ? both.position : old->position;
	if (both.stages == span->stages) {
		old->stages &= ~both.stages;
		*span = both;
	} else if (both.stages == old->stages) {
		span->stages &= ~both.stages;
		*old = both;
	}
}

// Puts a stretch without range into the front part of a set that has room for it. Stages that
// another one covers are taken out, on both sides, so that the front stays as short as the number
// of different stretches in use.
static void front_insert(struct vkr_queue_clock *made, struct vkr_queue_span span)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < made->everywhere; i++) {
		if (reach_covers_later(&made->span[i], &span))
			span.stages &= ~made->span[i].stages;
		else if (span.behind != 0 || made->span[i].behind != 0)
			reach_unite(&made->span[i], &span);
	}
	for (uint32_t i = 0; i < made->everywhere; i++) {
		struct vkr_queue_span old = made->span[i];
		if (reach_covers_later(&span, &old))
			old.stages &= ~span.stages;
		if (old.stages == 0)
			continue;
		// Two spans that differ only in their stages become one.
		if (old.timeline == span.timeline && old.position == span.position &&
		    old.behind == span.behind && old.accesses == span.accesses) {
			span.stages |= old.stages;
			continue;
		}
		made->span[kept++] = old;
	}
	if (span.stages != 0)
		made->span[kept++] = span;
	made->everywhere = made->count = kept;
}

// Appends a stretch with a range, unless the front covers it.
static void range_append(struct vkr_queue_clock *made, const struct vkr_queue_span *span)
{
	struct vkr_queue_span rest = *span;
	struct vkr_queue_span *last =
		made->count > made->everywhere ? &made->span[made->count - 1] : NULL;
	for (uint32_t i = 0; i < made->everywhere; i++) {
		if (reach_covers_later(&made->span[i], &rest))
			rest.stages &= ~made->span[i].stages;
	}
	if (rest.stages == 0)
		return;
	// If it differs from the last span only in its beginning, it extends that; otherwise it is
	// added.
	rest = *span;
	if (last != NULL && span->behind <= last->position) {
		rest.behind = last->behind;
		if (reach_compare(last, &rest) == 0) {
			last->position =
				last->position > rest.position ? last->position : rest.position;
			return;
		}
	}
	// The rest keeps its stages, because spans are sorted by them.
	made->span[made->count++] = *span;
}

static void ranges_merge(struct vkr_queue_clock *made, const struct vkr_queue_span *a,
			 uint32_t a_count, const struct vkr_queue_span *b, uint32_t b_count)
{
	uint32_t i = 0, j = 0;
	while (i < a_count || j < b_count) {
		int order = i == a_count ? 1 : j == b_count ? -1 : reach_compare(&a[i], &b[j]);
		range_append(made, order <= 0 ? &a[i++] : &b[j++]);
	}
}

bool vkr_queue_clock_equal(const struct vkr_queue_clock *a, const struct vkr_queue_clock *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->count != b->count || a->everywhere != b->everywhere)
		return false;
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->span[i].position != b->span[i].position ||
		    reach_compare(&a->span[i], &b->span[i]) != 0)
			return false;
	}
	return true;
}

enum vkr_result vkr_queue_clock_join(struct vkr_queue_clock *a, struct vkr_queue_clock *b,
				     struct vkr_queue_clock **result, struct vkr_error *error)
{
	struct vkr_queue_clock *made;

	*result = NULL;
	if (a == b || !b || !a) {
		*result = vkr_queue_clock_hold(a ? a : b);
		return VKR_OK;
	}
	made = queue_clock_alloc((size_t)a->count + b->count);
	if (!made)
		return vkr_error_memory(error, "order between commands");
	memcpy(made->span, a->span, a->everywhere * sizeof made->span[0]);
	made->count = made->everywhere = a->everywhere;
	for (uint32_t i = 0; i < b->everywhere; i++)
		front_insert(made, b->span[i]);
	ranges_merge(made, a->span + a->everywhere, a->count - a->everywhere,
		     b->span + b->everywhere, b->count - b->everywhere);
	if (vkr_queue_clock_equal(made, a) || vkr_queue_clock_equal(made, b)) {
		*result = vkr_queue_clock_hold(vkr_queue_clock_equal(made, a) ? a : b);
		vkr_queue_clock_drop(made);
		return VKR_OK;
	}
	*result = made;
	return VKR_OK;
}

static int compare_reaches(const void *a, const void *b)
{
	return reach_compare(a, b);
}

enum vkr_result vkr_queue_clock_extend(struct vkr_queue_clock *clock, struct vkr_queue_span *spans,
				       size_t count, struct vkr_queue_clock **result,
				       struct vkr_error *error)
{
	struct vkr_queue_clock *more = queue_clock_alloc(count);
	enum vkr_result r;

	*result = NULL;
	if (!more)
		return vkr_error_memory(error, "order between commands");
	vkr_sort(spans, count, sizeof *spans, compare_reaches);
	for (size_t i = 0; i < count; i++) {
		if (spans[i].stages == 0 || spans[i].accesses == 0 || spans[i].position == 0)
			continue;
		if (spans[i].memory == 0)
			front_insert(more, spans[i]);
		else
			range_append(more, &spans[i]);
	}
	r = vkr_queue_clock_join(clock, more->count > 0 ? more : NULL, result, error);
	vkr_queue_clock_drop(more);
	return r;
}

enum vkr_result vkr_queue_clock_restrict(const struct vkr_queue_clock *clock, uint32_t memory,
					 uint64_t low, uint64_t high,
					 struct vkr_queue_clock **result, struct vkr_error *error)
{
	struct vkr_queue_clock *made = NULL;
	enum vkr_result r = VKR_OK;

	*result = NULL;
	for (uint32_t i = 0; clock && i < clock->count && r == VKR_OK; i++) {
		struct vkr_queue_span part = clock->span[i];
		struct vkr_queue_clock *more;
		if (part.memory != 0 && part.memory != memory)
			continue;
		part.memory = memory;
		part.low = part.low > low ? part.low : low;
		part.high = part.high < high ? part.high : high;
		if (part.low >= part.high)
			continue;
		r = vkr_queue_clock_extend(made, &part, 1, &more, error);
		if (r == VKR_OK) {
			vkr_queue_clock_drop(made);
			made = more;
		}
	}
	if (r != VKR_OK) {
		vkr_queue_clock_drop(made);
		return r;
	}
	*result = made;
	return VKR_OK;
}

bool vkr_queue_clock_has(const struct vkr_queue_clock *clock, uint32_t timeline, uint64_t position,
			 uint64_t stage, uint64_t access, struct vkr_verdict_range *place)
{
	for (uint32_t i = 0; clock && i < clock->count; i++) {
		const struct vkr_queue_span *span = &clock->span[i];
		if (span->timeline != timeline || span->position < position ||
		    span->behind >= position || !(span->stages & stage) ||
		    !(span->accesses & access))
			continue;
		if (span->memory == 0)
			return true;
		place->by_memory = true;
		if (span->memory != place->memory)
			continue;
		if (span->low > place->offset) {
			place->high = place->high < span->low ? place->high : span->low;
		} else if (span->high <= place->offset) {
			place->low = place->low > span->high ? place->low : span->high;
		} else {
			place->low = place->low > span->low ? place->low : span->low;
			place->high = place->high < span->high ? place->high : span->high;
			return true;
		}
	}
	return false;
}
