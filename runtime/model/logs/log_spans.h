// SPDX-License-Identifier: Apache-2.0
// Accesses of neighbouring invocations through one variable, on to the engine. Knows offsets and
// runs; not how records were come to.
#pragma once

#include "log_offsets.h"
#include "log_replay.h"

// Accesses of a dispatch that are noted, to be judged together.
enum vkr_noted { VKR_NOTED_NONE, VKR_NOTED_READS, VKR_NOTED_WRITES };

// One dispatch being replayed.
struct vkr_replay_work {
	struct vkr_replay *replay;
	struct vkr_engine *engine;
	struct vkr_dispatch_targets *targets;
	const struct vkr_program *program;
	uint32_t workgroup;
	uint32_t id[3]; // its WorkgroupId
	// Once more: only the accesses of this kind are judged, which were noted
	// (noted_texels.h).
	enum vkr_noted again;
	// Where noted accesses to texels are recorded; NULL: nowhere. And what depends on the first
	// component of WorkgroupId there, enum vkr_texel_along bits.
	struct vkr_texel_record *record;
	uint8_t along;
	struct vkr_error *error;
};

// The workgroup has passed a control barrier: tells the engine, and the pattern. (log_replay.c)
enum vkr_result vkr_replay_barrier(const struct vkr_replay_work *work,
				   const struct vkr_barrier_join *join) VKR_MUST_USE;

// The workgroup is whole, and may be a pattern for others; `out_of_variable`: what the replay's was
// before it. (log_replay.c)
enum vkr_result vkr_replay_end_pattern(struct vkr_replay_work *work,
				       uint64_t out_of_variable) VKR_MUST_USE;

// Feeds what the workgroup does by the pattern. (log_replay.c)
enum vkr_result vkr_replay_feed_pattern(struct vkr_replay_work *work) VKR_MUST_USE;

// The span's accesses to a target: as runs, which wait in replay->runs, or, where these would be
// short, all of them now.
enum vkr_result vkr_replay_span(struct vkr_replay_work *work,
				const struct vkr_program_access *access,
				const struct vkr_span *span,
				const struct vkr_engine_target *target) VKR_MUST_USE;
