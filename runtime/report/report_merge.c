// SPDX-License-Identifier: Apache-2.0
#include "report_merge.h"

#include "error.h"
#include "map.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY // the size of XXH3_state_t
#include <xxhash.h>

struct merge {
	struct vkr_arena *arena;
	struct vkr_report *merged;
	struct vkr_race_report *races, *possible;
	struct vkr_change_report *changes;
	struct vkr_coverage_report *coverage;
	struct vkr_run_report *runs;
	struct vkr_rule_report *rules;
	struct vkr_source_report *sources;
	// Where what has a hash is: 1 + index, whose successors are looked at too.
	struct vkr_map race_places, possible_places, lack_places;
	uint32_t first_run; // of the report at hand
};

static bool report_merge_reserve(struct merge *merge, const struct vkr_report *const *reports,
				 size_t count)
{
	size_t races = 1, possible = 1, changes = 1, lacks = 1, runs = 1, rules = 1, sources = 1;
	for (size_t i = 0; i < count; i++) {
		races += reports[i]->race_count;
		possible += reports[i]->possible_count;
		changes += reports[i]->change_count;
		lacks += reports[i]->coverage_count;
		rules += reports[i]->rule_count;
		sources += reports[i]->source_count;
		runs += reports[i]->run_count ? reports[i]->run_count : 1;
	}
	merge->races = vkr_arena_alloc(merge->arena, races * sizeof *merge->races);
	merge->possible = vkr_arena_alloc(merge->arena, possible * sizeof *merge->possible);
	merge->changes = vkr_arena_alloc(merge->arena, changes * sizeof *merge->changes);
	merge->coverage = vkr_arena_alloc(merge->arena, lacks * sizeof *merge->coverage);
	merge->runs = vkr_arena_alloc(merge->arena, runs * sizeof *merge->runs);
	merge->rules = vkr_arena_alloc(merge->arena, rules * sizeof *merge->rules);
	merge->sources = vkr_arena_alloc(merge->arena, sources * sizeof *merge->sources);
	return merge->races && merge->possible && merge->changes && merge->coverage &&
	       merge->runs && merge->rules && merge->sources;
}

static void add_runs(struct merge *merge, const struct vkr_report *report, const char *name)
{
	struct vkr_report *merged = merge->merged;
	merge->first_run = merged->run_count;
	for (uint32_t i = 0; i < report->run_count; i++)
		merge->runs[merged->run_count++] = report->runs[i];
	if (report->run_count)
		return;
	merge->runs[merged->run_count++] =
		(struct vkr_run_report){.name = name,
					.program = report->program,
					.device = report->device,
					.verdict = report->verdict,
					.race_count = report->race_count,
					.lack_count = report->coverage_count,
					.executions = report->executions,
					.dispatches = report->dispatches};
}

// The runs of both, in order.
static bool add_run_indices(struct merge *merge, struct vkr_race_report *race,
			    const struct vkr_race_report *more)
{
	const uint32_t one = 0;
	const uint32_t *runs = more->run_count ? more->runs : &one;
	const uint32_t added = more->run_count ? more->run_count : 1;
	uint32_t *made =
		vkr_arena_alloc(merge->arena, ((size_t)race->run_count + added) * sizeof *made);
	if (!made)
		return false;
	if (race->run_count)
		memcpy(made, race->runs, race->run_count * sizeof *made);
	for (uint32_t i = 0; i < added; i++)
		made[race->run_count + i] = merge->first_run + runs[i];
	race->runs = made;
	race->run_count += added;
	return true;
}

static bool add_race(struct merge *merge, struct vkr_map *places, struct vkr_race_report *races,
		     uint32_t *count, const struct vkr_race_report *race)
{
	uint64_t place = 0, hash = XXH3_64bits(race->id, strlen(race->id));
	for (; vkr_map_get(places, hash, &place); hash++) {
		struct vkr_race_report *known = &races[place - 1];
		if (strcmp(known->id, race->id) != 0)
			continue;
		known->count += race->count;
		return add_run_indices(merge, known, race);
	}
	struct vkr_race_report *made = &races[(*count)++];
	*made = *race;
	made->runs = NULL;
	made->run_count = 0;
	return vkr_map_set(places, hash, *count) && add_run_indices(merge, made, race);
}

static bool add_lack(struct merge *merge, const struct vkr_coverage_report *lack)
{
	struct vkr_report *merged = merge->merged;
	uint64_t place = 0, hash = XXH3_64bits(lack->text, strlen(lack->text));
	for (; vkr_map_get(&merge->lack_places, hash, &place); hash++) {
		struct vkr_coverage_report *known = &merge->coverage[place - 1];
		if (strcmp(known->text, lack->text) != 0 || strcmp(known->kind, lack->kind) != 0)
			continue;
		known->count += lack->count;
		known->amount += lack->amount;
		return true;
	}
	merge->coverage[merged->coverage_count++] = *lack;
	return vkr_map_set(&merge->lack_places, hash, merged->coverage_count);
}

static bool is_one_change(const struct vkr_change *first, const struct vkr_change *second)
{
	const struct vkr_change_place *here = &first->place, *there = &second->place;
	return first->kind == second->kind && here->command == there->command &&
	       memcmp(&first->masks, &second->masks, sizeof first->masks) == 0 &&
	       strcmp(here->call, there->call) == 0 && strcmp(here->labels, there->labels) == 0 &&
	       strcmp(here->command_buffer, there->command_buffer) == 0;
}

// A change that two runs propose alike stands once: what was found out in the first.
static void add_change(struct merge *merge, const struct vkr_change_report *change)
{
	struct vkr_report *merged = merge->merged;
	for (uint32_t i = 0; i < merged->change_count; i++) {
		if (is_one_change(&merge->changes[i].change, &change->change))
			return;
	}
	merge->changes[merged->change_count++] = *change;
}

static void add_rule(struct merge *merge, const struct vkr_rule_report *rule)
{
	struct vkr_report *merged = merge->merged;
	for (uint32_t i = 0; i < merged->rule_count; i++) {
		struct vkr_rule_report *known = &merge->rules[i];
		if (known->line != rule->line || strcmp(known->file, rule->file) != 0)
			continue;
		known->races += rule->races;
		known->race_total += rule->race_total;
		return;
	}
	merge->rules[merged->rule_count++] = *rule;
}

static bool add_report(struct merge *merge, const struct vkr_report *report, const char *name)
{
	struct vkr_report *merged = merge->merged;
	bool enough = true;
	add_runs(merge, report, name);
	for (uint32_t i = 0; i < report->race_count && enough; i++)
		enough = add_race(merge, &merge->race_places, merge->races, &merged->race_count,
				  &report->races[i]);
	for (uint32_t i = 0; i < report->possible_count && enough; i++)
		enough = add_race(merge, &merge->possible_places, merge->possible,
				  &merged->possible_count, &report->possible[i]);
	for (uint32_t i = 0; i < report->coverage_count && enough; i++)
		enough = add_lack(merge, &report->coverage[i]);
	for (uint32_t i = 0; i < report->change_count; i++)
		add_change(merge, &report->changes[i]);
	for (uint32_t i = 0; i < report->rule_count; i++)
		add_rule(merge, &report->rules[i]);
	for (uint32_t i = 0; i < report->source_count; i++)
		merge->sources[merged->source_count++] = report->sources[i];
	merged->race_total += report->race_total;
	merged->accesses_judged += report->accesses_judged;
	merged->log_bytes += report->log_bytes;
	merged->executions += report->executions;
	merged->dispatches += report->dispatches;
	merged->suppressed_count += report->suppressed_count;
	merged->suppressed_total += report->suppressed_total;
	merged->letter_count += report->letter_count;
	merged->letter_total += report->letter_total;
	merged->known_count += report->known_count;
	merged->known_total += report->known_total;
	merged->barriers2 |= report->barriers2;
	return enough;
}

enum vkr_result vkr_report_merge(const struct vkr_report *const *reports, const char *const *names,
				 size_t count, struct vkr_arena *arena, struct vkr_report *merged,
				 struct vkr_error *error)
{
	struct merge merge = {.arena = arena, .merged = merged};
	*merged = (struct vkr_report){.program = "", .model = reports[0]->model};
	for (size_t i = 1; i < count; i++) {
		if (strcmp(reports[i]->model, merged->model) != 0)
			return vkr_error_set(
				error, VKR_ERROR_UNSUPPORTED,
				"%s was judged under %s, and %s under %s: these are not "
				"put together",
				names[0], merged->model, names[i], reports[i]->model);
	}
	vkr_map_init(&merge.race_places);
	vkr_map_init(&merge.possible_places);
	vkr_map_init(&merge.lack_places);
	bool enough = report_merge_reserve(&merge, reports, count);
	for (size_t i = 0; i < count && enough; i++) {
		enough = add_report(&merge, reports[i], names[i]);
		if (i == 0 || strcmp(merged->program, reports[i]->program) == 0)
			merged->program = reports[i]->program;
		else
			merged->program = "several programs";
	}
	vkr_map_finish(&merge.race_places);
	vkr_map_finish(&merge.possible_places);
	vkr_map_finish(&merge.lack_places);
	if (!enough)
		return vkr_error_memory(error, "the merged report");
	merged->races = merge.races;
	merged->possible = merge.possible;
	merged->changes = merge.changes;
	merged->coverage = merge.coverage;
	merged->runs = merge.runs;
	merged->rules = merge.rules;
	merged->sources = merge.sources;
	merged->verdict = merged->race_count       ? VKR_VERDICT_RACES
			  : merged->coverage_count ? VKR_VERDICT_INCOMPLETE
						   : VKR_VERDICT_NONE;
	return VKR_OK;
}
