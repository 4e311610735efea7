// SPDX-License-Identifier: Apache-2.0
#include "report_dot.h"

#include "error.h"
#include "report_facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A text in quotes, as DOT has it.
static void put_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		if (*text == '\n')
			fputs("\\n", out);
		else
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
	fputc('"', out);
}

// Where the access is made: a queue, or a thread of the host.
static const char *lane_of(const struct vkr_access_report *access)
{
	if (access->command.command)
		return *access->command.queue ? access->command.queue : "queue";
	return *access->thread ? access->thread : "host";
}

// What a box says: which command, and where it was recorded; or what the host does, and where.
static const char *box_of(const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const struct vkr_command_place *command = &access->command;
	const char *stack =
		vkr_report_stack(command->command ? command->recorded : access->stack, arena);
	if (!stack)
		return NULL;
	const int first = (int)strcspn(stack, "\n");
	if (!command->command)
		return vkr_arena_print(arena, "%s%s%.*s", access->operation, *stack ? "\n" : "",
				       first, stack);
	return vkr_arena_print(arena, "submission %" PRIu32 ", %s\n%" PRIu32 " %s%s%s%s%.*s",
			       command->submission, command->command_buffer, command->command,
			       command->name, *command->labels ? "\n" : "", command->labels,
			       *stack ? "\n" : "", first, stack);
}

struct graph {
	FILE *out;
	struct vkr_arena arena;
	const struct vkr_report *report;
	uint32_t race;
	bool failed; // out of memory
};

static bool is_same_box(struct graph *graph, const struct vkr_access_report *first,
			const struct vkr_access_report *second)
{
	const char *here = box_of(first, &graph->arena), *there = box_of(second, &graph->arena);
	graph->failed |= !here || !there;
	return here && there && strcmp(here, there) == 0 &&
	       strcmp(lane_of(first), lane_of(second)) == 0;
}

// It shares a command, a place of the host or an object with the race.
static bool is_near(struct graph *graph, uint32_t index)
{
	const struct vkr_race_report *race = &graph->report->races[graph->race];
	const struct vkr_race_report *other = &graph->report->races[index];
	const struct vkr_access_report *here[] = {&race->first, &race->second};
	const struct vkr_access_report *there[] = {&other->first, &other->second};
	for (int i = 0; i < 4; i++) {
		if (strcmp(here[i / 2]->object, there[i % 2]->object) == 0 ||
		    is_same_box(graph, here[i / 2], there[i % 2]))
			return true;
	}
	return false;
}

static const struct vkr_access_report *access_at(const struct graph *graph, uint32_t index)
{
	const struct vkr_race_report *race = &graph->report->races[index / 2];
	return index % 2 ? &race->second : &race->first;
}

static void put_box_name(struct graph *graph, const struct vkr_access_report *access)
{
	const char *box = box_of(access, &graph->arena);
	const char *name =
		box ? vkr_arena_print(&graph->arena, "%s: %s", lane_of(access), box) : NULL;
	graph->failed |= !name;
	put_quoted(graph->out, name ? name : "");
}

// The clusters with their boxes, each once, in the order of the races.
static void put_lanes(struct graph *graph, const bool *near)
{
	const uint32_t count = graph->report->race_count * 2;
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct vkr_access_report *lane = access_at(graph, i);
		bool known = !near[i / 2];
		for (uint32_t j = 0; j < i && !known; j++)
			known = near[j / 2] &&
				strcmp(lane_of(access_at(graph, j)), lane_of(lane)) == 0;
		if (known)
			continue;
		fprintf(graph->out, "  subgraph cluster_%" PRIu32 " {\n    label=", lanes++);
		put_quoted(graph->out, lane_of(lane));
		fputs(";\n", graph->out);
		for (uint32_t j = i; j < count; j++) {
			const struct vkr_access_report *access = access_at(graph, j);
			if (!near[j / 2] || strcmp(lane_of(access), lane_of(lane)) != 0)
				continue;
			const char *box = box_of(access, &graph->arena);
			fputs("    ", graph->out);
			put_box_name(graph, access);
			fputs(" [label=", graph->out);
			put_quoted(graph->out, box ? box : "");
			fputs("];\n", graph->out);
		}
		fputs("  }\n", graph->out);
	}
}

static void put_access(struct graph *graph, const struct vkr_access_report *access,
		       const char *style)
{
	const char *site = vkr_report_site(access, &graph->arena);
	const char *object = vkr_arena_print(&graph->arena, "object: %s", access->object);
	graph->failed |= !site || !object;
	fputs("  ", graph->out);
	if (!access->write) {
		put_quoted(graph->out, object ? object : "");
		fputs(" -> ", graph->out);
		put_box_name(graph, access);
	} else {
		put_box_name(graph, access);
		fputs(" -> ", graph->out);
		put_quoted(graph->out, object ? object : "");
	}
	fputs(" [label=", graph->out);
	put_quoted(graph->out, site ? site : "");
	fprintf(graph->out, "%s%s];\n", access->write && access->read ? ", dir=both" : "", style);
	fputs("  ", graph->out);
	put_quoted(graph->out, object ? object : "");
	fputs(" [shape=oval, label=", graph->out);
	put_quoted(graph->out, *access->object ? access->object : "unnamed memory");
	fputs("];\n", graph->out);
}

static void put_race(struct graph *graph, uint32_t index)
{
	const struct vkr_race_report *race = &graph->report->races[index];
	const bool it = index == graph->race;
	const char *style = it ? ", color=red, fontcolor=red, penwidth=2" : ", color=gray40";
	const char *label =
		vkr_arena_print(&graph->arena, "%s %s\nmissing: %s",
				vkr_report_class(race->race_class), race->id, race->missing);
	graph->failed |= !label;
	put_access(graph, &race->first, style);
	put_access(graph, &race->second, style);
	fputs("  ", graph->out);
	put_box_name(graph, &race->first);
	fputs(" -> ", graph->out);
	put_box_name(graph, &race->second);
	fputs(" [style=dashed, dir=none, constraint=false, label=", graph->out);
	put_quoted(graph->out, label ? label : "");
	fprintf(graph->out, "%s];\n", style);
}

enum vkr_result vkr_report_dot(const struct vkr_report *report, uint32_t race, FILE *out,
			       struct vkr_error *error)
{
	struct graph graph = {.out = out, .report = report, .race = race};
	bool *near = calloc(report->race_count, sizeof *near);
	if (!near)
		return vkr_error_memory(error, "the graph");
	vkr_arena_init(&graph.arena);
	const char *title = vkr_report_headline(&report->races[race], &graph.arena);
	graph.failed |= !title;
	for (uint32_t i = 0; i < report->race_count; i++)
		near[i] = i == race || is_near(&graph, i);
	fputs("digraph race {\n  rankdir=LR;\n  label=", out);
	put_quoted(out, title ? title : "");
	fputs(";\n  node [shape=box, fontname=monospace];\n  edge [fontname=monospace];\n", out);
	put_lanes(&graph, near);
	for (uint32_t i = 0; i < report->race_count; i++) {
		if (near[i])
			put_race(&graph, i);
	}
	fputs("}\n", out);
	vkr_arena_finish(&graph.arena);
	free(near);
	if (graph.failed)
		return vkr_error_memory(error, "the graph");
	if (fflush(out) != 0 || ferror(out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the graph: %s",
				     strerror(errno));
	return VKR_OK;
}
