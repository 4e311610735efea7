// SPDX-License-Identifier: Apache-2.0
#include "report_diff.h"

#include "error.h"
#include "report_escape.h"
#include "report_facts.h"
#include "sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_ids(const void *left, const void *right)
{
	const struct vkr_race_report *const *first = left, *const *second = right;
	return strcmp((*first)->id, (*second)->id);
}

struct races {
	const struct vkr_race_report *items;
	uint32_t count;
};

// Sorted by identity; NULL for lack of memory.
static const struct vkr_race_report **report_diff_sort(const struct races *races)
{
	const struct vkr_race_report **sorted = calloc((size_t)races->count + 1, sizeof *sorted);
	if (!sorted)
		return NULL;
	for (uint32_t i = 0; i < races->count; i++)
		sorted[i] = &races->items[i];
	vkr_sort(sorted, races->count, sizeof *sorted, compare_ids);
	return sorted;
}

static const struct vkr_race_report *find_race(const struct vkr_race_report *const *sorted,
					       uint32_t count, const struct vkr_race_report *race)
{
	const struct vkr_race_report *const *found =
		bsearch(&race, sorted, count, sizeof *sorted, compare_ids);
	return found ? *found : NULL;
}

static void report_diff_fill(struct vkr_report_pairs *pairs, const struct races *before,
			     const struct races *after,
			     const struct vkr_race_report *const *sorted_before,
			     const struct vkr_race_report *const *sorted_after)
{
	for (uint32_t i = 0; i < after->count; i++) {
		struct vkr_report_pair *pair = &pairs->items[pairs->count++];
		pair->after = &after->items[i];
		pair->before = find_race(sorted_before, before->count, pair->after);
		pairs->added += !pair->before;
	}
	for (uint32_t i = 0; i < before->count; i++) {
		if (find_race(sorted_after, after->count, &before->items[i]))
			continue;
		pairs->items[pairs->count++] =
			(struct vkr_report_pair){.before = &before->items[i]};
		pairs->gone++;
	}
}

static bool report_diff_compare(struct vkr_report_pairs *pairs, const struct races *before,
				const struct races *after)
{
	const struct vkr_race_report **sorted_before = report_diff_sort(before);
	const struct vkr_race_report **sorted_after = report_diff_sort(after);
	pairs->items = calloc((size_t)before->count + after->count + 1, sizeof *pairs->items);
	const bool enough = sorted_before && sorted_after && pairs->items;
	if (enough)
		report_diff_fill(pairs, before, after, sorted_before, sorted_after);
	free(sorted_before);
	free(sorted_after);
	return enough;
}

enum vkr_result vkr_report_diff_make(struct vkr_report_diff *diff, const struct vkr_report *before,
				     const struct vkr_report *after, struct vkr_error *error)
{
	*diff = (struct vkr_report_diff){.before = before, .after = after};
	if (report_diff_compare(&diff->races, &(struct races){before->races, before->race_count},
				&(struct races){after->races, after->race_count}) &&
	    report_diff_compare(&diff->possible,
				&(struct races){before->possible, before->possible_count},
				&(struct races){after->possible, after->possible_count}))
		return VKR_OK;
	vkr_report_diff_finish(diff);
	return vkr_error_memory(error, "the comparison of two reports");
}

void vkr_report_diff_finish(struct vkr_report_diff *diff)
{
	free(diff->races.items);
	free(diff->possible.items);
	*diff = (struct vkr_report_diff){0};
}

static bool print_gone(FILE *out, const struct vkr_race_report *race)
{
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	const char *headline = vkr_report_headline(race, &arena);
	if (headline) {
		fputs("vkrace: gone: ", out);
		vkr_escape_plain(out, headline);
		fprintf(out, " [%s]\n", race->id);
	}
	vkr_arena_finish(&arena);
	return headline != NULL;
}

static void print_summary(const struct vkr_report_diff *diff, FILE *out)
{
	const struct vkr_report_pairs *races = &diff->races, *possible = &diff->possible;
	fprintf(out, "vkrace: %u new race%s, %u gone, %u in both", races->added,
		races->added == 1 ? "" : "s", races->gone,
		races->count - races->added - races->gone);
	if (possible->count)
		fprintf(out, "; %u new possible, %u gone, %u in both", possible->added,
			possible->gone, possible->count - possible->added - possible->gone);
	fprintf(out, "%s\n",
		races->gone && diff->after->coverage_count
			? "; not everything was observed, so that a race may be gone from sight "
			  "only"
			: "");
}

enum vkr_result vkr_report_diff_text(const struct vkr_report_diff *diff, FILE *out,
				     const struct vkr_report_text_options *options,
				     struct vkr_error *error)
{
	for (uint32_t i = 0; i < diff->races.count; i++) {
		const struct vkr_report_pair *pair = &diff->races.items[i];
		enum vkr_result result = VKR_OK;
		if (!pair->before)
			result = vkr_report_text_race(pair->after, out, options, error);
		else if (!pair->after && !print_gone(out, pair->before))
			result = vkr_error_memory(error, "the comparison of two reports");
		if (result != VKR_OK)
			return result;
	}
	print_summary(diff, out);
	if (fflush(out) != 0 || ferror(out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the comparison: %s",
				     strerror(errno));
	return VKR_OK;
}
