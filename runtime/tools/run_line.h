// SPDX-License-Identifier: Apache-2.0
// When a trace's calls were made and its submissions executed, and which waits for which. Knows
// events; not what commands do, and nothing of races.
#pragma once

#include "arena.h"
#include "map.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_line_name {
	uint32_t id;
	const char *name;
};

struct vkr_line_call {
	enum vkr_trace_timed call;
	uint32_t thread;
	uint32_t object;     // as of CALL_TIME
	uint64_t begin, end; // ns
};

// A submission, or a presentation.
struct vkr_line_submission {
	uint32_t id, queue;
	bool presents, failed;
	uint64_t called;      // when the call began, ns
	uint64_t begin, end;  // on its queue, after vkr_run_line_make()
	uint64_t complete;    // when that was known, ns; 0: it was not
	uint32_t call;        // that submitted it; UINT32_MAX: not known
	size_t first_command; // in the timeline's commands
	uint32_t command_count;
};

struct vkr_line_command {
	uint32_t number; // as reports have it, from 1
	const char *name, *labels;
};

// One waits for the other: indices of submissions; `to` UINT32_MAX: the call `call` of the host.
struct vkr_line_edge {
	uint32_t from, to, call;
	const char *what;
};

#define VKR_LINE_ARRAY(type)                                                                       \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, capacity;                                                            \
	}

struct vkr_run_line {
	struct vkr_arena arena;
	const char *program;
	bool timed; // the trace has times; else all is in the order of events, a microsecond each
	VKR_LINE_ARRAY(struct vkr_line_name) threads;
	VKR_LINE_ARRAY(struct vkr_line_name) queues;
	VKR_LINE_ARRAY(struct vkr_line_call) calls;
	VKR_LINE_ARRAY(struct vkr_line_submission) submissions;
	VKR_LINE_ARRAY(struct vkr_line_command) commands;
	VKR_LINE_ARRAY(struct vkr_line_edge) edges;
};

// Reads a trace. The timeline is to be finished also after an error.
enum vkr_result vkr_run_line_make(struct vkr_run_line *timeline, const char *path,
				  struct vkr_error *error) VKR_MUST_USE;
void vkr_run_line_finish(struct vkr_run_line *timeline);
