// SPDX-License-Identifier: Apache-2.0
// Accesses that invocations make together: cooperative matrices, line by line if the log holds the
// stride. Knows records; not how they were read.
#pragma once

#include "log_offsets.h"
#include "log_texels.h"

// Where an access of one invocation begins, from the words of its record after the segment's
// number; valid as long as vkr_dispatch_pointer says. NULL if it is unknown.
const struct vkr_engine_target *vkr_record_target(struct vkr_dispatch_targets *targets,
						  const struct vkr_offsets *offsets, uint32_t local,
						  const uint32_t *record, uint64_t *offset);

// Bytes from one line to the next.
static inline uint64_t vkr_line_stride(const struct vkr_program_access *access,
				       const uint32_t *record)
{
	return access->stride_unit == 0
		       ? 0
		       : (uint64_t)record[access->stride_word] * access->stride_unit;
}

// It is unknown which of the invocations that make an access together accesses which bytes: the
// first of them stands for all.
enum vkr_result vkr_replay_together(struct vkr_replay *replay, struct vkr_engine *engine,
				    struct vkr_dispatch_targets *targets,
				    const struct vkr_offsets *offsets,
				    const struct vkr_texel_step *step,
				    struct vkr_error *error) VKR_MUST_USE;
