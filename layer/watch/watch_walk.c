// SPDX-License-Identifier: Apache-2.0
#include "watch_walk.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

enum point {
	POINT_COMPUTE,
	POINT_GRAPHICS,
	POINT_RAYS,
	POINTS,
};

struct bound_set {
	uint32_t set, dynamic_count;
	const uint32_t *dynamic; // offsets of all sets bound by the same command
};

struct walk {
	const struct vkr_watch_sink *sink;
	struct walk_point {
		uint32_t pipeline;
		struct {
			struct bound_set *items; // by number
			size_t count, capacity;
		} sets;
	} points[POINTS];
	uint32_t heaps[VKR_HEAP_KINDS]; // sets; 0: none, or accessed already
};

static enum point point_of(uint32_t bind_point)
{
	switch (bind_point) {
	case VK_PIPELINE_BIND_POINT_COMPUTE:
		return POINT_COMPUTE;
	case VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR:
		return POINT_RAYS;
	default:
		return POINT_GRAPHICS;
	}
}

static void access_buffer(const struct walk *walk, uint32_t buffer, uint64_t offset, uint64_t bytes,
			  enum vkr_watch_writer writer)
{
	struct vkr_watch_range range;
	if (vkr_watch_buffer_range(buffer, offset, bytes, &range))
		walk->sink->access(walk->sink->user, &range, writer);
}

static void visit_unknown(void *user, const struct vkr_watch_range *range)
{
	const struct walk *walk = user;
	walk->sink->access(walk->sink->user, range, VKR_WATCH_UNKNOWN);
}

static void visit_read(void *user, const struct vkr_watch_range *range)
{
	const struct walk *walk = user;
	walk->sink->access(walk->sink->user, range, VKR_WATCH_READS);
}

static void access_all(struct walk *walk)
{
	vkr_watch_each_memory(visit_unknown, walk);
}

static bool is_storage(uint32_t type)
{
	return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

static bool is_dynamic(uint32_t type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

static bool is_written(const struct vkr_watch_writes *writes, uint32_t number, uint32_t binding)
{
	if (!writes || writes->unknown)
		return true;
	for (size_t i = 0; i < writes->count; i++)
		if (writes->items[i] == ((uint64_t)number << 32 | binding))
			return true;
	return false;
}

static enum vkr_watch_writer writer_of(enum point point)
{
	static const enum vkr_watch_writer writers[POINTS] = {
		[POINT_COMPUTE] = VKR_WATCH_COMPUTE,
		[POINT_GRAPHICS] = VKR_WATCH_GRAPHICS,
		[POINT_RAYS] = VKR_WATCH_RAYS,
	};
	return writers[point];
}

// Which of the offsets is the descriptor's is not looked up: it may be any.
static void access_descriptor(const struct walk *walk, const struct bound_set *bound,
			      const struct vkr_watch_descriptor *descriptor,
			      enum vkr_watch_writer writer)
{
	struct vkr_watch_descriptor moved = *descriptor;
	struct vkr_watch_range range;
	if (!is_dynamic(descriptor->type)) {
		if (vkr_watch_descriptor_range(descriptor, &range))
			walk->sink->access(walk->sink->user, &range, writer);
		return;
	}
	for (uint32_t i = 0; i < bound->dynamic_count; i++) {
		moved.descriptor.offset = descriptor->descriptor.offset + bound->dynamic[i];
		if (vkr_watch_descriptor_range(&moved, &range))
			walk->sink->access(walk->sink->user, &range, writer);
	}
}

// True where the set leads to an image.
static bool access_set(const struct walk *walk, enum point point, uint32_t number,
		       const struct vkr_watch_writes *writes)
{
	const struct bound_set *bound = &walk->points[point].sets.items[number];
	const struct vkr_watch_set *set = bound->set ? vkr_watch_set(bound->set) : NULL;
	struct vkr_watch_range range;
	bool any_image = false;
	if (set && vkr_watch_set_range(set, &range))
		walk->sink->access(walk->sink->user, &range, VKR_WATCH_READS);
	for (size_t i = 0; set && i < set->count; i++) {
		const struct vkr_watch_descriptor *at = &set->items[i];
		const bool written =
			is_storage(at->type) && is_written(writes, number, at->binding);
		any_image = any_image || vkr_watch_is_image(at->type);
		access_descriptor(walk, bound, at, written ? writer_of(point) : VKR_WATCH_READS);
	}
	return any_image;
}

// Any shader may reach whatever is in a heap: it is gone through once.
static void access_heap(struct walk *walk, enum vkr_trace_heap_kind kind)
{
	const struct vkr_watch_set *set =
		walk->heaps[kind] ? vkr_watch_set(walk->heaps[kind]) : NULL;
	const struct bound_set bound = {.set = walk->heaps[kind]};
	struct vkr_watch_range range;
	bool any_image = false;
	walk->heaps[kind] = 0;
	if (set && vkr_watch_set_range(set, &range))
		walk->sink->access(walk->sink->user, &range, VKR_WATCH_READS);
	for (size_t i = 0; set && i < set->count; i++) {
		const struct vkr_watch_descriptor *at = &set->items[i];
		any_image = any_image || vkr_watch_is_image(at->type);
		access_descriptor(walk, &bound, at,
				  at->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
						  at->type ==
							  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
					  ? VKR_WATCH_READS
					  : VKR_WATCH_UNKNOWN);
	}
	if (any_image)
		vkr_watch_each_image(visit_unknown, walk);
}

static void bind_heap(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_bind_heap *bind = payload;
	if (bind->kind < VKR_HEAP_KINDS)
		walk->heaps[bind->kind] = bind->heap;
}

// A dispatch or draw.
static void run_shaders(struct walk *walk, enum point point)
{
	const struct vkr_watch_writes *writes = vkr_watch_pipeline(walk->points[point].pipeline);
	bool any_image = point == POINT_GRAPHICS; // attachments
	access_heap(walk, VKR_HEAP_RESOURCES);
	access_heap(walk, VKR_HEAP_SAMPLERS);
	for (uint32_t number = 0; number < walk->points[point].sets.count; number++)
		any_image = access_set(walk, point, number, writes) || any_image;
	if (any_image)
		vkr_watch_each_image(visit_unknown, walk);
	if (!writes || writes->writes_pointers)
		vkr_watch_each_addressed(visit_unknown, walk);
	else if (writes->reads_pointers)
		vkr_watch_each_addressed(visit_read, walk);
}

// Room for sets of numbers below `count`; those that are new are none.
static bool reserve_sets(struct walk_point *point, size_t count)
{
	if (count <= point->sets.count)
		return true;
	const size_t more = count - point->sets.count;
	if (!VKR_ARRAY_RESERVE(&point->sets, more))
		return false;
	memset(point->sets.items + point->sets.count, 0, more * sizeof *point->sets.items);
	point->sets.count = count;
	return true;
}

static void bind_sets(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_bind_sets *bind = payload;
	const uint32_t *sets = (const uint32_t *)(bind + 1);
	struct walk_point *point = &walk->points[point_of(bind->bind_point)];
	if (!reserve_sets(point, (size_t)bind->first_set + bind->set_count)) {
		access_all(walk);
		return;
	}
	for (uint32_t i = 0; i < bind->set_count; i++)
		point->sets.items[bind->first_set + i] = (struct bound_set){
			.set = sets[i],
			.dynamic_count = bind->dynamic_count,
			.dynamic = sets + bind->set_count,
		};
}

static void push_set(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_push_set *push = payload;
	const struct vkr_trace_descriptor *list = (const struct vkr_trace_descriptor *)(push + 1);
	const enum point point = point_of(push->bind_point);
	const struct bound_set none = {0};
	for (uint32_t i = 0; i < push->descriptor_count; i++) {
		const struct vkr_watch_descriptor descriptor = {
			.binding = push->binding,
			.type = push->type,
			.descriptor = list[i],
		};
		if (vkr_watch_is_image(push->type))
			vkr_watch_each_image(visit_unknown, walk);
		access_descriptor(walk, &none, &descriptor,
				  is_storage(push->type) ? writer_of(point) : VKR_WATCH_READS);
	}
}

static void copy_buffer(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_copy_buffer *copy = payload;
	const struct vkr_trace_copy *regions = (const struct vkr_trace_copy *)(copy + 1);
	for (uint32_t i = 0; i < copy->region_count; i++) {
		access_buffer(walk, copy->source, regions[i].source_offset, regions[i].bytes,
			      VKR_WATCH_READS);
		access_buffer(walk, copy->destination, regions[i].destination_offset,
			      regions[i].bytes, VKR_WATCH_TRANSFER);
	}
}

// How far the rows of texels reach in the buffer depends on the image: to its end at most.
static void copy_image_buffer(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_image_buffer *copy = payload;
	const struct vkr_trace_image_rows *regions =
		(const struct vkr_trace_image_rows *)(copy + 1);
	vkr_watch_each_image(visit_unknown, walk);
	for (uint32_t i = 0; i < copy->region_count; i++)
		access_buffer(walk, copy->buffer, regions[i].offset, UINT64_MAX,
			      copy->to_image ? VKR_WATCH_READS : VKR_WATCH_TRANSFER);
}

static void barriers(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_barrier *command = payload;
	const struct vkr_trace_barrier *list = (const struct vkr_trace_barrier *)(command + 1);
	struct vkr_watch_range range;
	for (uint32_t i = 0; i < command->barrier_count; i++) {
		if (list[i].kind == VKR_BARRIER_MEMORY)
			walk->sink->barrier(walk->sink->user, &list[i], NULL);
		else if (list[i].kind == VKR_BARRIER_BUFFER &&
			 vkr_watch_buffer_range(list[i].object, list[i].offset, list[i].bytes,
						&range))
			walk->sink->barrier(walk->sink->user, &list[i], &range);
	}
}

// What draws fetch from.
static void read_bound(struct walk *walk, uint32_t buffer, uint64_t offset, uint64_t bytes)
{
	if (buffer == VKR_BUFFER_BY_ADDRESS)
		vkr_watch_each_addressed(visit_read, walk);
	else
		access_buffer(walk, buffer, offset, bytes, VKR_WATCH_READS);
}

static void vertex_buffers(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_bind_vertex_buffers *bind = payload;
	const struct vkr_trace_vertex_buffer *list =
		(const struct vkr_trace_vertex_buffer *)(bind + 1);
	for (uint32_t i = 0; i < bind->buffer_count; i++)
		read_bound(walk, list[i].buffer, list[i].offset, list[i].bytes);
}

// Written by draws that follow, or counters that are read or written.
static void feedback_buffers(const struct walk *walk, const struct vkr_trace_feedback_buffer *list,
			     uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		access_buffer(walk, list[i].buffer, list[i].offset, list[i].bytes,
			      VKR_WATCH_UNKNOWN);
}

static void draw_indirect(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_draw_indirect *command = payload;
	access_buffer(walk, command->buffer, command->offset, UINT64_MAX, VKR_WATCH_READS);
	access_buffer(walk, command->count_buffer, command->count_offset, 4, VKR_WATCH_READS);
	run_shaders(walk, POINT_GRAPHICS);
}

// Inputs, tables and scratch memory are said by address, and structures are in buffers that count
// as addressed.
static void structures(struct walk *walk, const void *payload)
{
	(void)payload;
	vkr_watch_each_addressed(visit_unknown, walk);
}

static void structure_properties(struct walk *walk, const void *payload)
{
	(void)payload;
	vkr_watch_each_addressed(visit_read, walk);
}

static void trace_rays(struct walk *walk, const void *payload)
{
	(void)payload;
	vkr_watch_each_addressed(visit_read, walk);
	run_shaders(walk, POINT_RAYS);
}

static void other(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_other *command = payload;
	if (command->flags & VKR_OTHER_ACCESSES)
		access_all(walk);
}

static void anything(struct walk *walk, const void *payload)
{
	(void)payload;
	access_all(walk);
}

static void bind_pipeline(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_bind_pipeline *bind = payload;
	walk->points[point_of(bind->bind_point)].pipeline = bind->pipeline;
}

static void dispatch(struct walk *walk, const void *payload)
{
	(void)payload;
	run_shaders(walk, POINT_COMPUTE);
}

static void dispatch_indirect(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_dispatch_indirect *indirect = payload;
	access_buffer(walk, indirect->buffer, indirect->offset, 12, VKR_WATCH_READS);
	run_shaders(walk, POINT_COMPUTE);
}

static void draw(struct walk *walk, const void *payload)
{
	(void)payload;
	run_shaders(walk, POINT_GRAPHICS);
}

static void index_buffer(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_bind_index_buffer *index = payload;
	read_bound(walk, index->buffer, index->offset, UINT64_MAX);
}

static void fill_buffer(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_fill_buffer *fill = payload;
	access_buffer(walk, fill->buffer, fill->offset, fill->bytes, VKR_WATCH_TRANSFER);
}

static void update_buffer(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_update_buffer *update = payload;
	access_buffer(walk, update->buffer, update->offset, update->bytes, VKR_WATCH_TRANSFER);
}

static void execute(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_execute *secondary = payload;
	vkr_watch_walk(secondary->recording, walk->sink);
}

static void images(struct walk *walk, const void *payload)
{
	(void)payload;
	vkr_watch_each_image(visit_unknown, walk);
}

static void condition(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_begin_condition *begin = payload;
	access_buffer(walk, begin->buffer, begin->offset, 4, VKR_WATCH_READS);
}

static void marker(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_marker *written = payload;
	access_buffer(walk, written->buffer, written->offset, 4, VKR_WATCH_UNKNOWN);
}

static void bind_feedback(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_bind_feedback *bind = payload;
	feedback_buffers(walk, (const void *)(bind + 1), bind->buffer_count);
}

static void feedback_counters(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_feedback *feedback = payload;
	feedback_buffers(walk, (const void *)(feedback + 1), feedback->counter_count);
}

static void copy_queries(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_copy_queries *copy = payload;
	access_buffer(walk, copy->buffer, copy->offset, UINT64_MAX, VKR_WATCH_TRANSFER);
}

static void video(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_video *coding = payload;
	const bool writes = coding->kind == VKR_VIDEO_ENCODE;
	if (coding->picture_count > 0)
		vkr_watch_each_image(visit_unknown, walk);
	access_buffer(walk, coding->buffer, coding->offset, coding->bytes,
		      writes ? VKR_WATCH_VIDEO : VKR_WATCH_READS);
}

static void nothing(struct walk *walk, const void *payload)
{
	(void)walk;
	(void)payload;
}

static void (*const steps[])(struct walk *walk, const void *payload) = {
	[VKR_TRACE_CMD_BIND_PIPELINE] = bind_pipeline,
	[VKR_TRACE_CMD_BIND_SETS] = bind_sets,
	[VKR_TRACE_CMD_PUSH_SET] = push_set,
	[VKR_TRACE_CMD_BIND_HEAP] = bind_heap,
	[VKR_TRACE_CMD_DISPATCH] = dispatch,
	[VKR_TRACE_CMD_DISPATCH_INDIRECT] = dispatch_indirect,
	[VKR_TRACE_CMD_DRAW] = draw,
	[VKR_TRACE_CMD_DRAW_MESH] = draw,
	[VKR_TRACE_CMD_DRAW_INDIRECT] = draw_indirect,
	[VKR_TRACE_CMD_TRACE_RAYS] = trace_rays,
	[VKR_TRACE_CMD_BUILD_STRUCTURES] = structures,
	[VKR_TRACE_CMD_COPY_STRUCTURE] = structures,
	[VKR_TRACE_CMD_STRUCTURE_PROPERTIES] = structure_properties,
	[VKR_TRACE_CMD_BIND_VERTEX_BUFFERS] = vertex_buffers,
	[VKR_TRACE_CMD_BIND_INDEX_BUFFER] = index_buffer,
	[VKR_TRACE_CMD_COPY_BUFFER] = copy_buffer,
	[VKR_TRACE_CMD_FILL_BUFFER] = fill_buffer,
	[VKR_TRACE_CMD_UPDATE_BUFFER] = update_buffer,
	[VKR_TRACE_CMD_BARRIER] = barriers,
	[VKR_TRACE_CMD_EXECUTE] = execute,
	[VKR_TRACE_CMD_OTHER] = other,
	[VKR_TRACE_CMD_COPY_MEMORY] = anything,
	[VKR_TRACE_CMD_GENERATED] = anything,
	[VKR_TRACE_CMD_MOVE] = anything,
	[VKR_TRACE_CMD_IMAGE_BUFFER] = copy_image_buffer,
	[VKR_TRACE_CMD_IMAGE_TRANSFER] = images,
	[VKR_TRACE_CMD_CLEAR_IMAGE] = images,
	[VKR_TRACE_CMD_BEGIN_RENDER_PASS] = images,
	[VKR_TRACE_CMD_BEGIN_RENDERING] = images,
	[VKR_TRACE_CMD_CLEAR_ATTACHMENTS] = images,
	[VKR_TRACE_CMD_BEGIN_CONDITION] = condition,
	[VKR_TRACE_CMD_MARKER] = marker,
	[VKR_TRACE_CMD_BIND_FEEDBACK] = bind_feedback,
	[VKR_TRACE_CMD_FEEDBACK] = feedback_counters,
	[VKR_TRACE_CMD_COPY_QUERIES] = copy_queries,
	[VKR_TRACE_CMD_VIDEO] = video,
	[VKR_TRACE_CMD_NEXT_SUBPASS] = nothing,
	[VKR_TRACE_CMD_END_RENDER_PASS] = nothing,
	[VKR_TRACE_CMD_END_RENDERING] = nothing,
	[VKR_TRACE_CMD_LABEL] = nothing,
	[VKR_TRACE_CMD_LABEL_BEGIN] = nothing,
	[VKR_TRACE_CMD_LABEL_END] = nothing,
	[VKR_TRACE_CMD_SET_EVENT] = nothing,
	[VKR_TRACE_CMD_RESET_EVENT] = nothing,
	[VKR_TRACE_CMD_WAIT_EVENTS] = nothing,
	[VKR_TRACE_CMD_VERTEX_INPUT] = nothing,
	[VKR_TRACE_CMD_SET_STATE] = nothing,
	[VKR_TRACE_CMD_QUERY] = nothing,
	[VKR_TRACE_CMD_END_CONDITION] = nothing,
};

// What is new here may access anything.
static void step_event(struct walk *walk, uint32_t type, const void *payload)
{
	if (type < sizeof steps / sizeof *steps && steps[type])
		steps[type](walk, payload);
	else
		access_all(walk);
}

void vkr_watch_walk(uint32_t recording, const struct vkr_watch_sink *sink)
{
	const struct vkr_watch_recording *found = vkr_watch_recording(recording);
	struct walk walk = {.sink = sink};
	struct vkr_trace_event event;
	if (!found) {
		access_all(&walk);
		return;
	}
	for (size_t at = 0; at + sizeof event <= found->bytes; at += event.bytes) {
		const unsigned char *payload = found->events + at + sizeof event;
		memcpy(&event, found->events + at, sizeof event);
		step_event(&walk, event.type, payload);
	}
	for (unsigned point = 0; point < POINTS; point++)
		free(walk.points[point].sets.items);
}
