// SPDX-License-Identifier: Apache-2.0
// Feeding accesses of ranges, and the end of memory. Knows which reads wait there; not where ranges
// are mapped, nor what races.
#include "engine_feed.h"
#include "error.h"
#include "judge.h"
#include "read_deferral.h"

#include <assert.h>

// An access of a range: reads that wait there come before it, or are taken out by it.
static enum vkr_result access_range(struct vkr_engine *engine, uint32_t command, uint32_t site,
				    struct vkr_shadow *shadow, bool freeing, uint64_t low,
				    uint64_t high, struct vkr_access *access,
				    struct vkr_error *error)
{
	bool fed = false;
	enum vkr_result result =
		vkr_access_plain(engine, command, site, shadow, freeing, access, error);
	if (result == VKR_OK && shadow->deferred != NULL)
		result = vkr_deferral_meet_unread(engine, access, low, high, &fed, error);
	if (result == VKR_OK && fed)
		result = vkr_access_plain(engine, command, site, shadow, freeing, access, error);
	fed = false;
	if (result == VKR_OK && shadow->deferred != NULL)
		result = vkr_deferral_meet(engine, access, low, high, &fed, error);
	return result == VKR_OK && fed
		       ? vkr_access_plain(engine, command, site, shadow, freeing, access, error)
		       : result;
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
