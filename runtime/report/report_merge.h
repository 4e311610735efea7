// SPDX-License-Identifier: Apache-2.0
// One report of several: of the processes of a run, of a night's tests, of machines and drivers.
// Knows races by their identity; nothing of how they are found.
#pragma once

#include "arena.h"
#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stddef.h>

// Unites `count` reports in *merged, in their order: a race that several have found stands once,
// with the first one's example, the sum of the counts, and which runs have found it; likewise
// changes, and things that were not observed. `names` says where each report came from. Reports
// that are united ones themselves bring their runs. *merged lives as long as the arena and the
// reports.
enum vkr_result vkr_report_merge(const struct vkr_report *const *reports, const char *const *names,
				 size_t count, struct vkr_arena *arena, struct vkr_report *merged,
				 struct vkr_error *error) VKR_MUST_USE;
