// SPDX-License-Identifier: Apache-2.0
// Draining sheets: which of an execution's sheets were written, how far, and recording that.
// Knows sheets (vkrace/gpu_log.h); not chunks, nor what records mean.
#pragma once

#include "log_track.h"

// Records and clears the sheets of one stretch of the execution's command buffer, those of the
// secondary command buffers that it calls included. Returns how many words may be missing: those
// that invocations wrote where the room of their sheet ends. `lend`: the words may be lent to the
// judge, who clears them.
uint64_t vkr_sheets_drain(uint32_t execution, const struct vkr_track *track, size_t stretch,
			  struct vkr_log_region *region, bool lend);
