// SPDX-License-Identifier: Apache-2.0
// A trace in the JSON form of trace events, which Perfetto and chrome://tracing open: threads and
// queues as tracks, what waits for what as arrows, races as marks. Knows the form; not how a
// timeline is found.
#pragma once

#include "run_line.h"

#include "vkrace/report.h"

#include <stdio.h>

enum vkr_result vkr_perfetto_write(const struct vkr_run_line *timeline,
				   const struct vkr_report *report, FILE *out,
				   struct vkr_error *error) VKR_MUST_USE;
