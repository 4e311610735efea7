// SPDX-License-Identifier: Apache-2.0
// The reports of a run's processes as one, in the forms that the user wants. Knows where the judges
// of `vkrace run` leave their reports, and not what a race is.
#pragma once

#include "report_text.h"
#include "tool_options.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_run_reports {
	char *folder;       // private; NULL: the judges print and write by themselves
	char *json, *trace; // what judges are to write, with %p for the process; trace may be NULL
};

// Whether the options ask for more than a judge does by itself: another form, a short
// text, proposals that are tried.
bool vkr_run_reports_are_wanted(const struct vkr_tool_options *options);

// Makes the folder. vkr_run_reports_remove() is due, also after a failure.
enum vkr_result vkr_run_reports_prepare(struct vkr_run_reports *reports,
					const struct vkr_tool_options *options,
					struct vkr_error *error) VKR_MUST_USE;

// What the reports say together.
struct vkr_run_outcome {
	uint32_t reports, races;
	bool incomplete;
};

// Reads what the judges have left and writes what the options ask for: the text to standard error,
// annotations to standard output, forms to files.
enum vkr_result vkr_run_reports_write(const struct vkr_run_reports *reports,
				      const struct vkr_tool_options *options,
				      const struct vkr_report_text_options *text,
				      struct vkr_run_outcome *outcome,
				      struct vkr_error *error) VKR_MUST_USE;

void vkr_run_reports_remove(struct vkr_run_reports *reports);
