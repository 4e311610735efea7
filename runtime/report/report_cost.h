// SPDX-License-Identifier: Apache-2.0
// What judging cost, as a table. Knows words; not how anything was measured.
#pragma once

#include "vkrace/report.h"

#include <stdio.h>

// Prints report->costs, the most expensive first, and what else the judge of them took: seconds of
// processor time in all, and MiB at most.
void vkr_report_cost(const struct vkr_report *report, double seconds, uint64_t mebibytes,
		     FILE *out);
