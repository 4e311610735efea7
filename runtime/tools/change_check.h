// SPDX-License-Identifier: Apache-2.0
// Judges a trace again with changed synchronization, and compares what is found. Knows traces and
// reports; not what a change orders.
#pragma once

#include "judging.h"
#include "report_filter.h"

#include "vkrace/change.h"
#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdbool.h>

// The effect of changes on a trace's races. Ids live in `arena`.
struct vkr_change_outcome {
	const char *const *gone, *const *added;
	uint32_t gone_count, added_count;
	const char *missed; // what more is not observed, the first, which may race; NULL: nothing
	uint64_t *places;   // by change: where it was made
};

// Judges the trace at `path` with `count` changes, by the rules of `how` (vkr_judging_rules), and
// compares it to what was found without them.
enum vkr_result vkr_change_try(const char *path, const struct vkr_judging_options *how,
			       const struct vkr_change *const *changes, size_t count,
			       const struct vkr_report *without, struct vkr_arena *arena,
			       struct vkr_change_outcome *outcome,
			       struct vkr_error *error) VKR_MUST_USE;

// The changes of a list as vkr_change_try() and the editor take them; NULL for lack of memory.
const struct vkr_change *const *vkr_change_list(const struct vkr_report *report,
						struct vkr_arena *arena);

// Checks the changes of a report that was read back, whose results live in `arena`.
enum vkr_result vkr_change_check_report(const char *path, const struct vkr_judging_options *how,
					struct vkr_report *report, const struct vkr_report *whole,
					struct vkr_arena *arena,
					struct vkr_error *error) VKR_MUST_USE;

// Tries each of a view's changes by itself and writes down what it has made of the races of the
// whole report: one judgement a change.
enum vkr_result vkr_change_check(const char *path, const struct vkr_judging_options *how,
				 struct vkr_report_view *view, const struct vkr_report *whole,
				 struct vkr_error *error) VKR_MUST_USE;
