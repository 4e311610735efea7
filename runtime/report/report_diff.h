// SPDX-License-Identifier: Apache-2.0
// Two reports of one program beside each other: which races are new, gone, or in both. Knows races
// by their identity; nothing of how they are found.
#pragma once

#include "report_text.h"
#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdint.h>
#include <stdio.h>

struct vkr_report_pair {
	const struct vkr_race_report *before, *after; // one is NULL where only the other has it
};

// The races of `after` come first, in its order; then those that are gone.
struct vkr_report_pairs {
	struct vkr_report_pair *items;
	uint32_t count, added, gone;
};

// Borrows both reports. A possible race and a certain one are two.
struct vkr_report_diff {
	const struct vkr_report *before, *after;
	struct vkr_report_pairs races, possible;
};

// Compares two reports; vkr_report_diff_finish() is due after a success.
enum vkr_result vkr_report_diff_make(struct vkr_report_diff *diff, const struct vkr_report *before,
				     const struct vkr_report *after,
				     struct vkr_error *error) VKR_MUST_USE;

void vkr_report_diff_finish(struct vkr_report_diff *diff);

// Every new race whole, a line for each that is gone, and a summary.
enum vkr_result vkr_report_diff_text(const struct vkr_report_diff *diff, FILE *out,
				     const struct vkr_report_text_options *options,
				     struct vkr_error *error) VKR_MUST_USE;

// As JSON: `diff` among the definitions of json/report.schema.json.
enum vkr_result vkr_report_diff_json(const struct vkr_report_diff *diff, FILE *out,
				     struct vkr_error *error) VKR_MUST_USE;
