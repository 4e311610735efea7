// SPDX-License-Identifier: Apache-2.0
// Feeding accesses, ranges, dispatches and workgroups. Knows how they arrive; not what races.
#include "engine_feed.h"
#include "array.h"
#include "error.h"
#include "judge.h"
#include "read_deferral.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST_LOCAL_BITS 16u

// ---- Accesses -----------------------------------------------------------------------------------

// Interval of the epoch of a memory's end: its verdicts are not those of a host write.
#define FREEING UINT32_MAX

// The epoch of a site's accesses now; the last one is kept, for most often it is the same again.
static enum vkr_result epoch_of(struct vkr_engine *engine, struct vkr_judge_site *site,
				uint32_t site_id, const struct vkr_access *access, uint32_t high,
				uint32_t *epoch, struct vkr_error *error)
{
	const bool uniform = access->paint.shape == VKR_SHAPE_UNIFORM;
	const uint32_t interval = access->freeing ? FREEING : access->interval;
	enum vkr_result result;
	struct vkr_epoch content;

	if (site->last[uniform].epoch != 0 && site->last[uniform].command == access->command &&
	    site->last[uniform].interval == interval &&
	    site->last[uniform].reference == access->reference &&
	    site->last[uniform].high == high && site->last[uniform].shape == access->paint.shape) {
		*epoch = site->last[uniform].epoch;
		return VKR_OK;
	}
	result = vkr_engine_collect_epochs(engine, error);
	if (result != VKR_OK)
		return result;
	content = (struct vkr_epoch){.command = access->command,
				     .site = site_id,
				     .reference = access->reference,
				     .interval = interval,
				     .high = high,
				     .shape = access->paint.shape,
				     .local_bits = access->local_bits,
				     .invocation = access->invocation};
	result = vkr_epochs_find(&engine->epochs, &content, epoch, error);
	if (result != VKR_OK)
		return result;
	site->last[uniform].command = access->command;
	site->last[uniform].interval = interval;
	site->last[uniform].reference = access->reference;
	site->last[uniform].high = high;
	site->last[uniform].shape = access->paint.shape;
	site->last[uniform].epoch = *epoch;
	return VKR_OK;
}

static struct vkr_judge_site *site_of(struct vkr_engine *engine, uint32_t site)
{
	assert(site >= 1 && site <= engine->sites.count);
	return &engine->sites.items[site - 1];
}

// Where a target ends in its memory.
uint64_t vkr_target_end(const struct vkr_engine_target *target, const struct vkr_shadow *shadow)
{
	if (target->base >= shadow->bytes)
		return 0;
	return target->bytes < shadow->bytes - target->base ? target->base + target->bytes
							    : shadow->bytes;
}

struct vkr_marks_range vkr_marks_range_of(const struct vkr_engine_target *target,
					  const struct vkr_shadow *shadow)
{
	return (struct vkr_marks_range){shadow->memory, target->base,
					vkr_target_end(target, shadow)};
}

// Bytes that the dispatch writes are not marked as read.
static bool note_written(struct vkr_engine *engine, const struct vkr_engine_target *target,
			 const struct vkr_shadow *shadow)
{
	const struct vkr_marks_range range = vkr_marks_range_of(target, shadow);
	return shadow == &engine->workgroup_memory ||
	       vkr_read_marks_written(&engine->marks, &range);
}

// All of the access but its epoch.
static enum vkr_result begin_access(struct vkr_engine *engine, uint32_t site_id,
				    const struct vkr_engine_target *target,
				    struct vkr_shadow *shadow, uint8_t shape,
				    struct vkr_access *access, struct vkr_error *error)
{
	const struct vkr_judge_site *site = site_of(engine, site_id);
	*access = (struct vkr_access){.command = engine->dispatch.command,
				      .site = site_id,
				      .reference = target->reference,
				      .interval = engine->intervals.current,
				      .what = site,
				      .shadow = shadow,
				      .paint = {.shape = shape},
				      .invocation = true,
				      .workgroup = engine->dispatch.workgroup,
				      .local_bits = engine->dispatch.local_bits};
	if (shadow->share.divided &&
	    !vkr_share_place(&shadow->share, engine->options.shard, target->base,
			     vkr_target_end(target, shadow), &engine->next_part))
		return vkr_error_memory(error, "shadow memory");
	shadow->beside_writes = shadow->beside_writes || site->flags & VKR_ENGINE_WRITE;
	if (site->flags & VKR_ENGINE_WRITE && !note_written(engine, target, shadow))
		return vkr_error_memory(error, "marks of reads");
	return VKR_OK;
}

enum vkr_result vkr_access_shader(struct vkr_engine *engine, uint32_t site_id,
				  const struct vkr_engine_target *target, struct vkr_shadow *shadow,
				  uint8_t shape, struct vkr_access *access, struct vkr_error *error)
{
	const enum vkr_result result =
		begin_access(engine, site_id, target, shadow, shape, access, error);
	if (result != VKR_OK)
		return result;
	return epoch_of(engine, site_of(engine, site_id), site_id, access,
			(uint32_t)(((uint64_t)access->workgroup << access->local_bits) >>
				   VKR_SLOT_FIELD_BITS),
			&access->epoch, error);
}

enum vkr_result vkr_access_elements(struct vkr_engine *engine,
				    const struct vkr_engine_elements *list,
				    struct vkr_shadow *shadow, uint8_t shape,
				    struct vkr_access *access, struct vkr_error *error)
{
	const enum vkr_result result =
		begin_access(engine, list->site, list->target, shadow, shape, access, error);
	if (result != VKR_OK)
		return result;
	struct vkr_invocation_table *table =
		vkr_invocation_table(&engine->tables, list->invocations, list->count);
	if (table == NULL)
		return vkr_error_memory(error, "shadow memory");
	access->interval = 0;
	access->table = table;
	const struct vkr_epoch content = {.command = access->command,
					  .site = list->site,
					  .reference = access->reference,
					  .table = table,
					  .shape = shape,
					  .local_bits = access->local_bits,
					  .invocation = true};
	access->paint.base = list->target->base + (list->first << shape);
	const enum vkr_result found =
		vkr_epochs_find(&engine->epochs, &content, &access->epoch, error);
	access->paint.slot = vkr_slot_make(VKR_SLOT_SINGLE, access->epoch, 0);
	return found;
}

static enum vkr_result access_plain(struct vkr_engine *engine, uint32_t command, uint32_t site_id,
				    struct vkr_shadow *shadow, bool freeing,
				    struct vkr_access *access, struct vkr_error *error)
{
	struct vkr_judge_site *site = site_of(engine, site_id);
	enum vkr_result result;
	*access = (struct vkr_access){.command = command,
				      .site = site_id,
				      .what = site,
				      .shadow = shadow,
				      .paint = {.shape = VKR_SHAPE_UNIFORM},
				      .freeing = freeing};
	access->by_range = (access->what->flags & (VKR_ENGINE_MAY_ACCESS | VKR_ENGINE_WRITE)) ==
			   VKR_ENGINE_MAY_ACCESS;
	shadow->beside_writes =
		shadow->beside_writes ||
		(access->what->flags & VKR_ENGINE_WRITE &&
		 (access->what->stage == VKR_ENGINE_TRANSITION ||
		  access->what->flags & (VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS)));
	if (engine->dispatch.open && site->flags & VKR_ENGINE_WRITE &&
	    !vkr_read_marks_written(&engine->marks,
				    &(struct vkr_marks_range){shadow->memory, 0, UINT64_MAX}))
		return vkr_error_memory(error, "marks of reads");
	result = epoch_of(engine, site, site_id, access, 0, &access->epoch, error);
	vkr_access_aim(access, 0, 0);
	return result;
}

// An access of a range: reads that wait there come before it, or are taken out by it.
static enum vkr_result access_range(struct vkr_engine *engine, uint32_t command, uint32_t site,
				    struct vkr_shadow *shadow, bool freeing, uint64_t low,
				    uint64_t high, struct vkr_access *access,
				    struct vkr_error *error)
{
	bool fed = false;
	enum vkr_result result =
		access_plain(engine, command, site, shadow, freeing, access, error);
	if (result == VKR_OK && shadow->deferred != NULL)
		result = vkr_deferral_meet(engine, access, low, high, &fed, error);
	return result == VKR_OK && fed
		       ? access_plain(engine, command, site, shadow, freeing, access, error)
		       : result;
}

// ---- Ranges -------------------------------------------------------------------------------------

struct vkr_shadow *vkr_shadow_fed(struct vkr_engine *engine, uint32_t memory)
{
	if (memory == VKR_ENGINE_WORKGROUP) {
		engine->dispatch.accessed = true;
		return &engine->workgroup_memory;
	}
	if (memory == 0 || memory > engine->memories.count ||
	    !engine->memories.items[memory - 1].live)
		return NULL;
	return &engine->memories.items[memory - 1];
}

enum vkr_result vkr_engine_check_stop(const struct vkr_engine *engine, struct vkr_error *error)
{
	const _Atomic bool *stop = engine->options.stop;
	if (stop && atomic_load_explicit(stop, memory_order_relaxed))
		return vkr_error_set(error, VKR_ERROR_STOPPED, "judging was stopped");
	return VKR_OK;
}

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

// Judges the bytes of a range that are in the judged part.
static enum vkr_result judge_own(struct vkr_engine *engine, const struct vkr_access *access,
				 uint64_t low, uint64_t high, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint64_t end;
	     result == VKR_OK && vkr_share_next(&access->shadow->share, &low, high, &end);
	     low = end)
		result = vkr_judge_range(engine, access, low, end, error);
	return result;
}

enum vkr_result vkr_judge_access(struct vkr_engine *engine, uint32_t command, uint32_t site,
				 const struct vkr_engine_range *range, struct vkr_error *error)
{
	struct vkr_shadow *shadow = range->memory == VKR_ENGINE_WORKGROUP
					    ? NULL
					    : vkr_shadow_fed(engine, range->memory);
	const uint64_t offset = range->offset;
	uint64_t bytes = range->bytes;
	struct vkr_access access;
	enum vkr_result result;

	if (!shadow || bytes == 0 || offset >= shadow->bytes)
		return VKR_OK;
	if (bytes > shadow->bytes - offset)
		bytes = shadow->bytes - offset;
	assert(engine->queues.commands.items[command - 1].state);
	result = access_range(engine, command, site, shadow, false, offset, offset + bytes, &access,
			      error);
	if (result != VKR_OK)
		return result;
	engine->accesses += !access.by_range;
	if (!vkr_share_place(&shadow->share, engine->options.shard, offset, offset + bytes,
			     &engine->next_part))
		return vkr_error_memory(error, "shadow memory");
	result = judge_own(engine, &access, offset, offset + bytes, error);
	if (result == VKR_OK && access.what->flags & VKR_ENGINE_WRITE)
		result = vkr_may_access_judge(engine, &access, offset, offset + bytes, error);
	if (result == VKR_OK && access.by_range)
		result = vkr_may_access_add(engine, &access, offset, offset + bytes, error);
	return result;
}

enum vkr_result vkr_engine_memory_free(struct vkr_engine *engine, uint32_t memory, uint32_t command,
				       uint32_t site, struct vkr_error *error)
{
	struct vkr_shadow *shadow =
		memory == VKR_ENGINE_WORKGROUP ? NULL : vkr_shadow_fed(engine, memory);
	struct vkr_access access;
	enum vkr_result result;

	if (!shadow)
		return VKR_OK;
	result =
		access_range(engine, command, site, shadow, true, 0, shadow->bytes, &access, error);
	if (result == VKR_OK)
		result = judge_own(engine, &access, 0, shadow->bytes, error);
	if (result == VKR_OK)
		result = vkr_may_access_judge(engine, &access, 0, shadow->bytes, error);
	vkr_deferred_drop(engine, shadow);
	vkr_shadow_finish(shadow, &engine->pool);
	return result;
}

void vkr_engine_memory_drop(struct vkr_engine *engine, uint32_t memory)
{
	struct vkr_shadow *shadow =
		memory == VKR_ENGINE_WORKGROUP ? NULL : vkr_shadow_fed(engine, memory);
	if (!shadow)
		return;
	vkr_deferred_drop(engine, shadow);
	vkr_shadow_finish(shadow, &engine->pool);
}

// ---- Dispatches ---------------------------------------------------------------------------------

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
