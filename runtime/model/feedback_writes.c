// SPDX-License-Identifier: Apache-2.0
// What draws write by transform feedback (Vulkan specification, "Transform Feedback"): of vertex
// shaders alone, of lists of primitives, from the start of a buffer. Knows where the captured
// vertices go; not what begins and ends capturing.
#include "command_walk.h"
#include "draw_fetch.h"

#include "error.h"
#include "event_payload.h"

static enum vkr_result not_seen(struct vkr_walk *walk)
{
	walk->feedback_lost = true;
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"what %s writes by transform feedback is not seen: races with it "
				"are missed",
				walk->info->name);
}

// The vertex shader where it is the last stage before rasterization.
static const struct vkr_shader *capturing_shader(const struct vkr_pipeline *pipeline)
{
	const struct vkr_shader *found = NULL;
	for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++) {
		const struct vkr_shader *shader = pipeline->shaders[at];
		if (shader->stage == VK_SHADER_STAGE_VERTEX_BIT)
			found = shader;
		else if (shader->stage != VK_SHADER_STAGE_FRAGMENT_BIT)
			return NULL;
	}
	return found != NULL && found->captures != NULL ? found : NULL;
}

// Vertices of a primitive where it is a list's; 0: another topology.
static uint32_t primitive_vertices(const struct vkr_walk_state *state)
{
	const struct vkr_graphics *graphics = state->points[VKR_WALK_GRAPHICS].pipeline->graphics;
	if (graphics == NULL)
		return 0;
	uint32_t topology = graphics->topology;
	if (vkr_graphics_dynamic(graphics, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY) &&
	    !vkr_walk_state_value(state, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, 0, &topology))
		return 0;
	switch (topology) {
	case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
		return 1;
	case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
		return 2;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
		return 3;
	default:
		return 0;
	}
}

// The vertices that the draw assembles; false where the command does not tell.
static bool assembled(const struct vkr_walk_state *state, const struct vkr_trace_event *event,
		      uint32_t each, uint64_t *vertices)
{
	const struct vkr_trace_cmd_draw *draw = vkr_event_payload(event);
	const struct vkr_trace_draw *parts = (const void *)(draw + 1);
	const struct vkr_graphics *graphics = state->points[VKR_WALK_GRAPHICS].pipeline->graphics;
	if (event->type != VKR_TRACE_CMD_DRAW || each == 0)
		return false;
	const bool indexed = draw->kind == VKR_DRAW_INDEXED || draw->kind == VKR_DRAW_MULTI_INDEXED;
	if (indexed && (graphics->flags & VKR_GRAPHICS_PRIMITIVE_RESTART ||
			vkr_graphics_dynamic(graphics, VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE)))
		return false;
	*vertices = 0;
	for (uint32_t at = 0; at < draw->draw_count; at++)
		*vertices +=
			(uint64_t)(parts[at].count - parts[at].count % each) * draw->instance_count;
	return true;
}

// The buffer that is bound to a binding, with what of it; NULL where it is not known.
static const struct vkr_buffer *bound_buffer(const struct vkr_walk *walk, uint32_t binding,
					     struct vkr_trace_feedback_buffer *bound)
{
	const struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
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

// What was captured into one buffer comes behind it, once for all of a vertex.
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
	if (walk->feedback_lost)
		return false;
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

enum vkr_result vkr_walk_feedback_writes(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	const struct vkr_shader *shader =
		capturing_shader(state->points[VKR_WALK_GRAPHICS].pipeline);
	uint64_t vertices = 0;
	if (shader == NULL)
		return not_seen(walk);
	const uint32_t each = primitive_vertices(state);
	if (!assembled(state, event, each, &vertices) || !are_placed(walk, shader))
		return not_seen(walk);
	enum vkr_result result = that_fit(walk, shader, each, &vertices);
	for (uint32_t at = 0; at < shader->capture_count && result == VKR_OK; at++)
		result = write_capture(walk, &shader->captures[at], vertices);
	return result == VKR_OK ? go_on(walk, shader, vertices) : result;
}
