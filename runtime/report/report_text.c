// SPDX-License-Identifier: Apache-2.0
// Knows how a report looks in a terminal; its words come from report_facts.h.
#include "report_text.h"

#include "error.h"
#include "report_causes.h"
#include "report_changes.h"
#include "report_escape.h"
#include "report_facts.h"
#include "source_quote.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define BOLD  "\033[1m"
#define RED   "\033[1;31m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

// Further races of one cause that are printed.
#define OTHERS_MOST 8u

struct printer {
	FILE *out;
	const struct vkr_report_text_options *options;
	const struct vkr_report *report;
};

static const char *report_text_colour(const struct printer *printer, const char *code)
{
	return printer->options->colour ? code : "";
}

// Prints text whose further lines stand below its first, `indent` columns in.
static void print_lines(const struct printer *printer, const char *text, int indent,
			struct vkr_arena *arena)
{
	for (;;) {
		const char *end = strchrnul(text, '\n');
		const char *line = vkr_arena_string(arena, text, (size_t)(end - text));
		vkr_escape_plain(printer->out, line ? line : "");
		fputc('\n', printer->out);
		if (!*end || !end[1])
			return;
		fprintf(printer->out, "%*s", indent, "");
		text = end + 1;
	}
}

static void print_fact(const struct printer *printer, const struct vkr_fact *fact,
		       const struct vkr_access_report *access, struct vkr_arena *arena)
{
	const struct vkr_source_place *source = &access->source;
	const struct vkr_source_spot spot = {source->file, source->line, source->shader_hash};
	fprintf(printer->out, "    %-12s", fact->label);
	print_lines(printer, fact->value, 16, arena);
	if (fact->kind == VKR_FACT_SOURCE && printer->options->quote)
		vkr_source_quote(printer->out, printer->report, &spot, access->source.column, 16);
}

struct side {
	const struct vkr_access_report *access;
	const char *action;
	struct vkr_fact facts[VKR_FACT_COUNT];
	int count;
};

static bool make_side(struct side *side, const struct vkr_access_report *access,
		      struct vkr_arena *arena)
{
	side->access = access;
	side->action = vkr_report_action(access, arena);
	side->count = vkr_report_facts(access, arena, side->facts);
	return side->action && side->count >= 0;
}

// An invocation is the same one only within one command.
static bool shares_fact(const struct side *side, const struct side *other,
			const struct vkr_fact *fact)
{
	const struct vkr_command_place *command = &side->access->command;
	const struct vkr_command_place *its = &other->access->command;
	if (fact->kind == VKR_FACT_INVOCATION &&
	    (command->submission != its->submission || command->command != its->command))
		return false;
	for (int i = 0; i < other->count; i++) {
		if (other->facts[i].kind == fact->kind)
			return strcmp(other->facts[i].value, fact->value) == 0;
	}
	return false;
}

// The facts of one side that the other one shares, or does not; how many these are.
static int print_facts(const struct printer *printer, const struct side *side,
		       const struct side *other, bool shared, struct vkr_arena *arena)
{
	int count = 0;
	for (int i = 0; i < side->count; i++) {
		if (shares_fact(side, other, &side->facts[i]) != shared)
			continue;
		if (shared && !count)
			fprintf(printer->out, "\n  %sboth accesses%s\n",
				report_text_colour(printer, BOLD),
				report_text_colour(printer, PLAIN));
		print_fact(printer, &side->facts[i], side->access, arena);
		count++;
	}
	return count;
}

static void print_side(const struct printer *printer, const char *which, const struct side *side,
		       const struct side *other, struct vkr_arena *arena)
{
	fprintf(printer->out, "\n  %s%s access: ", report_text_colour(printer, BOLD), which);
	vkr_escape_plain(printer->out, side->action);
	fprintf(printer->out, "%s\n", report_text_colour(printer, PLAIN));
	print_facts(printer, side, other, false, arena);
}

static bool print_accesses(const struct printer *printer, const struct vkr_race_report *race,
			   struct vkr_arena *arena)
{
	struct side first, second;
	if (!make_side(&first, &race->first, arena) || !make_side(&second, &race->second, arena))
		return false;
	print_side(printer, "first", &first, &second, arena);
	print_side(printer, "second", &second, &first, arena);
	print_facts(printer, &first, &second, true, arena);
	fputc('\n', printer->out);
	return true;
}

static const char *device_of(const struct vkr_run_report *run)
{
	return run->device ? run->device : "";
}

static bool differ_in_device(const struct vkr_report *report)
{
	for (uint32_t i = 1; i < report->run_count; i++)
		if (strcmp(device_of(&report->runs[i]), device_of(&report->runs[0])) != 0)
			return true;
	return false;
}

// The runs that have found a race, of a report of several; on which devices, where these differ.
static void print_runs(const struct printer *printer, const struct vkr_report *report,
		       const struct vkr_race_report *race)
{
	const bool devices = differ_in_device(report);
	fprintf(printer->out, "  %sruns%s     ", report_text_colour(printer, BOLD),
		report_text_colour(printer, PLAIN));
	for (uint32_t i = 0; i < race->run_count; i++) {
		fputs(i ? ", " : "", printer->out);
		vkr_escape_plain(printer->out, report->runs[race->runs[i]].name);
		const char *device = device_of(&report->runs[race->runs[i]]);
		if (!devices || !*device)
			continue;
		fputs(" on ", printer->out);
		vkr_escape_plain(printer->out, device);
	}
	fprintf(printer->out, " (%" PRIu32 " of %" PRIu32 ")\n", race->run_count,
		report->run_count);
}

static bool print_headline(const struct printer *printer, const struct vkr_race_report *race,
			   struct vkr_arena *arena)
{
	const char *headline = vkr_report_headline(race, arena);
	vkr_escape_plain(printer->out, headline ? headline : "");
	if (race->count > 1)
		fprintf(printer->out, ", %" PRIu64 " times", race->count);
	if (race->extent.commands > 1 && race->second.command.command)
		fprintf(printer->out, " in %" PRIu64 " commands", race->extent.commands);
	return headline != NULL;
}

// What orders the race, in words and code, for all of its cause.
static bool print_change(const struct printer *printer, const struct vkr_change_report *change,
			 uint32_t race_count, struct vkr_arena *arena)
{
	FILE *out = printer->out;
	const char *words = vkr_report_change_words(change, arena);
	const char *proof = vkr_report_change_proof(change, race_count, arena);
	if (!words || !proof)
		return false;
	fprintf(out, "  %s%s%s   ", report_text_colour(printer, GREEN),
		printer->options->all ? "code  " : "change", report_text_colour(printer, PLAIN));
	print_lines(printer, words, 11, arena);
	if (*change->code) {
		fprintf(out, "%*s", 13, "");
		print_lines(printer, change->code, 13, arena);
	}
	if (*proof)
		fprintf(out, "%*s%s%s%s\n", 11, "", report_text_colour(printer, GREEN), proof,
			report_text_colour(printer, PLAIN));
	return true;
}

// All changes that the cause needs.
static bool print_changes(const struct printer *printer, const struct vkr_report *report,
			  const struct vkr_report_causes *causes, uint32_t index,
			  struct vkr_arena *arena)
{
	for (uint32_t i = 0; i < report->change_count; i++) {
		const struct vkr_change_report *change = &report->changes[i];
		if (vkr_report_causes_has(causes, report, index, change) &&
		    vkr_report_causes_needs(causes, report, index, change) &&
		    !print_change(printer, change, report->race_count, arena))
			return false;
	}
	return true;
}

// The further races of the cause, a line each of the first ones.
static bool print_others(const struct printer *printer, const struct vkr_report *report,
			 const struct vkr_report_causes *causes, uint32_t index,
			 struct vkr_arena *arena)
{
	FILE *out = printer->out;
	const uint32_t more = vkr_report_causes_more(causes, report, index);
	if (!more)
		return true;
	fprintf(out, "  %salso%s     %" PRIu32 " more race%s of this cause\n",
		report_text_colour(printer, BOLD), report_text_colour(printer, PLAIN), more,
		more == 1 ? "" : "s");
	uint32_t printed = 0;
	for (uint32_t i = index + 1; i < report->race_count && printed < OTHERS_MOST; i++) {
		if (causes->first[i] != index)
			continue;
		fprintf(out, "%*s", 13, "");
		if (!print_headline(printer, &report->races[i], arena))
			return false;
		fprintf(out, ", id %s\n", report->races[i].id);
		printed++;
	}
	if (printed < more)
		fprintf(out, "%*sand %" PRIu32 " more, which --all-races prints\n", 13, "",
			more - printed);
	return true;
}

// Of a report's race with `causes` also the change and the further races of its cause. Without: a
// race by itself, or `possible` one, which hangs on ambiguous evidence.
static bool print_race(const struct printer *printer, const struct vkr_report *report,
		       const struct vkr_race_report *race, bool possible,
		       const struct vkr_report_causes *causes, struct vkr_arena *arena)
{
	FILE *out = printer->out;
	const uint32_t index = causes ? (uint32_t)(race - report->races) : 0;
	const struct vkr_change_report *change = causes && causes->first[index] == index
							 ? vkr_report_change_of(report, race->id)
							 : NULL;
	fprintf(out, "%svkrace: %s", report_text_colour(printer, possible ? BOLD : RED),
		possible ? "possible: " : "");
	if (!print_headline(printer, race, arena))
		return false;
	fprintf(out, "%s\n  %s\n", report_text_colour(printer, PLAIN),
		vkr_report_class_meaning(race->race_class));
	if (possible)
		fprintf(out, "  %s\n", VKR_POSSIBLE_MEANING);
	if (race->same_instruction)
		fputs("  one instruction races with itself, in two executions\n", out);
	if (!printer->options->brief && !print_accesses(printer, race, arena))
		return false;
	if (*race->missing) {
		fprintf(out, "  %smissing%s  ", report_text_colour(printer, BOLD),
			report_text_colour(printer, PLAIN));
		print_lines(printer, race->missing, 11, arena);
	}
	if (*race->note) {
		fprintf(out, "  %snote%s     ", report_text_colour(printer, BOLD),
			report_text_colour(printer, PLAIN));
		print_lines(printer, race->note, 11, arena);
	}
	if (*race->change && (!change || printer->options->all)) {
		fprintf(out, "  %schange%s   ", report_text_colour(printer, GREEN),
			report_text_colour(printer, PLAIN));
		print_lines(printer, race->change, 11, arena);
	}
	if (change && printer->options->all &&
	    !print_change(printer, change, report->race_count, arena))
		return false;
	if (change && !printer->options->all &&
	    !print_changes(printer, report, causes, index, arena))
		return false;
	if (race->run_count)
		print_runs(printer, report, race);
	fprintf(out, "  %sid%s       %s\n", report_text_colour(printer, BOLD),
		report_text_colour(printer, PLAIN), race->id);
	if (causes && !printer->options->all &&
	    !print_others(printer, report, causes, index, arena))
		return false;
	fputc('\n', out);
	return true;
}

static enum vkr_result report_text_finish(const struct printer *printer, struct vkr_error *error)
{
	if (fflush(printer->out) != 0 || ferror(printer->out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the report: %s",
				     strerror(errno));
	return VKR_OK;
}

enum vkr_result vkr_report_text_race(const struct vkr_race_report *race, FILE *out,
				     const struct vkr_report_text_options *options,
				     struct vkr_error *error)
{
	struct vkr_race_report alone = *race;
	const struct vkr_report report = {.races = &alone, .race_count = 1};
	struct printer printer = {out, options, &report};
	struct vkr_arena arena;
	alone.run_count = 0; // the runs' names are the report's
	vkr_arena_init(&arena);
	bool printed = print_race(&printer, &report, &alone, false, NULL, &arena);
	vkr_arena_finish(&arena);
	return printed ? report_text_finish(&printer, error)
		       : vkr_error_memory(error, "the text report");
}

static void print_coverage(const struct printer *printer, const struct vkr_report *report)
{
	FILE *out = printer->out;
	fprintf(out, "%svkrace: not observed%s\n", report_text_colour(printer, BOLD),
		report_text_colour(printer, PLAIN));
	for (uint32_t i = 0; i < report->coverage_count; i++) {
		const struct vkr_coverage_report *lack = &report->coverage[i];
		fputs("    ", out);
		vkr_escape_plain(out, lack->kind);
		size_t length = strlen(lack->kind);
		fprintf(out, "%*s", length < 12 ? (int)(12 - length) : 1, "");
		vkr_escape_plain(out, lack->text);
		if (lack->amount)
			fprintf(out, ", amount %" PRIu64, lack->amount);
		if (lack->count > 1)
			fprintf(out, ", %" PRIu64 " times", lack->count);
		fputc('\n', out);
	}
	fputc('\n', out);
}

// What rules have left out, with their reasons, and which are not needed.
static void print_rules(const struct printer *printer, const struct vkr_report *report)
{
	FILE *out = printer->out;
	fprintf(out, "%svkrace: suppressions%s\n", report_text_colour(printer, BOLD),
		report_text_colour(printer, PLAIN));
	for (uint32_t i = 0; i < report->rule_count; i++) {
		const struct vkr_rule_report *rule = &report->rules[i];
		fputs("    ", out);
		vkr_escape_plain(out, rule->file);
		fprintf(out, ":%" PRIu32 ": ", rule->line);
		if (rule->races)
			fprintf(out, "%" PRIu32 " race%s, %" PRIu64 " time%s", rule->races,
				rule->races == 1 ? "" : "s", rule->race_total,
				rule->race_total == 1 ? "" : "s");
		else
			fputs("matches no race", out);
		if (*rule->reason) {
			fputs(": ", out);
			vkr_escape_plain(out, rule->reason);
		}
		fputc('\n', out);
	}
	fputc('\n', out);
}

// The races up to `most` in full, and how many are left.
static bool print_races(const struct printer *printer, const struct vkr_report *report)
{
	const struct vkr_report_text_options *options = printer->options;
	struct vkr_report_causes causes;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	bool printed = vkr_report_causes_make(report, &arena, &causes);
	uint32_t full = 0, left = 0;
	for (uint32_t i = 0; i < report->race_count && printed; i++) {
		if (!options->all && causes.first[i] != i)
			continue;
		if (options->most && full == options->most) {
			left += 1 + (options->all ? 0 : vkr_report_causes_more(&causes, report, i));
			continue;
		}
		printed = print_race(printer, report, &report->races[i], false, &causes, &arena);
		full++;
	}
	if (left)
		fprintf(printer->out, "vkrace: %" PRIu32 " more race%s\n\n", left,
			left == 1 ? "" : "s");
	for (uint32_t i = 0; i < report->possible_count && printed; i++)
		printed = print_race(printer, report, &report->possible[i], true, NULL, &arena);
	vkr_arena_finish(&arena);
	return printed;
}

enum vkr_result vkr_report_text(const struct vkr_report *report, FILE *out,
				const struct vkr_report_text_options *options,
				struct vkr_error *error)
{
	struct printer printer = {out, options, report};
	if (!print_races(&printer, report))
		return vkr_error_memory(error, "the text report");
	if (report->rule_count)
		print_rules(&printer, report);
	if (report->coverage_count)
		print_coverage(&printer, report);
	fputs(report_text_colour(&printer, report->race_count ? RED : BOLD), out);
	vkr_report_summary(report, out);
	fprintf(out, "%s\n", report_text_colour(&printer, PLAIN));
	return report_text_finish(&printer, error);
}
