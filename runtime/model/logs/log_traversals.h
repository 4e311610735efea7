// SPDX-License-Identifier: Apache-2.0
// Replays reads of acceleration structures into the engine: by rays that are traced, and by ray
// queries. Knows records and structures; not what rays meet.
#pragma once

#include "log_texels.h"
#include "structures.h"

// What is kept from access to access.
struct vkr_traversal_log {
	struct vkr_traversal traversal; // of `structure` through `reference`
	struct vkr_reference reference;
	const struct vkr_structure *structure;
};

// One access by neighbouring invocations: all of the structure, and of what it holds.
enum vkr_result vkr_replay_traversals(struct vkr_replay *replay, struct vkr_engine *engine,
				      struct vkr_dispatch_targets *targets,
				      const struct vkr_texel_step *step,
				      struct vkr_error *error) VKR_MUST_USE;

// Structures may change from command to command.
void vkr_traversal_log_forget(struct vkr_replay *replay);
void vkr_traversal_log_destroy(struct vkr_traversal_log *log);
