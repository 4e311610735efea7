// SPDX-License-Identifier: Apache-2.0
// The report as a developer reads it in a terminal. Knows how a report looks; nothing of how races
// are found, nor of terminals beyond the colours that it is told to use.
#pragma once

#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct vkr_report_text_options {
	bool colour;   // ANSI colours: for terminals only
	bool quote;    // quote source lines from the files that can be read
	bool brief;    // of a race what happened, what is missing and the change; not both accesses
	bool all;      // each race in full, also where an earlier one has its cause
	uint32_t most; // races that are printed in full; 0: all
};

// Every race, those of one cause together, what was not observed, and last the summary line.
// VKR_ERROR_IO where `out` cannot be written.
enum vkr_result vkr_report_text(const struct vkr_report *report, FILE *out,
				const struct vkr_report_text_options *options,
				struct vkr_error *error) VKR_MUST_USE;

// One race by itself.
enum vkr_result vkr_report_text_race(const struct vkr_race_report *race, FILE *out,
				     const struct vkr_report_text_options *options,
				     struct vkr_error *error) VKR_MUST_USE;
