// SPDX-License-Identifier: Apache-2.0
#include "noted_reads.h"

#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "filter_judge.h"
#include "judge.h"
#include "read_deferral.h"

#include <assert.h>
#include <stdlib.h>

// Fewer reads of a site are judged as fast one by one, and so many more for each page that is not
// remembered as one: looking at what is remembered takes its time there. Looking at pages at all
// takes as long as a read for a few of them.
#define READS_LEAST 256u
#define READS_PAGE  64u
#define PAGES_READ  4u

// From how many neighbours on a run is judged as a row as fast as it would be noted; the turns of a
// loop, each of which reads again what neighbours have read, are not.
#define ROW_LEAST 8u

// After how many rows none is looked at any more, where no turns have come.
#define ROWS_MOST 4096u

// How often a byte has to be read, on average, for reads that are judged one by one in the end to
// have been worth noting: a site with fewer is not noted in later dispatches.
#define READ_AGAIN 2u

void vkr_noted_reads_finish(struct vkr_noted_reads *noted)
{
	vkr_access_filters_finish(&noted->filters);
	free(noted->items);
	*noted = (struct vkr_noted_reads){0};
}

static struct vkr_judge_site *site_of(struct vkr_engine *engine, uint32_t site)
{
	assert(site >= 1 && site <= engine->sites.count);
	return &engine->sites.items[site - 1];
}

void vkr_noted_reads_end(struct vkr_engine *engine)
{
	struct vkr_noted_reads *noted = &engine->noted;
	for (size_t at = 0; at < noted->count; at++) {
		struct vkr_judge_site *site = site_of(engine, noted->items[at].site);
		const struct vkr_noted_site *of = &noted->items[at];
		site->read_once = of->count / READ_AGAIN < site->noted_places;
		site->last_reads = of->before + of->count;
		site->last_range = of->target.bytes;
		site->noted = 0;
		site->noted_places = 0;
	}
	noted->count = 0;
	noted->begun = false;
}

enum vkr_result vkr_engine_note_reads(struct vkr_engine *engine, uint32_t site,
				      const struct vkr_engine_target *target,
				      struct vkr_error *error)
{
	struct vkr_noted_reads *noted = &engine->noted;
	struct vkr_judge_site *of = site_of(engine, site);
	const uint32_t others = VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS |
				VKR_ENGINE_NONPRIVATE | VKR_ENGINE_ASK;
	assert(engine->dispatch.open && !noted->begun);
	if (of->flags & others || of->piece_count > 0 || of->bytes == 0 || of->noted != 0 ||
	    of->read_once || target->memory == VKR_ENGINE_WORKGROUP)
		return VKR_OK;
	if (!VKR_ARRAY_RESERVE(noted, 1))
		return vkr_error_memory(error, "reads of a dispatch");
	const struct vkr_shadow *shadow = vkr_shadow_fed(engine, target->memory);
	noted->items[noted->count++] = (struct vkr_noted_site){
		.site = site,
		.target = *target,
		.waits = shadow && vkr_deferred_find(shadow, target->base,
						     vkr_target_end(target, shadow)) != NULL,
		.expected = of->last_range == target->bytes ? of->last_reads : 0};
	of->noted = (uint32_t)noted->count;
	return VKR_OK;
}

// ---- Feeding ------------------------------------------------------------------------------------

// Most wait on, after the dispatch, where none of its reads of the site is judged at once. They
// were counted when they were noted.
static enum vkr_result feed_noted(struct vkr_engine *engine, bool may_wait, struct vkr_error *error)
{
	struct vkr_access_filters *filters = &engine->noted.filters;
	const uint64_t accesses = engine->accesses;
	enum vkr_result result = VKR_OK;
	if (may_wait)
		result = vkr_filters_defer(engine, filters, error);
	if (result == VKR_OK)
		result = vkr_filters_judge(engine, filters, error);
	engine->accesses = accesses;
	return result;
}

enum vkr_result vkr_engine_judge_noted(struct vkr_engine *engine, struct vkr_error *error)
{
	return engine->noted.begun ? feed_noted(engine, true, error) : VKR_OK;
}

// ---- Noting -------------------------------------------------------------------------------------

static bool same_target(const struct vkr_engine_target *a, const struct vkr_engine_target *b)
{
	return a->memory == b->memory && a->reference == b->reference && a->base == b->base &&
	       a->bytes == b->bytes;
}

static uint64_t count_pages(const struct vkr_shadow *shadow, const struct vkr_engine_target *target)
{
	const uint64_t end = vkr_target_end(target, shadow);
	return end > target->base ? (end - target->base) / VKR_PAGE_BYTES : 0;
}

// Pages of which each line has to be looked at, of those that the target has bytes of.
static uint64_t count_open_pages(const struct vkr_shadow *shadow, uint64_t low, uint64_t high)
{
	uint64_t count = 0;
	for (size_t page = (size_t)(low / VKR_PAGE_BYTES);
	     vkr_shadow_next_page(shadow, &page) && page * VKR_PAGE_BYTES < high; page++)
		count += vkr_slot_is_divided(shadow->pages[page].write) ||
			 vkr_slot_is_divided(shadow->pages[page].access);
	return count;
}

// Whether nothing races with reads of the same range by another site that are ordered alike.
static bool is_known_clear(struct vkr_engine *engine, const struct vkr_noted_site *of)
{
	const struct vkr_judge_site *site = site_of(engine, of->site);
	for (size_t at = 0; at < engine->noted.count; at++) {
		const struct vkr_noted_site *other = &engine->noted.items[at];
		const struct vkr_judge_site *like = site_of(engine, other->site);
		if (other->clear && same_target(&other->target, &of->target) &&
		    like->category == site->category && like->stage == site->stage &&
		    like->access == site->access && like->flags == site->flags)
			return true;
	}
	return false;
}

// Whether nothing races with reads of the site.
static enum vkr_result is_clear(struct vkr_engine *engine, const struct vkr_noted_site *of,
				struct vkr_shadow *shadow, bool *clear, struct vkr_error *error)
{
	struct vkr_access access;
	*clear = is_known_clear(engine, of);
	if (*clear)
		return VKR_OK;
	const enum vkr_result result = vkr_access_shader(engine, of->site, &of->target, shadow,
							 VKR_SHAPE_UNIFORM, &access, error);
	return result == VKR_OK
		       ? vkr_deferral_is_clear(engine, &access, of->target.base,
					       vkr_target_end(&of->target, shadow), clear, error)
		       : result;
}

static enum vkr_result begin_noting(struct vkr_engine *engine, struct vkr_noted_site *of,
				    struct vkr_error *error)
{
	struct vkr_noted_reads *noted = &engine->noted;
	const struct vkr_judge_site *site = site_of(engine, of->site);
	const struct vkr_engine_run like = {.site = of->site, .target = &of->target};
	if (!noted->begun && !vkr_access_filters_begin(&noted->filters, noted->count))
		return vkr_error_memory(error, "reads of a dispatch");
	noted->begun = true;
	of->filter = vkr_access_filter(&noted->filters, (size_t)(of - noted->items), &like,
				       site->bytes, (unsigned)__builtin_ctz(site->bytes));
	if (of->filter == UINT32_MAX)
		return vkr_error_memory(error, "reads of a dispatch");
	of->noting = VKR_NOTING_ON;
	return VKR_OK;
}

// Whether so many reads of the site through the target are noted.
static enum vkr_result may_note(struct vkr_engine *engine, struct vkr_noted_site *of,
				const struct vkr_engine_target *target, uint64_t count, bool *notes,
				struct vkr_error *error)
{
	struct vkr_shadow *shadow = vkr_shadow_fed(engine, of->target.memory);
	const uint64_t numbers = ((uint64_t)engine->dispatch.workgroup + 1)
				 << engine->dispatch.local_bits;
	bool clear = false;
	*notes = false;
	if (!shadow || of->noting == VKR_NOTING_OFF || engine->feeds_waiting ||
	    !same_target(target, &of->target) || numbers >= UINT32_MAX)
		return VKR_OK;
	*notes = of->noting == VKR_NOTING_ON;
	if (*notes)
		return VKR_OK;
	of->before += count;
	const uint64_t reads = of->before > of->expected ? of->before : of->expected;
	if (!of->waits && reads < READS_LEAST + count_pages(shadow, &of->target) / PAGES_READ)
		return VKR_OK;
	if (of->least == 0)
		of->least =
			READS_LEAST + READS_PAGE * count_open_pages(shadow, target->base,
								    vkr_target_end(target, shadow));
	if (!of->waits && reads < of->least)
		return VKR_OK;
	enum vkr_result result = VKR_OK;
	if (shadow->mappings.count == 0)
		result = is_clear(engine, of, shadow, &clear, error);
	of->noting = VKR_NOTING_OFF;
	of->clear = clear;
	if (result == VKR_OK && clear)
		result = begin_noting(engine, of, error);
	*notes = of->noting == VKR_NOTING_ON;
	of->before -= *notes ? count : 0;
	return result;
}

// Whether some of the read's bytes are of a read that begins elsewhere.
static bool overlaps_others(const struct vkr_access_filters *filters,
			    const struct vkr_access_filter *filter, uint64_t offset)
{
	const uint64_t unit = UINT64_C(1) << filter->shift;
	for (uint64_t step = unit; step < filter->bytes; step += unit)
		if ((offset >= step && vkr_access_filter_knows(filters, filter, offset - step)) ||
		    vkr_access_filter_knows(filters, filter, offset + step))
			return true;
	return false;
}

// Whether reads may be noted beside those that are: their order would matter where they overlap.
static bool row_fits(const struct vkr_access_filters *filters,
		     const struct vkr_access_filter *filter, uint64_t offset, int64_t stride,
		     uint32_t count)
{
	const uint64_t step = (uint64_t)(stride < 0 ? -stride : stride);
	if (filter->bytes == UINT32_C(1) << filter->shift)
		return true;
	if (step < filter->bytes && count > 1)
		return false;
	for (uint32_t at = 0; at < count; at++, offset += (uint64_t)stride)
		if (!vkr_access_filter_knows(filters, filter, offset) &&
		    overlaps_others(filters, filter, offset))
			return false;
	return true;
}

static enum vkr_result note_row(struct vkr_engine *engine, const struct vkr_noted_site *of,
				uint64_t offset, int64_t stride, uint32_t count, uint32_t local,
				struct vkr_error *error)
{
	struct vkr_access_filters *filters = &engine->noted.filters;
	const uint32_t number = engine->dispatch.workgroup << engine->dispatch.local_bits | local;
	enum vkr_filter_note noted = vkr_access_filter_note_row(
		filters, &filters->items[of->filter], offset, stride, count, number);
	if (noted == VKR_FILTER_FULL) {
		const enum vkr_result result = feed_noted(engine, true, error);
		if (result != VKR_OK)
			return result;
		noted = vkr_access_filter_note_row(filters, &filters->items[of->filter], offset,
						   stride, count, number);
	}
	return noted <= VKR_FILTER_KNOWN ? VKR_OK : vkr_error_memory(error, "reads of a dispatch");
}

// A read of the site is to be judged at once: it comes after those that were noted, and before all
// that follow.
static enum vkr_result stop_noting(struct vkr_engine *engine, struct vkr_noted_site *of,
				   struct vkr_error *error)
{
	of->noting = VKR_NOTING_OFF;
	return feed_noted(engine, false, error);
}

// Whether all of the run's reads are whole in the target, at multiples of the filter's unit.
static bool is_whole(const struct vkr_engine *engine, const struct vkr_access_filter *filter,
		     const struct vkr_engine_run *run, uint32_t iterations)
{
	const struct vkr_shadow *shadow = &engine->memories.items[run->target->memory - 1];
	const uint64_t end = vkr_target_end(run->target, shadow);
	const uint64_t room = end > run->target->base ? end - run->target->base : 0;
	const uint64_t unit = (UINT64_C(1) << filter->shift) - 1;
	const uint64_t step = (uint64_t)(run->stride < 0 ? -run->stride : run->stride);
	const uint64_t reach = step * (run->count - 1);
	const uint64_t more = (uint64_t)filter->bytes * iterations;
	if (((run->offset | step) & unit) != 0 || run->offset > room || more > room ||
	    (run->count > 1 && step > room) || reach > room)
		return false;
	return run->stride < 0 ? reach <= run->offset && run->offset + more <= room
			       : run->offset + reach + more <= room;
}

enum vkr_result vkr_noted_reads_run(struct vkr_engine *engine, const struct vkr_engine_run *run,
				    uint32_t iterations, bool *taken, struct vkr_error *error)
{
	struct vkr_judge_site *site = site_of(engine, run->site);
	struct vkr_noted_site *of = &engine->noted.items[site->noted - 1];
	const uint64_t count = (uint64_t)run->count * iterations;
	if (of->noting == VKR_NOTING_LATER && !of->waits && run->count >= ROW_LEAST &&
	    iterations == 1 && run->stride == (int64_t)site->bytes) {
		if (++of->rows == ROWS_MOST)
			site->noted = 0;
		*taken = false;
		return VKR_OK;
	}
	enum vkr_result result = may_note(engine, of, run->target, count, taken, error);
	if (result != VKR_OK || !*taken)
		return result;
	const struct vkr_access_filter *filter = &engine->noted.filters.items[of->filter];
	const uint32_t others = run->stride == 0 ? 1 : run->count;
	*taken = run->count > 0 && run->local < engine->dispatch.local_size &&
		 run->count <= engine->dispatch.local_size - run->local &&
		 is_whole(engine, filter, run, iterations);
	for (uint32_t turn = 0; turn < iterations && *taken && result == VKR_OK; turn++) {
		const uint64_t offset = run->offset + (uint64_t)filter->bytes * turn;
		*taken = row_fits(&engine->noted.filters, filter, offset, run->stride, others);
		if (*taken)
			result = note_row(engine, of, offset, run->stride, others, run->local,
					  error);
	}
	if (!*taken)
		return stop_noting(engine, of, error);
	engine->accesses += count;
	of->count += count;
	return result;
}

enum vkr_result vkr_noted_reads_may(struct vkr_engine *engine, uint32_t site,
				    const struct vkr_engine_target *target, uint64_t low,
				    uint64_t bytes, uint64_t count, bool *taken,
				    struct vkr_error *error)
{
	enum vkr_result result = vkr_engine_check_stop(engine, error);
	const uint32_t noted = site_of(engine, site)->noted;
	*taken = false;
	if (noted == 0 || result != VKR_OK)
		return result;
	struct vkr_noted_site *of = &engine->noted.items[noted - 1];
	if (of->noting == VKR_NOTING_ON)
		result = may_note(engine, of, target, count, taken, error);
	if (result != VKR_OK || !*taken)
		return result;
	const uint64_t end = vkr_target_end(target, &engine->memories.items[target->memory - 1]);
	const uint64_t room = end > target->base ? end - target->base : 0;
	*taken = low % site_of(engine, site)->bytes == 0 && low <= room && bytes <= room - low;
	engine->accesses += *taken ? count : 0;
	of->count += *taken ? count : 0;
	return result;
}

enum vkr_result vkr_noted_reads_places(struct vkr_engine *engine, uint32_t site, uint64_t offset,
				       uint32_t step, uint32_t count, const uint32_t *locals,
				       struct vkr_error *error)
{
	struct vkr_access_filters *filters = &engine->noted.filters;
	const struct vkr_noted_site *of = &engine->noted.items[site_of(engine, site)->noted - 1];
	const uint32_t first = engine->dispatch.workgroup << engine->dispatch.local_bits;
	enum vkr_filter_note noted = vkr_access_filter_note_places(
		filters, &filters->items[of->filter], offset, step, count, locals, first);
	if (noted == VKR_FILTER_FULL) {
		const enum vkr_result result = feed_noted(engine, true, error);
		if (result != VKR_OK)
			return result;
		noted = vkr_access_filter_note_places(filters, &filters->items[of->filter], offset,
						      step, count, locals, first);
	}
	return noted == VKR_FILTER_NOTED ? VKR_OK : vkr_error_memory(error, "reads of a dispatch");
}

// Whether the offset's read is whole in the target.
static bool offset_is_whole(uint64_t offset, uint64_t bytes, uint64_t room, uint64_t unit)
{
	return (offset & unit) == 0 && bytes <= room && offset <= room - bytes;
}

enum vkr_result vkr_noted_reads_list(struct vkr_engine *engine,
				     const struct vkr_engine_scatter *scatter, bool *taken,
				     struct vkr_error *error)
{
	struct vkr_noted_site *of = &engine->noted.items[site_of(engine, scatter->site)->noted - 1];
	const struct vkr_engine_target *target = scatter->target;
	const uint32_t local_size = engine->dispatch.local_size;
	enum vkr_result result = may_note(engine, of, target, scatter->count, taken, error);
	if (result != VKR_OK || !*taken)
		return result;
	const struct vkr_access_filter *filter = &engine->noted.filters.items[of->filter];
	const uint64_t end = vkr_target_end(target, &engine->memories.items[target->memory - 1]);
	const uint64_t room = end > target->base ? end - target->base : 0;
	const uint64_t unit = (UINT64_C(1) << filter->shift) - 1;
	for (uint32_t i = 0; i < scatter->count && *taken; i++)
		*taken = (scatter->locals ? scatter->locals[i] : scatter->local + i) < local_size &&
			 offset_is_whole(scatter->offsets[i], filter->bytes, room, unit);
	for (uint32_t i = 0; i < scatter->count && *taken && result == VKR_OK; i++) {
		// Which invocation has read bytes first is noted, and not which other ones.
		if (i > 0 && scatter->offsets[i] == scatter->offsets[i - 1])
			continue;
		*taken = row_fits(&engine->noted.filters, filter, scatter->offsets[i], 0, 1);
		if (*taken)
			result = note_row(engine, of, scatter->offsets[i], 0, 1,
					  scatter->locals ? scatter->locals[i] : scatter->local + i,
					  error);
	}
	if (!*taken)
		return stop_noting(engine, of, error);
	engine->accesses += scatter->count;
	of->count += scatter->count;
	return result;
}
