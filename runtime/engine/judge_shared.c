// SPDX-License-Identifier: Apache-2.0
// Workgroup memory between two control barriers that settle all that was before them. Atomics on
// variables that nothing else accesses there wait, and most are never judged: they are mutually
// ordered, and settled at the next such barrier. Knows which accesses cannot race, whatever their
// invocations; everything else is left to the other judges.
#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "site_scope.h"

#include <stdlib.h>
#include <string.h>

// Offsets that may wait: of more, the lists are judged.
#define WAITING_MOST ((size_t)1 << 16)

void vkr_shared_finish(struct vkr_shared *shared)
{
	free(shared->parts.items);
	free(shared->waiting.items);
	free(shared->offsets.items);
	*shared = (struct vkr_shared){0};
}

// What waits did not race.
static void drop_waiting(struct vkr_engine *engine)
{
	struct vkr_shared *shared = &engine->shared;
	engine->accesses += shared->accesses;
	shared->accesses = 0;
	shared->waiting.count = shared->offsets.count = 0;
}

void vkr_shared_begin(struct vkr_engine *engine)
{
	drop_waiting(engine);
	engine->shared.parts.count = 0;
	engine->shared.judged = 0;
}

// ---- Barriers -----------------------------------------------------------------------------------

// Whether a barrier orders all accesses to workgroup memory before it before all after it, and
// what they wrote is seen there: no site's are private.
static bool judge_shared_settles(const struct vkr_engine *engine,
				 const struct vkr_engine_barrier *barrier)
{
	return !engine->private_sharing &&
	       barrier->ordered & barrier->available & barrier->visible & VKR_CLASS_WORKGROUP;
}

static enum vkr_result judge_waiting(struct vkr_engine *engine, struct vkr_error *error)
{
	struct vkr_shared *shared = &engine->shared;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < shared->parts.count; at++)
		shared->parts.items[at].waits = false;
	shared->judged += shared->accesses;
	for (size_t at = 0; at < shared->waiting.count && result == VKR_OK; at++) {
		const struct vkr_shared_access *access = &shared->waiting.items[at];
		struct vkr_engine_run run = access->run;
		run.target = &access->target;
		if (!access->scattered) {
			result = vkr_feed_run(engine, &engine->workgroup_memory, &run, 1, error);
			continue;
		}
		const struct vkr_engine_scatter scatter = {.site = run.site,
							   .local = run.local,
							   .count = run.count,
							   .offsets = shared->offsets.items +
								      access->first,
							   .target = run.target};
		result = vkr_feed_list(engine, &engine->workgroup_memory, &scatter, error);
	}
	shared->waiting.count = shared->offsets.count = 0;
	shared->accesses = 0;
	return result;
}

enum vkr_result vkr_shared_barrier(struct vkr_engine *engine,
				   const struct vkr_engine_barrier *barrier,
				   struct vkr_error *error)
{
	struct vkr_shared *shared = &engine->shared;
	const uint64_t words = engine->workgroup_memory.bytes / VKR_WORD_BYTES;
	if (!judge_shared_settles(engine, barrier))
		return judge_waiting(engine, error);
	drop_waiting(engine);
	shared->parts.count = 0;
	// What is remembered says nothing any more. Where it is little, it is not worth the way
	// through all of it.
	if (shared->judged >= words / 8 && shared->judged > 0) {
		vkr_shadow_wipe(&engine->workgroup_memory, &engine->pool);
		shared->judged = 0;
	}
	return VKR_OK;
}

// ---- Accesses -----------------------------------------------------------------------------------

static bool may_wait(const struct vkr_engine *engine, const struct vkr_judge_site *site)
{
	return !engine->private_sharing && site->flags & VKR_ENGINE_ATOMIC &&
	       !(site->flags & VKR_ENGINE_EQUAL_SCOPES) && site->piece_count == 0 &&
	       site->storage_class == VKR_CLASS_WORKGROUP && vkr_scope_has_workgroup(site->scope);
}

// The part of a target; NULL for lack of memory. *alone: nothing else has been accessed there but
// by atomics like these. *beside: something waits where it reaches.
static struct vkr_shared_part *part_of(struct vkr_shared *shared, uint32_t bytes,
				       const struct vkr_engine_target *target, bool *alone,
				       bool *beside)
{
	struct vkr_shared_part *found = NULL;
	*alone = true;
	*beside = false;
	for (size_t at = 0; at < shared->parts.count; at++) {
		struct vkr_shared_part *part = &shared->parts.items[at];
		if (part->base == target->base && part->bytes == target->bytes)
			found = part;
		if (part->base - target->base >= target->bytes &&
		    target->base - part->base >= part->bytes)
			continue;
		*beside = *beside || part->waits;
		*alone = *alone && part == found && part->waits && part->size == bytes &&
			 part->reference == target->reference;
	}
	if (found != NULL)
		return found;
	if (!VKR_ARRAY_RESERVE(&shared->parts, 1))
		return NULL;
	found = &shared->parts.items[shared->parts.count++];
	*found = (struct vkr_shared_part){.base = target->base,
					  .bytes = target->bytes,
					  .reference = target->reference,
					  .size = bytes};
	return found;
}

// Puts an access after those that wait; false for lack of memory.
static bool put_off(struct vkr_engine *engine, const struct vkr_engine_run *run,
		    const uint32_t *offsets)
{
	struct vkr_shared *shared = &engine->shared;
	if (!VKR_ARRAY_RESERVE(&shared->waiting, 1) ||
	    (offsets != NULL && !VKR_ARRAY_RESERVE(&shared->offsets, run->count)))
		return false;
	shared->waiting.items[shared->waiting.count++] =
		(struct vkr_shared_access){.run = *run,
					   .target = *run->target,
					   .scattered = offsets != NULL,
					   .first = shared->offsets.count};
	shared->accesses += run->count;
	if (offsets == NULL)
		return true;
	memcpy(shared->offsets.items + shared->offsets.count, offsets,
	       run->count * sizeof *offsets);
	shared->offsets.count += run->count;
	return true;
}

enum vkr_result vkr_shared_access(struct vkr_engine *engine, const struct vkr_engine_run *run,
				  const uint32_t *offsets, bool may, bool *waits,
				  struct vkr_error *error)
{
	struct vkr_shared *shared = &engine->shared;
	const struct vkr_judge_site *site = &engine->sites.items[run->site - 1];
	const uint32_t local_size = engine->dispatch.local_size;
	bool alone = false, beside = false;
	struct vkr_shared_part *part = part_of(shared, site->bytes, run->target, &alone, &beside);
	enum vkr_result result = VKR_OK;
	*waits = false;
	if (part == NULL)
		return vkr_error_memory(error, "workgroup memory");
	if (may && alone && may_wait(engine, site) && run->local < local_size &&
	    run->count <= local_size - run->local &&
	    shared->waiting.count + shared->offsets.count + run->count <= WAITING_MOST) {
		*waits = part->waits = true;
		return put_off(engine, run, offsets) ? VKR_OK
						     : vkr_error_memory(error, "workgroup memory");
	}
	if (beside)
		result = judge_waiting(engine, error);
	part->waits = false;
	shared->judged += run->count;
	return result;
}
