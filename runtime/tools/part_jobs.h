// SPDX-License-Identifier: Apache-2.0
// Judging a trace by several processes, each a part of its memory. Knows processes; not what is in
// the parts.
#pragma once

#include "judging.h"

// Judges the trace as vkr_judging_run_file() does, with the same report, by `jobs` processes, this
// one included. `options` are those that `judging` was prepared with.
enum vkr_result vkr_part_jobs_judge(struct vkr_judging *judging, const char *path,
				    const struct vkr_judging_options *options, uint32_t jobs,
				    struct vkr_error *error) VKR_MUST_USE;
