// SPDX-License-Identifier: Apache-2.0
// The report as SARIF 2.1.0, for code hosts and editors.
// Knows that form; nothing of how races are found.
#pragma once

#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdio.h>

// Files below `source_root`, an absolute path, are named relative to it, as code hosts want them;
// NULL: all by their whole path. A result's place is the line in the shader, else the call that
// recorded the command or that accessed memory; calls of both accesses stand beside it.
enum vkr_result vkr_report_sarif(const struct vkr_report *report, const char *source_root,
				 FILE *out, struct vkr_error *error) VKR_MUST_USE;
