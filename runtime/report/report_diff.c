// SPDX-License-Identifier: Apache-2.0
#include "report_diff.h"

#include "error.h"
#include "report_escape.h"
#include "report_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_ids(const void *left, const void *right)
{
	const struct vkr_race_report *const *first = left, *const *second = right;
	return strcmp((*first)->id, (*second)->id);
}

// The races of a report sorted by identity; NULL for lack of memory.
static const struct vkr_race_report **sorted_races(const struct vkr_report *report)
{
	const struct vkr_race_report **sorted =
		calloc((size_t)report->race_count + 1, sizeof *sorted);
	if (!sorted)
		return NULL;
	for (uint32_t i = 0; i < report->race_count; i++)
		sorted[i] = &report->races[i];
	qsort(sorted, report->race_count, sizeof *sorted, compare_ids);
	return sorted;
}

static const struct vkr_race_report *find_race(const struct vkr_race_report *const *sorted,
					       uint32_t count, const struct vkr_race_report *race)
{
	const struct vkr_race_report *const *found =
		bsearch(&race, sorted, count, sizeof *sorted, compare_ids);
	return found ? *found : NULL;
}

static void fill(struct vkr_report_diff *diff, const struct vkr_race_report *const *sorted_before,
		 const struct vkr_race_report *const *sorted_after)
{
	const struct vkr_report *before = diff->before, *after = diff->after;
	for (uint32_t i = 0; i < after->race_count; i++) {
		struct vkr_report_pair *pair = &diff->pairs[diff->count++];
		pair->after = &after->races[i];
		pair->before = find_race(sorted_before, before->race_count, pair->after);
		diff->added += !pair->before;
	}
	for (uint32_t i = 0; i < before->race_count; i++) {
		if (find_race(sorted_after, after->race_count, &before->races[i]))
			continue;
		diff->pairs[diff->count++] = (struct vkr_report_pair){.before = &before->races[i]};
		diff->gone++;
	}
}

enum vkr_result vkr_report_diff_make(struct vkr_report_diff *diff, const struct vkr_report *before,
				     const struct vkr_report *after, struct vkr_error *error)
{
	const size_t most = (size_t)before->race_count + after->race_count;
	*diff = (struct vkr_report_diff){.before = before, .after = after};
	const struct vkr_race_report **sorted_before = sorted_races(before);
	const struct vkr_race_report **sorted_after = sorted_races(after);
	diff->pairs = calloc(most + 1, sizeof *diff->pairs);
	const bool enough = sorted_before && sorted_after && diff->pairs;
	if (enough)
		fill(diff, sorted_before, sorted_after);
	free(sorted_before);
	free(sorted_after);
	if (enough)
		return VKR_OK;
	vkr_report_diff_finish(diff);
	return vkr_error_memory(error, "the comparison of two reports");
}

void vkr_report_diff_finish(struct vkr_report_diff *diff)
{
	free(diff->pairs);
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
	const uint32_t both = diff->count - diff->added - diff->gone;
	fprintf(out, "vkrace: %u new race%s, %u gone, %u in both%s\n", diff->added,
		diff->added == 1 ? "" : "s", diff->gone, both,
		diff->gone && diff->after->coverage_count
			? "; not everything was observed, so that a race may be gone from sight "
			  "only"
			: "");
}

enum vkr_result vkr_report_diff_text(const struct vkr_report_diff *diff, FILE *out,
				     const struct vkr_report_text_options *options,
				     struct vkr_error *error)
{
	for (uint32_t i = 0; i < diff->count; i++) {
		const struct vkr_report_pair *pair = &diff->pairs[i];
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
