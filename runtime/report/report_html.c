// SPDX-License-Identifier: Apache-2.0
// Knows the HTML page of a report: one file, no scripts, nothing fetched. Its words come from
// report_facts.h.
#include "report_html.h"

#include "error.h"
#include "report_escape.h"
#include "report_facts.h"
#include "source_quote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
	":root{color-scheme:light dark;--line:#8884;--soft:#8881;--race:#c22;--good:#197a3d}\n"
	"@media(prefers-color-scheme:dark){:root{--race:#ff7b72;--good:#57c97a}}\n"
	"body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}\n"
	"h1{font-size:1.3rem}\n"
	"h2{font-size:1.05rem;margin:0}\n"
	"section{border:1px solid var(--line);border-radius:8px;margin:1.5rem 0;padding:1rem}\n"
	"table{border-collapse:collapse;width:100%;margin:.8rem 0;table-layout:fixed}\n"
	"th,td{text-align:left;vertical-align:top;padding:.25rem .6rem;"
	"border-top:1px solid var(--line);overflow-wrap:anywhere}\n"
	"th:first-child{width:7rem;font-weight:normal;opacity:.7}\n"
	"thead th{border-top:0}\n"
	"pre{margin:.2rem 0 0;padding:.3rem .5rem;background:var(--soft);border-radius:4px;"
	"white-space:pre-wrap;overflow-wrap:anywhere}\n"
	"td,pre{font:13px/1.5 ui-monospace,monospace}\n"
	"td,dd{white-space:pre-line}\n"
	"dl{display:grid;grid-template-columns:7rem 1fr;margin:0;gap:.25rem 0}\n"
	"dt{padding-left:.6rem;opacity:.7}\n"
	"dd{margin:0}\n"
	".class{color:var(--race)}\n"
	".none{color:var(--good)}\n"
	".meaning{opacity:.7;margin:.1rem 0}\n";

static void put_element(FILE *out, const char *name, const char *text)
{
	fprintf(out, "<%s>", name);
	vkr_escape_markup_lines(out, text);
	fprintf(out, "</%s>", name);
}

static bool put_quote(FILE *out, const struct vkr_source_place *source)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory)
		return false;
	vkr_source_quote(memory, source->file, source->line, source->column, 0);
	bool whole = fclose(memory) == 0;
	if (whole && bytes)
		put_element(out, "pre", text);
	free(text);
	return whole;
}

// The facts of one access by kind; NULL where a kind is not known of it.
struct column {
	const struct vkr_access_report *access;
	const char *values[VKR_FACT_COUNT];
	const char *action;
};

static bool make_column(struct column *column, const struct vkr_access_report *access,
			struct vkr_arena *arena)
{
	struct vkr_fact facts[VKR_FACT_COUNT];
	int count = vkr_report_facts(access, arena, facts);
	*column = (struct column){.access = access, .action = vkr_report_action(access, arena)};
	for (int i = 0; i < count; i++)
		column->values[facts[i].kind] = facts[i].value;
	return count >= 0 && column->action;
}

static bool put_cell(FILE *out, const struct column *column, enum vkr_fact_kind kind)
{
	const char *value = column->values[kind];
	fputs("<td>", out);
	vkr_escape_markup_lines(out, value ? value : "");
	bool whole = kind != VKR_FACT_SOURCE || !value || put_quote(out, &column->access->source);
	fputs("</td>", out);
	return whole;
}

static bool put_accesses(FILE *out, const struct vkr_race_report *race, struct vkr_arena *arena)
{
	static const char *const labels[] = {
#define FACT(name, label) label,
		VKR_FACTS(FACT)
#undef FACT
	};
	struct column first, second;
	bool whole = make_column(&first, &race->first, arena) &&
		     make_column(&second, &race->second, arena);
	if (!whole)
		return false;
	fputs("<table>\n<thead><tr><th></th>", out);
	put_element(out, "th", first.action);
	put_element(out, "th", second.action);
	fputs("</tr></thead>\n<tbody>\n", out);
	for (enum vkr_fact_kind kind = 0; kind < VKR_FACT_COUNT && whole; kind++) {
		if (!first.values[kind] && !second.values[kind])
			continue;
		fprintf(out, "<tr><th>%s</th>", labels[kind]);
		whole = put_cell(out, &first, kind) && put_cell(out, &second, kind);
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n</table>\n", out);
	return whole;
}

static void put_entry(FILE *out, const char *term, const char *text)
{
	if (!*text)
		return;
	put_element(out, "dt", term);
	put_element(out, "dd", text);
	fputc('\n', out);
}

static bool put_race(FILE *out, const struct vkr_race_report *race, struct vkr_arena *arena)
{
	const char *headline = vkr_report_headline(race, arena);
	if (!headline)
		return false;
	fputs("<section>\n<h2 class=\"class\">", out);
	vkr_escape_markup(out, headline);
	fputs("</h2>\n", out);
	fprintf(out, "<p class=\"meaning\">%s; %" PRIu64 " time%s%s</p>\n",
		vkr_report_class_meaning(race->race_class), race->count,
		race->count == 1 ? "" : "s",
		race->same_instruction ? "; one instruction races with itself" : "");
	fputs("<dl>\n", out);
	put_entry(out, "missing", race->missing);
	put_entry(out, "change", race->change);
	fputs("</dl>\n", out);
	if (!put_accesses(out, race, arena))
		return false;
	fputs("</section>\n", out);
	return true;
}

static void put_coverage(FILE *out, const struct vkr_report *report)
{
	fputs("<section>\n<h2>Not observed</h2>\n<table>\n", out);
	for (uint32_t i = 0; i < report->coverage_count; i++) {
		const struct vkr_coverage_report *lack = &report->coverage[i];
		fputs("<tr>", out);
		put_element(out, "th", lack->kind);
		fputs("<td>", out);
		vkr_escape_markup_lines(out, lack->text);
		if (lack->amount)
			fprintf(out, ", amount %" PRIu64, lack->amount);
		if (lack->count > 1)
			fprintf(out, ", %" PRIu64 " times", lack->count);
		fputs("</td></tr>\n", out);
	}
	fputs("</table>\n</section>\n", out);
}

enum vkr_result vkr_report_html(const struct vkr_report *report, FILE *out, struct vkr_error *error)
{
	bool whole = true;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	fprintf(out,
		"<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<title>vkrace report</title>\n<style>\n%s</style>\n<h1 class=\"%s\">",
		style, report->race_count ? "class" : vkr_report_verdict(report->verdict));
	vkr_report_summary(report, out);
	fputs("</h1>\n", out);
	if (*report->program) {
		fputs("<pre>", out);
		vkr_escape_markup(out, report->program);
		fputs("</pre>\n", out);
	}
	for (uint32_t i = 0; i < report->race_count && whole; i++)
		whole = put_race(out, &report->races[i], &arena);
	if (report->coverage_count)
		put_coverage(out, report);
	fputs("</html>\n", out);
	vkr_arena_finish(&arena);
	if (!whole)
		return vkr_error_memory(error, "the HTML report");
	if (fflush(out) != 0 || ferror(out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the HTML report: %s",
				     strerror(errno));
	return VKR_OK;
}
