// SPDX-License-Identifier: Apache-2.0
// Judges what the open dispatch has read and written, as it was noted in filters
// (access_filters.h). Entries are the numbers of struct vkr_engine_elements: 1 + (workgroup <<
// local bits | local). Knows places; not what they are of.
#pragma once

#include "access_filters.h"

// Has noted reads wait to be remembered, where they can (read_deferral.h): they race with nothing
// then, are counted as judged, and taken out.
enum vkr_result vkr_filters_defer(struct vkr_engine *engine, struct vkr_access_filters *filters,
				  struct vkr_error *error) VKR_MUST_USE;

// *apart: a noted read meets writes with which its order says nothing of another invocation's read
// of the place (framebuffer-local dependencies, shaders that synchronize): then all invocations'
// reads are to be fed by vkr_engine_runs. Nothing is judged.
enum vkr_result vkr_filters_apart(struct vkr_engine *engine,
				  const struct vkr_access_filters *filters, bool *apart,
				  struct vkr_error *error) VKR_MUST_USE;

// Judges the noted reads, with all that lie side by side together, and empties the filters, of
// noted writes, too. A race is counted once a place, with the invocation that was noted there.
enum vkr_result vkr_filters_judge(struct vkr_engine *engine, struct vkr_access_filters *filters,
				  struct vkr_error *error) VKR_MUST_USE;

// What filters have noted since so many accesses were counted stands for this many: a place for all
// that have read it.
void vkr_filters_count_as(struct vkr_engine *engine, uint64_t before, uint64_t accesses);

enum vkr_filter_writes {
	VKR_FILTER_JUDGED,
	VKR_FILTER_RACED,  // something races that has not been reported yet
	VKR_FILTER_APART,  // they do not lie side by side
	VKR_FILTER_SHARED, // some are written at several sites
};

// Judges all noted writes together, or none of them, and takes them out; says which.
enum vkr_result vkr_filters_judge_writes(struct vkr_engine *engine,
					 struct vkr_access_filters *filters,
					 enum vkr_filter_writes *outcome,
					 struct vkr_error *error) VKR_MUST_USE;
