// SPDX-License-Identifier: Apache-2.0
// JSON reports as files. Knows how to read them; not what is done with a report.
#pragma once

#include "report_json.h"

#include <stdbool.h>

// Reads a JSON report into `copy`, which vkr_report_copy_finish() releases, also after a failure.
enum vkr_result vkr_report_file_read(struct vkr_report_copy *copy, const char *path,
				     struct vkr_error *error) VKR_MUST_USE;

// Reads changes, or those of a whole report, into copy->report.changes.
enum vkr_result vkr_report_file_read_changes(struct vkr_report_copy *copy, const char *path,
					     struct vkr_error *error) VKR_MUST_USE;

// Whether the file is a trace, by its first bytes.
enum vkr_result vkr_report_file_is_trace(const char *path, bool *trace,
					 struct vkr_error *error) VKR_MUST_USE;
