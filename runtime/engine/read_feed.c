// SPDX-License-Identifier: Apache-2.0
#include "read_feed.h"

#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "judge.h"
#include "judge_stripes.h"

#include <string.h>

// Of what lies side by side, from how many reads on, and one of how many elements at least being
// read, they are judged as a list of elements (vkr_engine_elements).
#define LIST_LEAST   64u
#define LIST_DENSITY 4u
#define LIST_BYTES   16u

// Elements of a stretch without gaps, on average: each one is judged by itself.
#define STRETCH_LEAST 4u

// Neighbours that one invocation reads, on average, at most: more are told as one.
#define ALIKE_MOST 4u

// Strides of structs whose members are judged as stripes, as judge_scatter.c has it.
#define STRIDE_MOST 511u

// Entries of a filter's pages that follow each other.
struct feeding {
	struct vkr_engine *engine;
	const struct vkr_access_filter *filter;
	uint64_t first;    // the place of the first one
	uint32_t *numbers; // 1 + the invocation's, as in struct vkr_engine_elements
	uint32_t count;
	struct vkr_error *error;
};

static uint64_t offset_of(const struct feeding *of, uint32_t at)
{
	return (of->first + at) << of->filter->shift;
}

// The next entry from `at` on; the count where there is none.
static uint32_t next_entry(const struct feeding *of, uint32_t at)
{
	while (at < of->count && of->numbers[at] == 0)
		at++;
	return at;
}

// How many entries from `at` on, before `to`, are of one invocation and lie side by side.
static uint32_t span_of(const struct feeding *of, uint32_t at, uint32_t to)
{
	const uint32_t step = of->filter->bytes >> of->filter->shift;
	uint32_t count = 1;
	for (uint32_t next = at + step; next < to && of->numbers[next] == of->numbers[at];
	     next += step)
		count++;
	return count;
}

// The run of neighbours that begins at an entry, each with one entry; *next: where it ends.
static struct vkr_engine_run run_at(const struct feeding *of, uint32_t at, uint32_t to,
				    uint32_t *next)
{
	const unsigned bits = of->engine->dispatch.local_bits;
	const uint32_t number = of->numbers[at] - 1;
	uint32_t last = at, count = 1;
	*next = next_entry(of, at + 1);
	const uint32_t step = *next - at;
	while (*next < to && *next - last == step && of->numbers[*next] == number + count + 1 &&
	       (number + count) >> bits == number >> bits && span_of(of, *next, to) == 1) {
		last = *next;
		*next = next_entry(of, *next + 1);
		count++;
	}
	return (struct vkr_engine_run){.site = of->filter->site,
				       .local = number & ((UINT32_C(1) << bits) - 1),
				       .count = count,
				       .stride = (int64_t)((uint64_t)step << of->filter->shift),
				       .offset = offset_of(of, at),
				       .target = of->filter->target};
}

// What one invocation reads from an entry on, `count` times its bytes.
static enum vkr_result feed_span(const struct feeding *of, uint32_t at, uint32_t count)
{
	struct vkr_engine *engine = of->engine;
	const struct vkr_engine_target *target = of->filter->target;
	struct vkr_shadow *shadow = vkr_shadow_fed(engine, target->memory);
	const uint64_t low = target->base + offset_of(of, at);
	const uint32_t local =
		(of->numbers[at] - 1) & ((UINT32_C(1) << engine->dispatch.local_bits) - 1);
	struct vkr_access access;
	struct vkr_fast fast;
	if (!shadow)
		return VKR_OK;
	enum vkr_result result = vkr_access_shader(engine, of->filter->site, target, shadow,
						   VKR_SHAPE_UNIFORM, &access, of->error);
	if (result != VKR_OK)
		return result;
	vkr_fast_begin(&fast, engine, &access);
	vkr_access_aim(&access, local, low);
	return vkr_judge_lines(&fast, low, low + (uint64_t)count * of->filter->bytes, of->error);
}

// Entries [from, to): what one invocation reads side by side as one read, and else runs of
// neighbours.
static enum vkr_result feed_runs(const struct feeding *of, uint32_t from, uint32_t to)
{
	struct vkr_dispatch_state *dispatch = &of->engine->dispatch;
	struct vkr_shadow *shadow = vkr_shadow_fed(of->engine, of->filter->target->memory);
	const uint32_t step = of->filter->bytes >> of->filter->shift;
	enum vkr_result result = VKR_OK;
	if (!shadow)
		return VKR_OK;
	for (uint32_t at = next_entry(of, from); at < to && result == VKR_OK;) {
		const uint32_t span = span_of(of, at, to);
		dispatch->workgroup = (of->numbers[at] - 1) >> dispatch->local_bits;
		if (span > 1) {
			result = feed_span(of, at, span);
			at = next_entry(of, at + (span - 1) * step + 1);
			continue;
		}
		const struct vkr_engine_run run = run_at(of, at, to, &at);
		result = vkr_feed_run(of->engine, shadow, &run, 1, of->error);
	}
	return result;
}

// Entries that are mostly side by side, of which few neighbours are one invocation's; *done is
// false where they are not. A list tells each element's read, and else one invocation's reads that
// lie side by side are told as one.
static enum vkr_result feed_list(const struct feeding *of, uint32_t used, bool *done)
{
	const struct vkr_access_filter *filter = of->filter;
	const uint32_t first = next_entry(of, 0);
	uint32_t end = of->count;
	bool apart = false;
	while (end > first && of->numbers[end - 1] == 0)
		end--;
	*done = false;
	if (used < LIST_LEAST || (uint64_t)used * LIST_DENSITY < end - first ||
	    filter->bytes != UINT32_C(1) << filter->shift || filter->bytes > LIST_BYTES ||
	    filter->target->base % filter->bytes != 0)
		return VKR_OK;
	uint32_t stretches = 1, alike = 0;
	for (uint32_t at = first + 1; at < end; at++) {
		alike += of->numbers[at] != 0 && of->numbers[at] == of->numbers[at - 1];
		stretches += of->numbers[at] != 0 && of->numbers[at - 1] == 0;
	}
	if (stretches > used / STRETCH_LEAST || used - alike < used / ALIKE_MOST)
		return VKR_OK;
	const struct vkr_engine_elements list = {.site = filter->site,
						 .target = filter->target,
						 .first = of->first + first,
						 .count = end - first,
						 .invocations = of->numbers + first};
	const enum vkr_result result = vkr_feed_elements(of->engine, &list, 1, &apart, of->error);
	*done = !apart;
	return result;
}

// Rows of elements of one page that are to be judged: entries [from, to).
struct striping {
	const struct feeding *of;
	struct vkr_access access;
	struct vkr_fast fast;
	struct vkr_stripe_rows rows;
	uint32_t from;
};

// Makes the access that the rows are judged by. Whatever is judged otherwise may collect epochs,
// the access's among them.
static enum vkr_result begin_striping(struct striping *striping)
{
	const struct feeding *of = striping->of;
	const struct vkr_engine_target *target = of->filter->target;
	of->engine->dispatch.workgroup = 0;
	const enum vkr_result result = vkr_access_shader(
		of->engine, of->filter->site, target, vkr_shadow_fed(of->engine, target->memory),
		VKR_SHAPE_UNIFORM, &striping->access, of->error);
	if (result == VKR_OK)
		vkr_fast_begin(&striping->fast, of->engine, &striping->access);
	return result;
}

// Entries [from, to), after which rows begin anew.
static enum vkr_result feed_others(struct striping *striping, uint32_t from, uint32_t to)
{
	const enum vkr_result result = feed_runs(striping->of, from, to);
	return result == VKR_OK ? begin_striping(striping) : result;
}

static enum vkr_result feed_rows(struct striping *striping, uint32_t to)
{
	bool judged = false;
	enum vkr_result result = VKR_OK;
	if (striping->rows.count > 0)
		result = vkr_judge_stripes(&striping->fast, &striping->access, &striping->rows,
					   &judged, striping->of->error);
	if (result == VKR_OK && !judged && striping->from < to)
		result = feed_others(striping, striping->from, to);
	striping->from = to;
	striping->rows.count = 0;
	return result;
}

// Makes rows of a page's entries from `at` on, where it can have stripes; *end: of these entries.
static enum vkr_result stripe_page(struct striping *striping, uint32_t at, unsigned stride,
				   uint32_t *end)
{
	const struct feeding *of = striping->of;
	const uint32_t bytes = of->filter->bytes;
	const unsigned bits = striping->access.local_bits, shift = of->filter->shift;
	const uint64_t base = of->filter->target->base, first = base + offset_of(of, at);
	const uint64_t room = VKR_PAGE_BYTES - first % VKR_PAGE_BYTES;
	const uint64_t entries = (room + (UINT64_C(1) << shift) - 1) >> shift;
	*end = entries < of->count - at ? at + (uint32_t)entries : of->count;
	enum vkr_result result =
		vkr_judge_gather_stripes(&striping->fast, first, stride, of->error);
	const unsigned own = vkr_judge_stripe_stride(&striping->fast, first, stride);
	if (result != VKR_OK || own == 0)
		return result == VKR_OK ? feed_others(striping, at, *end) : result;
	vkr_stripe_rows_init(&striping->rows, own);
	striping->from = at;
	for (; at < *end && result == VKR_OK; at = next_entry(of, at + 1)) {
		const uint64_t low = base + offset_of(of, at);
		const uint32_t number = of->numbers[at] - 1;
		striping->access.workgroup = number >> bits;
		if (vkr_stripe_rows_push(&striping->rows, &striping->access,
					 number & ((UINT32_C(1) << bits) - 1), low, low + bytes))
			continue;
		result = feed_rows(striping, at);
		if (result == VKR_OK)
			result = feed_others(striping, at, at + 1);
		striping->from = at + 1;
	}
	return result == VKR_OK ? feed_rows(striping, *end) : result;
}

// Entries that are members of structs; *done is false where they are not.
static enum vkr_result feed_stripes(const struct feeding *of, bool *done)
{
	struct vkr_shadow *shadow = vkr_shadow_fed(of->engine, of->filter->target->memory);
	const uint32_t first = next_entry(of, 0);
	const uint64_t stride = (uint64_t)(next_entry(of, first + 1) - first) << of->filter->shift;
	struct striping striping = {.of = of};
	*done = false;
	if (!shadow || stride < VKR_STRIPE_LEAST || stride > STRIDE_MOST ||
	    stride < of->filter->bytes || stride % VKR_WORD_BYTES != 0)
		return VKR_OK;
	enum vkr_result result = begin_striping(&striping);
	if (result != VKR_OK)
		return result;
	*done = vkr_judge_may_stripe(&striping.fast);
	for (uint32_t at = first, end; *done && at < of->count && result == VKR_OK;
	     at = next_entry(of, end))
		result = stripe_page(&striping, at, (unsigned)stride, &end);
	return result;
}

// Forgets entries of which another part judges all bytes (shard.h).
static void drop_elsewhere(const struct feeding *of, struct vkr_shadow *shadow)
{
	const struct vkr_access_filter *filter = of->filter;
	const uint64_t base = filter->target->base;
	const uint64_t high = base + offset_of(of, of->count) + filter->bytes;
	uint64_t low = base + offset_of(of, 0), end;
	uint32_t at = 0;
	while (at < of->count) {
		const bool some = vkr_share_next(&shadow->share, &low, high, &end);
		for (; at < of->count && (!some || base + offset_of(of, at) + filter->bytes <= low);
		     at++)
			of->numbers[at] = 0;
		while (at < of->count && base + offset_of(of, at) < end)
			at++;
		low = end;
	}
}

// Pages [first, end) of a filter, which are all there.
static enum vkr_result feed_pages(struct vkr_engine *engine, const struct vkr_access_filter *filter,
				  uint32_t *entries, size_t first, size_t end, uint64_t *singly,
				  struct vkr_error *error)
{
	struct vkr_access_filters *filters = &engine->noted.filters;
	const size_t all = (end - first) * VKR_FILTER_PAGE;
	uint32_t used = 0;
	bool done = false;
	enum vkr_result result = VKR_OK;
	filters->numbers.count = 0;
	if (!VKR_ARRAY_RESERVE(&filters->numbers, all))
		return vkr_error_memory(error, "reads of a dispatch");
	uint32_t *numbers = filters->numbers.items;
	for (size_t page = first; page < end; page++)
		memcpy(numbers + (page - first) * VKR_FILTER_PAGE,
		       vkr_filter_entries(filter, entries, page),
		       VKR_FILTER_PAGE * sizeof *numbers);
	const struct feeding of = {engine,  filter,        (uint64_t)first * VKR_FILTER_PAGE,
				   numbers, (uint32_t)all, error};
	struct vkr_shadow *shadow = vkr_shadow_fed(engine, filter->target->memory);
	if (shadow && shadow->share.divided)
		drop_elsewhere(&of, shadow);
	for (size_t at = 0; at < all; at++)
		used += numbers[at] != 0;
	if (used == 0)
		return VKR_OK;
	result = feed_list(&of, used, &done);
	if (result == VKR_OK && !done && used > 1)
		result = feed_stripes(&of, &done);
	if (result != VKR_OK || done)
		return result;
	*singly += used;
	return feed_runs(&of, 0, of.count);
}

// Pages of other filters may lie between its own.
enum vkr_result vkr_read_feed(struct vkr_engine *engine, const struct vkr_access_filter *filter,
			      uint32_t *entries, uint64_t *singly, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	*singly = 0;
	for (size_t first = 0, end; first < filter->pages.count && result == VKR_OK; first = end) {
		end = first + 1;
		if (filter->pages.items[first] == 0)
			continue;
		while (end < filter->pages.count && filter->pages.items[end] != 0)
			end++;
		result = feed_pages(engine, filter, entries, first, end, singly, error);
	}
	return result;
}
