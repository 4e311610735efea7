// SPDX-License-Identifier: Apache-2.0
// Reports to test the writers with. Knows what may stand in a report; nothing of how it is written.
#pragma once

#include "vkrace/report.h"

struct vkr_report_sample {
	const char *name; // of the golden files: report_NAME.txt and so on
	const struct vkr_report *report;
};

// Ends with a sample without a name.
extern const struct vkr_report_sample vkr_samples[];

// The sample of that name.
const struct vkr_report *vkr_sample_report(const char *name);
