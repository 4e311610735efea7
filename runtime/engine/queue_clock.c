// SPDX-License-Identifier: Apache-2.0
// Building and asking sets of stretches. Knows their order and their pruning, and not who asks.
#include "queue_clock.h"

#include "array.h"
#include "error.h"
#include "search.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

// Of a chunk that is made; at most twice as many wait to become one.
#define CHUNK_SPANS 32u
// Fewer become a part of the next one.
#define CHUNK_LEAST 16u

static void drop_chunk(struct vkr_span_chunk *chunk)
{
	if (--chunk->references == 0)
		free(chunk);
}

struct vkr_queue_clock *vkr_queue_clock_hold(struct vkr_queue_clock *clock)
{
	if (clock)
		clock->references++;
	return clock;
}

void vkr_queue_clock_drop(struct vkr_queue_clock *clock)
{
	if (!clock || --clock->references > 0)
		return;
	for (size_t i = 0; i < clock->chunks.count; i++)
		drop_chunk(clock->chunks.items[i]);
	free(clock->chunks.items);
	free(clock);
}

static struct vkr_queue_clock *queue_clock_alloc(size_t count)
{
	struct vkr_queue_clock *made = malloc(sizeof *made + count * sizeof made->span[0]);
	if (made)
		*made = (struct vkr_queue_clock){.references = 1};
	return made;
}

// ---- Spans without a range ----------------------------------------------------------------------

// Whether a covers all of b, range included, but for stages that a lacks.
static bool reach_covers_later(const struct vkr_queue_span *a, const struct vkr_queue_span *b)
{
	return a->timeline == b->timeline && a->behind <= b->behind && a->position >= b->position &&
	       (b->accesses & ~a->accesses) == 0 && (b->readers & ~a->readers) == 0 &&
	       (a->memory == 0 ||
		(a->memory == b->memory && a->low <= b->low && b->high <= a->high));
}

// The order of spans with a range, but for where they begin.
static int compare_reaches(const struct vkr_queue_span *a, const struct vkr_queue_span *b)
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
	VKR_COMPARE(readers)
#undef VKR_COMPARE
	return 0;
}

static int compare_spans(const void *a, const void *b)
{
	const struct vkr_queue_span *x = a, *y = b;
	const int reaches = compare_reaches(x, y);
	return reaches != 0 ? reaches : (x->behind > y->behind) - (x->behind < y->behind);
}

static bool equal_spans(const struct vkr_queue_span *a, const struct vkr_queue_span *b)
{
	return a->position == b->position && compare_spans(a, b) == 0;
}

// Whether two stretches without range leave nothing out between them.
static bool reach_overlaps(const struct vkr_queue_span *a, const struct vkr_queue_span *b)
{
	return a->timeline == b->timeline && a->accesses == b->accesses &&
	       a->readers == b->readers && a->behind <= b->position && b->behind <= a->position;
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

// Takes an old span into one that differs only in its stages, or only in its readers.
static bool reach_absorbs(struct vkr_queue_span *span, const struct vkr_queue_span *old)
{
	if (old->timeline != span->timeline || old->position != span->position ||
	    old->behind != span->behind || old->accesses != span->accesses ||
	    (old->readers != span->readers && old->stages != span->stages))
		return false;
	span->stages |= old->stages;
	span->readers |= old->readers;
	return true;
}

// Puts a stretch without range into a set that has room for it. Stages that another one covers are
// taken out, on both sides, so that there are as few as there are different stretches in use.
static void front_insert(struct vkr_queue_clock *made, struct vkr_queue_span span)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < made->count; i++) {
		if (reach_covers_later(&made->span[i], &span))
			span.stages &= ~made->span[i].stages;
		else if (span.behind != 0 || made->span[i].behind != 0)
			reach_unite(&made->span[i], &span);
	}
	for (uint32_t i = 0; i < made->count; i++) {
		struct vkr_queue_span old = made->span[i];
		if (reach_covers_later(&span, &old))
			old.stages &= ~span.stages;
		if (old.stages != 0 && !reach_absorbs(&span, &old))
			made->span[kept++] = old;
	}
	if (span.stages != 0)
		made->span[kept++] = span;
	made->count = kept;
}

static bool front_covers(const struct vkr_queue_clock *clock, const struct vkr_queue_span *span)
{
	struct vkr_queue_span rest = *span;
	for (uint32_t i = 0; i < clock->count && rest.stages != 0; i++)
		if (reach_covers_later(&clock->span[i], &rest))
			rest.stages &= ~clock->span[i].stages;
	return rest.stages == 0;
}

// ---- Spans with a range -------------------------------------------------------------------------

// What the spans without a range may cover that those of one of the united sets do not.
struct widening {
	uint64_t stages, accesses, readers;
};

static struct widening find_widening(const struct vkr_queue_clock *made,
				     const struct vkr_queue_clock *from)
{
	struct widening found = {0};
	for (uint32_t i = 0; i < made->count; i++) {
		const struct vkr_queue_span *span = &made->span[i];
		uint32_t same = 0;
		while (same < from->count && !equal_spans(&from->span[same], span))
			same++;
		if (same < from->count)
			continue;
		found.stages |= span->stages;
		found.accesses |= span->accesses;
		found.readers |= span->readers;
	}
	return found;
}

// Whether no span of the chunk is covered.
static bool chunk_stays(const struct vkr_span_chunk *chunk, const struct widening *widening)
{
	return !(chunk->stages & widening->stages) || (chunk->accesses & ~widening->accesses) ||
	       (chunk->readers & ~widening->readers);
}

// A set whose spans are being merged, and how far that has come.
struct source {
	const struct vkr_queue_clock *clock;
	size_t chunk;
	uint32_t span;
	struct widening widening;
};

struct merging {
	struct vkr_queue_clock *made;
	struct vkr_queue_span waiting[2 * CHUNK_SPANS]; // to become a chunk
	uint32_t count;
	bool failed; // for lack of memory
};

static void merge_begin(struct merging *merging, size_t room)
{
	merging->made = queue_clock_alloc(room);
	merging->count = 0;
	merging->failed = merging->made == NULL;
}

static void add_chunk(struct merging *merging, struct vkr_span_chunk *chunk)
{
	struct vkr_queue_clock *made = merging->made;
	if (!chunk || !VKR_ARRAY_RESERVE(&made->chunks, 1)) {
		merging->failed = true;
		if (chunk)
			drop_chunk(chunk);
		return;
	}
	made->chunks.items[made->chunks.count++] = chunk;
	made->range_stages |= chunk->stages;
}

// Makes a chunk of the first that wait.
static void make_chunk(struct merging *merging, uint32_t count)
{
	struct vkr_span_chunk *made = malloc(sizeof *made + count * sizeof made->spans[0]);
	if (made) {
		*made = (struct vkr_span_chunk){.references = 1,
						.count = count,
						.accesses = UINT64_MAX,
						.readers = UINT64_MAX};
		memcpy(made->spans, merging->waiting, count * sizeof made->spans[0]);
		for (uint32_t i = 0; i < count; i++) {
			const struct vkr_queue_span *span = &made->spans[i];
			made->high = made->high > span->high ? made->high : span->high;
			made->behind = made->behind > span->behind ? made->behind : span->behind;
			made->stages |= span->stages;
			made->accesses &= span->accesses;
			made->readers &= span->readers;
		}
	}
	merging->count -= count;
	memmove(merging->waiting, merging->waiting + count,
		merging->count * sizeof merging->waiting[0]);
	add_chunk(merging, made);
}

static void make_chunks(struct merging *merging)
{
	if (merging->count > CHUNK_SPANS)
		make_chunk(merging, merging->count / 2);
	if (merging->count > 0)
		make_chunk(merging, merging->count);
}

// Adds a span, unless those without a range cover it.
static void range_append(struct merging *merging, const struct vkr_queue_span *span)
{
	struct vkr_queue_span *last =
		merging->count > 0 ? &merging->waiting[merging->count - 1] : NULL;
	if (front_covers(merging->made, span))
		return;
	// If it differs from the last span only in its end, it extends that. One that is covered
	// in part keeps its stages, because spans are sorted by them.
	if (last != NULL && span->behind <= last->position && compare_reaches(last, span) == 0) {
		last->position = last->position > span->position ? last->position : span->position;
		return;
	}
	if (merging->count == 2 * CHUNK_SPANS)
		make_chunk(merging, CHUNK_SPANS);
	merging->waiting[merging->count++] = *span;
}

// NULL: there is none left.
static const struct vkr_queue_span *next_of(const struct source *source)
{
	return source->chunk < source->clock->chunks.count
		       ? &source->clock->chunks.items[source->chunk]->spans[source->span]
		       : NULL;
}

static void take_span(struct merging *merging, struct source *source)
{
	const struct vkr_span_chunk *chunk = source->clock->chunks.items[source->chunk];
	range_append(merging, &chunk->spans[source->span++]);
	if (source->span == chunk->count) {
		source->chunk++;
		source->span = 0;
	}
}

// Whether both are before the same chunk.
static bool at_same_chunk(const struct source *a, const struct source *b)
{
	return a->span == 0 && b->span == 0 && a->chunk < a->clock->chunks.count &&
	       b->chunk < b->clock->chunks.count &&
	       a->clock->chunks.items[a->chunk] == b->clock->chunks.items[b->chunk];
}

// Takes a whole chunk, of both sets if both have it, if nothing comes between its spans and none is
// covered.
static bool share_chunk(struct merging *merging, struct source *source, struct source *other)
{
	struct vkr_span_chunk *chunk = source->clock->chunks.items[source->chunk];
	const struct vkr_queue_span *next = next_of(other);
	const bool same = at_same_chunk(source, other);
	if (source->span != 0 || chunk->count < CHUNK_LEAST ||
	    (merging->count > 0 && merging->count < CHUNK_LEAST) ||
	    !chunk_stays(chunk, &source->widening) ||
	    (next && !same && compare_reaches(&chunk->spans[chunk->count - 1], next) >= 0) ||
	    (merging->count > 0 &&
	     compare_reaches(&merging->waiting[merging->count - 1], &chunk->spans[0]) >= 0))
		return false;
	make_chunks(merging);
	chunk->references++;
	add_chunk(merging, chunk);
	source->chunk++;
	other->chunk += same;
	return true;
}

static void merge_ranges(struct merging *merging, const struct vkr_queue_clock *a,
			 const struct vkr_queue_clock *b)
{
	struct source in_a = {.clock = a, .widening = find_widening(merging->made, a)};
	struct source in_b = {.clock = b, .widening = find_widening(merging->made, b)};
	for (;;) {
		const struct vkr_queue_span *x = next_of(&in_a), *y = next_of(&in_b);
		if ((!x && !y) || merging->failed)
			break;
		const bool first = x && (!y || compare_spans(x, y) <= 0);
		struct source *source = first ? &in_a : &in_b, *other = first ? &in_b : &in_a;
		if (!share_chunk(merging, source, other))
			take_span(merging, source);
	}
	make_chunks(merging);
}

// ---- Building -----------------------------------------------------------------------------------

enum vkr_result vkr_queue_clock_join(struct vkr_queue_clock *a, struct vkr_queue_clock *b,
				     struct vkr_queue_clock **result, struct vkr_error *error)
{
	*result = NULL;
	if (a == b || !b || !a) {
		*result = vkr_queue_clock_hold(a ? a : b);
		return VKR_OK;
	}
	struct merging merging;
	merge_begin(&merging, (size_t)a->count + b->count);
	struct vkr_queue_clock *made = merging.made;
	if (!made)
		return vkr_error_memory(error, "order between commands");
	memcpy(made->span, a->span, a->count * sizeof made->span[0]);
	made->count = a->count;
	for (uint32_t i = 0; i < b->count; i++)
		front_insert(made, b->span[i]);
	if (a->chunks.count + b->chunks.count > 0)
		merge_ranges(&merging, a, b);
	if (merging.failed) {
		vkr_queue_clock_drop(made);
		return vkr_error_memory(error, "order between commands");
	}
	struct vkr_queue_clock *same = vkr_queue_clock_equal(made, a)   ? a
				       : vkr_queue_clock_equal(made, b) ? b
									: NULL;
	*result = same ? vkr_queue_clock_hold(same) : made;
	if (same)
		vkr_queue_clock_drop(made);
	return VKR_OK;
}

enum vkr_result vkr_queue_clock_extend(struct vkr_queue_clock *clock, struct vkr_queue_span *spans,
				       size_t count, struct vkr_queue_clock **result,
				       struct vkr_error *error)
{
	struct merging merging;
	merge_begin(&merging, count);
	struct vkr_queue_clock *more = merging.made;
	*result = NULL;
	if (!more)
		return vkr_error_memory(error, "order between commands");
	vkr_sort(spans, count, sizeof *spans, compare_spans);
	for (size_t i = 0; i < count; i++) { // those without a range come first
		if (spans[i].stages == 0 || spans[i].accesses == 0 || spans[i].position == 0)
			continue;
		if (spans[i].memory == 0)
			front_insert(more, spans[i]);
		else
			range_append(&merging, &spans[i]);
	}
	make_chunks(&merging);
	const bool empty = more->count == 0 && more->chunks.count == 0;
	const enum vkr_result joined =
		merging.failed ? vkr_error_memory(error, "order between commands")
			       : vkr_queue_clock_join(clock, empty ? NULL : more, result, error);
	vkr_queue_clock_drop(more);
	return joined;
}

// The first chunk with a span of the memory, or of a later one.
static size_t find_memory(const struct vkr_queue_clock *clock, uint32_t memory)
{
	size_t first = 0;
	VKR_SEARCH(first, clock->chunks.count, at,
		   clock->chunks.items[at]->spans[clock->chunks.items[at]->count - 1].memory <
			   memory);
	return first;
}

struct spans {
	struct vkr_queue_span *items;
	size_t count, capacity;
};

static bool take_part(struct spans *spans, const struct vkr_queue_span *span,
		      const struct vkr_clock_part *part)
{
	struct vkr_queue_span taken = *span;
	if (part->memory != 0) {
		if (span->memory != 0 && span->memory != part->memory)
			return true;
		taken.memory = part->memory;
		taken.low = span->low > part->low ? span->low : part->low;
		taken.high = span->high < part->high ? span->high : part->high;
		if (taken.low >= taken.high)
			return true;
	}
	taken.readers &= part->readers;
	if (taken.readers == 0)
		return true;
	if (!VKR_ARRAY_RESERVE(spans, 1))
		return false;
	spans->items[spans->count++] = taken;
	return true;
}

static bool take_parts(struct spans *spans, const struct vkr_queue_clock *from,
		       const struct vkr_clock_part *part)
{
	bool taken = true;
	for (uint32_t i = 0; i < from->count && taken; i++)
		taken = take_part(spans, &from->span[i], part);
	for (size_t at = find_memory(from, part->memory); at < from->chunks.count && taken; at++) {
		const struct vkr_span_chunk *chunk = from->chunks.items[at];
		const struct vkr_queue_span *first = &chunk->spans[0];
		if (part->memory != 0 &&
		    (first->memory > part->memory ||
		     (first->memory == part->memory && first->low >= part->high)))
			break;
		for (uint32_t i = 0; i < chunk->count && chunk->high > part->low && taken; i++)
			taken = take_part(spans, &chunk->spans[i], part);
	}
	return taken;
}

// Moves both on over chunks that they share. Both are beyond the spans without a range.
static void pass_shared(const struct vkr_queue_clock *a, struct vkr_span_cursor *in_a,
			const struct vkr_queue_clock *b, struct vkr_span_cursor *in_b)
{
	while (in_a->chunk > 0 && in_b->chunk > 0 && in_a->span == 0 && in_b->span == 0 &&
	       in_a->chunk <= a->chunks.count && in_b->chunk <= b->chunks.count &&
	       a->chunks.items[in_a->chunk - 1] == b->chunks.items[in_b->chunk - 1]) {
		in_a->chunk++;
		in_b->chunk++;
	}
}

// What one set holds with a range and another one does not, in the same words.
static bool take_changes(struct spans *spans, const struct vkr_queue_clock *from,
			 const struct vkr_queue_clock *since)
{
	const struct vkr_clock_part all = {.high = UINT64_MAX, .readers = UINT64_MAX};
	struct vkr_span_cursor cursor = {.chunk = 1}, known = {.chunk = 1};
	const struct vkr_queue_span *span, *old;
	bool taken = true;
	while (taken) {
		pass_shared(from, &cursor, since, &known);
		if ((span = vkr_queue_clock_next(from, &cursor)) == NULL)
			break;
		struct vkr_span_cursor ahead = known;
		while ((old = vkr_queue_clock_next(since, &ahead)) != NULL &&
		       compare_spans(old, span) < 0)
			known = ahead;
		if (old != NULL && equal_spans(old, span))
			known = ahead;
		else
			taken = take_part(spans, span, &all);
	}
	return taken;
}

enum vkr_result vkr_queue_clock_join_since(struct vkr_queue_clock *a, struct vkr_queue_clock *b,
					   const struct vkr_queue_clock *since,
					   struct vkr_queue_clock **result, struct vkr_error *error)
{
	const struct vkr_clock_part all = {.high = UINT64_MAX, .readers = UINT64_MAX};
	struct spans spans = {0};
	if (a == b || !a || !b || !since || b->chunks.count == 0)
		return vkr_queue_clock_join(a, b, result, error);
	*result = NULL;
	bool taken = take_changes(&spans, b, since);
	for (uint32_t i = 0; i < b->count && taken; i++)
		taken = take_part(&spans, &b->span[i], &all);
	const enum vkr_result joined =
		taken ? vkr_queue_clock_extend(a, spans.items, spans.count, result, error)
		      : vkr_error_memory(error, "order between commands");
	free(spans.items);
	return joined;
}

enum vkr_result vkr_queue_clock_join_part(struct vkr_queue_clock *clock,
					  struct vkr_queue_clock *from,
					  const struct vkr_clock_part *part,
					  struct vkr_queue_clock **result, struct vkr_error *error)
{
	struct spans spans = {0};
	if (!from || (part->memory == 0 && part->readers == UINT64_MAX))
		return vkr_queue_clock_join(clock, from, result, error);
	*result = NULL;
	const enum vkr_result joined =
		take_parts(&spans, from, part)
			? vkr_queue_clock_extend(clock, spans.items, spans.count, result, error)
			: vkr_error_memory(error, "order between commands");
	free(spans.items);
	return joined;
}

// ---- Asking -------------------------------------------------------------------------------------

const struct vkr_queue_span *vkr_queue_clock_next(const struct vkr_queue_clock *clock,
						  struct vkr_span_cursor *cursor)
{
	if (!clock)
		return NULL;
	if (cursor->chunk == 0) {
		if (cursor->span < clock->count)
			return &clock->span[cursor->span++];
		*cursor = (struct vkr_span_cursor){.chunk = 1};
	}
	if (cursor->chunk > clock->chunks.count)
		return NULL;
	const struct vkr_span_chunk *chunk = clock->chunks.items[cursor->chunk - 1];
	const struct vkr_queue_span *span = &chunk->spans[cursor->span++];
	if (cursor->span == chunk->count)
		*cursor = (struct vkr_span_cursor){.chunk = cursor->chunk + 1};
	return span;
}

bool vkr_queue_clock_equal(const struct vkr_queue_clock *a, const struct vkr_queue_clock *b)
{
	struct vkr_span_cursor in_a = {0}, in_b = {0};
	if (a == b)
		return true;
	if (!a || !b || a->count != b->count)
		return false;
	for (;;) {
		pass_shared(a, &in_a, b, &in_b);
		const struct vkr_queue_span *x = vkr_queue_clock_next(a, &in_a);
		const struct vkr_queue_span *y = vkr_queue_clock_next(b, &in_b);
		if (!x || !y)
			return x == y;
		if (!equal_spans(x, y))
			return false;
	}
}

static bool span_holds(const struct vkr_queue_span *span, const struct vkr_queue_point *point,
		       uint64_t readers)
{
	return span->timeline == point->timeline && span->position >= point->position &&
	       span->behind < point->position && (span->stages & point->stage) &&
	       (span->accesses & point->access) && (span->readers & readers);
}

// Looks at a chunk for a byte of a memory. True where nothing after it can hold the byte.
static bool ask_chunk(const struct vkr_span_chunk *chunk, const struct vkr_queue_point *point,
		      uint64_t readers, struct vkr_verdict_range *place, bool *found)
{
	for (uint32_t i = 0; i < chunk->count; i++) {
		const struct vkr_queue_span *span = &chunk->spans[i];
		if (span->memory > place->memory)
			return true;
		if (span->memory < place->memory || !span_holds(span, point, readers))
			continue;
		if (span->low > place->offset) {
			place->high = place->high < span->low ? place->high : span->low;
			return true;
		}
		if (span->high > place->offset) {
			place->low = place->low > span->low ? place->low : span->low;
			place->high = place->high < span->high ? place->high : span->high;
			*found = true;
			return true;
		}
		place->low = place->low > span->high ? place->low : span->high;
	}
	return false;
}

static bool ask_ranges(const struct vkr_queue_clock *clock, const struct vkr_queue_point *point,
		       uint64_t readers, struct vkr_verdict_range *place)
{
	bool found = false;
	place->by_memory = true;
	for (size_t at = find_memory(clock, place->memory); at < clock->chunks.count; at++) {
		const struct vkr_span_chunk *chunk = clock->chunks.items[at];
		const struct vkr_queue_span *first = &chunk->spans[0];
		if (first->memory == place->memory && first->low > place->offset) {
			place->high = place->high < first->low ? place->high : first->low;
			break;
		}
		// What ends before the byte is not looked at: it may hold something else.
		if (chunk->high <= place->offset)
			place->low = place->low > chunk->high ? place->low : chunk->high;
		else if (ask_chunk(chunk, point, readers, place, &found))
			break;
	}
	return found;
}

bool vkr_queue_clock_has(const struct vkr_queue_clock *clock, const struct vkr_queue_point *point,
			 uint64_t readers, struct vkr_verdict_range *place)
{
	if (!clock)
		return false;
	for (uint32_t i = 0; i < clock->count; i++)
		if (span_holds(&clock->span[i], point, readers))
			return true;
	return (clock->range_stages & point->stage) != 0 &&
	       ask_ranges(clock, point, readers, place);
}
