// SPDX-License-Identifier: Apache-2.0
// What memory held as commands read it as their parameters, kept by execution until that is judged.
// Knows bytes and addresses; not what they say.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_captured {
	uint32_t execution, command;
	uint64_t address, bytes;
	bool last; // nothing more of the command comes
	uint32_t *words;
};

struct vkr_captures {
	struct vkr_captured *items; // in the order of arrival
	size_t count, capacity;
	size_t found; // the piece that was found last: the next one is near
};

// CAPTURED.
enum vkr_result vkr_captures_add(struct vkr_captures *captures,
				 const struct vkr_trace_captured *event,
				 struct vkr_error *error) VKR_MUST_USE;

// Whether all that was captured for the command has arrived.
bool vkr_captures_has(struct vkr_captures *captures, uint32_t execution, uint32_t command);

// Copies what the memory held there; false where not all of it was captured for the command.
bool vkr_captures_read(struct vkr_captures *captures, uint32_t execution, uint32_t command,
		       uint64_t address, void *to, size_t bytes);

// The execution is judged.
void vkr_captures_drop(struct vkr_captures *captures, uint32_t execution);
void vkr_captures_finish(struct vkr_captures *captures);
