// SPDX-License-Identifier: Apache-2.0
#include "filter_judge.h"

#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "judge.h"
#include "read_deferral.h"
#include "read_feed.h"

#include <string.h>

static uint32_t *entries_of(const struct vkr_access_filters *filters,
			    const struct vkr_access_filter *filter, size_t page)
{
	return vkr_filter_entries(filter, filters->entries, page);
}

static void forget_pages(struct vkr_access_filter *filter, size_t first, size_t end)
{
	memset(filter->pages.items + first, 0, (end - first) * sizeof *filter->pages.items);
}

// ---- Reads --------------------------------------------------------------------------------------

static enum vkr_result defer_filter(struct vkr_engine *engine, struct vkr_access_filters *filters,
				    struct vkr_access_filter *filter, struct vkr_error *error)
{
	bool waits = false;
	enum vkr_result result = vkr_engine_defer_reads(engine, filters, filter, &waits, error);
	if (result == VKR_OK && waits)
		forget_pages(filter, 0, filter->pages.count);
	else if (result == VKR_OK && filter->kept != NULL &&
		 !vkr_read_table_note(filter->kept, filters, filter))
		result = vkr_error_memory(error, "the reads of a command");
	return result;
}

enum vkr_result vkr_filters_defer(struct vkr_engine *engine, struct vkr_access_filters *filters,
				  struct vkr_error *error)
{
	const struct vkr_left_dispatch left = vkr_dispatch_leave(engine);
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < filters->count && result == VKR_OK; at++)
		result = defer_filter(engine, filters, &filters->items[at], error);
	vkr_dispatch_return(engine, &left);
	return result;
}

// In memory of which parts are mapped onto others (vkr_engine_map), place by place.
static enum vkr_result judge_mapped(struct vkr_engine *engine,
				    const struct vkr_access_filters *filters,
				    const struct vkr_access_filter *filter, struct vkr_error *error)
{
	const unsigned bits = engine->dispatch.local_bits;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < filter->pages.count * VKR_FILTER_PAGE && result == VKR_OK; at++) {
		const uint32_t page = filter->pages.items[at / VKR_FILTER_PAGE];
		const uint32_t number =
			page == 0 ? 0
				  : entries_of(filters, filter,
					       at / VKR_FILTER_PAGE)[at % VKR_FILTER_PAGE];
		if (number == 0)
			continue;
		const struct vkr_engine_run run = {.site = filter->site,
						   .local = (number - 1) &
							    ((UINT32_C(1) << bits) - 1),
						   .count = 1,
						   .offset = (uint64_t)at << filter->shift,
						   .target = filter->target};
		engine->dispatch.workgroup = (number - 1) >> bits;
		result = vkr_mapped_runs(engine, &run, error);
	}
	return result;
}

static enum vkr_result judge_filter(struct vkr_engine *engine,
				    const struct vkr_access_filters *filters,
				    const struct vkr_access_filter *filter, struct vkr_error *error)
{
	struct vkr_shadow *shadow = vkr_shadow_fed(engine, filter->target->memory);
	const size_t count = vkr_read_table_count(filters, filter);
	const uint64_t accesses = engine->accesses + count;
	uint64_t singly = 0;
	enum vkr_result result = vkr_engine_check_stop(engine, error);
	if (result != VKR_OK || shadow == NULL || count == 0)
		return result;
	if (!vkr_target_place(engine, filter->target, shadow))
		return vkr_error_memory(error, "shadow memory");
	result = vkr_deferral_meet_target(engine, shadow, filter->target, error);
	if (result == VKR_OK && shadow->mappings.count > 0)
		result = judge_mapped(engine, filters, filter, error);
	else if (result == VKR_OK)
		result = vkr_read_feed(engine, filter, filters->entries, &singly, error);
	engine->accesses = accesses;
	engine->sites.items[filter->site - 1].noted_places += singly;
	return result;
}

enum vkr_result vkr_filters_judge(struct vkr_engine *engine, struct vkr_access_filters *filters,
				  struct vkr_error *error)
{
	const struct vkr_left_dispatch left = vkr_dispatch_leave(engine);
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < filters->count && result == VKR_OK; at++)
		if (!filters->items[at].writes)
			result = judge_filter(engine, filters, &filters->items[at], error);
	vkr_access_filters_clear(filters);
	vkr_dispatch_return(engine, &left);
	return result;
}

void vkr_filters_count_as(struct vkr_engine *engine, uint64_t before, uint64_t accesses)
{
	engine->accesses = before + accesses;
}

// ---- Reads one by one ---------------------------------------------------------------------------

// Looks for races of the reads of target bytes [low, high) that are asked about one by one.
static enum vkr_result probe_reads(struct vkr_engine *engine,
				   const struct vkr_access_filter *filter, uint64_t low,
				   uint64_t high, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	while (low < high && result == VKR_OK && !engine->raced) {
		struct vkr_engine_range range = {filter->target->memory, filter->target->base + low,
						 high - low};
		struct vkr_access access;
		vkr_engine_mapped(engine, &range);
		low += range.bytes;
		struct vkr_shadow *shadow = vkr_shadow_fed(engine, range.memory);
		if (shadow == NULL || range.offset >= shadow->bytes)
			continue;
		const uint64_t left = shadow->bytes - range.offset;
		result = vkr_access_shader(engine, filter->site, filter->target, shadow,
					   VKR_SHAPE_UNIFORM, &access, error);
		if (result == VKR_OK)
			result = vkr_judge_probe(
				engine, &access, range.offset,
				range.offset + (range.bytes < left ? range.bytes : left), error);
	}
	return result;
}

// Of a page of places, those that follow each other together.
static enum vkr_result probe_page(struct vkr_engine *engine, const struct vkr_access_filter *filter,
				  size_t page, const uint32_t *entries, struct vkr_error *error)
{
	const uint64_t all = filter->target->bytes;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0, end; at < VKR_FILTER_PAGE && result == VKR_OK; at = end) {
		const uint64_t place = (uint64_t)page * VKR_FILTER_PAGE;
		while (at < VKR_FILTER_PAGE && entries[at] == 0)
			at++;
		for (end = at; end < VKR_FILTER_PAGE && entries[end] != 0;)
			end++;
		if (at == end)
			break;
		const uint64_t low = (place + at) << filter->shift;
		const uint64_t high = ((place + end - 1) << filter->shift) + filter->bytes;
		result = probe_reads(engine, filter, low, high < all ? high : all, error);
	}
	return result;
}

// Whether order may be a matter of single invocations.
static bool may_ask(const struct vkr_engine *engine, const struct vkr_access_filter *filter)
{
	return engine->queues.local_stages != 0 ||
	       engine->sites.items[filter->site - 1].flags & VKR_ENGINE_ASK;
}

static enum vkr_result probe_filter(struct vkr_engine *engine,
				    const struct vkr_access_filters *filters,
				    const struct vkr_access_filter *filter, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t page = 0; page < filter->pages.count && result == VKR_OK && !engine->raced;
	     page++)
		if (filter->pages.items[page] != 0)
			result = probe_page(engine, filter, page, entries_of(filters, filter, page),
					    error);
	return result;
}

enum vkr_result vkr_filters_apart(struct vkr_engine *engine,
				  const struct vkr_access_filters *filters, bool *apart,
				  struct vkr_error *error)
{
	const struct vkr_left_dispatch left = vkr_dispatch_leave(engine);
	enum vkr_result result = VKR_OK;
	engine->probing = true;
	engine->raced = false;
	for (size_t at = 0; at < filters->count && result == VKR_OK; at++)
		if (may_ask(engine, &filters->items[at]))
			result = probe_filter(engine, filters, &filters->items[at], error);
	engine->probing = false;
	*apart = engine->raced;
	// A part of memory sees its own reads alone.
	if (*apart && engine->options.shard != NULL)
		engine->options.shard->together = true;
	vkr_dispatch_return(engine, &left);
	return result;
}

// ---- Writes -------------------------------------------------------------------------------------

enum vkr_result vkr_engine_elements(struct vkr_engine *engine,
				    const struct vkr_engine_elements *lists, size_t count,
				    bool *apart, struct vkr_error *error)
{
	enum vkr_result result = vkr_engine_check_stop(engine, error);
	for (size_t at = 0; at < count && result == VKR_OK; at++) {
		struct vkr_shadow *shadow = vkr_shadow_fed(engine, lists[at].target->memory);
		if (shadow)
			result = vkr_deferral_meet_target(engine, shadow, lists[at].target, error);
	}
	return result == VKR_OK ? vkr_feed_elements(engine, lists, count, apart, error) : result;
}

// Entries that lie side by side, on the average, from which on they are judged together.
#define ROW_LEAST 16u

// The pages in use that follow each other from *first on, up to *end; false where there are none.
static bool next_pages(const struct vkr_access_filter *filter, size_t *first, size_t *end)
{
	while (*first < filter->pages.count && filter->pages.items[*first] == 0)
		++*first;
	for (*end = *first; *end < filter->pages.count && filter->pages.items[*end] != 0;)
		++*end;
	return *first < *end;
}

// Whether numbers are mostly side by side. Cuts off what is empty at both ends.
static bool trim_row(uint32_t *numbers, uint32_t *first, uint32_t *count)
{
	uint32_t used = numbers[0] != 0, rows = used, end = *count;
	for (uint32_t at = 1; at < *count; at++) {
		used += numbers[at] != 0;
		rows += numbers[at] != 0 && numbers[at - 1] == 0;
	}
	if (used < (uint64_t)rows * ROW_LEAST)
		return false;
	for (*first = 0; *first < end && numbers[*first] == 0;)
		++*first;
	while (end > *first && numbers[end - 1] == 0)
		end--;
	*count = end - *first;
	return true;
}

// Adds a list of what is in pages [first, end) of a filter; *added is false where it is none.
static enum vkr_result add_list(struct vkr_access_filters *filters,
				const struct vkr_access_filter *filter, size_t first, size_t end,
				bool *added, struct vkr_error *error)
{
	const size_t all = (end - first) * VKR_FILTER_PAGE;
	uint32_t skipped = 0, count = (uint32_t)all;
	*added = false;
	if (all > UINT32_MAX || filter->bytes != UINT32_C(1) << filter->shift)
		return VKR_OK;
	if (!VKR_ARRAY_RESERVE(&filters->numbers, all) || !VKR_ARRAY_RESERVE(&filters->lists, 1))
		return vkr_error_memory(error, "writes");
	uint32_t *to = filters->numbers.items + filters->numbers.count;
	for (size_t page = first; page < end; page++)
		memcpy(to + (page - first) * VKR_FILTER_PAGE, entries_of(filters, filter, page),
		       VKR_FILTER_PAGE * sizeof *to);
	if (!trim_row(to, &skipped, &count))
		return VKR_OK;
	*added = true;
	filters->lists.items[filters->lists.count++] =
		(struct vkr_engine_elements){.site = filter->site,
					     .target = filter->target,
					     .first = first * VKR_FILTER_PAGE + skipped,
					     .count = count};
	// Where it stands is known when all have been added.
	memmove(to, to + skipped, count * sizeof *to);
	filters->numbers.count += count;
	return VKR_OK;
}

static enum vkr_result feed_lists(struct vkr_access_filters *filters, struct vkr_engine *engine,
				  bool *apart, struct vkr_error *error)
{
	const uint32_t *numbers = filters->numbers.items;
	for (size_t at = 0; at < filters->lists.count; at++) {
		filters->lists.items[at].invocations = numbers;
		numbers += filters->lists.items[at].count;
	}
	const enum vkr_result result = vkr_engine_elements(engine, filters->lists.items,
							   filters->lists.count, apart, error);
	filters->lists.count = 0;
	filters->numbers.count = 0;
	return result;
}

// Whether two filters have noted the same place.
static bool have_common(const struct vkr_access_filters *filters, const struct vkr_access_filter *a,
			const struct vkr_access_filter *b)
{
	for (size_t page = 0; page < a->pages.count && page < b->pages.count; page++) {
		uint32_t common = 0;
		if (a->pages.items[page] == 0 || b->pages.items[page] == 0)
			continue;
		const uint32_t *of_a = entries_of(filters, a, page);
		const uint32_t *of_b = entries_of(filters, b, page);
		for (uint32_t at = 0; at < VKR_FILTER_PAGE; at++)
			common |= (of_a[at] != 0) & (of_b[at] != 0);
		if (common)
			return true;
	}
	return false;
}

static bool are_shared(const struct vkr_access_filters *filters)
{
	for (size_t at = 1; at < filters->count; at++)
		for (size_t other = 0; other < at; other++) {
			const struct vkr_access_filter *a = &filters->items[at];
			const struct vkr_access_filter *b = &filters->items[other];
			if (a->writes && b->writes && a->target == b->target &&
			    (a->bytes != b->bytes || have_common(filters, a, b)))
				return true;
		}
	return false;
}

enum vkr_result vkr_filters_judge_writes(struct vkr_engine *engine,
					 struct vkr_access_filters *filters,
					 enum vkr_filter_writes *outcome, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	bool raced = false, added = true;
	*outcome = are_shared(filters) ? VKR_FILTER_SHARED : VKR_FILTER_JUDGED;
	for (size_t at = 0; at < filters->count; at++) {
		struct vkr_access_filter *filter = &filters->items[at];
		for (size_t first = 0, end; filter->writes && next_pages(filter, &first, &end);
		     first = end) {
			if (result == VKR_OK && added && *outcome == VKR_FILTER_JUDGED)
				result = add_list(filters, filter, first, end, &added, error);
			forget_pages(filter, first, end);
		}
	}
	if (!added)
		*outcome = VKR_FILTER_APART;
	if (result == VKR_OK && *outcome == VKR_FILTER_JUDGED)
		result = feed_lists(filters, engine, &raced, error);
	filters->lists.count = 0;
	filters->numbers.count = 0;
	if (raced)
		*outcome = VKR_FILTER_RACED;
	return result;
}
