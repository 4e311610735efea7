// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: sets of descriptors that lie in buffers (VK_EXT_descriptor_buffer).
// A SET of a layout with DESCRIPTOR_ROWS is one: its handle is the device address where it begins,
// or 0 where it has no memory. Knows nothing of what shaders reach through them.
#pragma once

#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_DESCRIPTOR_EVENTS(X) X(DESCRIPTOR_ROWS, 383, vkr_trace_descriptor_rows, 16)

// The descriptors of a binding, one behind the other.
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
