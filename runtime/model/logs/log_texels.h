// SPDX-License-Identifier: Apache-2.0
// Replays accesses to texels into the engine: the same texel of neighbouring invocations'
// footprints together. Knows records and places; not how images are laid out.
#pragma once

#include "log_replay.h"
#include "texel_places.h"
#include "texel_plan.h"

// What is kept from access to access.
struct vkr_texel_log {
	struct vkr_texel_places *places; // of one invocation
	struct vkr_texel_plan plan;      // of the access
	struct {
		struct vkr_texel_place *items; // of all invocations, one after the other
		size_t count, capacity;
	} list;
	struct {
		size_t *items; // by invocation: its first in the list; one more at the end
		size_t count, capacity;
	} starts;
	struct {
		uint32_t *items;
		size_t count, capacity;
	} offsets;
};

// One access by invocations local, local + 1, ...
struct vkr_texel_step {
	struct vkr_program_access *access;
	uint32_t local, count;
	const uint32_t *const *records; // by invocation: after the segment's number
};
enum vkr_result vkr_replay_texels(struct vkr_replay *replay, struct vkr_engine *engine,
				  struct vkr_dispatch_targets *targets,
				  const struct vkr_texel_step *step,
				  struct vkr_error *error) VKR_MUST_USE;

void vkr_texel_log_destroy(struct vkr_texel_log *log);
