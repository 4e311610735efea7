// SPDX-License-Identifier: Apache-2.0
// The lines of source that a report's races are at. Knows where races have places; not how the
// lines are shown.
#pragma once

#include "arena.h"
#include "vkrace/report.h"

#include <stdbool.h>

// What a form shows before and after a line.
#define VKR_SOURCE_LINES_AROUND 5u

// Of the report's sources only what its races are at, with the lines around, each once. False for
// lack of memory.
bool vkr_report_sources_used(const struct vkr_report *report, struct vkr_arena *arena,
			     const struct vkr_source_report **used, uint32_t *count);
