// SPDX-License-Identifier: Apache-2.0
// Draining column logs: which of an execution's column logs were written, how far, and recording
// that. Knows column logs (vkrace/gpu_log.h); not chunks, nor what records mean.
#pragma once

#include "log_track.h"

// Asks the region's mirror for what experience says that these column logs have.
void vkr_column_logs_ask(const struct vkr_track *track, size_t stretch,
			 struct vkr_log_region *region);

// Records and clears the column logs of one part of the execution's command buffer, including those
// of the secondary command buffers that it executes. Returns how many words may be missing because
// the room of a column log ended.
uint64_t vkr_column_logs_drain(uint32_t execution, const struct vkr_track *track, size_t stretch,
			       struct vkr_log_region *region);
