// SPDX-License-Identifier: Apache-2.0
// Any bytes as a report in JSON, which is also what a baseline is: refused, or written in every
// form, compared and united with itself, and read again from what was written.
#include "report_diff.h"
#include "report_filter.h"
#include "report_github.h"
#include "report_html.h"
#include "report_json.h"
#include "report_junit.h"
#include "report_merge.h"
#include "report_sarif.h"
#include "report_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(enum vkr_result result)
{
	if (result != VKR_OK)
		abort();
}

static void write_forms(const struct vkr_report *report, FILE *out)
{
	const struct vkr_report_text_options options = {.quote = true};
	struct vkr_error error;
	demand(vkr_report_text(report, out, &options, &error));
	demand(vkr_report_html(report, out, &error));
	demand(vkr_report_sarif(report, "/", out, &error));
	demand(vkr_report_junit(report, out, &error));
	demand(vkr_report_github(report, "/", out, &error));
}

// With its own races as the baseline nothing is left.
static void filter(const struct vkr_report *report)
{
	struct vkr_report_filter filter;
	struct vkr_report_view view;
	struct vkr_error error;
	vkr_report_filter_init(&filter);
	demand(vkr_report_filter_baseline(&filter, report, &error));
	demand(vkr_report_filter_apply(&filter, report, &view, &error));
	if (view.report.race_count != 0)
		abort();
	vkr_report_view_finish(&view);
	vkr_report_filter_finish(&filter);
}

static void unite(const struct vkr_report *report, FILE *out)
{
	const struct vkr_report *both[] = {report, report};
	const char *names[] = {"a", "b"};
	struct vkr_report_diff diff;
	struct vkr_report merged;
	struct vkr_arena arena;
	struct vkr_error error;
	demand(vkr_report_diff_make(&diff, report, report, &error));
	if (diff.races.added || diff.races.gone)
		abort();
	demand(vkr_report_diff_json(&diff, out, &error));
	vkr_report_diff_finish(&diff);
	vkr_arena_init(&arena);
	demand(vkr_report_merge(both, names, 2, &arena, &merged, &error));
	demand(vkr_report_json(&merged, out, &error));
	vkr_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct vkr_report_copy copy, again;
	struct vkr_error error;
	char *text = NULL;
	size_t bytes = 0;
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (vkr_report_read_json(&copy, "input", (const char *)data, size, &error) != VKR_OK) {
		vkr_report_copy_finish(&copy);
		return 0;
	}
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory || !nowhere)
		abort();
	demand(vkr_report_json(&copy.report, memory, &error));
	if (fclose(memory) != 0)
		abort();
	demand(vkr_report_read_json(&again, "again", text, bytes, &error));
	write_forms(&copy.report, nowhere);
	filter(&copy.report);
	unite(&copy.report, nowhere);
	vkr_report_copy_finish(&again);
	vkr_report_copy_finish(&copy);
	free(text);
	return 0;
}
