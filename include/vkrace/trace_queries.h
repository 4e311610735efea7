// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: query pools, conditional rendering, transform feedback, markers,
// what vertex shaders read. Knows nothing of what these order.
#pragma once

#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_ORDER_EVENTS(X)                                                                  \
	X(CMD_QUERY, 220, vkr_trace_cmd_query, 32)                                                 \
	X(CMD_COPY_QUERIES, 221, vkr_trace_cmd_copy_queries, 40)                                   \
	X(CMD_BEGIN_CONDITION, 222, vkr_trace_cmd_begin_condition, 24)                             \
	X(CMD_END_CONDITION, 223, vkr_trace_cmd_end_condition, 8)                                  \
	X(CMD_BIND_FEEDBACK, 224, vkr_trace_cmd_bind_feedback, 8)                                  \
	X(CMD_FEEDBACK, 225, vkr_trace_cmd_feedback, 16)                                           \
	X(CMD_MARKER, 226, vkr_trace_cmd_marker, 24)                                               \
	X(QUERY_POOL, 280, vkr_trace_query_pool, 32)                                               \
	X(QUERY_POOL_DESTROY, 281, vkr_trace_query_pool_destroy, 8)                                \
	X(QUERY_RESET, 282, vkr_trace_query_reset, 16)                                             \
	X(QUERY_SEEN, 283, vkr_trace_query_seen, 16)                                               \
	X(SHADER_INPUTS, 284, vkr_trace_shader_inputs, 8)                                          \
	X(SPARSE_BIND, 285, vkr_trace_sparse_bind, 88)                                             \
	X(SHADER_FEEDBACK, 286, vkr_trace_shader_feedback, 8)

// Items of tails.

// A buffer that transform feedback writes, or one with its counter.
struct vkr_trace_feedback_buffer {
	uint32_t buffer; // 0: none
	uint32_t reserved;
	uint64_t offset;
	uint64_t bytes; // of one that is written: VK_WHOLE_SIZE stays; of a counter: 4
};

// Locations of vertex input.
struct vkr_trace_shader_input {
	uint32_t location, count;
};

// What transform feedback captures of each vertex.
struct vkr_trace_capture {
	uint32_t buffer; // transform feedback buffer
	uint32_t stride; // bytes from vertex to vertex
	uint32_t offset, bytes;
};

// Values of members.

enum vkr_trace_query_operation {
	VKR_QUERY_RESET = 1,
	VKR_QUERY_BEGIN,
	VKR_QUERY_END,
	VKR_QUERY_TIMESTAMP, // vkCmdWriteTimestamp, vkCmdWriteTimestamp2
};

enum vkr_trace_sparse_kind {
	VKR_SPARSE_BUFFER = 1,
	VKR_SPARSE_OPAQUE, // a part of an image's memory
	VKR_SPARSE_IMAGE,  // a box of texels
	// A mip tail as a whole: of `layer`, or, where that is UINT32_MAX, of all; from `mip` on.
	VKR_SPARSE_TAIL,
};

enum vkr_trace_feedback_operation {
	VKR_FEEDBACK_BEGIN = 1,
	VKR_FEEDBACK_END,
};

// Events.

// vkCmdResetQueryPool, vkCmdBeginQuery, vkCmdEndQuery, their indexed forms, vkCmdWriteTimestamp.
// Device: nothing.
struct vkr_trace_cmd_query {
	uint32_t command;
	uint32_t operation; // enum vkr_trace_query_operation
	uint32_t pool, first, count, reserved;
	uint64_t stages; // VkPipelineStageFlags2 of a timestamp
};

// vkCmdCopyQueryPoolResults. Device: transfers to buffer at offset.
struct vkr_trace_cmd_copy_queries {
	uint32_t command, pool, first, count;
	uint32_t buffer;
	uint32_t flags; // VkQueryResultFlags
	uint64_t offset, stride;
};

// vkCmdBeginConditionalRenderingEXT. Device: reads buffer at offset, 4 bytes.
struct vkr_trace_cmd_begin_condition {
	uint32_t command, buffer;
	uint64_t offset;
	uint32_t flags; // VkConditionalRenderingFlagsEXT
	uint32_t reserved;
};

// Device: nothing.
struct vkr_trace_cmd_end_condition {
	uint32_t command, reserved;
};

// vkCmdBindTransformFeedbackBuffersEXT. Tail: buffer_count x struct vkr_trace_feedback_buffer.
// Device: writes buffer.buffer at buffer.offset, buffer.bytes bytes.
struct vkr_trace_cmd_bind_feedback {
	uint32_t first, buffer_count;
};

// vkCmdBeginTransformFeedbackEXT, vkCmdEndTransformFeedbackEXT. Tail: counter_count x struct
// vkr_trace_feedback_buffer. Device: writes counter.buffer at counter.offset, counter.bytes bytes.
struct vkr_trace_cmd_feedback {
	uint32_t command;
	uint32_t operation; // enum vkr_trace_feedback_operation
	uint32_t first, counter_count;
};

// vkCmdWriteBufferMarkerAMD, vkCmdWriteBufferMarker2AMD: 4 bytes. Device: writes buffer at offset,
// 4 bytes.
struct vkr_trace_cmd_marker {
	uint32_t command, buffer;
	uint64_t offset;
	uint64_t stages; // VkPipelineStageFlags2
};

// vkCreateQueryPool. Its memory represents the memory in which the driver keeps queries: a byte a
// query.
struct vkr_trace_query_pool {
	uint32_t pool, device, memory;
	uint32_t type;       // VkQueryType
	uint32_t count;      // queries
	uint32_t statistics; // VkQueryPipelineStatisticFlags
	uint32_t counters;   // of a performance query
	uint32_t feedback;   // VkVideoEncodeFeedbackFlagsKHR; 0: none, or not known
};

struct vkr_trace_query_pool_destroy {
	uint32_t pool, reserved;
};

// vkResetQueryPool.
struct vkr_trace_query_reset {
	uint32_t pool, first, count, reserved;
};

// vkGetQueryPoolResults showed these queries available.
struct vkr_trace_query_seen {
	uint32_t pool, first, count, reserved;
};

// Which vertex input a vertex shader reads; follows its SHADER event. Tail: input_count x struct
// vkr_trace_shader_input. Without this event any location may be read.
struct vkr_trace_shader_inputs {
	uint32_t shader, input_count;
};

// A binding of vkQueueBindSparse, before the SUBMIT event of its batch.
struct vkr_trace_sparse_bind {
	uint32_t submission;
	uint32_t kind;          // enum vkr_trace_sparse_kind
	uint32_t object;        // buffer or image
	uint32_t memory;        // 0: none from now on
	uint64_t offset, bytes; // in the resource; 0 of boxes
	uint64_t memory_offset;
	uint32_t aspects;                      // VkImageAspectFlags of boxes and tails
	uint32_t mip, layer;                   // of boxes and tails
	uint32_t box_offset[3], box_extent[3]; // texels
	uint32_t block[3];                     // texels that are bound together; 0: not known
};

// Which outputs of a vertex shader transform feedback captures; follows its SHADER event. Tail:
// capture_count x struct vkr_trace_capture.
struct vkr_trace_shader_feedback {
	uint32_t shader, capture_count;
};
