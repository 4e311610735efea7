// SPDX-License-Identifier: Apache-2.0
// Workgroup memory between two control barriers that settle all that was before them. Reads of
// variables that nothing writes there wait, and so do atomics on variables that nothing else
// accesses there. Most are never judged: they race with nothing, and are settled at the next such
// barrier. Knows which accesses cannot race, whatever their invocations; everything else is left to
// the other judges.
#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "site_scope.h"

#include <stdlib.h>
#include <string.h>

// Words of lists that may wait: of more, they are judged.
#define WAITING_MOST ((size_t)1 << 16)

void vkr_shared_finish(struct vkr_shared *shared)
{
	free(shared->parts.items);
	free(shared->waiting.items);
	free(shared->words.items);
	*shared = (struct vkr_shared){0};
}

// What waits did not race.
static void drop_waiting(struct vkr_engine *engine)
{
	struct vkr_shared *shared = &engine->shared;
	engine->accesses += shared->accesses;
	shared->accesses = 0;
	shared->waiting.count = shared->words.count = 0;
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
		shared->parts.items[at].kind = VKR_SHARED_JUDGED;
	shared->judged += shared->accesses;
	for (size_t at = 0; at < shared->waiting.count && result == VKR_OK; at++) {
		const struct vkr_shared_access *access = &shared->waiting.items[at];
		struct vkr_engine_run run = access->run;
		run.target = &access->target;
		if (!access->scattered) {
			result = vkr_feed_run(engine, &engine->workgroup_memory, &run,
					      access->iterations, error);
			continue;
		}
		const uint32_t *offsets = shared->words.items + access->first;
		const struct vkr_engine_scatter scatter = {
			.site = run.site,
			.local = run.local,
			.count = run.count,
			.offsets = offsets,
			.locals = access->listed ? offsets + run.count : NULL,
			.target = run.target};
		result = vkr_feed_list(engine, &engine->workgroup_memory, &scatter, error);
	}
	shared->waiting.count = shared->words.count = 0;
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

// Which accesses of the site may wait.
static enum vkr_shared_kind kind_of(const struct vkr_engine *engine,
				    const struct vkr_judge_site *site)
{
	const uint32_t others = VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS;
	if (engine->private_sharing || site->storage_class != VKR_CLASS_WORKGROUP)
		return VKR_SHARED_JUDGED;
	if (!(site->flags & others))
		return VKR_SHARED_READS;
	return site->flags & VKR_ENGINE_ATOMIC && !(site->flags & VKR_ENGINE_EQUAL_SCOPES) &&
			       site->piece_count == 0 && vkr_scope_has_workgroup(site->scope)
		       ? VKR_SHARED_ATOMICS
		       : VKR_SHARED_JUDGED;
}

// The part of a target; NULL for lack of memory. *alone: nothing else has been accessed there but
// by accesses of this kind. *beside: something waits where it reaches.
static struct vkr_shared_part *part_of(struct vkr_shared *shared, uint32_t bytes,
				       enum vkr_shared_kind kind,
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
		*beside = *beside || part->kind != VKR_SHARED_JUDGED;
		*alone = *alone && part->kind == kind &&
			 (kind == VKR_SHARED_READS || (part == found && part->size == bytes &&
						       part->reference == target->reference));
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

static bool add_words(struct vkr_shared *shared, const uint32_t *words, uint32_t count)
{
	if (!VKR_ARRAY_RESERVE(&shared->words, count))
		return false;
	memcpy(shared->words.items + shared->words.count, words, count * sizeof *words);
	shared->words.count += count;
	return true;
}

// Puts an access after those that wait; false for lack of memory.
static bool put_off(struct vkr_engine *engine, const struct vkr_engine_run *run,
		    uint32_t iterations, const uint32_t *offsets, const uint32_t *locals)
{
	struct vkr_shared *shared = &engine->shared;
	if (!VKR_ARRAY_RESERVE(&shared->waiting, 1))
		return false;
	shared->waiting.items[shared->waiting.count++] =
		(struct vkr_shared_access){.run = *run,
					   .target = *run->target,
					   .iterations = iterations,
					   .scattered = offsets != NULL,
					   .listed = locals != NULL,
					   .first = shared->words.count};
	shared->accesses += (uint64_t)run->count * iterations;
	return (offsets == NULL || add_words(shared, offsets, run->count)) &&
	       (locals == NULL || add_words(shared, locals, run->count));
}

// Whether all invocations are of the workgroup.
static bool has_invocations(const struct vkr_engine *engine, const struct vkr_engine_run *run,
			    const uint32_t *locals)
{
	const uint32_t local_size = engine->dispatch.local_size;
	for (uint32_t at = 0; locals != NULL && at < run->count; at++)
		if (locals[at] >= local_size)
			return false;
	return locals != NULL || (run->local < local_size && run->count <= local_size - run->local);
}

enum vkr_result vkr_shared_access(struct vkr_engine *engine, const struct vkr_engine_run *run,
				  uint32_t iterations, const uint32_t *offsets,
				  const uint32_t *locals, bool *waits, struct vkr_error *error)
{
	struct vkr_shared *shared = &engine->shared;
	const struct vkr_judge_site *site = &engine->sites.items[run->site - 1];
	const enum vkr_shared_kind kind = kind_of(engine, site);
	const size_t words = (offsets != NULL ? run->count : 0) + (locals != NULL ? run->count : 0);
	bool alone = false, beside = false;
	struct vkr_shared_part *part =
		part_of(shared, site->bytes, kind, run->target, &alone, &beside);
	enum vkr_result result = VKR_OK;
	*waits = false;
	if (part == NULL)
		return vkr_error_memory(error, "workgroup memory");
	if (kind != VKR_SHARED_JUDGED && alone && has_invocations(engine, run, locals) &&
	    shared->waiting.count + shared->words.count + words <= WAITING_MOST) {
		*waits = true;
		part->kind = kind;
		return put_off(engine, run, iterations, offsets, locals)
			       ? VKR_OK
			       : vkr_error_memory(error, "workgroup memory");
	}
	if (beside)
		result = judge_waiting(engine, error);
	part->kind = VKR_SHARED_JUDGED;
	shared->judged += (uint64_t)run->count * iterations;
	return result;
}
