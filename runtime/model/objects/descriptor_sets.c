// SPDX-License-Identifier: Apache-2.0
// Descriptor set layouts, pipeline layouts and sets with their present contents. Knows which buffer
// a descriptor names, not where it lies.
#include "descriptor_sets.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#define NEVER_WRITTEN UINT32_MAX

void vkr_descriptors_init(struct vkr_descriptors *descriptors)
{
	*descriptors = (struct vkr_descriptors){0};
	vkr_arena_init(&descriptors->arena);
}

void vkr_descriptors_finish(struct vkr_descriptors *descriptors)
{
	for (size_t at = 0; at < descriptors->sets.capacity; at++) {
		if (!descriptors->sets.slots[at].used)
			continue;
		struct vkr_descriptor_set *set =
			(struct vkr_descriptor_set *)(uintptr_t)descriptors->sets.slots[at].value;
		vkr_set_finish(set);
		free(set);
	}
	vkr_map_finish(&descriptors->sets);
	vkr_map_finish(&descriptors->layouts);
	vkr_map_finish(&descriptors->pipeline_layouts);
	vkr_arena_finish(&descriptors->arena);
}

static void *find_object(const struct vkr_map *map, uint32_t id)
{
	uint64_t value = 0;
	return vkr_map_get(map, id, &value) ? (void *)(uintptr_t)value : NULL;
}

const struct vkr_pipeline_layout *
vkr_descriptors_pipeline_layout(const struct vkr_descriptors *descriptors, uint32_t id)
{
	return find_object(&descriptors->pipeline_layouts, id);
}

const struct vkr_descriptor_set *vkr_descriptors_set(const struct vkr_descriptors *descriptors,
						     uint32_t id)
{
	return find_object(&descriptors->sets, id);
}

void vkr_descriptors_name(struct vkr_descriptors *descriptors, uint32_t id, const char *name)
{
	struct vkr_descriptor_set *set = find_object(&descriptors->sets, id);
	if (set != NULL)
		set->name = name;
}

static bool is_dynamic(uint32_t type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

bool vkr_set_init(struct vkr_descriptor_set *set, uint32_t id, const struct vkr_set_layout *layout,
		  uint32_t variable_count)
{
	*set = (struct vkr_descriptor_set){.id = id, .layout = layout};
	set->bindings = calloc(layout->binding_count + 1u, sizeof *set->bindings);
	if (set->bindings == NULL)
		return false;
	for (uint32_t at = 0; at < layout->binding_count; at++) {
		const struct vkr_layout_binding *binding = &layout->bindings[at];
		const bool variable =
			binding->flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
		set->bindings[at].count =
			variable && variable_count != UINT32_MAX ? variable_count : binding->count;
	}
	return true;
}

void vkr_set_finish(struct vkr_descriptor_set *set)
{
	if (set->bindings == NULL)
		return;
	for (uint32_t at = 0; at < set->layout->binding_count; at++) {
		const struct vkr_set_binding *binding = &set->bindings[at];
		for (size_t block = 0; block < binding->block_count; block++)
			free(binding->blocks[block]);
		free(binding->blocks);
	}
	free(set->bindings);
	set->bindings = NULL;
}

uint32_t vkr_set_layout_find(const struct vkr_set_layout *layout, uint32_t binding)
{
	size_t low = 0;
	VKR_SEARCH(low, layout->binding_count, at, layout->bindings[at].binding < binding);
	return low < layout->binding_count && layout->bindings[low].binding == binding
		       ? (uint32_t)low
		       : UINT32_MAX;
}

// A place in a set that moves on from element to element and, at a binding's end, to the first
// element of the next binding that has any (specification, "consecutive binding updates").
struct place {
	uint32_t binding, element; // binding: index in the layout
};

static bool settle_set(const struct vkr_descriptor_set *set, struct place *place)
{
	while (place->binding < set->layout->binding_count &&
	       place->element >= set->bindings[place->binding].count) {
		place->element -= set->bindings[place->binding].count;
		place->binding++;
	}
	return place->binding < set->layout->binding_count;
}

// The descriptor at a place, made on first use; NULL for lack of memory.
static struct vkr_descriptor *at_place(struct vkr_descriptor_set *set, const struct place *place)
{
	struct vkr_set_binding *binding = &set->bindings[place->binding];
	const size_t index = place->element / VKR_DESCRIPTOR_BLOCK;
	if (!vkr_array_reserve((void **)&binding->blocks, &binding->block_capacity, index + 1,
			       sizeof(void *)))
		return NULL;
	while (binding->block_count <= index)
		binding->blocks[binding->block_count++] = NULL;
	struct vkr_descriptor_block **block = &binding->blocks[index];
	if (*block == NULL) {
		*block = calloc(1, sizeof **block);
		for (uint32_t at = 0; *block != NULL && at < VKR_DESCRIPTOR_BLOCK; at++)
			(*block)->items[at].type = NEVER_WRITTEN;
	}
	if (binding->written <= place->element)
		binding->written = place->element + 1;
	return *block != NULL ? &(*block)->items[place->element % VKR_DESCRIPTOR_BLOCK] : NULL;
}

const struct vkr_descriptor *vkr_set_descriptor(const struct vkr_descriptor_set *set,
						uint32_t binding_index, uint32_t element)
{
	const struct vkr_set_binding *binding = &set->bindings[binding_index];
	if (element >= binding->written)
		return NULL;
	const struct vkr_descriptor_block *block = binding->blocks[element / VKR_DESCRIPTOR_BLOCK];
	return block != NULL ? &block->items[element % VKR_DESCRIPTOR_BLOCK] : NULL;
}

enum vkr_result vkr_set_write(struct vkr_descriptor_set *set, uint32_t binding, uint32_t element,
			      uint32_t type, const struct vkr_trace_descriptor *descriptors,
			      uint32_t count, struct vkr_error *error)
{
	struct place place = {vkr_set_layout_find(set->layout, binding), element};
	if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
		return VKR_OK; // its bytes are the set's own: no memory that anything else reaches
	for (uint32_t done = 0; done < count; done++, place.element++) {
		if (!settle_set(set, &place))
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "descriptor write at binding %u element %u runs "
					     "beyond the end of set %u",
					     binding, element, set->id);
		struct vkr_descriptor *descriptor = at_place(set, &place);
		if (descriptor == NULL)
			return vkr_error_memory(error, "descriptors");
		*descriptor = (struct vkr_descriptor){
			type,
			descriptors[done].object,
			descriptors[done].sampler,
			descriptors[done].layout,
			descriptors[done].offset,
			descriptors[done].bytes,
		};
	}
	return VKR_OK;
}

uint32_t vkr_set_sampler(const struct vkr_descriptor_set *set, uint32_t binding_index,
			 uint32_t element)
{
	const struct vkr_layout_binding *binding = &set->layout->bindings[binding_index];
	const struct vkr_descriptor *written = vkr_set_descriptor(set, binding_index, element);
	if (element >= set->bindings[binding_index].count)
		return 0;
	if (binding->samplers != NULL && element < binding->count)
		return binding->samplers[element];
	return written != NULL ? written->sampler : 0;
}

static enum vkr_result copy_set(struct vkr_descriptors *descriptors,
				const struct vkr_trace_set_copy *copy, struct vkr_error *error)
{
	struct vkr_descriptor_set *source = find_object(&descriptors->sets, copy->source_set);
	struct vkr_descriptor_set *set = find_object(&descriptors->sets, copy->set);
	if (source == NULL || set == NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "SET_COPY: there is no set %u or no set %u", copy->source_set,
				     copy->set);
	struct place from = {vkr_set_layout_find(source->layout, copy->source_binding),
			     copy->source_element};
	struct place to = {vkr_set_layout_find(set->layout, copy->binding), copy->element};
	for (uint32_t done = 0; done < copy->descriptor_count;
	     done++, from.element++, to.element++) {
		if (!settle_set(source, &from) || !settle_set(set, &to))
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "SET_COPY: runs beyond the end of set %u or set %u",
					     copy->source_set, copy->set);
		const struct vkr_descriptor *read = at_place(source, &from);
		struct vkr_descriptor *written = at_place(set, &to);
		if (read == NULL || written == NULL)
			return vkr_error_memory(error, "descriptors");
		*written = *read;
	}
	return VKR_OK;
}

static enum vkr_result make_layout(struct vkr_descriptors *descriptors,
				   const struct vkr_trace_set_layout *made, struct vkr_error *error)
{
	const struct vkr_trace_binding *bindings = (const void *)(made + 1);
	const uint32_t *samplers = (const void *)(bindings + made->binding_count);
	uint64_t sampler_count = 0;
	if (made->layout == 0 || find_object(&descriptors->layouts, made->layout) != NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "set layout %u is created twice, or is 0", made->layout);
	for (uint32_t at = 0; at < made->binding_count; at++) {
		if (bindings[at].samplers != 0 && bindings[at].samplers != bindings[at].count)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "SET_LAYOUT: %u has %u samplers for %u descriptors",
					     made->layout, bindings[at].samplers,
					     bindings[at].count);
		sampler_count += bindings[at].samplers;
	}
	if (sampler_count != made->sampler_count)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "SET_LAYOUT: bindings of %u do not add up to its samplers",
				     made->layout);
	for (uint32_t at = 1; at < made->binding_count; at++)
		if (bindings[at].binding <= bindings[at - 1].binding)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "SET_LAYOUT: bindings of %u are not in order",
					     made->layout);

	struct vkr_set_layout *layout = vkr_arena_alloc(&descriptors->arena, sizeof *layout);
	struct vkr_layout_binding *copies = vkr_arena_alloc(
		&descriptors->arena, (made->binding_count + (size_t)1) * sizeof *copies);
	uint32_t *kept = vkr_arena_alloc(&descriptors->arena,
					 (made->sampler_count + (size_t)1) * sizeof *kept);
	if (layout == NULL || copies == NULL || kept == NULL ||
	    !vkr_map_set(&descriptors->layouts, made->layout, (uintptr_t)layout))
		return vkr_error_memory(error, "a set layout");
	memcpy(kept, samplers, made->sampler_count * sizeof *kept);
	uint32_t dynamic = 0;
	for (uint32_t at = 0; at < made->binding_count; at++) {
		const struct vkr_trace_binding *binding = &bindings[at];
		const bool in_line = binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
		copies[at] = (struct vkr_layout_binding){.binding = binding->binding,
							 .type = binding->type,
							 .flags = binding->flags,
							 .count = in_line ? 0 : binding->count,
							 .first_dynamic = dynamic};
		if (binding->samplers > 0)
			copies[at].samplers = kept;
		kept += binding->samplers;
		if (is_dynamic(binding->type))
			dynamic += binding->count;
	}
	*layout = (struct vkr_set_layout){.id = made->layout,
					  .flags = made->flags,
					  .dynamic_count = dynamic,
					  .binding_count = made->binding_count,
					  .bindings = copies};
	return VKR_OK;
}

static enum vkr_result make_pipeline_layout(struct vkr_descriptors *descriptors,
					    const struct vkr_trace_pipeline_layout *made,
					    struct vkr_error *error)
{
	const uint32_t *ids = (const uint32_t *)(made + 1);
	if (made->layout == 0 || find_object(&descriptors->pipeline_layouts, made->layout) != NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "pipeline layout %u is created twice, or is 0", made->layout);
	struct vkr_pipeline_layout *layout = vkr_arena_alloc(&descriptors->arena, sizeof *layout);
	const struct vkr_set_layout **sets =
		vkr_arena_alloc(&descriptors->arena, (made->set_count + (size_t)1) * sizeof *sets);
	if (layout == NULL || sets == NULL)
		return vkr_error_memory(error, "a pipeline layout");
	for (uint32_t at = 0; at < made->set_count; at++) {
		sets[at] = find_object(&descriptors->layouts, ids[at]);
		if (ids[at] != 0 && sets[at] == NULL)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "PIPELINE_LAYOUT: there is no set layout %u", ids[at]);
	}
	*layout = (struct vkr_pipeline_layout){made->layout, made->set_count, sets};
	if (!vkr_map_set(&descriptors->pipeline_layouts, made->layout, (uintptr_t)layout))
		return vkr_error_memory(error, "a pipeline layout");
	return VKR_OK;
}

static enum vkr_result make_set(struct vkr_descriptors *descriptors,
				const struct vkr_trace_set *made, struct vkr_error *error)
{
	const struct vkr_set_layout *layout = find_object(&descriptors->layouts, made->layout);
	if (made->set == 0 || find_object(&descriptors->sets, made->set) != NULL || layout == NULL)
		return vkr_error_set(
			error, VKR_ERROR_FORMAT,
			"SET: set %u is created twice, or is 0, or has no known layout (%u)",
			made->set, made->layout);
	struct vkr_descriptor_set *set = calloc(1, sizeof *set);
	if (set == NULL || !vkr_set_init(set, made->set, layout, made->variable_count) ||
	    !vkr_map_set(&descriptors->sets, made->set, (uintptr_t)set)) {
		if (set != NULL)
			vkr_set_finish(set);
		free(set);
		return vkr_error_memory(error, "a descriptor set");
	}
	set->address = made->handle;
	return VKR_OK;
}

static enum vkr_result lay_rows(struct vkr_descriptors *descriptors,
				const struct vkr_trace_descriptor_rows *rows,
				struct vkr_error *error)
{
	const struct vkr_trace_descriptor_row *row = (const void *)(rows + 1);
	struct vkr_set_layout *layout = find_object(&descriptors->layouts, rows->layout);
	if (layout == NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "DESCRIPTOR_ROWS: there is no set layout %u", rows->layout);
	for (uint32_t at = 0; at < rows->row_count; at++) {
		const uint32_t index = vkr_set_layout_find(layout, row[at].binding);
		if (index == UINT32_MAX)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "DESCRIPTOR_ROWS: set layout %u has no binding %u",
					     rows->layout, row[at].binding);
		layout->bindings[index].row_offset = row[at].offset;
		layout->bindings[index].row_bytes = row[at].bytes;
	}
	return VKR_OK;
}

static enum vkr_result make_heap(struct vkr_descriptors *descriptors,
				 const struct vkr_trace_heap *heap, struct vkr_error *error)
{
	struct vkr_descriptor_set *set = find_object(&descriptors->sets, heap->set);
	if (set == NULL || heap->kind >= VKR_HEAP_KINDS || set->layout->binding_count != 1 ||
	    set->layout->bindings[0].row_bytes == 0)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "HEAP: there is no set %u that could be one", heap->set);
	set->heap = *heap;
	return VKR_OK;
}

uint32_t vkr_heap_element(const struct vkr_descriptor_set *heap, uint32_t byte)
{
	const uint32_t row = heap->layout->bindings[0].row_bytes;
	return byte % row == 0 ? byte / row : UINT32_MAX;
}

uint32_t vkr_heap_descriptor_bytes(const struct vkr_descriptor_set *heap, uint32_t type)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_SAMPLER:
		return heap->heap.sampler_bytes;
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
	case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
		return heap->heap.image_bytes;
	default:
		return heap->heap.buffer_bytes;
	}
}

enum vkr_result vkr_heap_change(struct vkr_descriptors *descriptors,
				const struct vkr_trace_heap_changed *changed,
				struct vkr_error *error)
{
	struct vkr_descriptor_set *set = find_object(&descriptors->sets, changed->set);
	if (set == NULL || set->heap.set == 0)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "HEAP_CHANGED: there is no heap %u",
				     changed->set);
	return vkr_set_write(set, 0, changed->element, changed->type, (const void *)(changed + 1),
			     changed->descriptor_count, error);
}

enum vkr_result vkr_descriptors_event(struct vkr_descriptors *descriptors,
				      const struct vkr_trace_event *event, struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	const struct vkr_trace_set_write *write = payload;
	const struct vkr_trace_set_destroy *destroyed = payload;
	struct vkr_descriptor_set *set = NULL;
	const unsigned type = event->type;
	switch (type) {
	case VKR_TRACE_SET_LAYOUT:
		return make_layout(descriptors, payload, error);
	case VKR_TRACE_PIPELINE_LAYOUT:
		return make_pipeline_layout(descriptors, payload, error);
	case VKR_TRACE_DESCRIPTOR_ROWS:
		return lay_rows(descriptors, payload, error);
	case VKR_TRACE_HEAP:
		return make_heap(descriptors, payload, error);
	case VKR_TRACE_SET:
		return make_set(descriptors, payload, error);
	case VKR_TRACE_SET_WRITE:
		set = find_object(&descriptors->sets, write->set);
		if (set == NULL)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "SET_WRITE: there is no set %u", write->set);
		return vkr_set_write(set, write->binding, write->element, write->type,
				     (const void *)(write + 1), write->descriptor_count, error);
	case VKR_TRACE_SET_COPY:
		return copy_set(descriptors, payload, error);
	case VKR_TRACE_SET_DESTROY:
		set = find_object(&descriptors->sets, destroyed->set);
		if (set == NULL)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "SET_DESTROY: there is no set %u", destroyed->set);
		vkr_map_remove(&descriptors->sets, destroyed->set);
		vkr_set_finish(set);
		free(set);
		return VKR_OK;
	default: // nothing of layouts and sets changes
		return VKR_OK;
	}
}
