// SPDX-License-Identifier: Apache-2.0
// Feeding the accesses of many workgroups to elements that lie side by side. Knows stretches of
// them; nothing of what races.
#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "judge.h"

#define MOST_BYTES 16u

// Elements that were accessed, without a gap, and are judged: in memory.
struct stretch {
	uint64_t low, high;
};

// The next stretch of the list, from element *at on.
static bool next_stretch(const struct vkr_engine_elements *list, const struct vkr_access *access,
			 uint64_t end, uint32_t *at, struct stretch *stretch)
{
	const uint32_t *invocations = list->invocations;
	uint32_t first = *at;
	while (first < list->count && invocations[first] == 0)
		first++;
	uint32_t last = first;
	while (last < list->count && invocations[last] != 0)
		last++;
	*at = last;
	stretch->low = access->paint.base + ((uint64_t)first << access->paint.shape);
	stretch->high = access->paint.base + ((uint64_t)last << access->paint.shape);
	stretch->high = stretch->high < end ? stretch->high : end;
	return stretch->low < stretch->high;
}

// Whole pages, and what is before and after them by lines.
static enum vkr_result judge_stretch(struct vkr_fast *fast, uint64_t low, uint64_t high,
				     struct vkr_error *error)
{
	const uint64_t first = (low + VKR_PAGE_BYTES - 1) & ~(VKR_PAGE_BYTES - 1);
	const uint64_t last = high & ~(VKR_PAGE_BYTES - 1);
	if (first >= last)
		return vkr_judge_lines(fast, low, high, error);
	enum vkr_result result = vkr_judge_lines(fast, low, first, error);
	if (result == VKR_OK)
		result = vkr_judge_range(fast->engine, fast->access, first, last, error);
	return result == VKR_OK ? vkr_judge_lines(fast, last, high, error) : result;
}

static enum vkr_result judge_list(struct vkr_engine *engine, const struct vkr_engine_elements *list,
				  const struct vkr_access *access, struct vkr_error *error)
{
	const uint64_t target_end = vkr_target_end(list->target, access->shadow);
	enum vkr_result result = VKR_OK;
	struct vkr_fast fast;
	struct stretch stretch;
	vkr_fast_begin(&fast, engine, access);
	for (uint32_t at = 0;
	     result == VKR_OK && next_stretch(list, access, target_end, &at, &stretch);) {
		uint64_t low = stretch.low, end;
		engine->accesses += (stretch.high - low) >> access->paint.shape;
		for (; result == VKR_OK &&
		       vkr_share_next(&access->shadow->share, &low, stretch.high, &end);
		     low = end)
			result = judge_stretch(&fast, low, end, error);
	}
	return result;
}

// Whether the writes race in a way that is new, in engine->raced.
static enum vkr_result probe_list(struct vkr_engine *engine, const struct vkr_engine_elements *list,
				  const struct vkr_access *access, struct vkr_error *error)
{
	const uint64_t low = access->paint.base;
	const uint64_t high = low + ((uint64_t)list->count << access->paint.shape);
	const uint64_t target_end = vkr_target_end(list->target, access->shadow);
	enum vkr_result result = VKR_OK;
	struct stretch stretch;
	if (access->shadow->possible.count != 0 &&
	    !vkr_may_access_harmless(engine, access, low, high))
		engine->raced = true;
	for (uint32_t at = 0; result == VKR_OK && !engine->raced &&
			      next_stretch(list, access, target_end, &at, &stretch);) {
		uint64_t from = stretch.low, end;
		for (; result == VKR_OK &&
		       vkr_share_next(&access->shadow->share, &from, stretch.high, &end);
		     from = end)
			result = vkr_judge_probe(engine, access, from, end, error);
	}
	return result;
}

// Whether elements of the site lie in the memory as shapes say.
static bool find_shape(const struct vkr_engine *engine, const struct vkr_engine_elements *list,
		       uint8_t *shape)
{
	const struct vkr_judge_site *site = &engine->sites.items[list->site - 1];
	const uint32_t bytes = site->bytes;
	*shape = (uint8_t)__builtin_ctz(bytes | 1u << 31);
	return bytes != 0 && bytes <= MOST_BYTES && (bytes & (bytes - 1)) == 0 &&
	       site->piece_count == 0 && list->target->base % bytes == 0;
}

// Makes the accesses of all lists, in engine->lists; none of lists of memory that is gone.
static enum vkr_result make_accesses(struct vkr_engine *engine,
				     const struct vkr_engine_elements *lists, size_t count,
				     bool *apart, struct vkr_error *error)
{
	enum vkr_result result = vkr_engine_collect_epochs(engine, error);
	engine->lists.count = 0;
	if (!VKR_ARRAY_RESERVE(&engine->lists, count))
		return vkr_error_memory(error, "accesses");
	for (size_t at = 0; at < count && result == VKR_OK && !*apart; at++) {
		struct vkr_access *access = &engine->lists.items[engine->lists.count++];
		struct vkr_shadow *shadow = vkr_shadow_fed(engine, lists[at].target->memory);
		uint8_t shape;
		*access = (struct vkr_access){0};
		*apart = shadow &&
			 (shadow->mappings.count > 0 || !find_shape(engine, &lists[at], &shape));
		if (shadow && !*apart)
			result = vkr_access_elements(engine, &lists[at], shadow, shape, access,
						     error);
	}
	return result;
}

enum vkr_result vkr_feed_elements(struct vkr_engine *engine,
				  const struct vkr_engine_elements *lists, size_t count,
				  bool *apart, struct vkr_error *error)
{
	*apart = false;
	enum vkr_result result = make_accesses(engine, lists, count, apart, error);
	if (result != VKR_OK || *apart)
		return result;
	engine->probing = true;
	engine->raced = false;
	for (size_t at = 0; at < count && result == VKR_OK; at++) {
		const struct vkr_access *access = &engine->lists.items[at];
		if (access->shadow && access->what->flags & VKR_ENGINE_WRITE)
			result = probe_list(engine, &lists[at], access, error);
	}
	engine->probing = false;
	*apart = engine->raced;
	for (size_t at = 0; at < count && result == VKR_OK && !*apart; at++)
		if (engine->lists.items[at].shadow)
			result = judge_list(engine, &lists[at], &engine->lists.items[at], error);
	return result;
}
