// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: the events of graphics commands, of what they have bound, and of the
// objects that only they use. Knows nothing of what is fetched and written by them.
#pragma once

#include <assert.h>
#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_DRAW_EVENTS(X)                                                                   \
	X(GRAPHICS_STATE, 69, vkr_trace_graphics_state, 32)                                        \
	X(CMD_DRAW, 180, vkr_trace_cmd_draw, 24)                                                   \
	X(CMD_DRAW_INDIRECT, 181, vkr_trace_cmd_draw_indirect, 48)                                 \
	X(CMD_DRAW_MESH, 182, vkr_trace_cmd_draw_mesh, 32)                                         \
	X(CMD_BIND_VERTEX_BUFFERS, 183, vkr_trace_cmd_bind_vertex_buffers, 8)                      \
	X(CMD_BIND_INDEX_BUFFER, 184, vkr_trace_cmd_bind_index_buffer, 16)                         \
	X(CMD_VERTEX_INPUT, 185, vkr_trace_cmd_vertex_input, 8)                                    \
	X(CMD_SET_STATE, 186, vkr_trace_cmd_set_state, 16)

// Items of tails.

// A vertex input binding of a pipeline or of vkCmdSetVertexInputEXT.
struct vkr_trace_vertex_binding {
	uint32_t binding, stride;
	uint32_t instance_rate; // 1: VK_VERTEX_INPUT_RATE_INSTANCE
	uint32_t divisor;       // of instances; 0: all instances read the first element
};

struct vkr_trace_vertex_attribute {
	uint32_t location, binding;
	uint32_t offset, bytes; // in the element; bytes 0: a format that is not known
};

// A color attachment's blending, by its index in the subpass.
struct vkr_trace_color_blend {
	uint32_t flags;      // enum vkr_trace_color_blend_flags
	uint32_t write_mask; // VkColorComponentFlags
};

// One vkCmdDraw, vkCmdDrawIndexed, or one of vkCmdDrawMulti(Indexed)EXT, whose index is DrawIndex.
struct vkr_trace_draw {
	uint32_t first, count;  // vertices, or indices
	uint32_t vertex_offset; // of an indexed one: an int32_t in two's complement
	uint32_t reserved;
};

// One of vkCmdBindVertexBuffers and its later forms.
struct vkr_trace_vertex_buffer {
	uint32_t buffer; // 0: none; VKR_BUFFER_BY_ADDRESS
	uint32_t stride; // UINT32_MAX: the pipeline's, or what is set elsewhere
	uint64_t offset; // in the buffer
	uint64_t bytes;  // VK_WHOLE_SIZE stays: it ends with the buffer
};

// Values of members.

// In place of a buffer: the offset beside it is a device address.
#define VKR_BUFFER_BY_ADDRESS UINT32_MAX

enum vkr_trace_color_blend_flags {
	VKR_BLEND_ENABLED = 1u << 0,
	VKR_BLEND_NO_LOCATION = 1u << 1, // no output of the shader goes there
};

enum vkr_trace_graphics_flags {
	VKR_GRAPHICS_DEPTH_TEST = 1u << 0,
	VKR_GRAPHICS_DEPTH_WRITE = 1u << 1,
	VKR_GRAPHICS_DEPTH_BOUNDS_TEST = 1u << 2,
	VKR_GRAPHICS_STENCIL_TEST = 1u << 3,
	VKR_GRAPHICS_STENCIL_WRITE = 1u << 4, // a write mask is not 0 and an operation not KEEP
	VKR_GRAPHICS_RASTERIZER_DISCARD = 1u << 5,
	VKR_GRAPHICS_LOGIC_OP = 1u << 6,
	VKR_GRAPHICS_PRIMITIVE_RESTART = 1u << 7,
	// Parts of the state come from libraries (VK_EXT_graphics_pipeline_library) that are not
	// known.
	VKR_GRAPHICS_UNKNOWN = 1u << 8,
	// A fragment may write fewer samples than it covers: because of a sample mask, or one made
	// from alpha, or because the number of samples is unknown.
	VKR_GRAPHICS_PARTIAL = 1u << 9,
	VKR_GRAPHICS_SAMPLES = 1u << 10,        // fragments have several
	VKR_GRAPHICS_DEPTH_ALWAYS = 1u << 11,   // VK_COMPARE_OP_ALWAYS, if it is not dynamic
	VKR_GRAPHICS_STENCIL_ALWAYS = 1u << 12, // the same of both faces
	// Its draws read attachments as input in rasterization order.
	VKR_GRAPHICS_ORDERED_INPUT = 1u << 13,
};
// In the highest bits of the flags: rasterizationSamples; 0: dynamic, or not known.
#define VKR_GRAPHICS_COUNT_SHIFT 24u

enum vkr_trace_draw_kind {
	VKR_DRAW_VERTICES = 1, // "draw": vkCmdDraw
	VKR_DRAW_INDEXED,      // vkCmdDrawIndexed
	VKR_DRAW_MULTI,        // vkCmdDrawMultiEXT
	VKR_DRAW_MULTI_INDEXED,
	VKR_DRAW_INDIRECT, // vkCmdDrawIndirect and so on: of CMD_DRAW_INDIRECT
	VKR_DRAW_INDEXED_INDIRECT,
	VKR_DRAW_INDIRECT_COUNT,
	VKR_DRAW_INDEXED_INDIRECT_COUNT,
	VKR_DRAW_INDIRECT_BYTE_COUNT,
	VKR_DRAW_MESH, // of CMD_DRAW_MESH
	VKR_DRAW_MESH_INDIRECT,
	VKR_DRAW_MESH_INDIRECT_COUNT,
	VKR_DRAW_MESH_NV,
	VKR_DRAW_MESH_INDIRECT_NV,
	VKR_DRAW_MESH_INDIRECT_COUNT_NV,
	// Of CMD_GENERATED: no buffer. draw_count is 0 if a sequence is one draw; otherwise it is
	// the maximum number of draws of a sequence, whose arguments the device finds at an address
	// in the sequence, `stride` bytes each.
	VKR_DRAW_GENERATED,
	VKR_DRAW_GENERATED_MESH,
	VKR_DRAW_GENERATED_INDEXED,
};

// Events.

// What the fixed functions of a graphics pipeline do; follows its PIPELINE event. Tail:
// binding_count x struct vkr_trace_vertex_binding; attribute_count x struct
// vkr_trace_vertex_attribute; blend_count x struct vkr_trace_color_blend; dynamic_count x uint32_t
// "dynamic": VkDynamicState.
struct vkr_trace_graphics_state {
	uint32_t pipeline;
	uint32_t flags;    // enum vkr_trace_graphics_flags; of dynamic state: 0
	uint32_t topology; // VkPrimitiveTopology
	uint32_t binding_count, attribute_count, blend_count, dynamic_count;
	uint32_t view_mask; // of dynamic rendering
};

// A draw whose parameters are those of the call. Tail: draw_count x struct vkr_trace_draw. Device:
// runs graphics.
struct vkr_trace_cmd_draw {
	uint32_t command;
	uint32_t kind; // enum vkr_trace_draw_kind: VERTICES to MULTI_INDEXED
	uint32_t instance_count, first_instance;
	uint32_t draw_count;
	uint32_t asked; // VkShaderStageFlags, as in struct vkr_gpu_block
};

// A draw whose parameters are read from a buffer. Device: reads buffer at offset; reads
// count_buffer at count_offset, 4 bytes; runs graphics.
struct vkr_trace_cmd_draw_indirect {
	uint32_t command;
	uint32_t kind;         // enum vkr_trace_draw_kind: an INDIRECT one
	uint32_t buffer;       // of BYTE_COUNT: the counter buffer
	uint32_t count_buffer; // 0: draw_count is the number of draws
	uint64_t offset;
	uint64_t count_offset; // of BYTE_COUNT: counterOffset, firstInstance above it
	uint32_t draw_count;   // with a count buffer: at most; BYTE_COUNT: instances
	uint32_t stride;       // of BYTE_COUNT: of vertices
	uint32_t asked;        // VkShaderStageFlags, as in struct vkr_gpu_block
	uint32_t reserved;
};

// vkCmdDrawMeshTasksEXT, vkCmdDrawMeshTasksNV. Device: runs graphics.
struct vkr_trace_cmd_draw_mesh {
	uint32_t command;
	uint32_t kind; // enum vkr_trace_draw_kind: MESH, MESH_NV
	uint32_t groups[3];
	uint32_t first_task; // of NV
	uint32_t asked;      // VkShaderStageFlags, as in struct vkr_gpu_block
	uint32_t reserved;
};

// Tail: buffer_count x struct vkr_trace_vertex_buffer. Device: reads buffer.buffer at
// buffer.offset, buffer.bytes bytes.
struct vkr_trace_cmd_bind_vertex_buffers {
	uint32_t first; // binding
	uint32_t buffer_count;
};

// Device: reads buffer at offset.
struct vkr_trace_cmd_bind_index_buffer {
	uint32_t buffer;      // 0: none; VKR_BUFFER_BY_ADDRESS
	uint32_t index_bytes; // of one index; 0: a type that is not known
	uint64_t offset;
};

// vkCmdSetVertexInputEXT. Tail: binding_count x struct vkr_trace_vertex_binding, attribute_count x
// struct vkr_trace_vertex_attribute. Device: nothing.
struct vkr_trace_cmd_vertex_input {
	uint32_t binding_count, attribute_count;
};

// A state that vkCmdSet* sets. Tail: value_count x uint32_t. Device: nothing.
struct vkr_trace_cmd_set_state {
	uint32_t state; // VkDynamicState
	uint32_t first; // attachment, or face, that the first value is of; of STENCIL_OP 3 a face
	uint32_t value_count, reserved;
};

static_assert(sizeof(struct vkr_trace_draw) == 16, "on disk");
static_assert(sizeof(struct vkr_trace_vertex_buffer) == 24, "on disk");
