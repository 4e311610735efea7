// SPDX-License-Identifier: Apache-2.0
#include "filter_judge.h"

#include "array.h"
#include "error.h"
#include "read_table.h"

#include <string.h>

// What is being judged.
struct judging {
	struct vkr_engine *engine;
	bool *raced;
	struct vkr_error *error;
};

static enum vkr_result judge_run(void *user, uint32_t workgroup, const struct vkr_engine_run *run)
{
	const struct judging *of = user;
	if (of->raced != NULL && *of->raced)
		return VKR_OK;
	const enum vkr_result result = vkr_engine_workgroup(of->engine, workgroup, of->error);
	if (result != VKR_OK)
		return result;
	return of->raced == NULL ? vkr_engine_runs(of->engine, run, 1, of->error)
				 : vkr_engine_try_runs(of->engine, run, 1, of->raced, of->error);
}

enum vkr_result vkr_access_filters_judge(struct vkr_access_filters *filters,
					 struct vkr_engine *engine,
					 const struct vkr_filter_readers *readers, bool *raced,
					 struct vkr_error *error)
{
	struct judging of = {engine, raced, error};
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < filters->count && result == VKR_OK; at++) {
		bool waits = false;
		if (raced != NULL && *raced)
			break;
		if (filters->items[at].writes)
			continue;
		if (raced != NULL)
			result = vkr_engine_defer_reads(engine, filters, &filters->items[at],
							readers, &waits, error);
		if (result == VKR_OK && !waits && filters->items[at].kept != NULL &&
		    !vkr_read_table_note(filters->items[at].kept, filters, &filters->items[at]))
			result = vkr_error_memory(error, "the reads of a command");
		if (result == VKR_OK && !waits)
			result = vkr_access_filter_take(&filters->items[at], filters->entries,
							readers, judge_run, &of);
	}
	vkr_access_filters_clear(filters);
	return result;
}

// ---- Judging side by side -----------------------------------------------------------------------

// Entries that lie side by side, on the average, from which on they are judged together.
#define ROW_LEAST 16u

static const uint32_t *entries_of(const struct vkr_access_filters *filters,
				  const struct vkr_access_filter *filter, size_t page)
{
	return vkr_filter_entries(filter, filters->entries, page);
}

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
				vkr_filter_numbers numbers, const void *user, bool *added,
				struct vkr_error *error)
{
	const size_t all = (end - first) * VKR_FILTER_PAGE;
	uint32_t skipped = 0, count = (uint32_t)all;
	*added = false;
	if (all > UINT32_MAX || filter->bytes != UINT32_C(1) << filter->shift)
		return VKR_OK;
	if (!VKR_ARRAY_RESERVE(&filters->numbers, all) || !VKR_ARRAY_RESERVE(&filters->lists, 1))
		return vkr_error_memory(error, "reads");
	uint32_t *to = filters->numbers.items + filters->numbers.count;
	for (size_t page = first; page < end; page++)
		if (!numbers(user, entries_of(filters, filter, page), VKR_FILTER_PAGE,
			     to + (page - first) * VKR_FILTER_PAGE))
			return VKR_OK;
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

static void forget_pages(struct vkr_access_filter *filter, size_t first, size_t end)
{
	memset(filter->pages.items + first, 0, (end - first) * sizeof *filter->pages.items);
}

enum vkr_result vkr_access_filters_judge_rows(struct vkr_access_filters *filters,
					      struct vkr_engine *engine, vkr_filter_numbers numbers,
					      const void *user, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < filters->count; at++) {
		struct vkr_access_filter *filter = &filters->items[at];
		for (size_t first = 0, end;
		     !filter->writes && result == VKR_OK && next_pages(filter, &first, &end);
		     first = end) {
			bool added = false, apart = false;
			result =
				add_list(filters, filter, first, end, numbers, user, &added, error);
			if (result != VKR_OK || !added)
				continue;
			result = feed_lists(filters, engine, &apart, error);
			if (!apart)
				forget_pages(filter, first, end);
		}
	}
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

enum vkr_result vkr_access_filters_judge_writes(struct vkr_access_filters *filters,
						struct vkr_engine *engine,
						vkr_filter_numbers numbers, const void *user,
						enum vkr_filter_writes *outcome,
						struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	bool raced = false, added = true;
	*outcome = are_shared(filters) ? VKR_FILTER_SHARED : VKR_FILTER_JUDGED;
	for (size_t at = 0; at < filters->count; at++) {
		struct vkr_access_filter *filter = &filters->items[at];
		for (size_t first = 0, end; filter->writes && next_pages(filter, &first, &end);
		     first = end) {
			if (result == VKR_OK && added && *outcome == VKR_FILTER_JUDGED)
				result = add_list(filters, filter, first, end, numbers, user,
						  &added, error);
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
