// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: descriptors that lie in buffers. Knows nothing of what shaders reach
// through them.
//
// A SET of a layout with DESCRIPTOR_ROWS is a set in a descriptor buffer
// (VK_EXT_descriptor_buffer): its handle is the device address where it begins, or 0 where it has
// no memory. One with a HEAP is a descriptor heap (VK_EXT_descriptor_heap), whose layout has
// binding 0 alone: element n of it is the descriptor that begins n rows after the heap's start. A
// shader's variable of a heap names it by that byte (vkrace/site.h).
#pragma once

#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_DESCRIPTOR_EVENTS(X)                                                             \
	X(DESCRIPTOR_ROWS, 383, vkr_trace_descriptor_rows, 16)                                     \
	X(HEAP, 535, vkr_trace_heap, 24)                                                           \
	X(CMD_BIND_HEAP, 536, vkr_trace_cmd_bind_heap, 8)                                          \
	X(SHADER_SAMPLERS, 537, vkr_trace_shader_samplers, 8)                                      \
	X(HEAP_CHANGED, 555, vkr_trace_heap_changed, 24)

enum vkr_trace_heap_kind {
	VKR_HEAP_RESOURCES,
	VKR_HEAP_SAMPLERS,
	VKR_HEAP_KINDS,
};

// The descriptors of a binding, one after the other.
struct vkr_trace_descriptor_row {
	uint32_t binding;
	uint32_t bytes;  // of each
	uint64_t offset; // of the first, in the set
};

// Where descriptors lie in sets of a layout. Behind its SET_LAYOUT. Tail: row_count x struct
// vkr_trace_descriptor_row.
struct vkr_trace_descriptor_rows {
	uint32_t layout, row_count;
	uint64_t bytes; // of a set
};

// The set is a heap. Behind its SET.
struct vkr_trace_heap {
	uint32_t set;
	uint32_t kind; // enum vkr_trace_heap_kind
	// Of a descriptor, by its type.
	uint32_t image_bytes, buffer_bytes, sampler_bytes;
	uint32_t reserved;
};

// vkCmdBindResourceHeapEXT, vkCmdBindSamplerHeapEXT, or a secondary command buffer inherits it.
// Device: bindings.
struct vkr_trace_cmd_bind_heap {
	uint32_t heap; // set
	uint32_t kind; // enum vkr_trace_heap_kind
};

// While an execution was under way, elements of a heap, from `first` on, became other descriptors
// than SET_WRITE had recorded before its SUBMIT. An element that held no descriptor before has the
// descriptor that it holds at the end of the execution; any other has type UINT32_MAX, since it is
// unknown which of its descriptors the execution used. Stands before the execution's last GPU_LOG.
// Tail: descriptor_count x struct vkr_trace_descriptor.
struct vkr_trace_heap_changed {
	uint32_t execution;
	uint32_t set, element;
	uint32_t type; // as in struct vkr_trace_set_write
	uint32_t descriptor_count;
	uint32_t reserved;
};

// A sampler that the mappings of a shader hold (VKR_VARIABLE_EMBEDDED).
struct vkr_trace_shader_sampler {
	uint32_t set, binding;
	uint32_t sampler;
	uint32_t reserved;
};

// Behind its SHADER. Tail: sampler_count x struct vkr_trace_shader_sampler.
struct vkr_trace_shader_samplers {
	uint32_t shader, sampler_count;
};
