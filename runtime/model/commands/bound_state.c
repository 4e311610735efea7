// SPDX-License-Identifier: Apache-2.0
// What a command buffer binds: pipelines and descriptor sets, by bind point. Knows bindings, not
// what uses them.
#include "command_walk.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"

#include <stdlib.h>
#include <string.h>

// The place of a set number; NULL for lack of memory.
static struct vkr_walk_set *set_place(struct vkr_walk_point *point, uint32_t number)
{
	if (number >= point->sets.count) {
		const size_t more = number + (size_t)1 - point->sets.count;
		if (!VKR_ARRAY_RESERVE(&point->sets, more))
			return NULL;
		memset(&point->sets.items[point->sets.count], 0, more * sizeof *point->sets.items);
		point->sets.count += more;
	}
	return &point->sets.items[number];
}

enum vkr_result vkr_walk_bind_pipeline(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_bind_pipeline *bind = vkr_event_payload(event);
	struct vkr_walk_point *point = vkr_walk_point(walk, bind->bind_point);
	point->pipeline = vkr_objects_pipeline(&walk->model->objects, bind->pipeline);
	if (point->pipeline == NULL)
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"pipeline %u was bound, but its creation was not recorded",
					bind->pipeline);
	return VKR_OK;
}

// Dynamic offsets are taken set by set, and in a set by binding number and array element
// (vkCmdBindDescriptorSets). A set whose layout is compatible stays bound when others are bound;
// using one that was disturbed is invalid, so none is taken away here.
enum vkr_result vkr_walk_bind_sets(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_bind_sets *bind = vkr_event_payload(event);
	const uint32_t *ids = (const uint32_t *)(bind + 1);
	const uint32_t *dynamic = ids + bind->set_count;
	uint32_t left = bind->dynamic_count;
	struct vkr_walk_point *point = vkr_walk_point(walk, bind->bind_point);
	for (uint32_t at = 0; at < bind->set_count; at++) {
		if (ids[at] == 0)
			continue;
		const struct vkr_descriptor_set *set =
			vkr_descriptors_set(&walk->model->descriptors, ids[at]);
		if (set == NULL || bind->first_set > UINT16_MAX) {
			const enum vkr_result result =
				vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
						 "a descriptor set was bound that was destroyed, "
						 "or whose creation was not recorded");
			if (result != VKR_OK)
				return result;
			continue;
		}
		struct vkr_walk_set *place = set_place(point, bind->first_set + at);
		if (place == NULL)
			return vkr_error_memory(walk->error, "bound sets");
		const uint32_t count =
			set->layout->dynamic_count < left ? set->layout->dynamic_count : left;
		place->bound = (struct vkr_bound_set){set, dynamic, count};
		dynamic += count;
		left -= count;
	}
	return VKR_OK;
}

enum vkr_result vkr_walk_bind_heap(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_bind_heap *bind = vkr_event_payload(event);
	const struct vkr_descriptor_set *heap =
		vkr_descriptors_set(&walk->model->descriptors, bind->heap);
	if (bind->kind >= VKR_HEAP_KINDS)
		return vkr_error_set(walk->error, VKR_ERROR_FORMAT,
				     "CMD_BIND_HEAP: there is no heap of kind %u", bind->kind);
	vkr_walk_top(walk)->state.heaps[bind->kind] = heap;
	if (heap == NULL || heap->heap.set == 0)
		return vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"a descriptor heap was bound whose creation was not recorded");
	return VKR_OK;
}

enum vkr_result vkr_walk_push_set(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_push_set *push = vkr_event_payload(event);
	const struct vkr_pipeline_layout *layout =
		vkr_descriptors_pipeline_layout(&walk->model->descriptors, push->layout);
	const struct vkr_set_layout *of = layout != NULL && push->set_number < layout->set_count
						  ? layout->sets[push->set_number]
						  : NULL;
	if (of == NULL)
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"descriptors were pushed to a set of no known layout");
	struct vkr_walk_set *place =
		set_place(vkr_walk_point(walk, push->bind_point), push->set_number);
	if (place == NULL)
		return vkr_error_memory(walk->error, "bound sets");
	if (place->pushed.bindings == NULL || place->pushed.layout != of) {
		vkr_set_finish(&place->pushed);
		if (!vkr_set_init(&place->pushed, 0, of, UINT32_MAX))
			return vkr_error_memory(walk->error, "pushed descriptors");
	}
	const enum vkr_result result =
		vkr_set_write(&place->pushed, push->binding, push->element, push->type,
			      (const void *)(push + 1), push->descriptor_count, walk->error);
	if (result == VKR_ERROR_FORMAT)
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"descriptors were pushed beyond their set's end");
	return result;
}

// Pushed sets lie in an array that may grow: they are named only when somebody looks.
struct vkr_bound_set *vkr_walk_bound_sets(const struct vkr_walk_point *point)
{
	struct vkr_bound_set *sets = calloc(point->sets.count + 1, sizeof *sets);
	for (size_t at = 0; at < point->sets.count && sets != NULL; at++) {
		const struct vkr_walk_set *place = &point->sets.items[at];
		sets[at] = place->pushed.bindings != NULL
				   ? (struct vkr_bound_set){.set = &place->pushed}
				   : place->bound;
	}
	return sets;
}

void vkr_walk_state_finish(struct vkr_walk_state *state)
{
	for (unsigned at = 0; at < VKR_WALK_POINTS; at++) {
		struct vkr_walk_point *point = &state->points[at];
		for (size_t set = 0; set < point->sets.count; set++)
			vkr_set_finish(&point->sets.items[set].pushed);
		free(point->sets.items);
	}
	free(state->vertex_buffers.items);
	free(state->feedback.items);
	free(state->set_values.items);
	free(state->label_stack.items);
}
