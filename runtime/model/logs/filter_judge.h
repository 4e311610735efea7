// SPDX-License-Identifier: Apache-2.0
// Judges the reads that were noted in filters (read_filters.h). Knows runs of readers; not what
// they have read.
#pragma once

#include "read_filters.h"

// Judges the noted reads and empties the filters. *raced: something races with a read; then nothing
// is reported (vkr_engine_try_runs), and else they may wait to be remembered (read_deferral.h).
// With `raced` NULL, races are reported with the invocation that was noted at the byte.
enum vkr_result vkr_read_filters_judge(struct vkr_read_filters *filters, struct vkr_engine *engine,
				       const struct vkr_filter_readers *readers, bool *raced,
				       struct vkr_error *error) VKR_MUST_USE;
