// SPDX-License-Identifier: Apache-2.0
// Joins neighbouring invocations' accesses to runs of equal strides. Knows the engine's runs; not
// what the offsets are taken from.
#pragma once

#include "engine.h"

// Accesses of invocations in a row, put together to runs of equal strides.
struct vkr_joining {
	struct vkr_engine_run *runs;
	uint32_t count, most;
	uint32_t site, local; // of the next invocation
	const struct vkr_engine_target *target;
};

static inline bool vkr_join_begin(struct vkr_joining *joining, uint32_t offset)
{
	if (joining->count == joining->most)
		return false;
	joining->runs[joining->count++] = (struct vkr_engine_run){.site = joining->site,
								  .local = joining->local++,
								  .count = 1,
								  .offset = offset,
								  .target = joining->target};
	return true;
}

static inline struct vkr_engine_run *vkr_join_last(const struct vkr_joining *joining)
{
	return &joining->runs[joining->count - 1];
}

// The next invocation, where it goes on with the last run.
static inline bool vkr_join_one(struct vkr_joining *joining, uint32_t offset)
{
	struct vkr_engine_run *run;
	if (joining->count == 0)
		return false;
	run = vkr_join_last(joining);
	if (run->count == 1)
		run->stride = (int64_t)offset - (int64_t)run->offset;
	else if ((uint32_t)run->offset + (uint32_t)run->stride * run->count != offset)
		return false;
	run->count++;
	joining->local++;
	return true;
}

// The next `count` invocations, at `offset`, `offset` + `step`, ... False where these are too many
// runs.
static inline bool vkr_join(struct vkr_joining *joining, uint32_t offset, uint32_t step,
			    uint32_t count)
{
	while (count > 0) {
		if (!vkr_join_one(joining, offset) && !vkr_join_begin(joining, offset))
			return false;
		offset += step;
		if (--count > 0 && vkr_join_last(joining)->count > 1 &&
		    (uint32_t)vkr_join_last(joining)->stride == step) {
			vkr_join_last(joining)->count += count;
			joining->local += count;
			return true;
		}
	}
	return true;
}
