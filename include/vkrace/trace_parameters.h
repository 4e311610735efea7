// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: commands whose parameters the device reads from memory, what that
// memory held, and commands that move memory by its device addresses. Knows nothing of what these
// commands do.
#pragma once

#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_FEED_EVENTS(X)                                                                   \
	X(SNAPSHOT, 490, vkr_trace_snapshot, 24)                                                   \
	X(CMD_SNAPSHOT, 491, vkr_trace_cmd_snapshot, 8)                                            \
	X(CMD_COPY_MEMORY, 492, vkr_trace_cmd_copy_memory, 40)                                     \
	X(CMD_GENERATED, 493, vkr_trace_cmd_generated, 72)                                         \
	X(CMD_MOVE, 530, vkr_trace_cmd_move, 16)

// Values of members.

enum vkr_trace_copy_memory_kind {
	VKR_COPY_MEMORY = 1,         // "copy": vkCmdCopyMemoryIndirectKHR
	VKR_COPY_MEMORY_TO_IMAGE,    // "copy to image": vkCmdCopyMemoryToImageIndirectKHR
	VKR_COPY_MEMORY_NV,          // "copy NV": the forms of VK_NV_copy_memory_indirect
	VKR_COPY_MEMORY_TO_IMAGE_NV, // "copy to image NV"
	VKR_DECOMPRESS_INDIRECT,     // "decompress": vkCmdDecompressMemoryIndirectCountEXT
};

enum vkr_trace_move_form {
	VKR_MOVE_DECOMPRESS = 1, // vkCmdDecompressMemoryEXT
	VKR_MOVE_DECOMPRESS_NV,  // vkCmdDecompressMemoryNV
	VKR_MOVE_COPY,           // vkCmdCopyMemoryKHR
	VKR_MOVE_FILL,           // vkCmdFillMemoryKHR: there are no sources
	VKR_MOVE_UPDATE,         // vkCmdUpdateMemoryKHR: likewise
};

enum vkr_trace_generated_flags {
	VKR_GENERATED_PREPROCESS = 1u << 0,   // vkCmdPreprocessGeneratedCommandsEXT
	VKR_GENERATED_PREPROCESSED = 1u << 1, // of an execution: that came before
	// A CMD_DISPATCH_INDIRECT or CMD_DRAW_INDIRECT of the same command follows: what it runs.
	VKR_GENERATED_RUNS = 1u << 2,
};

// Where there are no device addresses: offsets in the buffers that the draw names.
#define VKR_SNAPSHOT_ARGUMENTS (UINT64_C(1) << 62)
#define VKR_SNAPSHOT_COUNT     (UINT64_C(1) << 63)

// What an invocation of a dispatch has told for all (vkrace/summary.h), word by word.
#define VKR_SNAPSHOT_UNIFORMS (UINT64_C(1) << 61)

enum vkr_trace_snapshot_flags {
	VKR_SNAPSHOT_LAST = 1u << 0, // nothing more of the command follows
};

// Events.

// What memory held when the device read it as parameters of a command: copied right before the
// command or, for a draw, right after its render pass, whose barriers cannot order a write with
// that copy. Stands before the execution's EXECUTION_END. Tail: word_count x uint32_t.
struct vkr_trace_snapshot {
	uint32_t execution;
	uint32_t command; // index in the execution
	uint64_t address; // device address, or one of those above + offset
	uint32_t word_count;
	uint32_t flags; // enum vkr_trace_snapshot_flags
};

// Something that the command reads is copied for SNAPSHOT. Stands before it. Device: nothing.
struct vkr_trace_cmd_snapshot {
	uint32_t command, reserved;
};

// Device: anything.
struct vkr_trace_cmd_copy_memory {
	uint32_t command;
	uint32_t kind; // enum vkr_trace_copy_memory_kind
	uint64_t address, stride;
	uint32_t count; // of regions; with a count address: at most
	uint32_t image;
	uint64_t count_address; // 0: none
};

// A range of device addresses that is read, and one that is written from it.
struct vkr_trace_moved {
	uint64_t source, destination; // device addresses
	uint64_t source_bytes, destination_bytes;
};

// Tail: region_count x struct vkr_trace_moved. Device: anything.
struct vkr_trace_cmd_move {
	uint32_t command;
	uint32_t form; // enum vkr_trace_move_form
	uint32_t region_count, reserved;
};

// vkCmdExecuteGeneratedCommandsEXT, vkCmdPreprocessGeneratedCommandsEXT. Device: anything.
struct vkr_trace_cmd_generated {
	uint32_t command;
	uint32_t flags;          // enum vkr_trace_generated_flags
	uint64_t address, bytes; // of the indirect commands
	uint64_t stride;         // of a sequence
	uint64_t preprocess;     // device address of the memory for preprocessing
	uint64_t preprocess_bytes;
	uint64_t count_address; // 0: there are max_count sequences
	uint32_t max_count, max_draws;
	uint32_t read_bytes; // of each sequence, from its start on
	uint32_t reserved;
};
