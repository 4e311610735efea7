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

// What a command that may access any object of a kind accesses.
enum whole {
	WHOLE_MEMORY,
	WHOLE_IMAGES,
	WHOLE_ADDRESSED,
	WHOLE_ADDRESSED_READ,
};

struct walk {
	struct vkr_watch_sink *sink;
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
			  enum vkr_event_writer writer)
{
	struct vkr_watch_range range;
	if (vkr_watch_buffer_range(buffer, offset, bytes, &range))
		walk->sink->access(walk->sink->user, &range, writer);
}

static void visit_unknown(void *user, const struct vkr_watch_range *range)
{
	const struct walk *walk = user;
	walk->sink->access(walk->sink->user, range, VKR_WRITER_UNKNOWN);
}

static void visit_read(void *user, const struct vkr_watch_range *range)
{
	const struct walk *walk = user;
	walk->sink->access(walk->sink->user, range, VKR_WRITER_NONE);
}

// There are thousands of images, and thousands of commands that may access any of them.
static void access_whole(struct walk *walk, enum whole whole)
{
	if (walk->sink->told >> whole & 1)
		return;
	switch (whole) {
	case WHOLE_MEMORY:
		vkr_watch_each_memory(visit_unknown, walk);
		break;
	case WHOLE_IMAGES:
		vkr_watch_each_image(visit_unknown, walk);
		break;
	case WHOLE_ADDRESSED:
		vkr_watch_each_addressed(visit_unknown, walk);
		break;
	case WHOLE_ADDRESSED_READ:
		vkr_watch_each_addressed(visit_read, walk);
		break;
	}
	walk->sink->told |= 1u << whole;
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

static enum vkr_event_writer writer_of(enum point point)
{
	static const enum vkr_event_writer writers[POINTS] = {
		[POINT_COMPUTE] = VKR_WRITER_COMPUTE,
		[POINT_GRAPHICS] = VKR_WRITER_GRAPHICS,
		[POINT_RAYS] = VKR_WRITER_RAYS,
	};
	return writers[point];
}

// Which of the offsets is the descriptor's is not looked up: it may be any.
static void access_descriptor(const struct walk *walk, const struct bound_set *bound,
			      const struct vkr_watch_descriptor *descriptor,
			      enum vkr_event_writer writer)
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
		walk->sink->access(walk->sink->user, &range, VKR_WRITER_NONE);
	for (size_t i = 0; set && i < set->count; i++) {
		const struct vkr_watch_descriptor *at = &set->items[i];
		const bool written =
			is_storage(at->type) && is_written(writes, number, at->binding);
		any_image = any_image || vkr_watch_is_image(at->type);
		access_descriptor(walk, bound, at, written ? writer_of(point) : VKR_WRITER_NONE);
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
		walk->sink->access(walk->sink->user, &range, VKR_WRITER_NONE);
	for (size_t i = 0; set && i < set->count; i++) {
		const struct vkr_watch_descriptor *at = &set->items[i];
		any_image = any_image || vkr_watch_is_image(at->type);
		access_descriptor(walk, &bound, at,
				  at->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
						  at->type ==
							  VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
					  ? VKR_WRITER_NONE
					  : VKR_WRITER_UNKNOWN);
	}
	if (any_image)
		access_whole(walk, WHOLE_IMAGES);
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
		access_whole(walk, WHOLE_IMAGES);
	if (!writes || writes->writes_pointers)
		access_whole(walk, WHOLE_ADDRESSED);
	else if (writes->reads_pointers)
		access_whole(walk, WHOLE_ADDRESSED_READ);
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
		access_whole(walk, WHOLE_MEMORY);
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
			access_whole(walk, WHOLE_IMAGES);
		access_descriptor(walk, &none, &descriptor,
				  is_storage(push->type) ? writer_of(point) : VKR_WRITER_NONE);
	}
}

static void watch_walk_barriers(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_barrier *command = payload;
	const struct vkr_trace_barrier *list = (const struct vkr_trace_barrier *)(command + 1);
	struct vkr_watch_range range;
	for (uint32_t i = 0; i < command->barrier_count; i++) {
		const bool of_buffer = list[i].kind == VKR_BARRIER_BUFFER &&
				       vkr_watch_buffer_range(list[i].object, list[i].offset,
							      list[i].bytes, &range);
		if ((of_buffer || list[i].kind == VKR_BARRIER_MEMORY) &&
		    walk->sink->barrier(walk->sink->user, &list[i], of_buffer ? &range : NULL))
			walk->sink->told = 0;
	}
}

static void bind_pipeline(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_bind_pipeline *bind = payload;
	walk->points[point_of(bind->bind_point)].pipeline = bind->pipeline;
}

static void watch_walk_execute(struct walk *walk, const void *payload)
{
	const struct vkr_trace_cmd_execute *secondary = payload;
	vkr_watch_walk(secondary->recording, walk->sink);
}

static bool is_made(const struct vkr_event_access *access, const void *payload)
{
	const struct vkr_event_member *condition = &access->condition;
	return !condition->bytes || ((vkr_event_member_value(condition, payload) & access->mask) ==
				     access->value) == access->equals;
}

static uint64_t value_of(const struct vkr_event_member *member, const void *payload,
			 const void *item)
{
	return vkr_event_member_value(member, member->part ? item : payload);
}

static void access_bytes(struct walk *walk, const struct vkr_event_access *access,
			 const void *payload, const void *item)
{
	const uint32_t buffer = (uint32_t)value_of(&access->buffer, payload, item);
	const uint64_t bytes =
		access->count.bytes ? value_of(&access->count, payload, item) : access->bytes;
	if (buffer == VKR_BUFFER_BY_ADDRESS)
		access_whole(walk, access->writer == VKR_WRITER_NONE ? WHOLE_ADDRESSED_READ
								     : WHOLE_ADDRESSED);
	else
		access_buffer(walk, buffer, value_of(&access->offset, payload, item), bytes,
			      access->writer);
}

// Of each item of the tail where members are of its items.
static void access_each(struct walk *walk, const struct vkr_event_layout *layout,
			const struct vkr_event_access *access, const void *payload)
{
	const unsigned part = access->buffer.part | access->offset.part | access->count.part;
	uint32_t count = 0;
	if (!part) {
		access_bytes(walk, access, payload, NULL);
		return;
	}
	const unsigned char *items = vkr_event_part(layout, payload, part - 1, &count);
	for (uint32_t i = 0; i < count; i++)
		access_bytes(walk, access, payload, items + i * layout->tail[part - 1].item->bytes);
}

static void make_access(struct walk *walk, const struct vkr_event_layout *layout,
			const struct vkr_event_access *access, const void *payload)
{
	switch (access->kind) {
	case VKR_ACCESS_END:
		break;
	case VKR_ACCESS_ANYTHING:
		access_whole(walk, WHOLE_MEMORY);
		break;
	case VKR_ACCESS_IMAGES:
		access_whole(walk, WHOLE_IMAGES);
		break;
	case VKR_ACCESS_ADDRESSED:
		access_whole(walk, access->writer == VKR_WRITER_NONE ? WHOLE_ADDRESSED_READ
								     : WHOLE_ADDRESSED);
		break;
	case VKR_ACCESS_BUFFER:
		access_each(walk, layout, access, payload);
		break;
	case VKR_ACCESS_COMPUTE:
		run_shaders(walk, POINT_COMPUTE);
		break;
	case VKR_ACCESS_GRAPHICS:
		run_shaders(walk, POINT_GRAPHICS);
		break;
	case VKR_ACCESS_RAYS:
		run_shaders(walk, POINT_RAYS);
		break;
	}
}

// What commands bind and order; what they access is said by their layouts.
static void (*const bindings[])(struct walk *walk, const void *payload) = {
	[VKR_TRACE_CMD_BIND_PIPELINE] = bind_pipeline, [VKR_TRACE_CMD_BIND_SETS] = bind_sets,
	[VKR_TRACE_CMD_PUSH_SET] = push_set,           [VKR_TRACE_CMD_BIND_HEAP] = bind_heap,
	[VKR_TRACE_CMD_BARRIER] = watch_walk_barriers, [VKR_TRACE_CMD_EXECUTE] = watch_walk_execute,
};

static void step_event(struct walk *walk, uint32_t type, const void *payload)
{
	const struct vkr_event_layout *layout = vkr_event_layout(type);
	if (!layout || !layout->accesses) { // no command
		access_whole(walk, WHOLE_MEMORY);
		return;
	}
	if (type < sizeof bindings / sizeof *bindings && bindings[type])
		bindings[type](walk, payload);
	for (const struct vkr_event_access *access = layout->accesses;
	     access->kind != VKR_ACCESS_END; access++)
		if (is_made(access, payload))
			make_access(walk, layout, access, payload);
}

void vkr_watch_walk(uint32_t recording, struct vkr_watch_sink *sink)
{
	const struct vkr_watch_recording *found = vkr_watch_recording(recording);
	struct walk walk = {.sink = sink};
	struct vkr_trace_event event;
	if (!found) {
		access_whole(&walk, WHOLE_MEMORY);
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
