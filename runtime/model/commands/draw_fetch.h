// SPDX-License-Identifier: Apache-2.0
// The buffers that a draw fetches its vertices from, element by element. Knows vertex input; not
// where the numbers of vertices and instances come from.
#pragma once

#include "draw_state.h"

// Vertices or instances [first, first + count) of a draw.
struct vkr_draw_range {
	uint32_t first;
	uint64_t count;
};

// A draw that is being judged.
struct vkr_draw {
	uint32_t command; // the engine's
	struct vkr_command_info *info;
	struct vkr_vertex_input input;
	struct vkr_draw_range instances;
};

// Whether the vertex shader reads an attribute of the binding.
bool vkr_draw_binding_read(const struct vkr_vertex_input *input, uint32_t binding);

// Reads of all bindings of vertex rate for vertices (VertexIndex) that were fetched, offset
// included. For who knows them: the command itself, or the log of its vertex shader.
enum vkr_result vkr_draw_fetch_vertices(struct vkr_walk *walk, const struct vkr_draw *draw,
					struct vkr_draw_range vertices) VKR_MUST_USE;

// Reads of all bindings of instance rate for the draw's instances.
enum vkr_result vkr_draw_fetch_instances(struct vkr_walk *walk,
					 const struct vkr_draw *draw) VKR_MUST_USE;
