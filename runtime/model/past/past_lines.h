// SPDX-License-Identifier: Apache-2.0
// The engine's timelines as a volume names them: by the object that each is of. Knows which there
// are; not what they order.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stddef.h>
#include <stdint.h>

struct vkr_model;

// All that a volume can name, to be freed.
enum vkr_result vkr_past_lines(const struct vkr_model *model,
			       struct vkr_trace_past_timeline **lines, size_t *count,
			       struct vkr_error *error) VKR_MUST_USE;

// The engine's timeline of what a volume says, 0 where its object has not been made yet.
enum vkr_result vkr_past_line_find(struct vkr_model *model,
				   const struct vkr_trace_past_timeline *line, uint32_t *timeline,
				   struct vkr_error *error) VKR_MUST_USE;
