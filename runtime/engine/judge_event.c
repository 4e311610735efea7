// SPDX-License-Identifier: Apache-2.0
// Puts together what is one race of two accesses from the leaves of shadow memory that their bytes
// lie in. Knows nothing of which accesses race, nor of how races are named.
#include "array.h"
#include "error.h"
#include "judge.h"

#include <assert.h>

// Bytes of one access by a site, 0 where these are not one range of a known size.
static uint64_t access_bytes(const struct vkr_judge_site *site, bool invocation)
{
	return invocation && site->piece_count == 0 ? site->bytes : 0;
}

// Where an access that has `at` ends: what is accessed in a shape is aligned, what one invocation
// accessed otherwise is taken to begin where the race does.
static uint64_t access_end(uint64_t at, uint64_t high, uint64_t bytes, uint8_t shape)
{
	uint64_t end = high;
	assert(bytes > 0 || shape == VKR_SHAPE_UNIFORM);
	if (shape != VKR_SHAPE_UNIFORM)
		end = at / bytes * bytes + bytes;
	else if (bytes != 0 && bytes < high - at)
		end = at + bytes;
	return end < high ? end : high;
}

// Counts what was found on one stretch of bytes, pair by pair of accesses.
static enum vkr_result report_race(struct vkr_engine *engine, const struct vkr_access *access,
				   const struct vkr_found_race *found, uint32_t *pair,
				   struct vkr_error *error)
{
	const struct vkr_epoch *x = &found->first;
	const struct vkr_judge_site *site = &engine->sites.items[x->site - 1];
	const uint64_t first = access_bytes(site, x->invocation);
	const uint64_t second = access_bytes(access->what, access->invocation);
	const bool asks = vkr_judge_asks(engine, found, access);
	struct vkr_found_race example = *found;
	uint64_t count = 0, at = found->low;
	enum vkr_result result = VKR_OK;

	while (at < found->high && result == VKR_OK) {
		const uint64_t one = access_end(at, found->high, first, x->shape);
		const uint64_t other = access_end(at, found->high, second, access->paint.shape);
		const uint64_t end = one < other ? one : other;
		if (asks || count == 0) {
			example.low = at;
			example.high = end;
			if (x->shape != VKR_SHAPE_UNIFORM)
				example.first_number =
					found->first_number +
					((at >> x->shape) - (found->low >> x->shape));
		}
		if (asks)
			result = vkr_judge_race(engine, access, &example, 1, example.high, pair,
						error);
		count++;
		at = end;
	}
	return asks ? result
		    : vkr_judge_race(engine, access, &example, count, found->high, pair, error);
}

// Whether two were found between the same two accesses, as far as their invocations show.
static bool same_accesses(const struct vkr_engine *engine, const struct vkr_access *access,
			  const struct vkr_found_race *x, const struct vkr_found_race *y)
{
	const uint8_t shape = x->first.shape;
	const uint64_t bytes = engine->sites.items[x->first.site - 1].bytes;
	if (shape != y->first.shape ||
	    (shape != VKR_SHAPE_UNIFORM && x->low / bytes != y->low / bytes))
		return false;
	return x->first.command == y->first.command && x->first.site == y->first.site &&
	       x->first.reference == y->first.reference && x->first.interval == y->first.interval &&
	       x->race_class == y->race_class && x->first_number == y->first_number &&
	       (!access->invocation ||
		vkr_access_invocation(access, x->low) == vkr_access_invocation(access, y->low));
}

bool vkr_judge_note_workgroup(struct vkr_engine *engine)
{
	if (engine->dispatch.noted)
		return true;
	engine->dispatch.noted = true;
	return vkr_shard_pages_add(&engine->options.shard->conflicts,
				   VKR_SHARD_DISPATCH | engine->dispatch.number,
				   engine->dispatch.workgroup);
}

// Of a part of memory: where there may be races.
static bool note_conflict(struct vkr_engine *engine, const struct vkr_access *access,
			  const struct vkr_found_race *found)
{
	struct vkr_shard *shard = engine->options.shard;
	if (access->shadow != &engine->workgroup_memory)
		return vkr_share_note(&access->shadow->share, shard, access->shadow->serial,
				      found->low, found->high);
	return vkr_judge_note_workgroup(engine);
}

static bool note_rest(struct vkr_engine *engine, size_t index, const struct vkr_found_race *found)
{
	if (!VKR_ARRAY_RESERVE(&engine->found_rest, 1))
		return false;
	engine->found_rest.items[engine->found_rest.count++] =
		(struct vkr_found_rest){index, found->low, found->high};
	return true;
}

// Whether it says something of a race which of the accesses of a byte is judged: of writes, which
// one is reported; of reads, whether it is one.
static bool is_of_each(const struct vkr_engine *engine, const struct vkr_found_race *found,
		       const struct vkr_access *access)
{
	return access->what->flags & VKR_ENGINE_WRITE ? !vkr_judge_is_told(engine, found, access)
						      : vkr_judge_asks(engine, found, access);
}

// The trees are visited with rising offsets: what ends before a new one is whole. Of an access in
// several pieces only the first bytes are reported.
enum vkr_result vkr_judge_found(struct vkr_engine *engine, const struct vkr_access *access,
				const struct vkr_found_race *found, struct vkr_error *error)
{
	const bool pieces = access->what->piece_count != 0;
	bool joined = false;
	size_t kept = 0;
	uint32_t pair;
	enum vkr_result result = VKR_OK;

	if (engine->probing) {
		engine->raced = engine->raced || is_of_each(engine, found, access);
		return VKR_OK;
	}
	if (engine->feeds_waiting)
		return VKR_OK;
	engine->conflicts++;
	if (engine->options.shard && !note_conflict(engine, access, found))
		return vkr_error_memory(error, "races");
	for (size_t i = 0; i < engine->found.count; i++) {
		struct vkr_found_race *old = &engine->found.items[i];
		if (!joined && (pieces || old->high == found->low) &&
		    same_accesses(engine, access, old, found)) {
			if (old->high == found->low)
				old->high = found->high;
			else if (!note_rest(engine, i, found))
				return vkr_error_memory(error, "races");
			joined = true;
		} else if (!pieces && old->high < found->low) {
			if (result == VKR_OK)
				result = report_race(engine, access, old, &pair, error);
			continue;
		}
		engine->found.items[kept++] = *old;
	}
	engine->found.count = kept;
	if (joined || result != VKR_OK)
		return result;
	if (!VKR_ARRAY_RESERVE(&engine->found, 1))
		return vkr_error_memory(error, "races");
	engine->found.items[engine->found.count++] = *found;
	return VKR_OK;
}

static enum vkr_result add_rest(struct vkr_engine *engine, const struct vkr_access *access,
				size_t index, uint32_t pair, struct vkr_error *error)
{
	struct vkr_byte_ranges *extent = &engine->pairs.items[pair].extent;
	for (size_t i = 0; i < engine->found_rest.count; i++) {
		const struct vkr_found_rest *rest = &engine->found_rest.items[i];
		if (rest->found == index &&
		    !vkr_byte_ranges_add(extent, access->shadow->memory, rest->low, rest->high))
			return vkr_error_memory(error, "races");
	}
	return VKR_OK;
}

enum vkr_result vkr_judge_found_end(struct vkr_engine *engine, const struct vkr_access *access,
				    struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < engine->found.count && result == VKR_OK; i++) {
		uint32_t pair = UINT32_MAX;
		result = report_race(engine, access, &engine->found.items[i], &pair, error);
		if (result == VKR_OK && pair != UINT32_MAX)
			result = add_rest(engine, access, i, pair, error);
	}
	engine->found.count = engine->found_rest.count = 0;
	return result;
}
