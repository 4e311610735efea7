// SPDX-License-Identifier: Apache-2.0
#include "volume_replay.h"

#include "error.h"
#include "report_merge.h"

#include <stdio.h>
#include <stdlib.h>

// What lies between the volume before the index and the one at it, in words; "" for nothing.
static void say_gap(const struct vkr_volume_set *set, size_t at, char *text, size_t bytes)
{
	*text = 0;
	if (at == 0 || at >= set->count)
		return;
	const uint32_t first = set->items[at - 1].number + 1, end = set->items[at].number;
	if (first == end)
		snprintf(text, bytes,
			 "volume %u of the run is not whole: what came after its end, up to volume "
			 "%u, was not judged",
			 first - 1, end);
	else if (first + 1 == end)
		snprintf(text, bytes,
			 "volume %u of the run is missing: what was done in it was not judged",
			 first);
	else
		snprintf(text, bytes,
			 "volumes %u to %u of the run are missing: what was done in them was not "
			 "judged",
			 first, end - 1);
}

// Judges the volumes from *next on, as far as they follow each other.
static enum vkr_result judge_series(struct vkr_volume_replay *replay, size_t *next,
				    const struct vkr_judging_options *options,
				    struct vkr_error *error)
{
	const struct vkr_volume_set *set = &replay->set;
	const size_t count = vkr_volume_set_series(set, *next);
	struct vkr_source *source = NULL;
	struct vkr_volume_series *series = calloc(1, sizeof *series);
	if (!series)
		return vkr_error_memory(error, "volumes");
	replay->series[replay->count++] = series;
	enum vkr_result result = vkr_judging_init(&series->judging, options, error);
	if (result == VKR_OK)
		result = vkr_source_open_volumes(&source, set->paths + *next, count, error);
	if (result != VKR_OK) {
		*next += 1;
		return result;
	}
	char gap[160];
	say_gap(set, *next, gap, sizeof gap);
	series->judging.source = source;
	series->judging.lost = gap;
	result = vkr_judging_run(&series->judging, error);
	series->judging.lost = NULL;
	*next += vkr_source_volumes(source);
	vkr_source_close(source);
	return result;
}

static enum vkr_result view_all(struct vkr_volume_replay *replay, struct vkr_error *error)
{
	const struct vkr_report **reports = calloc(replay->count + 1, sizeof *reports);
	const char **names = calloc(replay->count + 1, sizeof *names);
	enum vkr_result result = reports && names ? VKR_OK : vkr_error_memory(error, "the reports");
	size_t count = 0;
	for (size_t i = 0; i < replay->count && result == VKR_OK; i++) {
		struct vkr_volume_series *series = replay->series[i];
		if (!series->judging.session)
			continue;
		result = vkr_judging_view(&series->judging, &series->view, error);
		series->viewed = result == VKR_OK;
		names[count] = series->first;
		reports[count++] = &series->view.report;
	}
	if (result == VKR_OK && count == 1)
		replay->report = *reports[0];
	else if (result == VKR_OK && count > 1)
		result = vkr_report_merge(reports, names, count, &replay->arena, &replay->report,
					  error);
	free(reports);
	free(names);
	return result;
}

enum vkr_result vkr_volume_replay(struct vkr_volume_replay *replay, char *const *operands,
				  size_t count, const struct vkr_judging_options *options,
				  struct vkr_error *error)
{
	*replay = (struct vkr_volume_replay){.count = 0};
	vkr_arena_init(&replay->arena);
	enum vkr_result result = vkr_volume_set_read(&replay->set, operands, count, error);
	if (result != VKR_OK)
		return result;
	replay->series = calloc(replay->set.count, sizeof *replay->series);
	if (!replay->series)
		return vkr_error_memory(error, "volumes");
	for (size_t next = 0; next < replay->set.count;) {
		struct vkr_error one;
		const size_t first = next;
		const enum vkr_result judged = judge_series(replay, &next, options, &one);
		replay->series[replay->count - 1]->first = replay->set.paths[first];
		if (judged != VKR_OK && result == VKR_OK)
			result = vkr_error_set(error, judged, "%s", one.message);
		if (judged == VKR_ERROR_MEMORY)
			break;
	}
	struct vkr_error second;
	const enum vkr_result viewed = view_all(replay, &second);
	if (viewed != VKR_OK) {
		replay->count = 0;
		if (result == VKR_OK)
			result = vkr_error_set(error, viewed, "%s", second.message);
	}
	return result;
}

void vkr_volume_replay_finish(struct vkr_volume_replay *replay)
{
	for (size_t i = 0; replay->series && i < replay->set.count; i++) {
		struct vkr_volume_series *series = replay->series[i];
		if (!series)
			continue;
		if (series->viewed)
			vkr_report_view_finish(&series->view);
		vkr_judging_finish(&series->judging);
		free(series);
	}
	free(replay->series);
	vkr_arena_finish(&replay->arena);
	vkr_volume_set_finish(&replay->set);
}
