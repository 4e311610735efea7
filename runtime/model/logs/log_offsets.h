// SPDX-License-Identifier: Apache-2.0
// Where accesses of a workgroup's invocations lie: what their records say, and what follows from
// which invocations they are. Knows rows and accesses; not what is done with the offsets.
#pragma once

#include "log_joining.h"
#include "log_rows.h"

// Neighbouring invocations at one step.
struct vkr_span {
	struct vkr_row *rows;
	uint32_t row_count;
	uint32_t local, count;
};

// One access in one workgroup.
struct vkr_offsets {
	const struct vkr_program_access *access;
	uint32_t start;         // of the workgroup's first invocation, what words say left out
	uint32_t width, height; // of a workgroup, in invocations
};

// `id`: of the workgroup.
struct vkr_offsets vkr_offsets_of(const struct vkr_program *program,
				  const struct vkr_program_access *access, const uint32_t *id);

// Adds what follows from the iteration that the row is in, which vkr_offset_at() knows nothing of.
void vkr_offsets_iteration(struct vkr_offsets *offsets, const struct vkr_row *row);

// The offset of one invocation, by its record after the segment's number.
uint32_t vkr_offset_at(const struct vkr_offsets *offsets, uint32_t local, const uint32_t *record);

// The offsets of the span's invocations.
void vkr_offsets_read(const struct vkr_offsets *offsets, const struct vkr_span *span, uint32_t *to);

// Whether they are so uneven that looking for what joins them is more than reading them.
bool vkr_offsets_are_uneven(const struct vkr_offsets *offsets, const struct vkr_span *span);

// Joins them to runs; false where these are too many.
bool vkr_offsets_join(const struct vkr_offsets *offsets, const struct vkr_span *span,
		      struct vkr_joining *joining);

// How many reach beyond `room` bytes.
uint64_t vkr_offsets_beyond(const struct vkr_offsets *offsets, const struct vkr_span *span,
			    uint64_t room);
