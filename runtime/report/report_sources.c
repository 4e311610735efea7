// SPDX-License-Identifier: Apache-2.0
#include "report_sources.h"

#include "array.h"
#include "map.h"
#include "report_facts.h"
#include "source_quote.h"

#include <stdlib.h>
#include <string.h>

struct uses {
	const struct vkr_report *report;
	struct vkr_arena *arena;
	struct vkr_map told; // hashes of places
	struct {
		struct vkr_source_report *items;
		size_t count, capacity;
	} list;
	bool failed;
};

struct excerpt {
	struct vkr_arena *arena;
	uint32_t first;
	const char *text; // NULL for lack of memory
};

static void add_line(void *user, uint32_t number, const char *text)
{
	struct excerpt *excerpt = user;
	if (!excerpt->first)
		excerpt->first = number;
	if (excerpt->text)
		excerpt->text = vkr_arena_print(excerpt->arena, "%s%s\n", excerpt->text, text);
}

static bool is_new(struct uses *uses, const struct vkr_source_spot *spot)
{
	uint64_t hash = vkr_map_hash(spot->shader ^ vkr_map_hash(spot->line)), before = 0;
	for (const char *at = spot->file; *at; at++)
		hash = vkr_map_hash(hash ^ (unsigned char)*at);
	if (vkr_map_get(&uses->told, hash, &before))
		return false;
	uses->failed |= !vkr_map_set(&uses->told, hash, 1);
	return true;
}

static void report_sources_use(struct uses *uses, const char *file, uint32_t line, uint64_t shader)
{
	const struct vkr_source_spot spot = {file, line, shader};
	struct excerpt excerpt = {uses->arena, 0, ""};
	if (!line || !is_new(uses, &spot) ||
	    !vkr_source_kept(uses->report, &spot, VKR_SOURCE_LINES_AROUND))
		return;
	vkr_source_lines(uses->report, &spot, VKR_SOURCE_LINES_AROUND, add_line, &excerpt);
	if (!excerpt.text || !VKR_ARRAY_RESERVE(&uses->list, 1)) {
		uses->failed = true;
		return;
	}
	uses->list.items[uses->list.count++] =
		(struct vkr_source_report){file, shader, excerpt.first, excerpt.text};
}

static void use_stack(struct uses *uses, const char *stack)
{
	while (stack && *stack) {
		struct vkr_report_call call;
		stack = vkr_report_call(stack, uses->arena, &call);
		uses->failed |= !stack;
		if (stack)
			report_sources_use(uses, call.file, call.line, 0);
	}
}

static void use_access(struct uses *uses, const struct vkr_access_report *access)
{
	if (access->agent == VKR_AGENT_INVOCATION)
		report_sources_use(uses, access->source.file, access->source.line,
				   access->source.shader_hash);
	if (access->agent == VKR_AGENT_HOST)
		use_stack(uses, access->stack);
	if (access->command.command)
		use_stack(uses, access->command.recorded);
}

static void use_races(struct uses *uses, const struct vkr_race_report *races, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		use_access(uses, &races[i].first);
		use_access(uses, &races[i].second);
	}
}

bool vkr_report_sources_used(const struct vkr_report *report, struct vkr_arena *arena,
			     const struct vkr_source_report **used, uint32_t *count)
{
	struct uses uses = {.report = report, .arena = arena};
	struct vkr_source_report *kept = NULL;
	*used = NULL;
	*count = 0;
	if (!report->source_count)
		return true;
	use_races(&uses, report->races, report->race_count);
	use_races(&uses, report->possible, report->possible_count);
	kept = vkr_arena_alloc(arena, (uses.list.count + 1) * sizeof *kept);
	if (kept && uses.list.count)
		memcpy(kept, uses.list.items, uses.list.count * sizeof *kept);
	*used = kept;
	*count = (uint32_t)uses.list.count;
	vkr_map_finish(&uses.told);
	free(uses.list.items);
	return kept && !uses.failed;
}
