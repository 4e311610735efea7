// SPDX-License-Identifier: Apache-2.0
// Draining column logs: which of an execution's column logs were written, how far, and recording
// that. Knows column logs (vkrace/gpu_log.h); not chunks, nor what records mean.
#pragma once

#include "log_track.h"

// Records and clears the column logs of one stretch of the execution's command buffer, those of the
// secondary command buffers that it calls included. Returns how many words may be missing: those
// that invocations wrote where the room of their column log ends. `lend`: the words may be lent to
// the judge, who clears them.
uint64_t vkr_column_logs_drain(uint32_t execution, const struct vkr_track *track, size_t stretch,
			       struct vkr_log_region *region, bool lend);
