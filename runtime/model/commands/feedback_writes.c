// SPDX-License-Identifier: Apache-2.0
// What draws write by transform feedback (Vulkan specification, "Transform Feedback"): after a
// vertex shader alone exactly these bytes, after other shaders the bytes that they may write. Knows
// where the captured
// vertices go; not what begins and ends capturing.
#include "command_walk.h"
#include "draw_fetch.h"

#include "error.h"
#include "event_payload.h"

// The last shader before rasterization.
static const struct vkr_shader *capturing_shader(const struct vkr_pipeline *pipeline)
{
	static const uint32_t stages[] = {VK_SHADER_STAGE_GEOMETRY_BIT,
					  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
					  VK_SHADER_STAGE_VERTEX_BIT};
	for (size_t stage = 0; stage < sizeof stages / sizeof *stages; stage++)
		for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++)
			if (pipeline->shaders[at]->stage == stages[stage])
				return pipeline->shaders[at];
	return NULL;
}

// The number of points, lines or triangles in this many vertices; *each: vertices of one, 0 if the
// topology is unknown. Strips are captured as lists, without adjacent vertices.
static uint64_t feedback_writes_primitives(const struct vkr_walk_state *state, uint64_t vertices,
					   uint32_t *each)
{
	const struct vkr_graphics *graphics = state->points[VKR_WALK_GRAPHICS].pipeline->graphics;
	uint32_t topology = graphics->topology;
	*each = 0;
	if (vkr_graphics_dynamic(graphics, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY) &&
	    !vkr_walk_state_value(state, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, 0, &topology))
		return 0;
	switch (topology) {
	case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
		*each = 1;
		return vertices;
	case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
		*each = 2;
		return vertices / 2;
	case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
		*each = 2;
		return vertices < 2 ? 0 : vertices - 1;
	case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
		*each = 2;
		return vertices / 4;
	case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
		*each = 2;
		return vertices < 4 ? 0 : vertices - 3;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
		*each = 3;
		return vertices / 3;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
		*each = 3;
		return vertices < 3 ? 0 : vertices - 2;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
		*each = 3;
		return vertices / 6;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
		*each = 3;
		return vertices < 6 ? 0 : (vertices - 4) / 2;
	default:
		return 0;
	}
}

// The vertices of a draw that a counter says.
enum vkr_result vkr_walk_counted(struct vkr_walk *walk,
				 const struct vkr_trace_cmd_draw_indirect *draw, bool *known,
				 uint64_t *vertices)
{
	uint64_t value = 0;
	const struct vkr_buffer *counter = vkr_objects_buffer(&walk->model->objects, draw->buffer);
	const uint64_t before = (uint32_t)draw->count_offset;
	*known = false;
	if (counter == NULL || draw->stride == 0)
		return VKR_OK;
	const enum vkr_result result =
		vkr_walk_feedback_counter(walk, counter, draw->offset, known, &value);
	*vertices = value > before ? (value - before) / draw->stride : 0;
	return result;
}

// The vertices that the draw captures, in primitives of `*each`; *known is false where the command
// does not say.
static enum vkr_result feedback_writes_assembled(struct vkr_walk *walk,
						 const struct vkr_trace_event *event,
						 uint32_t *each, uint64_t *vertices, bool *known)
{
	const struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	const struct vkr_trace_cmd_draw_indirect *indirect = vkr_event_payload(event);
	const struct vkr_trace_cmd_draw *draw = vkr_event_payload(event);
	const struct vkr_trace_draw *parts = (const void *)(draw + 1);
	const struct vkr_graphics *graphics = state->points[VKR_WALK_GRAPHICS].pipeline->graphics;
	uint64_t count = 0;
	*vertices = 0;
	*known = false;
	if (graphics == NULL)
		return VKR_OK;
	if (event->type == VKR_TRACE_CMD_DRAW_INDIRECT &&
	    indirect->kind == VKR_DRAW_INDIRECT_BYTE_COUNT) {
		const enum vkr_result result = vkr_walk_counted(walk, indirect, known, &count);
		count = feedback_writes_primitives(state, count, each);
		*vertices = count * *each * indirect->draw_count;
		*known = *known && *each > 0;
		return result;
	}
	if (event->type != VKR_TRACE_CMD_DRAW)
		return VKR_OK;
	const bool indexed = draw->kind == VKR_DRAW_INDEXED || draw->kind == VKR_DRAW_MULTI_INDEXED;
	if (indexed && (graphics->flags & VKR_GRAPHICS_PRIMITIVE_RESTART ||
			vkr_graphics_dynamic(graphics, VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE)))
		return VKR_OK;
	feedback_writes_primitives(state, 0, each);
	for (uint32_t at = 0; at < draw->draw_count; at++) {
		count = feedback_writes_primitives(state, parts[at].count, each);
		*vertices += count * *each * draw->instance_count;
	}
	*known = *each > 0;
	return VKR_OK;
}

// The buffer, and its range, that is bound to a binding; NULL if it is unknown.
static const struct vkr_buffer *bound_buffer(const struct vkr_walk *walk, uint32_t binding,
					     struct vkr_trace_feedback_buffer *bound)
{
	const struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	*bound = (struct vkr_trace_feedback_buffer){0};
	for (size_t at = 0; at < state->feedback.count; at++) {
		if (state->feedback.items[at].binding != binding)
			continue;
		*bound = state->feedback.items[at].bound;
		return vkr_objects_buffer(&walk->model->objects, bound->buffer);
	}
	return NULL;
}

// Whole primitives alone are written, and only while all their vertices fit into all buffers
// ("Transform Feedback").
static enum vkr_result that_fit(struct vkr_walk *walk, const struct vkr_shader *shader,
				uint32_t each, uint64_t *vertices)
{
	for (uint32_t at = 0; at < shader->capture_count; at++) {
		const struct vkr_trace_capture *capture = &shader->captures[at];
		struct vkr_trace_feedback_buffer bound;
		const struct vkr_buffer *buffer = bound_buffer(walk, capture->buffer, &bound);
		const struct vkr_feedback_place *place =
			vkr_walk_feedback_place(walk, capture->buffer);
		if (place == NULL)
			return vkr_error_memory(walk->error, "transform feedback");
		uint64_t room = bound.offset < buffer->bytes ? buffer->bytes - bound.offset : 0;
		if (bound.bytes < room)
			room = bound.bytes;
		const uint64_t most =
			place->used < room ? (room - place->used) / capture->stride : 0;
		if (most < *vertices)
			*vertices = most;
	}
	*vertices -= *vertices % each;
	return VKR_OK;
}

static enum vkr_result write_capture(struct vkr_walk *walk, const struct vkr_trace_capture *capture,
				     uint64_t vertices)
{
	struct vkr_trace_feedback_buffer bound;
	struct vkr_walk_access access = {.command = walk->feedback,
					 .info = walk->info,
					 .buffer = bound_buffer(walk, capture->buffer, &bound),
					 .write = true,
					 .operation = "transform feedback write",
					 .stage = VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
					 .access = VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT,
					 .bytes = capture->bytes};
	const struct vkr_feedback_place *place = vkr_walk_feedback_place(walk, capture->buffer);
	enum vkr_result result = VKR_OK;
	if (place == NULL)
		return vkr_error_memory(walk->error, "transform feedback");
	if (vertices == 0)
		return VKR_OK;
	access.offset = bound.offset + place->used + capture->offset;
	if (capture->bytes == capture->stride) {
		access.bytes *= vertices;
		return vkr_walk_access(walk, &access);
	}
	for (uint64_t at = 0; at < vertices && result == VKR_OK; at++) {
		result = vkr_walk_access(walk, &access);
		access.offset += capture->stride;
	}
	return result;
}

// Moves the buffer's position past the captured vertices, once for all outputs of a vertex.
static enum vkr_result go_on(struct vkr_walk *walk, const struct vkr_shader *shader,
			     uint64_t vertices)
{
	for (uint32_t at = 0; at < shader->capture_count; at++) {
		const struct vkr_trace_capture *capture = &shader->captures[at];
		bool again = false;
		for (uint32_t before = 0; before < at; before++)
			again |= shader->captures[before].buffer == capture->buffer;
		struct vkr_feedback_place *place = vkr_walk_feedback_place(walk, capture->buffer);
		if (place == NULL)
			return vkr_error_memory(walk->error, "transform feedback");
		if (!again)
			place->used += vertices * capture->stride;
	}
	return VKR_OK;
}

// Whether all is known of where the captures go.
static bool are_placed(const struct vkr_walk *walk, const struct vkr_shader *shader)
{
	struct vkr_trace_feedback_buffer bound;
	for (uint32_t at = 0; at < shader->capture_count; at++) {
		const struct vkr_trace_capture *capture = &shader->captures[at];
		if (capture->stride == 0 || bound_buffer(walk, capture->buffer, &bound) == NULL)
			return false;
		for (size_t place = 0; place < walk->feedback_places.count; place++)
			if (walk->feedback_places.items[place].binding == capture->buffer &&
			    walk->feedback_places.items[place].unknown)
				return false;
	}
	return true;
}

static bool captures_into(const struct vkr_shader *shader, uint32_t binding)
{
	if (shader == NULL || shader->captures == NULL)
		return true;
	for (uint32_t at = 0; at < shader->capture_count; at++)
		if (shader->captures[at].buffer == binding)
			return true;
	return false;
}

enum vkr_result vkr_walk_feedback_may_write(struct vkr_walk *walk)
{
	const struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	const struct vkr_shader *shader =
		capturing_shader(state->points[VKR_WALK_GRAPHICS].pipeline);
	struct vkr_walk_access access = {
		.command = walk->feedback,
		.info = walk->info,
		.write = true,
		.possible = true,
		.doubt = "the number of vertices that it writes is not known",
		.operation = "transform feedback write",
		.stage = VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
		.access = VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT};
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < state->feedback.count && result == VKR_OK; at++) {
		const uint32_t binding = state->feedback.items[at].binding;
		struct vkr_trace_feedback_buffer bound = {0};
		struct vkr_feedback_place *place = vkr_walk_feedback_place(walk, binding);
		if (place == NULL)
			return vkr_error_memory(walk->error, "transform feedback");
		if (!captures_into(shader, binding))
			continue;
		place->unknown = true;
		access.buffer = bound_buffer(walk, binding, &bound);
		access.offset = bound.offset + place->used;
		access.bytes = bound.bytes < place->used ? 0 : bound.bytes - place->used;
		if (access.buffer == NULL)
			result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
						  "%s writes by transform feedback into a buffer "
						  "whose creation was not recorded",
						  walk->info->name);
		else if (access.bytes > 0)
			result = vkr_walk_access(walk, &access);
	}
	return result;
}

enum vkr_result vkr_walk_feedback_writes(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_pipeline *pipeline =
		vkr_walk_top(walk)->state.points[VKR_WALK_GRAPHICS].pipeline;
	const struct vkr_shader *shader = capturing_shader(pipeline);
	uint64_t vertices = 0;
	uint32_t each = 0;
	bool known = false;
	enum vkr_result result = VKR_OK;
	if (shader != NULL && shader->stage == VK_SHADER_STAGE_VERTEX_BIT &&
	    shader->captures != NULL && are_placed(walk, shader))
		result = feedback_writes_assembled(walk, event, &each, &vertices, &known);
	if (result == VKR_OK && !known)
		return vkr_walk_feedback_may_write(walk);
	if (result == VKR_OK)
		result = that_fit(walk, shader, each, &vertices);
	for (uint32_t at = 0; result == VKR_OK && at < shader->capture_count; at++)
		result = write_capture(walk, &shader->captures[at], vertices);
	return result == VKR_OK ? go_on(walk, shader, vertices) : result;
}
