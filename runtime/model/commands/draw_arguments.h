// SPDX-License-Identifier: Apache-2.0
// What draws read to know what to draw: arguments and counts in buffers, and indices. Knows what
// was captured of these; not the vertices that they lead to.
#pragma once

#include "draw_fetch.h"

// How many of this many vertices or indices form whole primitives: the others are not processed
// ("Primitive Topologies"). All of them if the topology is unknown or never leaves any over.
uint64_t vkr_draw_whole_primitives(const struct vkr_walk_state *state, uint64_t count);

enum vkr_result vkr_draw_read_indices(struct vkr_walk *walk, const struct vkr_draw *draw,
				      const struct vkr_trace_draw *indices) VKR_MUST_USE;

// Arguments in a buffer and their number, with the indices that they lead to.
enum vkr_result vkr_draw_read_arguments(struct vkr_walk *walk, const struct vkr_draw *draw,
					const struct vkr_trace_cmd_draw_indirect *command,
					const struct vkr_buffer *buffer) VKR_MUST_USE;

// The draws that the device generates, of the walk's CMD_GENERATED.
enum vkr_result
vkr_draw_read_generated(struct vkr_walk *walk, const struct vkr_draw *draw,
			const struct vkr_trace_cmd_draw_indirect *command) VKR_MUST_USE;
