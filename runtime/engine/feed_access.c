// SPDX-License-Identifier: Apache-2.0
// Makes accesses of what is fed: in which memory, by which epoch. Knows nothing of how they arrive,
// nor of what races.
#include "engine_feed.h"
#include "error.h"

#include <assert.h>
#include <stdatomic.h>

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

bool vkr_target_place(struct vkr_engine *engine, const struct vkr_engine_target *target,
		      struct vkr_shadow *shadow)
{
	return !shadow->share.divided ||
	       vkr_share_place(&shadow->share, engine->options.shard, target->base,
			       vkr_target_end(target, shadow), &engine->next_part);
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
	if (!vkr_target_place(engine, target, shadow))
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
	access->paint.slot = vkr_slot_single(access->epoch, 0);
	return found;
}

enum vkr_result vkr_access_plain(struct vkr_engine *engine, uint32_t command, uint32_t site_id,
				 struct vkr_shadow *shadow, bool freeing, struct vkr_access *access,
				 struct vkr_error *error)
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
