// SPDX-License-Identifier: Apache-2.0
// What draws fetch from and how: vertex and index buffers and the states that commands set. Knows
// where each of these comes from, a pipeline or a command; not what a draw does with it.
#include "draw_state.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"

#include <string.h>

// Puts the buffer in the place of its device address; none where no live one holds it.
static enum vkr_result find_buffer(struct vkr_walk *walk, const char *command, uint32_t *buffer,
				   uint64_t *offset)
{
	if (*buffer != VKR_BUFFER_BY_ADDRESS)
		return VKR_OK;
	const struct vkr_address *found = vkr_objects_address(&walk->model->objects, *offset);
	if (found != NULL) {
		*buffer = found->buffer->id;
		*offset -= found->first;
		return VKR_OK;
	}
	*buffer = 0;
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"%s binds an address that no buffer is known to have", command);
}

static enum vkr_result bind_vertex_buffers(struct vkr_walk *walk,
					   const struct vkr_trace_cmd_bind_vertex_buffers *bind)
{
	struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	const struct vkr_trace_vertex_buffer *buffers = (const void *)(bind + 1);
	const uint64_t end = (uint64_t)bind->first + bind->buffer_count;
	if (end > state->vertex_buffers.count) {
		const size_t more = (size_t)end - state->vertex_buffers.count;
		if (!VKR_ARRAY_RESERVE(&state->vertex_buffers, more))
			return vkr_error_memory(walk->error, "vertex buffers");
		memset(&state->vertex_buffers.items[state->vertex_buffers.count], 0,
		       more * sizeof *state->vertex_buffers.items);
		state->vertex_buffers.count += more;
	}
	for (uint32_t at = 0; at < bind->buffer_count; at++) {
		struct vkr_trace_vertex_buffer *place =
			&state->vertex_buffers.items[bind->first + at];
		*place = buffers[at];
		const enum vkr_result result = find_buffer(walk, "vkCmdBindVertexBuffers3KHR",
							   &place->buffer, &place->offset);
		if (result != VKR_OK)
			return result;
	}
	return VKR_OK;
}

static enum vkr_result set_value(struct vkr_walk *walk, struct vkr_set_value value)
{
	struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	for (size_t at = 0; at < state->set_values.count; at++) {
		struct vkr_set_value *kept = &state->set_values.items[at];
		if (kept->state == value.state && kept->index == value.index) {
			kept->value = value.value;
			return VKR_OK;
		}
	}
	if (!VKR_ARRAY_RESERVE(&state->set_values, 1))
		return vkr_error_memory(walk->error, "dynamic state");
	state->set_values.items[state->set_values.count++] = value;
	return VKR_OK;
}

static enum vkr_result set_state(struct vkr_walk *walk, const struct vkr_trace_cmd_set_state *set)
{
	const uint32_t *values = (const uint32_t *)(set + 1);
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < set->value_count && result == VKR_OK; at++)
		result = set_value(walk,
				   (struct vkr_set_value){set->state, set->first + at, values[at]});
	return result;
}

enum vkr_result vkr_walk_draw_state(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const void *payload = vkr_event_payload(event);
	struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	switch (event->type) {
	case VKR_TRACE_CMD_BIND_VERTEX_BUFFERS:
		return bind_vertex_buffers(walk, payload);
	case VKR_TRACE_CMD_BIND_INDEX_BUFFER:
		memcpy(&state->index_buffer, payload, sizeof state->index_buffer);
		return find_buffer(walk, "vkCmdBindIndexBuffer3KHR", &state->index_buffer.buffer,
				   &state->index_buffer.offset);
	case VKR_TRACE_CMD_VERTEX_INPUT:
		state->vertex_input = payload;
		return VKR_OK;
	default:
		return set_state(walk, payload);
	}
}

bool vkr_graphics_dynamic(const struct vkr_graphics *graphics, uint32_t state)
{
	for (uint32_t at = 0; at < graphics->dynamic_count; at++)
		if (graphics->dynamic[at] == state)
			return true;
	return false;
}

bool vkr_walk_state_value(const struct vkr_walk_state *state, uint32_t name, uint32_t index,
			  uint32_t *value)
{
	for (size_t at = 0; at < state->set_values.count; at++) {
		const struct vkr_set_value *kept = &state->set_values.items[at];
		if (kept->state == name && kept->index == index) {
			*value = kept->value;
			return true;
		}
	}
	return false;
}

static struct vkr_vertex_input input_of(const struct vkr_walk_state *state)
{
	const struct vkr_pipeline *pipeline = state->points[VKR_WALK_GRAPHICS].pipeline;
	const struct vkr_graphics *graphics = pipeline != NULL ? pipeline->graphics : NULL;
	if (graphics == NULL || (graphics->flags & VKR_GRAPHICS_UNKNOWN))
		return (struct vkr_vertex_input){.known = false};
	if (!vkr_graphics_dynamic(graphics, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT))
		return (struct vkr_vertex_input){
			.known = true,
			.binding_count = graphics->binding_count,
			.attribute_count = graphics->attribute_count,
			.bindings = graphics->bindings,
			.attributes = graphics->attributes,
			.strides_bound = vkr_graphics_dynamic(
				graphics, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE)};
	const struct vkr_trace_cmd_vertex_input *set = state->vertex_input;
	if (set == NULL)
		return (struct vkr_vertex_input){.known = false};
	const struct vkr_trace_vertex_binding *bindings = (const void *)(set + 1);
	// Strides set this way are overridden by no binding (vkCmdBindVertexBuffers2).
	return (struct vkr_vertex_input){.known = true,
					 .binding_count = set->binding_count,
					 .attribute_count = set->attribute_count,
					 .bindings = bindings,
					 .attributes =
						 (const void *)(bindings + set->binding_count)};
}

struct vkr_vertex_input vkr_walk_vertex_input(const struct vkr_walk_state *state)
{
	const struct vkr_pipeline *pipeline = state->points[VKR_WALK_GRAPHICS].pipeline;
	struct vkr_vertex_input input = input_of(state);
	for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++)
		if (pipeline->shaders[at]->stage == VK_SHADER_STAGE_VERTEX_BIT)
			input.shader = pipeline->shaders[at];
	return input;
}

bool vkr_vertex_input_read(const struct vkr_vertex_input *input, uint32_t location)
{
	const struct vkr_shader *shader = input->shader;
	if (shader == NULL || shader->inputs == NULL)
		return true;
	for (uint32_t at = 0; at < shader->input_count; at++)
		if (location >= shader->inputs[at].location &&
		    location - shader->inputs[at].location < shader->inputs[at].count)
			return true;
	return false;
}
