// SPDX-License-Identifier: Apache-2.0
// The report as JUnit XML, for test runners.
// Knows that form; nothing of how races are found.
#pragma once

#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdio.h>

enum vkr_result vkr_report_junit(const struct vkr_report *report, FILE *out,
				 struct vkr_error *error) VKR_MUST_USE;
