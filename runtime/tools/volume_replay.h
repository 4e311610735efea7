// SPDX-License-Identifier: Apache-2.0
// Judging volumes of a run again, as one trace, or as several where some are missing. Knows the
// order of the steps; not what is written of the report.
#pragma once

#include "arena.h"
#include "judging.h"
#include "volume_set.h"

// Volumes that follow each other, judged as one trace.
struct vkr_volume_series {
	struct vkr_judging judging;
	struct vkr_report_view view;
	bool viewed;
	const char *first; // path
};

struct vkr_volume_replay {
	struct vkr_volume_set set;
	struct vkr_volume_series **series; // as many as volumes, at most
	size_t count;
	struct vkr_arena arena;
	struct vkr_report report; // of all
};

// What is missing between volumes, or cannot be read, is reported among what was not observed.
// After an error there is a report of what could be judged if `count` is not 0.
// vkr_volume_replay_finish is due in any case.
enum vkr_result vkr_volume_replay(struct vkr_volume_replay *replay, char *const *operands,
				  size_t count, const struct vkr_judging_options *options,
				  struct vkr_error *error) VKR_MUST_USE;
void vkr_volume_replay_finish(struct vkr_volume_replay *replay);
