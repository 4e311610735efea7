// SPDX-License-Identifier: Apache-2.0
// Feeding ranges, dispatches and workgroups. Knows how they arrive; not what races.
#include "engine_feed.h"
#include "error.h"
#include "judge.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST_LOCAL_BITS 16u

enum vkr_result vkr_engine_access_range(struct vkr_engine *engine, uint32_t command, uint32_t site,
					uint32_t memory, uint64_t offset, uint64_t bytes,
					struct vkr_error *error)
{
	const struct vkr_engine_range range = {memory, offset, bytes};
	const struct vkr_shadow *shadow =
		memory == VKR_ENGINE_WORKGROUP ? NULL : vkr_shadow_fed(engine, memory);
	const enum vkr_result result = vkr_engine_check_stop(engine, error);
	if (result != VKR_OK)
		return result;
	if (shadow && shadow->mappings.count > 0)
		return vkr_mapped_range(engine, command, site, &range, error);
	return vkr_judge_access(engine, command, site, &range, error);
}

enum vkr_result vkr_engine_dispatch_begin(struct vkr_engine *engine, uint32_t command,
					  uint32_t local_size, uint32_t workgroup_bytes,
					  struct vkr_error *error)
{
	uint8_t bits = 0;
	assert(!engine->dispatch.open);
	if (local_size == 0 || local_size > 1u << MOST_LOCAL_BITS)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED, "a workgroup of %u invocations",
				     local_size);
	while ((1u << bits) < local_size)
		bits++;
	engine->dispatch.open = true;
	engine->dispatch.in_workgroup = false;
	engine->dispatch.divided = engine->dispatch.idle = false;
	engine->dispatch.number += workgroup_bytes > 0;
	engine->dispatch.command = command;
	engine->dispatch.local_size = local_size;
	engine->dispatch.subgroup_size = 0;
	engine->dispatch.local_bits = bits;
	vkr_read_marks_begin(&engine->marks);
	if (engine->workgroup_memory.bytes == workgroup_bytes && engine->workgroup_memory.live)
		return VKR_OK;
	vkr_shadow_finish(&engine->workgroup_memory, &engine->pool);
	return vkr_shadow_init(&engine->workgroup_memory, VKR_ENGINE_WORKGROUP, 0, workgroup_bytes,
			       true, error);
}

void vkr_engine_subgroups(struct vkr_engine *engine, uint32_t size)
{
	assert(engine->dispatch.open);
	engine->dispatch.subgroup_size = size;
}

bool vkr_engine_divide(struct vkr_engine *engine, uint32_t first, uint64_t count,
		       struct vkr_engine_workgroups *own)
{
	const struct vkr_shard *shard = engine->options.shard;
	struct vkr_dispatch_state *dispatch = &engine->dispatch;
	assert(dispatch->open && !dispatch->in_workgroup);
	*own = (struct vkr_engine_workgroups){first, first + count};
	// The last judge of all goes through all of them.
	if (!shard || shard->index == shard->count)
		return false;
	const uint64_t share = (count + shard->count - 1) / shard->count;
	const uint64_t begin = share * shard->index < count ? share * shard->index : count;
	const uint64_t end = begin + share < count ? begin + share : count;
	*own = (struct vkr_engine_workgroups){first + begin, first + end};
	dispatch->divided = true;
	dispatch->own_first = (uint32_t)own->first;
	dispatch->own_end = own->end;
	dispatch->counted = engine->accesses;
	return true;
}

static bool is_own(const struct vkr_engine *engine, uint32_t workgroup)
{
	return workgroup >= engine->dispatch.own_first && workgroup < engine->dispatch.own_end;
}

// The workgroup is over: its accesses count in the part whose own it is.
static void count_workgroup(struct vkr_engine *engine)
{
	struct vkr_dispatch_state *dispatch = &engine->dispatch;
	if (!dispatch->divided || dispatch->idle)
		return;
	if (dispatch->in_workgroup && is_own(engine, dispatch->workgroup))
		engine->options.shard->accesses += engine->accesses - dispatch->counted;
	else
		engine->accesses = dispatch->counted;
	dispatch->counted = engine->accesses;
}

struct vkr_fed_counts vkr_feed_counts(struct vkr_engine *engine)
{
	const struct vkr_shard *shard = engine->options.shard;
	vkr_shared_begin(engine);
	count_workgroup(engine);
	return (struct vkr_fed_counts){engine->accesses, shard ? shard->accesses : 0};
}

void vkr_feed_add_counts(struct vkr_engine *engine, const struct vkr_fed_counts *counts)
{
	engine->accesses += counts->accesses;
	if (engine->options.shard)
		engine->options.shard->accesses += counts->own;
}

void vkr_engine_count_pause(struct vkr_engine *engine)
{
	vkr_shared_begin(engine);
	count_workgroup(engine);
	engine->dispatch.counted = engine->accesses;
	engine->dispatch.idle = true;
}

void vkr_engine_count_resume(struct vkr_engine *engine)
{
	vkr_shared_begin(engine);
	engine->accesses = engine->dispatch.counted;
	engine->dispatch.idle = false;
}

void vkr_engine_part_differs(struct vkr_engine *engine)
{
	if (engine->dispatch.divided || engine->dealt.open)
		engine->options.shard->together = true;
}

bool vkr_engine_is_common(struct vkr_engine *engine, const struct vkr_engine_target *target)
{
	const struct vkr_shadow *shadow = target->memory == VKR_ENGINE_WORKGROUP
						  ? NULL
						  : vkr_shadow_fed(engine, target->memory);
	return shadow && shadow->mappings.count == 0 &&
	       vkr_share_is_common(&shadow->share, target->base, vkr_target_end(target, shadow));
}

enum vkr_result vkr_engine_deal(struct vkr_engine *engine, uint64_t work, bool *own,
				struct vkr_error *error)
{
	const struct vkr_shard *shard = engine->options.shard;
	uint64_t *of = engine->dealt.work;
	uint32_t least = 0;
	assert(!engine->dispatch.open && !engine->dealt.open);
	if (!of)
		of = engine->dealt.work = calloc(shard->count, sizeof *of);
	if (!of)
		return vkr_error_memory(error, "parts");
	for (uint32_t at = 1; at < shard->count; at++)
		least = of[at] < of[least] ? at : least;
	of[least] += work;
	*own = least == shard->index;
	engine->dealt.open = *own;
	engine->dealt.before = engine->accesses;
	return VKR_OK;
}

void vkr_engine_deal_end(struct vkr_engine *engine)
{
	assert(engine->dealt.open);
	engine->dealt.open = false;
	engine->options.shard->accesses += engine->accesses - engine->dealt.before;
}

bool vkr_engine_deals(const struct vkr_engine *engine)
{
	return engine->dealt.open;
}

static bool judges_workgroup(const struct vkr_engine *engine, uint32_t workgroup)
{
	const struct vkr_shard *shard = engine->options.shard;
	if (!shard)
		return true;
	if (engine->dispatch.divided ? is_own(engine, workgroup)
				     : workgroup % shard->count == shard->index)
		return true;
	return vkr_shard_pages_have(&shard->also, VKR_SHARD_DISPATCH | engine->dispatch.number,
				    workgroup);
}

enum vkr_result vkr_engine_workgroup(struct vkr_engine *engine, uint32_t workgroup,
				     struct vkr_error *error)
{
	assert(engine->dispatch.open);
	if (!vkr_read_marks_workgroup(&engine->marks, workgroup))
		return vkr_error_memory(error, "marks of reads");
	vkr_shared_begin(engine);
	count_workgroup(engine);
	engine->dispatch.workgroup = workgroup;
	engine->dispatch.in_workgroup = true;
	vkr_intervals_begin(&engine->intervals);
	if (engine->dispatch.accessed)
		vkr_shadow_wipe(&engine->workgroup_memory, &engine->pool);
	engine->dispatch.accessed = engine->dispatch.conflicts = false;
	engine->workgroup_races.count = 0;
	engine->dispatch.workgroups++;
	engine->dispatch.judged = judges_workgroup(engine, workgroup);
	engine->dispatch.noted = false;
	return VKR_OK;
}

bool vkr_engine_workgroup_conflicts(const struct vkr_engine *engine)
{
	return engine->dispatch.conflicts;
}

bool vkr_engine_workgroup_is_judged(const struct vkr_engine *engine)
{
	return engine->dispatch.judged || !engine->dispatch.accessed;
}

bool vkr_engine_judges_workgroup(const struct vkr_engine *engine)
{
	return engine->dispatch.judged;
}

size_t vkr_engine_workgroup_races(const struct vkr_engine *engine,
				  const struct vkr_engine_raced **races)
{
	*races = engine->workgroup_races.items;
	return engine->workgroup_races.count;
}

void vkr_engine_count_accesses(struct vkr_engine *engine, uint64_t accesses)
{
	engine->accesses += accesses;
}

enum vkr_result vkr_engine_workgroup_repeats(struct vkr_engine *engine, uint64_t accesses,
					     const struct vkr_engine_raced *races, size_t count,
					     struct vkr_error *error)
{
	assert(engine->dispatch.in_workgroup);
	engine->accesses += accesses;
	if (count == 0 || !engine->dispatch.judged)
		return VKR_OK;
	for (size_t at = 0; at < count; at++)
		engine->pairs.items[races[at].pair].count += races[at].count;
	return !engine->options.shard || vkr_judge_note_workgroup(engine)
		       ? VKR_OK
		       : vkr_error_memory(error, "races");
}

bool vkr_engine_has_part(const struct vkr_engine *engine)
{
	return engine->options.shard != NULL;
}

uint32_t vkr_engine_part_count(const struct vkr_engine *engine)
{
	return engine->options.shard ? engine->options.shard->count : 1;
}

bool vkr_engine_reads_again(struct vkr_engine *engine, uint32_t site,
			    const struct vkr_engine_target *target, uint64_t low, uint64_t high,
			    uint32_t bytes)
{
	const struct vkr_shadow *shadow = vkr_shadow_fed(engine, target->memory);
	if (!shadow || shadow->mappings.count > 0)
		return false;
	const struct vkr_marks_range range = vkr_marks_range_of(target, shadow);
	return vkr_read_marks_cover(&engine->marks, site, target->reference, &range, low, high,
				    bytes);
}

enum vkr_result vkr_engine_is_elsewhere(struct vkr_engine *engine,
					const struct vkr_engine_target *target, uint64_t low,
					uint64_t high, bool *elsewhere, struct vkr_error *error)
{
	const bool shared = target->memory == VKR_ENGINE_WORKGROUP;
	struct vkr_shadow *shadow = shared ? NULL : vkr_shadow_fed(engine, target->memory);
	*elsewhere = false;
	if (!shadow || !shadow->share.divided || shadow->mappings.count > 0)
		return VKR_OK;
	if (!vkr_share_place(&shadow->share, engine->options.shard, target->base,
			     vkr_target_end(target, shadow), &engine->next_part))
		return vkr_error_memory(error, "shadow memory");
	uint64_t at = target->base + low, end;
	*elsewhere = !vkr_share_next(&shadow->share, &at, target->base + high, &end);
	return VKR_OK;
}

enum vkr_result vkr_engine_barrier(struct vkr_engine *engine,
				   const struct vkr_engine_barrier *barrier,
				   struct vkr_error *error)
{
	assert(engine->dispatch.in_workgroup);
	const enum vkr_result result = vkr_shared_barrier(engine, barrier, error);
	vkr_intervals_barrier(&engine->intervals, barrier);
	return result;
}

void vkr_engine_dispatch_end(struct vkr_engine *engine)
{
	assert(engine->dispatch.open);
	vkr_shared_begin(engine);
	count_workgroup(engine);
	vkr_noted_reads_end(engine);
	engine->dispatch.open = engine->dispatch.divided = false;
	engine->dispatch.in_workgroup = false;
}
