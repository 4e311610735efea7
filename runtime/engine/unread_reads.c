// SPDX-License-Identifier: Apache-2.0
#include "unread_reads.h"
#include "read_deferral.h"

#include "array.h"
#include "error.h"

#include <assert.h>

// Where the target's reads wait. False: nowhere.
static bool find_range(struct vkr_engine *engine, const struct vkr_engine_target *target,
		       struct vkr_shadow **shadow, uint64_t *high)
{
	*shadow = target->memory != VKR_ENGINE_WORKGROUP ? vkr_shadow_fed(engine, target->memory)
							 : NULL;
	*high = *shadow != NULL ? vkr_target_end(target, *shadow) : 0;
	return *high > target->base;
}

// The reads of all invocations, whose numbers are not known yet: when they are, the epoch is
// another one.
static enum vkr_result access_all(struct vkr_engine *engine, uint32_t site,
				  const struct vkr_engine_target *target, struct vkr_shadow *shadow,
				  struct vkr_access *access, struct vkr_error *error)
{
	engine->dispatch.workgroup = 0;
	const enum vkr_result result =
		vkr_access_shader(engine, site, target, shadow, VKR_SHAPE_UNIFORM, access, error);
	engine->sites.items[site - 1].last[true].epoch = 0;
	return result;
}

enum vkr_result vkr_unread_may_wait(struct vkr_engine *engine, uint32_t site,
				    const struct vkr_engine_target *target, bool *may,
				    struct vkr_error *error)
{
	struct vkr_shadow *shadow;
	struct vkr_access access;
	uint64_t high;
	assert(engine->dispatch.open);
	*may = find_range(engine, target, &shadow, &high) && shadow->mappings.count == 0 &&
	       vkr_deferral_is_plain(&engine->sites.items[site - 1]) &&
	       (vkr_deferred_find(shadow, target->base, high) != NULL ||
		!vkr_deferred_waits(shadow, target->base, high));
	if (!*may)
		return VKR_OK;
	const enum vkr_result result = access_all(engine, site, target, shadow, &access, error);
	return result == VKR_OK
		       ? vkr_deferral_is_clear(engine, &access, target->base, high, may, error)
		       : result;
}

enum vkr_result vkr_unread_wait(struct vkr_engine *engine, uint32_t site,
				const struct vkr_engine_target *target, struct vkr_unread_log *log,
				uint32_t access_of_log, struct vkr_error *error)
{
	struct vkr_shadow *shadow;
	struct vkr_access access;
	uint64_t high;
	if (!find_range(engine, target, &shadow, &high))
		return VKR_OK;
	const enum vkr_result result = access_all(engine, site, target, shadow, &access, error);
	if (result != VKR_OK)
		return result;
	struct vkr_deferred_group *group = vkr_deferred_find(shadow, target->base, high);
	if (group == NULL)
		group = vkr_deferred_group_make(engine, shadow, target->base, high);
	if (group == NULL || !VKR_ARRAY_RESERVE(&group->unread, 1))
		return vkr_error_memory(error, "reads that wait");
	vkr_deferral_settle(engine, shadow, group);
	group->unread.items[group->unread.count++] =
		(struct vkr_deferred_unread){log, access_of_log, site, access.epoch};
	vkr_queues_command_hold(&engine->queues, log->command);
	return VKR_OK;
}

void vkr_unread_dispatch(struct vkr_engine *engine, const struct vkr_unread_log *log,
			 uint32_t local_size)
{
	engine->dispatch.command = log->command;
	engine->dispatch.local_size = local_size;
	engine->dispatch.local_bits = (uint8_t)vkr_engine_local_bits(local_size);
}

// Does something with each group that reads wait in, which may take that group away.
static void each_group(struct vkr_engine *engine,
		       void (*visit)(struct vkr_engine *engine, struct vkr_shadow *shadow,
				     struct vkr_deferred_group *group, struct vkr_unread_log **log),
		       struct vkr_unread_log **log)
{
	for (size_t memory = 0; memory < engine->memories.count; memory++) {
		struct vkr_shadow *shadow = &engine->memories.items[memory];
		size_t at = shadow->deferred != NULL ? shadow->deferred->count : 0;
		while (shadow->deferred != NULL && at-- > 0)
			visit(engine, shadow, shadow->deferred->items[at], log);
	}
}

static void settle_group(struct vkr_engine *engine, struct vkr_shadow *shadow,
			 struct vkr_deferred_group *group, struct vkr_unread_log **log)
{
	(void)log;
	vkr_deferral_settle(engine, shadow, group);
	vkr_deferred_group_tidy(engine, shadow, group);
}

void vkr_unread_settle(struct vkr_engine *engine)
{
	each_group(engine, settle_group, NULL);
}

static void look_for_oldest(struct vkr_engine *engine, struct vkr_shadow *shadow,
			    struct vkr_deferred_group *group, struct vkr_unread_log **log)
{
	(void)engine;
	(void)shadow;
	if (group->unread.count > 0 &&
	    (*log == NULL || group->unread.items[0].log->number < (*log)->number))
		*log = group->unread.items[0].log;
}

static void forget_log(struct vkr_engine *engine, struct vkr_shadow *shadow,
		       struct vkr_deferred_group *group, struct vkr_unread_log **log)
{
	size_t count = 0;
	while (count < group->unread.count && group->unread.items[count].log == *log)
		count++;
	vkr_deferred_forget(engine, group, count);
	vkr_deferred_group_tidy(engine, shadow, group);
}

enum vkr_result vkr_unread_read(struct vkr_engine *engine, bool *read, struct vkr_error *error)
{
	struct vkr_unread_log *log = NULL;
	each_group(engine, look_for_oldest, &log);
	*read = log != NULL;
	if (log == NULL)
		return VKR_OK;
	const enum vkr_result result = vkr_deferred_read_log(engine, log, NULL, error);
	each_group(engine, forget_log, &log);
	return result;
}
