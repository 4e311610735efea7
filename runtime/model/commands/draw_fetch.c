// SPDX-License-Identifier: Apache-2.0
// The buffers that a draw fetches its vertices from, element by element (Vulkan specification,
// "Vertex Input Address Calculation"). Knows vertex input; not where the numbers of vertices and
// instances come from.
#include "draw_fetch.h"

#include "fetch_reads.h"

static bool is_read(const struct vkr_vertex_input *input,
		    const struct vkr_trace_vertex_attribute *attribute, uint32_t binding)
{
	return attribute->binding == binding && attribute->bytes > 0 &&
	       vkr_vertex_input_read(input, attribute->location);
}

bool vkr_draw_binding_read(const struct vkr_vertex_input *input, uint32_t binding)
{
	for (uint32_t at = 0; at < input->attribute_count; at++)
		if (is_read(input, &input->attributes[at], binding))
			return true;
	return false;
}

// The next bytes of a binding's element that attributes read, from `from` on. False: there are none
// left.
static bool next_piece(const struct vkr_vertex_input *input, uint32_t binding, uint64_t from,
		       uint64_t *low, uint64_t *high)
{
	bool found = false, grown = true;
	for (uint32_t at = 0; at < input->attribute_count; at++) {
		const struct vkr_trace_vertex_attribute *read = &input->attributes[at];
		if (!is_read(input, read, binding) || (uint64_t)read->offset + read->bytes <= from)
			continue;
		const uint64_t begin = read->offset > from ? read->offset : from;
		if (!found || begin < *low)
			*low = begin;
		found = true;
	}
	for (*high = *low; found && grown;) {
		grown = false;
		for (uint32_t at = 0; at < input->attribute_count; at++) {
			const struct vkr_trace_vertex_attribute *read = &input->attributes[at];
			const uint64_t end = (uint64_t)read->offset + read->bytes;
			if (is_read(input, read, binding) && read->offset <= *high && end > *high) {
				*high = end;
				grown = true;
			}
		}
	}
	return found;
}

// Vertices in a bound buffer.
struct fetching {
	struct vkr_walk *walk;
	const struct vkr_trace_vertex_buffer *bound;
	struct vkr_walk_access read;   // of the buffer
	uint64_t first, stride, count; // where the first one is
};

// Bytes of a vertex buffer, cut off where the bound range ends: what a robust read beyond it gives
// is no memory's.
static enum vkr_result read_bytes(const struct fetching *fetching, uint64_t low, uint64_t high)
{
	const struct vkr_trace_vertex_buffer *bound = fetching->bound;
	struct vkr_walk_access read = fetching->read;
	if (bound->bytes != VK_WHOLE_SIZE && high > bound->bytes)
		high = bound->bytes;
	if (low >= high)
		return VKR_OK;
	read.offset = bound->offset + low;
	read.bytes = high - low;
	return vkr_walk_access(fetching->walk, &read);
}

// Bytes [low, high) of each element, with gaps between them. Whatever is read of an element, it
// waits in the range of all elements: what other draws read of them does, too.
static enum vkr_result read_pieces(const struct fetching *fetching, uint64_t low, uint64_t high)
{
	const struct vkr_trace_vertex_buffer *bound = fetching->bound;
	const uint64_t first = fetching->first, stride = fetching->stride;
	const uint64_t last = first + (fetching->count - 1) * stride;
	enum vkr_result result = VKR_OK;
	bool waits = false;
	if (fetching->count <= UINT32_MAX &&
	    (bound->bytes == VK_WHOLE_SIZE || last + high <= bound->bytes))
		result = vkr_fetch_wait(
			fetching->walk,
			&(struct vkr_fetch_run){.access = &fetching->read,
						.base = bound->offset + first,
						.end = bound->offset + last +
						       (high > stride ? high : stride),
						.first = low,
						.stride = stride,
						.each = (uint32_t)(high - low),
						.count = (uint32_t)fetching->count},
			&waits);
	for (uint64_t at = first; at <= last && result == VKR_OK && !waits; at += stride)
		result = read_bytes(fetching, at + low, at + high);
	return result;
}

static enum vkr_result fetch_elements(struct vkr_walk *walk, const struct vkr_draw *draw,
				      const struct vkr_trace_vertex_binding *binding,
				      struct vkr_draw_range elements)
{
	const struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	const struct vkr_vertex_input *input = &draw->input;
	if (binding->binding >= state->vertex_buffers.count)
		return VKR_OK;
	const struct vkr_trace_vertex_buffer *bound =
		&state->vertex_buffers.items[binding->binding];
	const uint64_t stride = input->strides_bound && bound->stride != UINT32_MAX
					? bound->stride
					: binding->stride;
	const struct vkr_buffer *buffer =
		bound->buffer != 0 ? vkr_objects_buffer(&walk->model->objects, bound->buffer)
				   : NULL;
	uint64_t low = 0, high = 0;
	enum vkr_result result = VKR_OK;
	if (elements.count == 0 || buffer == NULL)
		return VKR_OK;
	if (stride == 0)
		elements = (struct vkr_draw_range){0, 1};
	const uint64_t first = elements.first * stride, last = (elements.count - 1) * stride;
	const struct fetching fetching = {
		.walk = walk,
		.bound = bound,
		.read = {.command = draw->command,
			 .info = draw->info,
			 .site = VKR_COMMAND_VERTICES,
			 .buffer = buffer,
			 .operation = "vertex attribute read",
			 .stage = VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
			 .access = VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT},
		.first = first,
		.stride = stride,
		.count = elements.count};
	while (result == VKR_OK && next_piece(input, binding->binding, high, &low, &high)) {
		// Without gaps between elements it is one range.
		if (high - low >= stride || elements.count == 1)
			result = read_bytes(&fetching, first + low, first + last + high);
		else
			result = read_pieces(&fetching, low, high);
	}
	return result;
}

enum vkr_result vkr_draw_fetch_vertices(struct vkr_walk *walk, const struct vkr_draw *draw,
					struct vkr_draw_range vertices)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < draw->input.binding_count && result == VKR_OK; at++)
		if (!draw->input.bindings[at].instance_rate)
			result = fetch_elements(walk, draw, &draw->input.bindings[at], vertices);
	return result;
}

enum vkr_result vkr_draw_fetch_instances(struct vkr_walk *walk, const struct vkr_draw *draw)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < draw->input.binding_count && result == VKR_OK; at++) {
		const struct vkr_trace_vertex_binding *binding = &draw->input.bindings[at];
		struct vkr_draw_range elements = draw->instances;
		if (!binding->instance_rate)
			continue;
		// A divisor of 0: all instances read the first one's element.
		if (elements.count != 0)
			elements.count = binding->divisor == 0
						 ? 1
						 : (elements.count - 1) / binding->divisor + 1;
		result = fetch_elements(walk, draw, binding, elements);
	}
	return result;
}
