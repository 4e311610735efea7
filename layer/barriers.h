// SPDX-License-Identifier: Apache-2.0
// Barriers as a trace holds them, from both forms of the commands that carry them.
// Knows their parameters; not which command they stand in.
#pragma once

#include "command_buffer.h"

// The parameters of the first form.
struct vkr_barriers {
	VkPipelineStageFlags source_stages, destination_stages;
	uint32_t memory_count, buffer_count, image_count;
	const VkMemoryBarrier *memory;
	const VkBufferMemoryBarrier *buffers;
	const VkImageMemoryBarrier *images;
};

// The stages alone, as a barrier of kind EXECUTION, and each barrier.
static inline uint32_t vkr_barriers_count_first(const struct vkr_barriers *from)
{
	return 1 + from->memory_count + from->buffer_count + from->image_count;
}
void vkr_barriers_write_first(const struct vkr_layer_command_buffer *buffer,
			      const struct vkr_barriers *from, struct vkr_trace_barrier *to);

uint32_t vkr_barriers_count_second(const VkDependencyInfo *from);
void vkr_barriers_write_second(const struct vkr_layer_command_buffer *buffer,
			       const VkDependencyInfo *from, struct vkr_trace_barrier *to);
