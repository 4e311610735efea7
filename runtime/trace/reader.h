// SPDX-License-Identifier: Apache-2.0
// Reading a trace file, event by event, and checking all of it, so that every event that it returns
// can be read by its counts. Knows the file's form; not what the events mean.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stddef.h>
#include <stdint.h>

struct vkr_reader;

// Opens a trace; "-" is the standard input. An error names the file, the byte offset and the
// reason.
enum vkr_result vkr_reader_open(struct vkr_reader **out, const char *path,
				struct vkr_error *error) VKR_MUST_USE;

// Opens a trace in memory, which remains the caller's; `name` is for messages.
enum vkr_result vkr_reader_open_memory(struct vkr_reader **out, const char *name, const void *data,
				       size_t bytes, struct vkr_error *error) VKR_MUST_USE;

// Before the first event: has chunks ahead be read by a crew's threads, as far as they are there.
// The crew stays the caller's, until the reader is closed.
struct vkr_crew;
enum vkr_result vkr_reader_help(struct vkr_reader *reader, struct vkr_crew *crew,
				struct vkr_error *error) VKR_MUST_USE;

// The next event in *event, valid until the next call; NULL after the last one. After an error
// nothing more can be read.
enum vkr_result vkr_reader_next(struct vkr_reader *reader, const struct vkr_trace_event **event,
				struct vkr_error *error) VKR_MUST_USE;

// Behind the last event: one line that says where the file was cut off, or NULL where it ends with
// a whole chunk.
const char *vkr_reader_cut(const struct vkr_reader *reader);

// NULL is allowed.
void vkr_reader_close(struct vkr_reader *reader);
