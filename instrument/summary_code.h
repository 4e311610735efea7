// SPDX-License-Identifier: Apache-2.0
// Writes the summary of an entry point (vkrace/summary.h), where it has one. Knows SPIR-V and
// summaries; not who reads them.
#pragma once

#include "sites.h"

// Fills in survey->summary; leaves it empty where invocations of the entry point do what does not
// follow from push constants and from which they are. Behind vkr_survey_runs.
enum vkr_result vkr_survey_summary(struct vkr_survey *survey, struct vkr_error *error) VKR_MUST_USE;
