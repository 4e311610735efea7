// SPDX-License-Identifier: Apache-2.0
// Puts accesses of neighbouring invocations together to runs of equal strides. Knows offsets; not
// what they were made of.
#include "log_replay.h"

#include "array.h"
#include "error.h"

void vkr_replay_count_beyond(struct vkr_replay *replay, const uint32_t *offsets, uint32_t count,
			     uint64_t bytes, uint64_t room)
{
	uint64_t beyond = 0;
	for (uint32_t at = 0; at < count; at++)
		beyond += offsets[at] + bytes > room;
	replay->out_of_range += beyond;
}

// The number of equal strides in a row from `at` on.
static uint32_t run_length(const uint32_t *offsets, uint32_t at, uint32_t count, int64_t *stride)
{
	*stride = 0;
	if (at + 1 == count)
		return 1;
	const uint32_t step = offsets[at + 1] - offsets[at];
	uint32_t length = 2;
	while (at + length < count && offsets[at + length] - offsets[at + length - 1] == step)
		length++;
	*stride = (int64_t)offsets[at + 1] - (int64_t)offsets[at];
	return length;
}

enum vkr_result vkr_replay_join(struct vkr_replay *replay,
				const struct vkr_engine_scatter *accesses, bool *joined,
				struct vkr_error *error)
{
	const size_t before = replay->runs.count;
	const uint32_t count = accesses->count;
	if (count > replay->runs.capacity - before && !VKR_ARRAY_RESERVE(&replay->runs, count))
		return vkr_error_memory(error, "runs");
	// Runs shorter than this on the average cost more than the accesses one by one.
	const uint32_t most = 1 + count / 4;
	*joined = true;
	for (uint32_t at = 0; at < count;) {
		int64_t stride = 0;
		const uint32_t length = run_length(accesses->offsets, at, count, &stride);
		if (replay->runs.count - before == most) {
			replay->runs.count = before;
			*joined = false;
			return VKR_OK;
		}
		replay->runs.items[replay->runs.count++] =
			(struct vkr_engine_run){.site = accesses->site,
						.local = accesses->local + at,
						.count = length,
						.stride = stride,
						.offset = accesses->offsets[at],
						.target = accesses->target};
		at += length;
	}
	return VKR_OK;
}

enum vkr_result vkr_replay_accesses(struct vkr_replay *replay, struct vkr_engine *engine,
				    const struct vkr_engine_scatter *accesses,
				    struct vkr_error *error)
{
	bool joined = false;
	const enum vkr_result result = vkr_replay_join(replay, accesses, &joined, error);
	return result != VKR_OK || joined ? result : vkr_engine_scatter(engine, accesses, error);
}
