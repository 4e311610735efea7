// SPDX-License-Identifier: Apache-2.0
#include "workgroup_reads.h"

#include "array.h"
#include "engine_feed.h"
#include "noted_reads.h"

#include <stdlib.h>

void vkr_workgroup_reads_finish(struct vkr_workgroup_reads *reads)
{
	vkr_access_filters_finish(&reads->filters);
	free(reads->items);
	free(reads->places.items);
	free(reads->locals.items);
	*reads = (struct vkr_workgroup_reads){0};
}

bool vkr_workgroup_reads_begin(struct vkr_workgroup_reads *reads)
{
	reads->count = reads->places.count = reads->locals.count = 0;
	return vkr_access_filters_begin(&reads->filters, 1);
}

static bool is_noted(const struct vkr_engine *engine, uint32_t site)
{
	return engine->sites.items[site - 1].noted != 0;
}

// The reads of a run's site and target; NULL for lack of memory. Each has a filter of its number.
static struct vkr_site_reads *find_reads(struct vkr_workgroup_reads *reads,
					 const struct vkr_engine *engine,
					 const struct vkr_engine_run *like)
{
	const uint32_t bytes = engine->sites.items[like->site - 1].bytes;
	const uint32_t at =
		vkr_access_filter(&reads->filters, 0, like, bytes, (unsigned)__builtin_ctz(bytes));
	if (at == UINT32_MAX || !VKR_ARRAY_RESERVE(reads, 1))
		return NULL;
	if (at == reads->count)
		reads->items[reads->count++] =
			(struct vkr_site_reads){.site = like->site,
						.target = like->target,
						.odd = (bytes & (bytes - 1)) != 0};
	return &reads->items[at];
}

static bool collect_row(struct vkr_workgroup_reads *reads, struct vkr_site_reads *of,
			uint64_t offset, int64_t stride, uint32_t count, uint32_t local)
{
	struct vkr_access_filter *filter = &reads->filters.items[of - reads->items];
	of->odd = of->odd || (offset | (uint64_t)stride) % filter->bytes != 0;
	if (of->odd)
		return true;
	const enum vkr_filter_note noted =
		vkr_access_filter_note_row(&reads->filters, filter, offset, stride, count, local);
	of->odd = noted == VKR_FILTER_FULL;
	return noted != VKR_FILTER_NO_MEMORY;
}

bool vkr_workgroup_reads_runs(struct vkr_workgroup_reads *reads, struct vkr_engine *engine,
			      const struct vkr_engine_run *runs, size_t count)
{
	// In the order in which they would be noted: of each place the first one counts.
	if (!vkr_iterations_join(engine, runs, count))
		return false;
	for (size_t at = 0; at < count; at++) {
		const struct vkr_engine_run *run = &runs[at];
		const uint32_t iterations = engine->iterations.items[at];
		if (!is_noted(engine, run->site) || iterations == 0)
			continue;
		struct vkr_site_reads *of = find_reads(reads, engine, run);
		if (of == NULL)
			return false;
		of->accesses += (uint64_t)run->count * iterations;
		const uint32_t others = run->stride == 0 ? 1 : run->count;
		const uint32_t bytes = engine->sites.items[run->site - 1].bytes;
		for (uint32_t turn = 0; turn < iterations; turn++)
			if (!collect_row(reads, of, run->offset + (uint64_t)bytes * turn,
					 run->stride, others, run->local))
				return false;
	}
	return true;
}

bool vkr_workgroup_reads_list(struct vkr_workgroup_reads *reads, const struct vkr_engine *engine,
			      const struct vkr_engine_scatter *list)
{
	const struct vkr_engine_run like = {.site = list->site, .target = list->target};
	if (!is_noted(engine, list->site))
		return true;
	struct vkr_site_reads *of = find_reads(reads, engine, &like);
	if (of == NULL)
		return false;
	of->accesses += list->count;
	for (uint32_t i = 0; i < list->count; i++)
		if (!collect_row(reads, of, list->offsets[i], 0, 1,
				 list->locals ? list->locals[i] : list->local + i))
			return false;
	return true;
}

// Adds a place to those before it, or begins anew.
static bool add_place(struct vkr_workgroup_reads *reads, struct vkr_site_reads *of, uint32_t bytes,
		      uint64_t offset, uint32_t local)
{
	if (!VKR_ARRAY_RESERVE(&reads->places, 1) || !VKR_ARRAY_RESERVE(&reads->locals, 1))
		return false;
	struct vkr_read_places *last = NULL;
	if (reads->places.count > of->first)
		last = &reads->places.items[reads->places.count - 1];
	else
		of->low = offset;
	if (last != NULL && last->count == 1 && offset - last->offset <= UINT32_MAX)
		last->step = (uint32_t)(offset - last->offset);
	if (last != NULL && last->offset + (uint64_t)last->step * last->count == offset)
		last->count++;
	else
		reads->places.items[reads->places.count++] = (struct vkr_read_places){
			.offset = offset, .count = 1, .first = reads->locals.count};
	reads->locals.items[reads->locals.count++] = local;
	of->reach = offset + bytes - of->low;
	return true;
}

bool vkr_workgroup_reads_end(struct vkr_workgroup_reads *reads)
{
	for (size_t i = 0; i < reads->count; i++) {
		struct vkr_site_reads *of = &reads->items[i];
		const struct vkr_access_filter *filter = &reads->filters.items[i];
		of->first = reads->places.count;
		for (size_t page = 0; page < filter->pages.count && !of->odd; page++) {
			if (filter->pages.items[page] == 0)
				continue;
			const uint32_t *entries =
				vkr_filter_entries(filter, reads->filters.entries, page);
			for (uint32_t at = 0; at < VKR_FILTER_PAGE; at++)
				if (entries[at] != 0 &&
				    !add_place(reads, of, filter->bytes,
					       ((uint64_t)page * VKR_FILTER_PAGE + at)
						       << filter->shift,
					       entries[at] - 1))
					return false;
		}
		of->last = reads->places.count;
		if (of->first == of->last)
			of->odd = true;
		for (size_t at = of->last; at-- > of->first;)
			reads->places.items[at].offset -= of->low;
	}
	vkr_access_filters_clear(&reads->filters);
	return true;
}

enum vkr_result vkr_workgroup_reads_note(const struct vkr_workgroup_reads *reads,
					 const struct vkr_site_reads *of, uint64_t low,
					 struct vkr_engine *engine, bool *taken,
					 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	*taken = !of->odd;
	if (*taken)
		result = vkr_noted_reads_may(engine, of->site, of->target, low, of->reach,
					     of->accesses, taken, error);
	for (size_t at = of->first; at < of->last && *taken && result == VKR_OK; at++) {
		const struct vkr_read_places *places = &reads->places.items[at];
		result = vkr_noted_reads_places(engine, of->site, low + places->offset,
						places->step, places->count,
						reads->locals.items + places->first, error);
	}
	return result;
}
