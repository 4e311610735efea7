// SPDX-License-Identifier: Apache-2.0
// What draws fetch from and how, wherever it was set: the pipeline or a command. Knows where each
// of these comes from; not what a draw does with it.
#pragma once

#include "command_walk.h"

// Vertex input as it is in force.
struct vkr_vertex_input {
	bool known;         // false: nothing of the rest is
	bool strides_bound; // the strides are those of vkCmdBindVertexBuffers2
	uint32_t binding_count, attribute_count;
	const struct vkr_trace_vertex_binding *bindings;
	const struct vkr_trace_vertex_attribute *attributes;
	const struct vkr_shader *shader; // that reads them; NULL: not known
};

// Of the graphics pipeline that is bound. Borrowed from it, or from the recording.
struct vkr_vertex_input vkr_walk_vertex_input(const struct vkr_walk_state *state);

// Whether the shader reads the attribute of a location. A shader that reads none of it fetches
// none.
bool vkr_vertex_input_read(const struct vkr_vertex_input *input, uint32_t location);

// Whether a VkDynamicState of the pipeline is set by commands.
bool vkr_graphics_dynamic(const struct vkr_graphics *graphics, uint32_t state);

// What a command set last. False where none did.
bool vkr_walk_state_value(const struct vkr_walk_state *state, uint32_t name, uint32_t index,
			  uint32_t *value);
