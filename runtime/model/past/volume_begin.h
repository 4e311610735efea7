// SPDX-License-Identifier: Apache-2.0
// Cutting a trace: what the next volume begins with is taken from the present one. Knows which
// events matter to what comes; not when a trace is cut, nor where volumes lie.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_chunk_writer;
struct vkr_model;

struct vkr_volume_cut {
	const char *path;              // the present volume; all events so far are in it
	uint64_t boundary;             // how many of these the model has dealt with
	struct vkr_trace_volume next;  // the next volume's first event
	struct vkr_chunk_writer *into; // the next volume
};

// Why the trace cannot be cut here, or NULL.
const char *vkr_model_cannot_cut(const struct vkr_model *model);

// Writes the beginning of the next volume, and the events after the boundary. *reason: why it
// cannot be cut here, if nothing was written; else NULL, and *first is the index, in the next
// volume, of the event at the boundary.
enum vkr_result vkr_model_cut(struct vkr_model *model, const struct vkr_volume_cut *cut,
			      const char **reason, uint64_t *first,
			      struct vkr_error *error) VKR_MUST_USE;
