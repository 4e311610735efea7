// SPDX-License-Identifier: Apache-2.0
// Judges the reads and writes that were noted in filters (access_filters.h). Knows runs of
// invocations; not what they have accessed.
#pragma once

#include "access_filters.h"

// Judges the noted reads and empties the filters, of noted writes, too. *raced: something races
// with a read; then nothing is reported (vkr_engine_try_runs), and else they may wait to be
// remembered (read_deferral.h). With `raced` NULL, races are reported with the invocation that was
// noted at the byte.
enum vkr_result vkr_access_filters_judge(struct vkr_access_filters *filters,
					 struct vkr_engine *engine,
					 const struct vkr_filter_readers *readers, bool *raced,
					 struct vkr_error *error) VKR_MUST_USE;

// Which invocations entries of neighbours stand for, in the numbers of struct vkr_engine_elements.
// False where one has none.
typedef bool (*vkr_filter_numbers)(const void *user, const uint32_t *entries, uint32_t count,
				   uint32_t *numbers);

// Judges those of the noted reads that lie side by side (vkr_engine_elements), and takes them out.
enum vkr_result vkr_access_filters_judge_rows(struct vkr_access_filters *filters,
					      struct vkr_engine *engine, vkr_filter_numbers numbers,
					      const void *user,
					      struct vkr_error *error) VKR_MUST_USE;

enum vkr_filter_writes {
	VKR_FILTER_JUDGED,
	VKR_FILTER_RACED,  // something races that has not been reported yet
	VKR_FILTER_APART,  // they do not lie side by side
	VKR_FILTER_SHARED, // some are written at several sites
};

// Judges all noted writes together, or none of them, and takes them out; says which.
enum vkr_result vkr_access_filters_judge_writes(struct vkr_access_filters *filters,
						struct vkr_engine *engine,
						vkr_filter_numbers numbers, const void *user,
						enum vkr_filter_writes *outcome,
						struct vkr_error *error) VKR_MUST_USE;
