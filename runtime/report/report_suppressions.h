// SPDX-License-Identifier: Apache-2.0
// A report as a suppression file: rules that match its races, to be looked at, widened and given
// reasons. Knows the grammar of report_filter.h; not how races are found.
#pragma once

#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdio.h>

// One rule a race, under a comment that says what races: by class, the object's name and both
// places.
enum vkr_result vkr_report_suppressions(const struct vkr_report *report, FILE *out,
					struct vkr_error *error) VKR_MUST_USE;
