// SPDX-License-Identifier: Apache-2.0
#include "change_check.h"

#include "error.h"
#include "judging.h"
#include "report_diff.h"
#include "trace_editor.h"
#include "volume_set.h"

#include <string.h>

// The ids of races that only one side of the comparison has.
static const char **take_ids(const struct vkr_report_diff *diff, bool added,
			     struct vkr_arena *arena)
{
	const uint32_t count = added ? diff->races.added : diff->races.gone;
	const char **ids = vkr_arena_alloc(arena, (count + 1) * sizeof *ids);
	uint32_t used = 0;
	for (uint32_t i = 0; ids && i < diff->races.count; i++) {
		const struct vkr_report_pair *pair = &diff->races.items[i];
		const struct vkr_race_report *race = added ? pair->after : pair->before;
		if (pair->before && pair->after)
			continue;
		if (!race)
			continue;
		ids[used] = vkr_arena_string(arena, race->id, strlen(race->id));
		if (!ids[used++])
			return NULL;
	}
	return ids;
}

// What only `with` has not observed; NULL: nothing. False for lack of memory.
static bool take_missed(const struct vkr_report *without, const struct vkr_report *with,
			struct vkr_arena *arena, const char **missed)
{
	*missed = NULL;
	for (uint32_t i = 0; i < with->coverage_count && !*missed; i++) {
		const char *text = with->coverage[i].text;
		bool known = false;
		for (uint32_t j = 0; j < without->coverage_count && !known; j++)
			known = strcmp(without->coverage[j].text, text) == 0;
		if (!known && !(*missed = vkr_arena_string(arena, text, strlen(text))))
			return false;
	}
	return true;
}

static enum vkr_result change_check_compare(const struct vkr_report *without,
					    const struct vkr_report *with, struct vkr_arena *arena,
					    struct vkr_change_outcome *outcome,
					    struct vkr_error *error)
{
	struct vkr_report_diff diff;
	enum vkr_result result = vkr_report_diff_make(&diff, without, with, error);
	if (result != VKR_OK)
		return result;
	outcome->gone = take_ids(&diff, false, arena);
	outcome->added = take_ids(&diff, true, arena);
	outcome->gone_count = diff.races.gone;
	outcome->added_count = diff.races.added;
	const bool whole = take_missed(without, with, arena, &outcome->missed);
	vkr_report_diff_finish(&diff);
	return outcome->gone && outcome->added && whole ? VKR_OK
							: vkr_error_memory(error, "a tried change");
}

enum vkr_result vkr_change_try(const char *path, const struct vkr_judging_options *how,
			       const struct vkr_change *const *changes, size_t count,
			       const struct vkr_report *without, struct vkr_arena *arena,
			       struct vkr_change_outcome *outcome, struct vkr_error *error)
{
	const struct vkr_judging_options whole = vkr_judging_rules(how);
	struct vkr_judging judging;
	*outcome = (struct vkr_change_outcome){
		.places = vkr_arena_alloc(arena, (count + 1) * sizeof *outcome->places)};
	if (!outcome->places)
		return vkr_error_memory(error, "a tried change");
	enum vkr_result result = vkr_judging_init(&judging, &whole, error);
	if (result == VKR_OK)
		result = vkr_trace_editor_create(changes, count, &judging.editor, error);
	if (result == VKR_OK)
		result = vkr_trace_open(&judging.source, path, error);
	if (result == VKR_OK) {
		result = vkr_judging_run(&judging, error);
		vkr_source_close(judging.source);
	}
	if (result == VKR_OK)
		result = change_check_compare(without, vkr_session_report(judging.session), arena,
					      outcome, error);
	for (size_t i = 0; i < count && judging.editor; i++)
		outcome->places[i] = vkr_trace_editor_made(judging.editor, i);
	vkr_trace_editor_destroy(judging.editor);
	vkr_judging_finish(&judging);
	return result;
}

const struct vkr_change *const *vkr_change_list(const struct vkr_report *report,
						struct vkr_arena *arena)
{
	const struct vkr_change **list =
		vkr_arena_alloc(arena, (report->change_count + 1) * sizeof *list);
	for (uint32_t i = 0; list && i < report->change_count; i++)
		list[i] = &report->changes[i].change;
	return list;
}

// All races that it is proposed for are gone, and nothing else has come.
static bool is_proved(const struct vkr_change_report *report,
		      const struct vkr_change_outcome *outcome)
{
	for (uint32_t i = 0; i < report->race_count; i++) {
		bool gone = false;
		for (uint32_t j = 0; j < outcome->gone_count && !gone; j++)
			gone = strcmp(report->races[i], outcome->gone[j]) == 0;
		if (!gone)
			return false;
	}
	return outcome->added_count == 0 && !outcome->missed;
}

// Whether all invocations of a workgroup come to a place of a shader is found out by trying: where
// they do not come to that before the one access, they may come to that after the other.
static enum vkr_result check_one(const char *path, const struct vkr_judging_options *how,
				 struct vkr_change_report *report, const struct vkr_report *whole,
				 struct vkr_arena *arena, struct vkr_change_outcome *outcome,
				 struct vkr_error *error)
{
	const struct vkr_change *change = &report->change;
	struct vkr_change_outcome other;
	enum vkr_result result =
		vkr_change_try(path, how, &change, 1, whole, arena, outcome, error);
	if (result != VKR_OK || change->kind != VKR_CHANGE_SHADER_BARRIER ||
	    is_proved(report, outcome))
		return result;
	struct vkr_change after = *change;
	const struct vkr_change *tried = &after;
	after.kind = VKR_CHANGE_SHADER_BARRIER_AFTER;
	after.place = change->from;
	after.from = change->place;
	result = vkr_change_try(path, how, &tried, 1, whole, arena, &other, error);
	if (result == VKR_OK && is_proved(report, &other)) {
		report->change = after;
		report->where = after.place.recorded;
		*outcome = other;
	}
	return result;
}

static enum vkr_result check_all(const char *path, const struct vkr_judging_options *how,
				 struct vkr_change_report *changes, uint32_t count,
				 const struct vkr_report *whole, struct vkr_arena *arena,
				 struct vkr_error *error)
{
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_change_report *report = &changes[i];
		struct vkr_change_outcome outcome;
		enum vkr_result result =
			check_one(path, how, report, whole, arena, &outcome, error);
		if (result != VKR_OK)
			return result;
		report->checked = true;
		report->places = outcome.places[0];
		report->gone = outcome.gone;
		report->gone_count = outcome.gone_count;
		report->added = outcome.added;
		report->added_count = outcome.added_count;
		report->missed = outcome.missed;
	}
	return VKR_OK;
}

enum vkr_result vkr_change_check(const char *path, const struct vkr_judging_options *how,
				 struct vkr_report_view *view, const struct vkr_report *whole,
				 struct vkr_error *error)
{
	return check_all(path, how, view->changes, view->report.change_count, whole, &view->arena,
			 error);
}

enum vkr_result vkr_change_check_report(const char *path, const struct vkr_judging_options *how,
					struct vkr_report *report, const struct vkr_report *whole,
					struct vkr_arena *arena, struct vkr_error *error)
{
	const size_t bytes = report->change_count * sizeof *report->changes;
	struct vkr_change_report *changes = vkr_arena_alloc(arena, bytes + 1);
	if (!changes)
		return vkr_error_memory(error, "tried changes");
	if (bytes)
		memcpy(changes, report->changes, bytes);
	report->changes = changes;
	return check_all(path, how, changes, report->change_count, whole, arena, error);
}
