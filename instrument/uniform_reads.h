// SPDX-License-Identifier: Apache-2.0
// Reads that many invocations of a draw make of the same bytes: at a place that is constant, or
// that follows from one value. Knows sites and what their offsets are made of; not how a record is
// written once.
//
// In shaders that only read, one invocation's read stands for those of all others of its stage and
// draw at the same bytes: nothing such a shader does orders one of them before anything that the
// others are not ordered before, and the draw itself cannot write there in between.
#pragma once

#include "read_groups.h"
#include "same_value.h"

// Whether the shader is of a draw, and only reads.
bool vkr_uniform_reads_suit(const struct vkr_analysis *analysis);

// Whether the shader's reads may be logged so.
bool vkr_uniform_reads_apply(const struct vkr_analysis *analysis);

// Fills in draft->shared_by, of a draft whose affine sum is known: the id that those from `first`
// on, of its segment, have for the same value.
void vkr_uniform_reads_find(const struct vkr_values *values, const struct vkr_site_draft *first,
			    struct vkr_site_draft *draft);

// Puts the drafts of the segment in groups that share what distinguishes their reads
// (read_groups.h), with marks for as many values as there are. False for lack of memory.
bool vkr_uniform_reads_split(struct vkr_analysis *analysis,
			     const struct vkr_segment_draft *segment);

// Gives a run-length record marks for how often its loop was gone through. False for lack of
// memory.
bool vkr_uniform_reads_count(struct vkr_analysis *analysis, struct vkr_segment_draft *segment);
