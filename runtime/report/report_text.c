// SPDX-License-Identifier: Apache-2.0
// Knows how a report looks in a terminal; its words come from report_facts.h.
#include "report_text.h"

#include "error.h"
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

struct printer {
	FILE *out;
	const struct vkr_report_text_options *options;
};

static const char *colour(const struct printer *printer, const char *code)
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

static bool print_access(const struct printer *printer, const char *which,
			 const struct vkr_access_report *access, struct vkr_arena *arena)
{
	struct vkr_fact facts[VKR_FACT_COUNT];
	const char *action = vkr_report_action(access, arena);
	int count = vkr_report_facts(access, arena, facts);
	if (!action || count < 0)
		return false;
	fprintf(printer->out, "\n  %s%s access: ", colour(printer, BOLD), which);
	vkr_escape_plain(printer->out, action);
	fprintf(printer->out, "%s\n", colour(printer, PLAIN));
	for (int i = 0; i < count; i++) {
		fprintf(printer->out, "    %-12s", facts[i].label);
		print_lines(printer, facts[i].value, 16, arena);
		if (facts[i].kind == VKR_FACT_SOURCE && printer->options->quote)
			vkr_source_quote(printer->out, access->source.file, access->source.line,
					 access->source.column, 16);
	}
	return true;
}

// The runs that have found a race, of a report of several.
static void print_runs(const struct printer *printer, const struct vkr_report *report,
		       const struct vkr_race_report *race)
{
	fprintf(printer->out, "  %sruns%s     ", colour(printer, BOLD), colour(printer, PLAIN));
	for (uint32_t i = 0; i < race->run_count; i++) {
		fputs(i ? ", " : "", printer->out);
		vkr_escape_plain(printer->out, report->runs[race->runs[i]].name);
	}
	fprintf(printer->out, " (%" PRIu32 " of %" PRIu32 ")\n", race->run_count,
		report->run_count);
}

static bool print_race(const struct printer *printer, const struct vkr_report *report,
		       const struct vkr_race_report *race, struct vkr_arena *arena)
{
	FILE *out = printer->out;
	const char *headline = vkr_report_headline(race, arena);
	if (!headline)
		return false;
	fprintf(out, "%svkrace: ", colour(printer, RED));
	vkr_escape_plain(out, headline);
	fprintf(out, "%s", colour(printer, PLAIN));
	if (race->count > 1)
		fprintf(out, ", %" PRIu64 " times", race->count);
	fprintf(out, "\n  %s\n", vkr_report_class_meaning(race->race_class));
	if (race->same_instruction)
		fputs("  one instruction races with itself, in two executions\n", out);
	if (!printer->options->brief && (!print_access(printer, "first", &race->first, arena) ||
					 !print_access(printer, "second", &race->second, arena)))
		return false;
	if (!printer->options->brief)
		fputc('\n', out);
	if (*race->missing) {
		fprintf(out, "  %smissing%s  ", colour(printer, BOLD), colour(printer, PLAIN));
		print_lines(printer, race->missing, 11, arena);
	}
	if (*race->change) {
		fprintf(out, "  %schange%s   ", colour(printer, GREEN), colour(printer, PLAIN));
		print_lines(printer, race->change, 11, arena);
	}
	if (report && race->run_count)
		print_runs(printer, report, race);
	fprintf(out, "  %sid%s       %s\n\n", colour(printer, BOLD), colour(printer, PLAIN),
		race->id);
	return true;
}

static enum vkr_result finish(const struct printer *printer, struct vkr_error *error)
{
	if (fflush(printer->out) != 0 || ferror(printer->out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the report: %s",
				     strerror(errno));
	return VKR_OK;
}

static enum vkr_result print_one(const struct vkr_report *report,
				 const struct vkr_race_report *race, FILE *out,
				 const struct vkr_report_text_options *options,
				 struct vkr_error *error)
{
	struct printer printer = {out, options};
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	bool printed = print_race(&printer, report, race, &arena);
	vkr_arena_finish(&arena);
	return printed ? finish(&printer, error) : vkr_error_memory(error, "the text report");
}

enum vkr_result vkr_report_text_race(const struct vkr_race_report *race, FILE *out,
				     const struct vkr_report_text_options *options,
				     struct vkr_error *error)
{
	return print_one(NULL, race, out, options, error);
}

static bool print_change(const struct printer *printer, const struct vkr_change_report *change,
			 uint32_t number, const struct vkr_report *report, struct vkr_arena *arena)
{
	FILE *out = printer->out;
	const char *words = vkr_report_change_words(change, arena);
	const char *proof = vkr_report_change_proof(change, report->race_count, arena);
	if (!words || !proof)
		return false;
	fprintf(out, "%svkrace: change %" PRIu32, colour(printer, GREEN), number);
	fprintf(out, " for %" PRIu32 " race%s%s: ", change->race_count,
		change->race_count == 1 ? "" : "s", colour(printer, PLAIN));
	vkr_escape_plain(out, words);
	fputs("\n    ", out);
	print_lines(printer, change->code, 4, arena);
	fputs("  races   ", out);
	for (uint32_t i = 0; i < change->race_count; i++)
		fprintf(out, " %s", change->races[i]);
	fputc('\n', out);
	if (*proof)
		fprintf(out, "  %s\n", proof);
	fputc('\n', out);
	return true;
}

static bool print_changes(const struct printer *printer, const struct vkr_report *report)
{
	struct vkr_arena arena;
	bool printed = true;
	vkr_arena_init(&arena);
	for (uint32_t i = 0; i < report->change_count && printed; i++)
		printed = print_change(printer, &report->changes[i], i + 1, report, &arena);
	vkr_arena_finish(&arena);
	return printed;
}

static void print_coverage(const struct printer *printer, const struct vkr_report *report)
{
	FILE *out = printer->out;
	fprintf(out, "%svkrace: not observed%s\n", colour(printer, BOLD), colour(printer, PLAIN));
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
	fprintf(out, "%svkrace: suppressions%s\n", colour(printer, BOLD), colour(printer, PLAIN));
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

enum vkr_result vkr_report_text(const struct vkr_report *report, FILE *out,
				const struct vkr_report_text_options *options,
				struct vkr_error *error)
{
	struct printer printer = {out, options};
	const bool some = options->most && options->most < report->race_count;
	const uint32_t count = some ? options->most : report->race_count;
	for (uint32_t i = 0; i < count; i++) {
		enum vkr_result result = print_one(report, &report->races[i], out, options, error);
		if (result != VKR_OK)
			return result;
	}
	if (some)
		fprintf(out, "vkrace: %" PRIu32 " more race%s\n\n", report->race_count - count,
			report->race_count - count == 1 ? "" : "s");
	if (!print_changes(&printer, report))
		return vkr_error_memory(error, "the text report");
	if (report->rule_count)
		print_rules(&printer, report);
	if (report->coverage_count)
		print_coverage(&printer, report);
	fputs(colour(&printer, report->race_count ? RED : BOLD), out);
	vkr_report_summary(report, out);
	fprintf(out, "%s\n", colour(&printer, PLAIN));
	return finish(&printer, error);
}
