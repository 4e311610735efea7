// SPDX-License-Identifier: Apache-2.0
// Where a command takes a report from: a JSON report, or a trace that is judged for it. Knows both
// files; not what is done with the report.
#pragma once

#include "judging.h"
#include "report_json.h"

struct vkr_report_source {
	struct vkr_judging judging;
	struct vkr_report_copy copy;     // of a JSON report
	const struct vkr_report *report; // of either
	bool failed;                     // not all of a trace could be judged; this was reported
};

// Reads the report, or judges the trace, at `path`. The options' filter is in source->judging; it
// is not applied. vkr_report_source_close() is due also after a failure.
enum vkr_result vkr_report_source_open(struct vkr_report_source *source, const char *path,
				       const struct vkr_judging_options *options,
				       struct vkr_error *error) VKR_MUST_USE;

void vkr_report_source_close(struct vkr_report_source *source);

// The index of a race by its id, or by its number in the report, from 1.
enum vkr_result vkr_report_find_race(const struct vkr_report *report, const char *text,
				     uint32_t *race, struct vkr_error *error) VKR_MUST_USE;
