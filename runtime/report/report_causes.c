// SPDX-License-Identifier: Apache-2.0
// Knows when two races have one cause: by a text for each race, which is equal for both.
#include "report_causes.h"

#include "sort.h"

#include <inttypes.h>
#include <string.h>

struct entry {
	const char *key;
	uint32_t race;
};

const struct vkr_change_report *vkr_report_change_of(const struct vkr_report *report,
						     const char *id)
{
	for (uint32_t i = 0; i < report->change_count; i++) {
		for (uint32_t race = 0; race < report->changes[i].race_count; race++) {
			if (strcmp(report->changes[i].races[race], id) == 0)
				return &report->changes[i];
		}
	}
	return NULL;
}

// What an access is of, without what differs from one submission to the next.
static const char *code_of(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	return vkr_arena_print(arena, "%d %016" PRIx64 " %" PRIu32 " %s\n%s\n%s",
			       (int)access->agent, access->source.shader_hash,
			       access->command.command, access->command.name,
			       access->command.recorded, access->object);
}

static const char *key_of(const struct vkr_report *report, const struct vkr_race_report *race,
			  struct vkr_arena *arena)
{
	const struct vkr_change_report *change = vkr_report_change_of(report, race->id);
	const bool barrier = change && (change->change.kind == VKR_CHANGE_SHADER_BARRIER ||
					change->change.kind == VKR_CHANGE_SHADER_BARRIER_AFTER);
	const char *first = "", *second = "";
	if (change && !barrier)
		return vkr_arena_print(arena, "change %td", change - report->changes);
	if (!*race->change)
		return race->id;
	// The words for an access of the host name the submission that it has to wait for.
	if (race->first.agent != VKR_AGENT_HOST && race->second.agent != VKR_AGENT_HOST) {
		first = code_of(&race->first, arena);
		second = code_of(&race->second, arena);
	}
	if (!first || !second)
		return NULL;
	const bool swapped = strcmp(first, second) > 0;
	// Barriers that are missing at several places of a shader are one mistake.
	return vkr_arena_print(arena, "%d\n%s\n%s\n%s\n%s", (int)race->race_class, race->missing,
			       barrier ? "" : race->change, swapped ? second : first,
			       swapped ? first : second);
}

static int report_causes_compare(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	const int order = strcmp(a->key, b->key);
	return order ? order : (a->race > b->race) - (a->race < b->race);
}

bool vkr_report_causes_make(const struct vkr_report *report, struct vkr_arena *arena,
			    struct vkr_report_causes *causes)
{
	const size_t count = report->race_count;
	struct entry *entries = vkr_arena_alloc(arena, (count + 1) * sizeof *entries);
	uint32_t *first = vkr_arena_alloc(arena, (count + 1) * sizeof *first);
	*causes = (struct vkr_report_causes){.first = first};
	if (!entries || !first)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		entries[i] = (struct entry){key_of(report, &report->races[i], arena), i};
		if (!entries[i].key)
			return false;
	}
	vkr_sort(entries, count, sizeof *entries, report_causes_compare);
	for (size_t i = 0; i < count; i++) {
		const bool same = i && strcmp(entries[i - 1].key, entries[i].key) == 0;
		first[entries[i].race] = same ? first[entries[i - 1].race] : entries[i].race;
		causes->count += !same;
	}
	return true;
}

static uint32_t index_of(const struct vkr_report *report, const char *id)
{
	uint32_t i = 0;
	while (i < report->race_count && strcmp(report->races[i].id, id) != 0)
		i++;
	return i;
}

bool vkr_report_causes_has(const struct vkr_report_causes *causes, const struct vkr_report *report,
			   uint32_t index, const struct vkr_change_report *change)
{
	const uint32_t race =
		change->race_count ? index_of(report, change->races[0]) : report->race_count;
	return race < report->race_count && causes->first[race] == index;
}

static bool report_causes_orders(const struct vkr_change_report *change, const char *id)
{
	for (uint32_t i = 0; i < change->gone_count; i++)
		if (strcmp(change->gone[i], id) == 0)
			return true;
	return false;
}

bool vkr_report_causes_needs(const struct vkr_report_causes *causes,
			     const struct vkr_report *report, uint32_t index,
			     const struct vkr_change_report *change)
{
	for (uint32_t i = 0; i < change->race_count; i++) {
		bool ordered = false;
		for (uint32_t at = 0; &report->changes[at] != change && !ordered; at++) {
			const struct vkr_change_report *before = &report->changes[at];
			ordered = vkr_report_causes_has(causes, report, index, before) &&
				  before->checked && !before->missed && !before->added_count &&
				  report_causes_orders(before, change->races[i]);
		}
		if (!ordered)
			return true;
	}
	return false;
}

uint32_t vkr_report_causes_more(const struct vkr_report_causes *causes,
				const struct vkr_report *report, uint32_t index)
{
	uint32_t more = 0;
	for (uint32_t i = index + 1; i < report->race_count; i++)
		more += causes->first[i] == index;
	return more;
}
