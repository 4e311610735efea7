// SPDX-License-Identifier: Apache-2.0
// Knows the HTML page of a report: one file, nothing fetched, and whole without its script, which
// only filters, sorts and copies. Its words come from report_facts.h.
#include "report_html.h"

#include "error.h"
#include "report_causes.h"
#include "report_changes.h"
#include "report_escape.h"
#include "report_facts.h"
#include "report_picture.h"
#include "report_sources.h"
#include "source_quote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
	":root{color-scheme:light dark;--line:#8884;--soft:#8881;--race:#c22;--good:#197a3d;"
	"--read:#4668c5}\n"
	"@media(prefers-color-scheme:dark){:root{--race:#ff7b72;--good:#57c97a;--read:#8aa6f5}}\n"
	"*{box-sizing:border-box}\n"
	"body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem}\n"
	"h1{font-size:1.3rem}\n"
	"h2{font-size:1.1rem}\n"
	"details,section{border:1px solid var(--line);border-radius:8px;margin:1rem 0;"
	"padding:.6rem 1rem;content-visibility:auto;contain-intrinsic-size:auto 3rem}\n"
	"summary{cursor:pointer;font-weight:600}\n"
	"table{border-collapse:collapse;width:100%;margin:.6rem 0}\n"
	"th,td{text-align:left;vertical-align:top;padding:.25rem .6rem;"
	"border-top:1px solid var(--line);overflow-wrap:anywhere}\n"
	".sides{table-layout:fixed}\n"
	".sides th:first-child{width:7rem;font-weight:normal;opacity:.7}\n"
	".list th{cursor:pointer}\n"
	".list td:nth-child(-n+2){white-space:nowrap;overflow-wrap:normal}\n"
	"thead th{border-top:0}\n"
	"pre{margin:.2rem 0 0;padding:.3rem .5rem;background:var(--soft);border-radius:4px;"
	"white-space:pre-wrap;overflow-wrap:anywhere}\n"
	"td,pre,code{font:13px/1.5 ui-monospace,monospace}\n"
	"td,dd{white-space:pre-line}\n"
	"td pre{white-space:pre-wrap}\n"
	"pre b{background:#fd04;display:inline-block;width:100%}\n"
	"dl{display:grid;grid-template-columns:7rem 1fr;margin:0;gap:.25rem 0}\n"
	"dt{padding-left:.6rem;opacity:.7}\n"
	"dd{margin:0}\n"
	".class{color:var(--race)}\n"
	".none,.proved{color:var(--good)}\n"
	".meaning{opacity:.7;margin:.1rem 0}\n"
	".tools{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center}\n"
	".tools input[type=search]{flex:1;min-width:12rem;font:inherit;padding:.3rem .5rem}\n"
	"button{font:inherit;padding:.1rem .6rem}\n"
	"svg{width:100%;max-width:900px;display:block}\n"
	"svg text{font:13px system-ui,sans-serif;fill:currentColor}\n"
	"svg .soft{font:12px ui-monospace,monospace;opacity:.75}\n"
	"svg .lane{font-weight:600}\n"
	"svg .on{fill:#fff}\n"
	"svg .no{fill:var(--race);font-weight:600}\n"
	"svg .box{fill:var(--soft);stroke:var(--line)}\n"
	"svg .line{stroke:var(--line)}\n"
	"svg .write,svg .tip{fill:#c22}\n"
	"svg .read{fill:#4668c5}\n"
	"svg .missing{fill:none;stroke:var(--race);stroke-dasharray:5 4}\n"
	"svg .edge{fill:none;stroke:var(--race);stroke-width:2.5;stroke-dasharray:6 4}\n"
	"@media(max-width:44rem){.sides,.sides tbody,.sides tr,.sides td,.sides th{display:block}"
	".sides thead{display:none}.sides th:first-child{width:auto;border-top:0;padding-bottom:0}"
	".sides td{border-top:0;padding-top:0}.sides tr{border-top:1px solid var(--line)}"
	".list td:nth-child(n+6),.list th:nth-child(n+6){display:none}"
	".list td,.list th{padding:.25rem .3rem}"
	"dl{grid-template-columns:1fr}}\n";

static const char script[] =
	"'use strict';\n"
	"const rows=[...document.querySelectorAll('.list tbody tr')];\n"
	"const "
	"find=document.getElementById('find'),boxes=[...document.querySelectorAll('.only')];\n"
	"function show(){const words=find.value.toLowerCase();let left=0;"
	"for(const row of rows){const race=document.getElementById(row.dataset.id);"
	"const seen=boxes.some(b=>b.checked&&b.value===row.dataset.class)&&"
	"(!words||race.textContent.toLowerCase().includes(words));"
	"row.hidden=race.hidden=!seen;left+=seen;}"
	"document.getElementById('left').textContent=left+' of '+rows.length;}\n"
	"if(find){find.oninput=show;boxes.forEach(b=>b.onchange=show);"
	"document.querySelectorAll('.list th').forEach((head,column)=>head.onclick=()=>{"
	"const body=rows[0].parentNode,down=head.dataset.down=head.dataset.down?'':'1';"
	"const of=row=>row.cells[column].dataset.number||row.cells[column].textContent;"
	"rows.sort((a,b)=>(of(a).localeCompare(of(b),undefined,{numeric:true}))*(down?1:-1));"
	"rows.forEach(row=>body.append(row));});"
	"document.getElementById('open').onclick=()=>document.querySelectorAll('details.race')"
	".forEach(race=>{race.open=true});"
	"document.getElementById('close').onclick=()=>document.querySelectorAll('details.race')"
	".forEach(race=>{race.open=false});}\n"
	"const go=()=>{const race=document.getElementById(location.hash.slice(1));"
	"if(race&&race.tagName==='DETAILS')race.open=true;};\n"
	"addEventListener('hashchange',go);go();\n"
	"document.querySelectorAll('button.copy').forEach(button=>button.onclick=()=>{"
	"const code=button.parentNode.querySelector('pre');"
	"if(!navigator.clipboard){getSelection().selectAllChildren(code);return;}"
	"navigator.clipboard.writeText(code.textContent).then(()=>{button.textContent='copied'});"
	"});\n";

static void put_element(FILE *out, const char *name, const char *text)
{
	fprintf(out, "<%s>", name);
	vkr_escape_markup_lines(out, text);
	fprintf(out, "</%s>", name);
}

struct quoted {
	FILE *out;
	uint32_t line;
	bool any;
};

static void put_line(void *user, uint32_t number, const char *text)
{
	struct quoted *quoted = user;
	fputs(quoted->any ? "\n" : "<pre>", quoted->out);
	quoted->any = true;
	fprintf(quoted->out, "%s%5" PRIu32 " ", number == quoted->line ? "<b>" : "", number);
	vkr_escape_markup(quoted->out, text);
	if (number == quoted->line)
		fputs("</b>", quoted->out);
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

// What the fact is at: a shader's line, or the innermost call of the program that is known; a line
// of 0: nothing.
static struct vkr_source_spot spot_of(const struct column *column, enum vkr_fact_kind kind,
				      struct vkr_arena *arena)
{
	const struct vkr_source_place *source = &column->access->source;
	struct vkr_report_call call = {"", "", 0};
	const char *stack = kind == VKR_FACT_STACK      ? column->access->stack
			    : kind == VKR_FACT_RECORDED ? column->access->command.recorded
							: "";
	if (kind == VKR_FACT_SOURCE)
		return (struct vkr_source_spot){source->file, source->line, source->shader_hash};
	while (stack && *stack && !call.line)
		stack = vkr_report_call(stack, arena, &call);
	return (struct vkr_source_spot){call.file, call.line, 0};
}

static void put_cell(FILE *out, const struct vkr_report *report, const struct column *column,
		     enum vkr_fact_kind kind, bool both, struct vkr_arena *arena)
{
	const char *value = column->values[kind];
	const struct vkr_source_spot spot = spot_of(column, kind, arena);
	struct quoted quoted = {out, spot.line, false};
	fputs(both ? "<td colspan=\"2\">" : "<td>", out);
	vkr_escape_markup_lines(out, value ? value : "");
	if (value)
		vkr_source_lines(report, &spot, VKR_SOURCE_LINES_AROUND, put_line, &quoted);
	if (quoted.any)
		fputs("</pre>", out);
	fputs("</td>", out);
}

// Both accesses side by side; what is the same of both stands once.
static bool put_accesses(FILE *out, const struct vkr_report *report,
			 const struct vkr_race_report *race, struct vkr_arena *arena)
{
	static const char *const labels[] = {
#define FACT(name, label) label,
		VKR_FACTS(FACT)
#undef FACT
	};
	struct column first, second;
	if (!make_column(&first, &race->first, arena) ||
	    !make_column(&second, &race->second, arena))
		return false;
	fputs("<table class=\"sides\">\n<thead><tr><th></th>", out);
	put_element(out, "th", first.action);
	put_element(out, "th", second.action);
	fputs("</tr></thead>\n<tbody>\n", out);
	for (enum vkr_fact_kind kind = 0; kind < VKR_FACT_COUNT; kind++) {
		const char *one = first.values[kind], *other = second.values[kind];
		const bool both = one && other && strcmp(one, other) == 0;
		if (!one && !other)
			continue;
		fprintf(out, "<tr><th>%s</th>", labels[kind]);
		put_cell(out, report, &first, kind, both, arena);
		if (!both)
			put_cell(out, report, &second, kind, false, arena);
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n</table>\n", out);
	return true;
}

static void put_entry(FILE *out, const char *term, const char *text)
{
	if (!*text)
		return;
	put_element(out, "dt", term);
	put_element(out, "dd", text);
	fputc('\n', out);
}

static bool put_race(FILE *out, const struct vkr_report *report, const struct vkr_race_report *race,
		     bool open, struct vkr_arena *arena)
{
	const struct vkr_change_report *change = vkr_report_change_of(report, race->id);
	const char *headline = vkr_report_headline(race, arena);
	if (!headline)
		return false;
	fputs("<details class=\"race\" id=\"", out);
	vkr_escape_markup(out, race->id);
	fprintf(out, "\"%s>\n<summary class=\"class\">", open ? " open" : "");
	vkr_escape_markup(out, headline);
	fputs("</summary>\n", out);
	fprintf(out, "<p class=\"meaning\">%s; %" PRIu64 " time%s%s</p>\n",
		vkr_report_class_meaning(race->race_class), race->count,
		race->count == 1 ? "" : "s",
		race->same_instruction ? "; one instruction races with itself" : "");
	if (!vkr_report_picture(out, race, arena))
		return false;
	fputs("<dl>\n", out);
	put_entry(out, "missing", race->missing);
	put_entry(out, "note", race->note);
	put_entry(out, "change", race->change);
	put_entry(out, "id", race->id);
	fputs("</dl>\n", out);
	if (change)
		fprintf(out, "<p><a href=\"#change-%td\">change %td</a> orders it</p>\n",
			change - report->changes + 1, change - report->changes + 1);
	if (!put_accesses(out, report, race, arena))
		return false;
	fputs("</details>\n", out);
	return true;
}

static bool put_row(FILE *out, const struct vkr_report *report,
		    const struct vkr_report_causes *causes, uint32_t index, struct vkr_arena *arena)
{
	const struct vkr_race_report *race = &report->races[index];
	const uint32_t cause = causes->first[index];
	const char *first = vkr_report_site(&race->first, arena);
	const char *second = vkr_report_site(&race->second, arena);
	if (!first || !second)
		return false;
	fputs("<tr data-id=\"", out);
	vkr_escape_markup(out, race->id);
	fprintf(out, "\" data-class=\"%s\"><td><a href=\"#", vkr_report_class(race->race_class));
	vkr_escape_markup(out, race->id);
	fprintf(out, "\">%" PRIu32 "</a></td><td class=\"class\">%s</td>", index + 1,
		vkr_report_class(race->race_class));
	put_element(out, "td", race->first.object);
	put_element(out, "td", first);
	put_element(out, "td", second);
	fprintf(out, "<td>%" PRIu64 "</td><td><a href=\"#", race->count);
	vkr_escape_markup(out, report->races[cause].id);
	fprintf(out, "\">%" PRIu32 "</a></td></tr>\n", cause + 1);
	return true;
}

static void put_boxes(FILE *out, const struct vkr_report *report)
{
	static const enum vkr_race_class classes[] = {
#define CLASS(name, text, meaning) VKR_RACE_##name,
		VKR_RACE_CLASSES(CLASS)
#undef CLASS
	};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		uint32_t count = 0;
		for (uint32_t race = 0; race < report->race_count; race++)
			count += report->races[race].race_class == classes[i];
		if (count)
			fprintf(out,
				"<label><input type=\"checkbox\" class=\"only\" value=\"%s\" "
				"checked> "
				"%s (%" PRIu32 ")</label>\n",
				vkr_report_class(classes[i]), vkr_report_class(classes[i]), count);
	}
}

static bool put_list(FILE *out, const struct vkr_report *report, struct vkr_arena *arena)
{
	struct vkr_report_causes causes;
	bool whole = vkr_report_causes_make(report, arena, &causes);
	fputs("<section>\n<div class=\"tools\"><input type=\"search\" id=\"find\" "
	      "placeholder=\"find in races\" aria-label=\"find in races\">\n",
	      out);
	put_boxes(out, report);
	fprintf(out,
		"<button id=\"open\">open all</button><button id=\"close\">close all</button> "
		"<span id=\"left\">%" PRIu32 " of %" PRIu32 "</span></div>\n"
		"<table class=\"list\">\n<thead><tr><th>#</th><th>class</th><th>object</th>"
		"<th>first</th><th>second</th><th>times</th><th>cause "
		"of</th></tr></thead>\n<tbody>\n",
		report->race_count, report->race_count);
	for (uint32_t i = 0; i < report->race_count && whole; i++)
		whole = put_row(out, report, &causes, i, arena);
	fputs("</tbody>\n</table>\n</section>\n", out);
	return whole;
}

static bool put_change(FILE *out, const struct vkr_report *report, uint32_t index,
		       struct vkr_arena *arena)
{
	const struct vkr_change_report *change = &report->changes[index];
	const char *words = vkr_report_change_words(change, arena);
	const char *proof = vkr_report_change_proof(change, report->race_count, arena);
	if (!words || !proof)
		return false;
	fprintf(out,
		"<section id=\"change-%" PRIu32 "\">\n<h2>Change %" PRIu32 ", for %" PRIu32
		" race%s</h2>\n",
		index + 1, index + 1, change->race_count, change->race_count == 1 ? "" : "s");
	put_element(out, "p", words);
	fputs("<div><button class=\"copy\">copy</button>", out);
	put_element(out, "pre", change->code);
	fputs("</div>\n<p>", out);
	for (uint32_t i = 0; i < change->race_count; i++) {
		fputs("<a href=\"#", out);
		vkr_escape_markup(out, change->races[i]);
		fputs("\">", out);
		vkr_escape_markup(out, change->races[i]);
		fputs("</a> ", out);
	}
	fprintf(out, "</p>\n<p class=\"%s\">%s</p>\n</section>\n",
		change->gone_count && !change->added_count ? "proved" : "meaning", proof);
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

static void put_head(FILE *out, const struct vkr_report *report)
{
	fprintf(out,
		"<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
		"<title>vkrace report</title>\n<style>\n%s</style>\n<h1 class=\"%s\">",
		style, report->race_count ? "class" : vkr_report_verdict(report->verdict));
	vkr_report_summary(report, out);
	fputs("</h1>\n", out);
	if (*report->program) {
		fputs("<pre>", out);
		vkr_escape_markup(out, report->program);
		fputs("</pre>\n", out);
	}
}

enum vkr_result vkr_report_html(const struct vkr_report *report, FILE *out, struct vkr_error *error)
{
	bool whole = true;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	put_head(out, report);
	if (report->race_count)
		whole = put_list(out, report, &arena);
	for (uint32_t i = 0; i < report->change_count && whole; i++)
		whole = put_change(out, report, i, &arena);
	for (uint32_t i = 0; i < report->race_count && whole; i++)
		whole = put_race(out, report, &report->races[i], i == 0, &arena);
	if (report->possible_count)
		fprintf(out, "<section>\n<h2>Possible races</h2>\n<p>Of each, %s.</p>\n",
			VKR_POSSIBLE_MEANING);
	for (uint32_t i = 0; i < report->possible_count && whole; i++)
		whole = put_race(out, report, &report->possible[i], false, &arena);
	if (report->possible_count)
		fputs("</section>\n", out);
	if (report->coverage_count)
		put_coverage(out, report);
	fprintf(out, "<script>\n%s</script>\n</html>\n", script);
	vkr_arena_finish(&arena);
	if (!whole)
		return vkr_error_memory(error, "the HTML report");
	if (fflush(out) != 0 || ferror(out))
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write the HTML report: %s",
				     strerror(errno));
	return VKR_OK;
}
