// SPDX-License-Identifier: Apache-2.0
// Copies of what the device reads as parameters, made right before it does. Knows command buffers
// and their tracks; not what the parameters say.
#pragma once

#include "command_buffer.h"

// Copies what a command that is about to be recorded reads from a device address on, when the
// command buffer executes, and records it as SNAPSHOT. Copies nothing in render passes and
// secondary command buffers, where copies are not allowed, if nothing logs, or if the memory cannot
// be copied from. `command`: the index that the next command gets. Returns whether a copy was
// recorded.
bool vkr_layer_snapshot(struct vkr_layer_command_buffer *buffer, uint32_t command, uint64_t address,
			uint64_t bytes);

// Whether what the command buffer's commands tell or read can be recorded as snapshots.
bool vkr_snapshots_apply(const struct vkr_layer_command_buffer *buffer);

// Something that the command of this index tells will be recorded as SNAPSHOT.
void vkr_snapshots_await(struct vkr_layer_command_buffer *buffer, uint32_t command);

// Bytes of a buffer.
struct vkr_snapshot_source {
	uint32_t command;
	VkBuffer buffer;
	VkDeviceSize offset;
	uint64_t bytes;
	uint64_t address; // where the record has them
};

// Copies what a draw that is about to be recorded reads, in a buffer that need not have a device
// address: the copy comes after its render pass, where vkr_snapshots_end_pass records it.
void vkr_snapshot_draw(struct vkr_layer_command_buffer *buffer,
		       const struct vkr_snapshot_source *source);

// A render pass has ended on the command buffer below, and what comes next need not resume it.
void vkr_snapshots_end_pass(struct vkr_layer_command_buffer *buffer);

// Records what one stretch of an execution's track captured.
void vkr_snapshots_record(uint32_t execution, const struct vkr_track *track, size_t stretch);
