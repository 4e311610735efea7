// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: what shaders have logged, and up to which point the log is complete.
// Does not know what the words of a log mean (vkrace/gpu_log.h).
#pragma once

#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_LOG_EVENTS(X)                                                                    \
	X(GPU_LOG, 130, vkr_trace_gpu_log, 16)                                                     \
	X(EXECUTION_END, 131, vkr_trace_execution_end, 16)                                         \
	X(GPU_COLUMN_LOG, 132, vkr_trace_gpu_column_log, 48)                                       \
	X(COMMANDS_LOGGED, 450, vkr_trace_commands_logged, 8)                                      \
	X(EXECUTION_LEFT_OUT, 451, vkr_trace_execution_left_out, 8)

// A part of an execution's log: whole chunks of it, in the log's order. Tail: word_count x
// uint32_t: vkrace/gpu_log.h, padded with zeros to 8 bytes.
struct vkr_trace_gpu_log {
	uint32_t execution, word_count;
	uint64_t first_word; // index in the log of the first word of the tail, log header excluded
};

// A part of the execution's log: what some neighbouring workgroups of a dispatch wrote into its
// column log (vkrace/gpu_log.h), as many columns as one of them has reached: others of the same log
// may have others. Tail: word_count x uint32_t: for each of the columns in turn a pair of words for
// each invocation.
struct vkr_trace_gpu_column_log {
	uint32_t execution;
	uint32_t word_count;  // 2 x columns x group_count x local_size
	uint32_t command;     // its index in the execution, those of secondaries counted in place
	uint32_t first_group; // linear index in the dispatch's whole grid
	uint32_t group_count, local_size, columns, reserved;
	uint32_t groups[3]; // of the whole grid
	uint32_t reserved2;
};

// All of the execution's log stands before this event; with VKR_EXECUTION_PAUSED all that there is
// until now.
struct vkr_trace_execution_end {
	uint32_t execution;
	uint32_t flags;      // enum vkr_trace_execution_flags
	uint64_t lost_words; // that did not fit in the log
};

// All that the commands before `command` have logged in this execution stands before this event,
// and nothing that the others have logged since the device last stood still.
struct vkr_trace_commands_logged {
	uint32_t execution;
	uint32_t command; // index in the execution, as in struct vkr_trace_gpu_column_log
};

// Why the shaders of an execution are not observed: by the user's choice (vkrace run --frames and
// the like).
enum vkr_trace_left_out {
	VKR_LEFT_OUT_NOT,
	VKR_LEFT_OUT_FRAME,  // it is in a frame that was not chosen
	VKR_LEFT_OUT_SAMPLE, // it is not in the sample
	VKR_LEFT_OUT_BUDGET, // there was no time for it
	VKR_LEFT_OUT_PAUSE,  // the program, or a signal, has switched observing off
	VKR_LEFT_OUT_ENOUGH, // as many races as were asked for are found
	// Of single commands, not in events:
	VKR_LEFT_OUT_SHADER,  // none of its shaders was chosen
	VKR_LEFT_OUT_LABEL,   // none of the labels around it was
	VKR_LEFT_OUT_COMMAND, // it is not in the sample of commands
};

// Before the SUBMIT event of an execution whose shaders are not observed.
struct vkr_trace_execution_left_out {
	uint32_t execution;
	uint32_t reason; // enum vkr_trace_left_out
};
