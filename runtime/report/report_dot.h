// SPDX-License-Identifier: Apache-2.0
// One race with its neighbourhood as a graph for Graphviz. Knows the DOT language; not how races
// are found.
#pragma once

#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdio.h>

// The race at the index, and the races of the report that share a command or an object with it:
// queues and threads as clusters, commands and host accesses as boxes, objects as ovals with an
// edge for each access, what is missing as a dashed edge. The race itself is drawn in red.
enum vkr_result vkr_report_dot(const struct vkr_report *report, uint32_t race, FILE *out,
			       struct vkr_error *error) VKR_MUST_USE;
