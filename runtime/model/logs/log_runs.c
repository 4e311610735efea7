// SPDX-License-Identifier: Apache-2.0
// Puts accesses of neighbouring invocations together to runs of equal strides. Knows offsets; not
// what they were made of.
#include "log_replay.h"

#include "array.h"
#include "error.h"

#include <string.h>

typedef uint32_t four __attribute__((vector_size(16)));

// Whether all are surely at most `limit`: the highest bit of no difference is set.
static bool all_within(const uint32_t *offsets, uint32_t count, uint32_t limit)
{
	const four limits = {limit, limit, limit, limit};
	four above = {0}, next;
	uint32_t rest = 0, at = 0;
	for (; at + 4 <= count; at += 4) {
		memcpy(&next, offsets + at, sizeof next);
		above |= (limits - next) | next;
	}
	for (; at < count; at++)
		rest |= (limit - offsets[at]) | offsets[at];
	return (above[0] | above[1] | above[2] | above[3] | rest | limit) <= INT32_MAX;
}

// Ranges of storage buffers are rounded up to robustStorageBufferAccessSizeAlignment, which is 1 or
// 4: of others it is not known where they end.
#define ROUNDED_TO 4u

void vkr_replay_note_beyond(struct vkr_replay *replay, const struct vkr_program_access *access,
			    const struct vkr_engine_target *target, uint64_t count)
{
	replay->beyond.accesses += count;
	if (target->memory == VKR_ENGINE_WORKGROUP)
		replay->beyond.of_variable += count;
	if (replay->robust && access->storage_buffer && target->bytes % ROUNDED_TO == 0)
		replay->beyond.discarded += count;
}

void vkr_replay_count_beyond(struct vkr_replay *replay, const struct vkr_program_access *access,
			     const struct vkr_engine_target *target, const uint32_t *offsets,
			     uint32_t count)
{
	const uint64_t bytes = access->bytes, room = target->bytes;
	uint64_t beyond = 0;
	if (bytes <= room &&
	    all_within(offsets, count,
		       room - bytes < INT32_MAX ? (uint32_t)(room - bytes) : INT32_MAX))
		return;
	for (uint32_t at = 0; at < count; at++)
		beyond += offsets[at] + bytes > room;
	vkr_replay_note_beyond(replay, access, target, beyond);
}

// Runs that may wait: those that stay in the caches next to the core.
#define WAITING_MOST 2048u

enum vkr_result vkr_replay_flush(struct vkr_replay *replay, struct vkr_engine *engine,
				 struct vkr_error *error)
{
	const size_t count = replay->runs.count;
	if (count == 0)
		return VKR_OK;
	replay->runs.count = replay->runs.seen = 0;
	replay->runs.any_write = false;
	if (!vkr_pattern_fed(&replay->pattern))
		return vkr_error_memory(error, "a pattern");
	return vkr_feed_runs(replay->tape, engine, replay->runs.items, count, error);
}

enum vkr_result vkr_replay_flush_many(struct vkr_replay *replay, struct vkr_engine *engine,
				      struct vkr_error *error)
{
	return replay->runs.count < WAITING_MOST ? VKR_OK : vkr_replay_flush(replay, engine, error);
}

enum vkr_result vkr_replay_flush_before(struct vkr_replay *replay, struct vkr_engine *engine,
					uint32_t site, struct vkr_error *error)
{
	bool write = replay->runs.any_write;
	for (; replay->runs.seen < replay->runs.count; replay->runs.seen++)
		write |= vkr_engine_site_writes(engine, replay->runs.items[replay->runs.seen].site);
	replay->runs.any_write = write;
	if (!write && !vkr_engine_site_writes(engine, site))
		return VKR_OK;
	return vkr_replay_flush(replay, engine, error);
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

#define RANDOM_STRIDE 4096
#define RANDOM_MOST   4u

// So many runs of at most as many accesses are a sign that the others are as short.
#define FIRST_RUNS     8u
#define FIRST_ACCESSES 24u

enum vkr_result vkr_replay_join(struct vkr_replay *replay,
				const struct vkr_engine_scatter *accesses, bool *joined,
				struct vkr_error *error)
{
	const size_t before = replay->runs.count;
	const uint32_t count = accesses->count;
	if (count > replay->runs.capacity - before && !VKR_ARRAY_RESERVE(&replay->runs, count))
		return vkr_error_memory(error, "runs");
	const uint32_t most = VKR_RUNS_MOST(count);
	uint32_t random = 0;
	*joined = true;
	for (uint32_t at = 0; at < count;) {
		int64_t stride = 0;
		const uint32_t length = run_length(accesses->offsets, at, count, &stride);
		// Offsets this far apart are evenly spaced only by chance.
		if (stride >= RANDOM_STRIDE || stride <= -RANDOM_STRIDE)
			random += length < count;
		const size_t made = replay->runs.count - before;
		if (made == most || random > RANDOM_MOST ||
		    (made == FIRST_RUNS && at <= FIRST_ACCESSES)) {
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
	enum vkr_result result = vkr_replay_flush_many(replay, engine, error);
	if (result == VKR_OK)
		result = vkr_replay_join(replay, accesses, &joined, error);
	if (result != VKR_OK || joined)
		return result;
	result = vkr_replay_flush_before(replay, engine, accesses->site, error);
	return result == VKR_OK ? vkr_feed_scatter(replay->tape, engine, accesses, error) : result;
}
