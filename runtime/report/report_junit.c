// SPDX-License-Identifier: Apache-2.0
// Knows the JUnit XML that test runners read; its words come from report_facts.h and
// report_text.h.
#include "report_junit.h"

#include "error.h"
#include "report_escape.h"
#include "report_facts.h"
#include "report_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	vkr_escape_markup(out, value);
	fputc('"', out);
}

static enum vkr_result put_race(FILE *out, const struct vkr_race_report *race,
				struct vkr_arena *arena, struct vkr_error *error)
{
	const struct vkr_report_text_options plain = {.colour = false, .quote = false};
	const char *class_text = vkr_report_class(race->race_class);
	const char *headline = vkr_report_headline(race, arena);
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = headline ? open_memstream(&text, &bytes) : NULL;
	if (!memory)
		return vkr_error_memory(error, "the JUnit report");
	enum vkr_result result = vkr_report_text_race(race, memory, &plain, error);
	if (fclose(memory) != 0 && result == VKR_OK)
		result = vkr_error_memory(error, "the JUnit report");
	if (result == VKR_OK) {
		fprintf(out, "    <testcase classname=\"vkrace.%s\"", class_text);
		put_attribute(out, "name", headline);
		fputs(">\n      <failure", out);
		put_attribute(out, "type", class_text);
		put_attribute(out, "message", race->missing);
		fputs(">", out);
		vkr_escape_markup_lines(out, text);
		fputs("</failure>\n    </testcase>\n", out);
	}
	free(text);
	return result;
}

static bool put_possible(FILE *out, const struct vkr_race_report *race, struct vkr_arena *arena)
{
	const char *headline = vkr_report_headline(race, arena);
	if (!headline)
		return false;
	fprintf(out, "    <testcase classname=\"vkrace.possible.%s\"",
		vkr_report_class(race->race_class));
	put_attribute(out, "name", headline);
	fputs(">\n      <skipped", out);
	put_attribute(out, "message", VKR_POSSIBLE_MEANING);
	fputs("/>\n    </testcase>\n", out);
	return true;
}

static void put_coverage(FILE *out, const struct vkr_coverage_report *lack)
{
	fputs("    <testcase classname=\"vkrace.coverage\"", out);
	put_attribute(out, "name", lack->kind);
	fputs(">\n      <skipped", out);
	put_attribute(out, "message", lack->text);
	fputs("/>\n    </testcase>\n", out);
}

static void put_counts(FILE *out, const struct vkr_report *report)
{
	const uint64_t skipped = (uint64_t)report->possible_count + report->coverage_count;
	const uint64_t tests = report->race_count + skipped;
	fprintf(out, " tests=\"%" PRIu64 "\" failures=\"%" PRIu32 "\" errors=\"0\"",
		report->race_count ? tests : tests + 1, report->race_count);
	fprintf(out, " skipped=\"%" PRIu64 "\"", skipped);
}

enum vkr_result vkr_report_junit(const struct vkr_report *report, FILE *out,
				 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"vkrace\"", out);
	put_counts(out, report);
	fputs(">\n  <testsuite", out);
	put_attribute(out, "name", *report->program ? report->program : "vkrace");
	put_counts(out, report);
	fputs(">\n", out);
	for (uint32_t i = 0; i < report->race_count && result == VKR_OK; i++)
		result = put_race(out, &report->races[i], &arena, error);
	if (!report->race_count)
		fputs("    <testcase classname=\"vkrace\" name=\"no race found\"/>\n", out);
	for (uint32_t i = 0; i < report->possible_count && result == VKR_OK; i++)
		if (!put_possible(out, &report->possible[i], &arena))
			result = vkr_error_memory(error, "the JUnit report");
	for (uint32_t i = 0; i < report->coverage_count; i++)
		put_coverage(out, &report->coverage[i]);
	fputs("  </testsuite>\n</testsuites>\n", out);
	vkr_arena_finish(&arena);
	if (result == VKR_OK && (fflush(out) != 0 || ferror(out)))
		result = vkr_error_set(error, VKR_ERROR_IO, "cannot write the JUnit report: %s",
				       strerror(errno));
	return result;
}
