// SPDX-License-Identifier: Apache-2.0
// Replays one dispatch's log into the engine: workgroup by workgroup, barrier interval by barrier
// interval, neighbouring invocations together. Knows the records of vkrace/gpu_log.h; not where
// the log came from.
#pragma once

#include "dispatch_targets.h"
#include "log_rows.h"

// Buffers that are kept from dispatch to dispatch; zeroed before the first.
struct vkr_replay {
	struct vkr_rows rows;
	// Of one access of neighbouring invocations.
	uint32_t *offsets, *elements, *wrote;
	uint32_t local_capacity;
	struct {
		struct vkr_engine_run *items;
		size_t count, capacity;
	} runs;
	// What the last dispatch's log held that could not be judged.
	uint32_t damaged_workgroup; // of the first of rows.damaged
	uint64_t out_of_range;      // accesses beyond the end of their descriptor
	uint64_t unknown;           // accesses through addresses or descriptors of no known buffer
};

// Chunks [first, first + count) are of one command, by workgroup. The engine's dispatch is open.
enum vkr_result vkr_replay_dispatch(struct vkr_replay *replay, struct vkr_engine *engine,
				    struct vkr_dispatch_targets *targets,
				    const struct vkr_chunk *first, size_t count,
				    struct vkr_error *error) VKR_MUST_USE;
void vkr_replay_finish(struct vkr_replay *replay);
