// SPDX-License-Identifier: Apache-2.0
// Writes the summary of an entry point (vkrace/summary.h), where it has one. Knows SPIR-V and
// summaries; not who reads them.
#pragma once

#include "analysis.h"

// Fills in analysis->summary; leaves it empty where invocations of the entry point do what does not
// follow from push constants and from which they are. Behind vkr_analysis_segments.
enum vkr_result vkr_analysis_summary(struct vkr_analysis *analysis,
				     struct vkr_error *error) VKR_MUST_USE;
