// SPDX-License-Identifier: Apache-2.0
// Copies of what the device reads as parameters, made right before it does. Knows command buffers
// and their tracks; not what the parameters say.
#pragma once

#include "command_buffer.h"

// What a command about to be recorded reads from a device address on is copied as the command
// buffer executes, and recorded as CAPTURED. Nothing is where copies cannot stand (render passes,
// secondary command buffers), where nothing logs, or the memory cannot be copied from. `command`:
// its index, which the next command gets. Returns whether the copy stands.
bool vkr_layer_snapshot(struct vkr_layer_command_buffer *buffer, uint32_t command, uint64_t address,
			uint64_t bytes);

// Bytes of a buffer.
struct vkr_snapshot_source {
	uint32_t command;
	VkBuffer buffer;
	VkDeviceSize offset;
	uint64_t bytes;
	uint64_t address; // where the record has them
};

// The same of a draw that is about to be recorded, in a buffer that need have no device address:
// the copy stands behind its render pass, where vkr_snapshots_end_pass makes it.
void vkr_snapshot_draw(struct vkr_layer_command_buffer *buffer,
		       const struct vkr_snapshot_source *source);

// A render pass has ended on the command buffer below, and what comes next need not resume it.
void vkr_snapshots_end_pass(struct vkr_layer_command_buffer *buffer);

// Records what one stretch of an execution's track captured.
void vkr_snapshots_record(uint32_t execution, const struct vkr_track *track, size_t stretch);
