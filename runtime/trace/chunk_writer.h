// SPDX-License-Identifier: Apache-2.0
// Writing a trace file: events gathered into chunks with a checksum. Knows the file's form, and not
// what the events say.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_chunk_writer;

// Begins a trace in an open, empty file; the descriptor stays the caller's, and `path` is for
// messages.
enum vkr_result vkr_chunk_writer_create(struct vkr_chunk_writer **out, int descriptor,
					const char *path, bool compress,
					struct vkr_error *error) VKR_MUST_USE;

// Adds one whole event (event->bytes bytes from there).
enum vkr_result vkr_chunk_writer_event(struct vkr_chunk_writer *writer,
				       const struct vkr_trace_event *event,
				       struct vkr_error *error) VKR_MUST_USE;

// Writes the pending events as a chunk.
enum vkr_result vkr_chunk_writer_flush(struct vkr_chunk_writer *writer,
				       struct vkr_error *error) VKR_MUST_USE;

// Without a flush. NULL is allowed.
void vkr_chunk_writer_destroy(struct vkr_chunk_writer *writer);
