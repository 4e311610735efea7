// SPDX-License-Identifier: Apache-2.0
// A small run as events, the same bytes each time: two workgroups write one word. Knows the trace
// format, and no file.
#pragma once

#include "vkrace/trace.h"

#include <stddef.h>

// Events behind one another.
struct sample_trace {
	unsigned char *items;
	size_t count, capacity; // bytes
	size_t events;
};

// An event at the end of the trace; asserts that there is memory.
void sample_trace_add(struct sample_trace *trace, enum vkr_trace_type type, uint32_t thread,
		      const void *payload, size_t payload_bytes, const void *tail,
		      size_t tail_bytes);

// The whole run.
void sample_trace_make(struct sample_trace *trace);

void sample_trace_finish(struct sample_trace *trace);
