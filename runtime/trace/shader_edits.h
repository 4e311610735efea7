// SPDX-License-Identifier: Apache-2.0
// Shaders with other barriers, atomics and declarations: their site tables are changed, so that
// their logs are read as those of the changed shaders. Knows sites and summaries; not what they
// order.
#pragma once

#include "vkrace/change.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The SHADER event with the changes that are about it, to be released with free(); NULL in *edited:
// none is. `made` counts the places by change. False for lack of memory.
bool vkr_shader_edits_make(const struct vkr_change *const *changes, size_t count,
			   const struct vkr_trace_event *event, uint64_t *made,
			   struct vkr_trace_event **edited);
