// SPDX-License-Identifier: Apache-2.0
// The report as workflow commands of GitHub Actions: an annotation a race at its line. Knows that
// form; nothing of how races are found.
#pragma once

#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdio.h>

// Files below `source_root` are named relative to it; NULL: all as they are.
enum vkr_result vkr_report_github(const struct vkr_report *report, const char *source_root,
				  FILE *out, struct vkr_error *error) VKR_MUST_USE;
