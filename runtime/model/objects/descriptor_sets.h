// SPDX-License-Identifier: Apache-2.0
// Descriptor set layouts, pipeline layouts and sets with their present contents (Vulkan
// specification, "Descriptor Sets"). Knows which buffer a descriptor names, not where it lies.
#pragma once

#include "arena.h"
#include "map.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_layout_binding {
	uint32_t binding, type, flags;
	uint32_t count;           // descriptors; 0 for an inline uniform block
	uint32_t first_dynamic;   // of the set's dynamic offsets, the first of this binding
	const uint32_t *samplers; // immutable, `count` of them; NULL for none
	// Of a set in a descriptor buffer: where the first descriptor is, and how far the next.
	uint64_t row_offset;
	uint32_t row_bytes; // 0: in no buffer
};

struct vkr_set_layout {
	uint32_t id, flags;
	uint32_t dynamic_count; // dynamic offsets that a set of this layout takes
	uint32_t binding_count;
	struct vkr_layout_binding *bindings; // by binding number
};

struct vkr_pipeline_layout {
	uint32_t id, set_count;
	const struct vkr_set_layout **sets; // NULL for none
};

struct vkr_descriptor {
	uint32_t type;   // VkDescriptorType it was written with; UINT32_MAX: never written
	uint32_t object; // as in struct vkr_trace_descriptor
	uint32_t sampler, layout;
	uint64_t offset, bytes;
};

// Neighbouring descriptors of a binding.
#define VKR_DESCRIPTOR_BLOCK 64u
struct vkr_descriptor_block {
	struct vkr_descriptor items[VKR_DESCRIPTOR_BLOCK];
};

// The descriptors of one binding of a set. Bindings may be declared much larger than what is ever
// written.
struct vkr_set_binding {
	uint32_t count;
	uint32_t written;                     // no element from here on was ever written
	struct vkr_descriptor_block **blocks; // NULL until one of their descriptors is written
	size_t block_count, block_capacity;
};

struct vkr_descriptor_set {
	uint32_t id;      // 0: of push descriptors
	const char *name; // that the program gives it; NULL: none
	const struct vkr_set_layout *layout;
	struct vkr_set_binding *bindings; // as in the layout
	uint64_t address;                 // of one in a descriptor buffer, or a heap
	struct vkr_trace_heap heap;       // of one that is a heap; its `set` 0: it is none
};

struct vkr_descriptors {
	struct vkr_arena arena;
	struct vkr_map layouts, sets, pipeline_layouts; // id -> object
};

void vkr_descriptors_init(struct vkr_descriptors *descriptors);
void vkr_descriptors_finish(struct vkr_descriptors *descriptors);

// The object of an id, NULL where there is none.
const struct vkr_pipeline_layout *
vkr_descriptors_pipeline_layout(const struct vkr_descriptors *descriptors, uint32_t id);
const struct vkr_descriptor_set *vkr_descriptors_set(const struct vkr_descriptors *descriptors,
						     uint32_t id);

// What the events of layouts and sets say.
enum vkr_result vkr_descriptors_event(struct vkr_descriptors *descriptors,
				      const struct vkr_trace_event *event,
				      struct vkr_error *error) VKR_MUST_USE;

// A set of the layout with nothing written. `variable_count` as in struct vkr_trace_set. False for
// lack of memory.
bool vkr_set_init(struct vkr_descriptor_set *set, uint32_t id, const struct vkr_set_layout *layout,
		  uint32_t variable_count);
void vkr_set_finish(struct vkr_descriptor_set *set);

// Writes `count` descriptors from an array element of a binding on, running on into the next
// bindings as vkUpdateDescriptorSets does. VKR_ERROR_FORMAT: beyond the set's end.
enum vkr_result vkr_set_write(struct vkr_descriptor_set *set, uint32_t binding, uint32_t element,
			      uint32_t type, const struct vkr_trace_descriptor *descriptors,
			      uint32_t count, struct vkr_error *error) VKR_MUST_USE;

// A NAME of a set: a kept text.
void vkr_descriptors_name(struct vkr_descriptors *descriptors, uint32_t id, const char *name);

// Writes what a HEAP_CHANGED says. VKR_ERROR_FORMAT: there is no such heap, or no such element.
enum vkr_result vkr_heap_change(struct vkr_descriptors *descriptors,
				const struct vkr_trace_heap_changed *changed,
				struct vkr_error *error) VKR_MUST_USE;

// The descriptor of a binding's element; NULL where it and its neighbours were never written.
const struct vkr_descriptor *vkr_set_descriptor(const struct vkr_descriptor_set *set,
						uint32_t binding_index, uint32_t element);

// The sampler of a binding's element, the layout's immutable one or the one written; 0 for none.
uint32_t vkr_set_sampler(const struct vkr_descriptor_set *set, uint32_t binding_index,
			 uint32_t element);

// Of a heap: the element of the descriptor that begins at a byte, UINT32_MAX where none can, and
// the bytes of one of a type.
uint32_t vkr_heap_element(const struct vkr_descriptor_set *heap, uint32_t byte);
uint32_t vkr_heap_descriptor_bytes(const struct vkr_descriptor_set *heap, uint32_t type);

// The index in the layout of a binding number, UINT32_MAX where the layout has none.
uint32_t vkr_set_layout_find(const struct vkr_set_layout *layout, uint32_t binding);
