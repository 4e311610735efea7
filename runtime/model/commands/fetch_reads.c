// SPDX-License-Identifier: Apache-2.0
#include "fetch_reads.h"

#include "array.h"
#include "error.h"
#include "filter_judge.h"
#include "map.h"
#include "read_table.h"

#include <stdlib.h>

#include <xxhash.h>

// Fewer are judged one by one as fast.
#define READS_LEAST 16u
// Of all that is kept: beyond that it is made anew.
#define BYTES_MOST ((size_t)32 << 20)

// Places of 2^shift bytes that are read.
struct shape {
	uint64_t first, stride;
	uint32_t count, shift;
};

struct kept_shape {
	struct shape shape;
	struct vkr_read_table *reads;
};

struct vkr_fetch_reads {
	struct vkr_access_filters filters;
	struct vkr_read_pages *pages; // of all tables
	struct {
		struct kept_shape *items;
		size_t count, capacity;
	} shapes;
	struct vkr_map by_shape; // hash to index
	size_t bytes;
};

static void forget_shapes(struct vkr_fetch_reads *reads)
{
	for (size_t at = 0; at < reads->shapes.count; at++)
		vkr_read_table_drop(reads->shapes.items[at].reads);
	vkr_read_pages_drop(reads->pages);
	vkr_map_finish(&reads->by_shape);
	reads->pages = NULL;
	reads->shapes.count = reads->bytes = 0;
}

void vkr_fetch_reads_destroy(struct vkr_fetch_reads *reads)
{
	if (reads == NULL)
		return;
	forget_shapes(reads);
	free(reads->shapes.items);
	vkr_access_filters_finish(&reads->filters);
	free(reads);
}

static bool is_same(const struct shape *a, const struct shape *b)
{
	return a->first == b->first && a->stride == b->stride && a->count == b->count &&
	       a->shift == b->shift;
}

// An empty filter for the reads; NULL for lack of memory.
static struct vkr_access_filter *begin_filter(struct vkr_fetch_reads *reads, uint32_t site,
					      const struct vkr_engine_target *target, uint32_t each,
					      uint32_t shift)
{
	const struct vkr_engine_run like = {.site = site, .target = target};
	const uint32_t filter = vkr_access_filters_begin(&reads->filters, 1)
					? vkr_access_filter(&reads->filters, 0, &like, each, shift)
					: UINT32_MAX;
	return filter != UINT32_MAX ? &reads->filters.items[filter] : NULL;
}

// Notes the reads in the filter, and makes their table. *made is NULL if there is no room for all.
static bool make_reads(struct vkr_fetch_reads *reads, struct vkr_access_filter *filter,
		       const struct shape *shape, struct vkr_read_table **made)
{
	enum vkr_filter_note noted = VKR_FILTER_NOTED;
	*made = NULL;
	for (uint32_t at = 0; at < shape->count && noted <= VKR_FILTER_KNOWN; at++)
		noted = vkr_access_filter_note(&reads->filters, filter,
					       shape->first + at * shape->stride, 0);
	if (noted <= VKR_FILTER_KNOWN)
		*made = vkr_read_table_make(&reads->pages, &reads->filters, filter);
	vkr_access_filters_clear(&reads->filters);
	return *made != NULL || noted == VKR_FILTER_FULL;
}

static bool keep_reads(struct vkr_fetch_reads *reads, uint64_t key, const struct shape *shape,
		       struct vkr_read_table *made)
{
	if (!VKR_ARRAY_RESERVE(&reads->shapes, 1) ||
	    !vkr_map_set(&reads->by_shape, key, reads->shapes.count)) {
		vkr_read_table_drop(made);
		return false;
	}
	reads->shapes.items[reads->shapes.count++] = (struct kept_shape){*shape, made};
	reads->bytes += vkr_read_table_bytes(made) + sizeof(struct kept_shape);
	return true;
}

// The table of the reads, which is kept; NULL where there is none. False for lack of memory.
static bool find_reads(struct vkr_fetch_reads *reads, struct vkr_access_filter *filter,
		       const struct shape *shape, struct vkr_read_table **found)
{
	const uint64_t key = XXH3_64bits(shape, sizeof *shape);
	uint64_t index = 0;
	*found = NULL;
	if (vkr_map_get(&reads->by_shape, key, &index) &&
	    is_same(&reads->shapes.items[index].shape, shape)) {
		*found = reads->shapes.items[index].reads;
		return true;
	}
	if (reads->bytes > BYTES_MOST)
		forget_shapes(reads);
	return make_reads(reads, filter, shape, found) &&
	       (*found == NULL || keep_reads(reads, key, shape, *found));
}

static enum vkr_result wait_for(struct vkr_walk *walk, const struct vkr_fetch_run *run,
				const struct vkr_engine_target *target, bool *waits)
{
	struct vkr_fetch_reads *reads = walk->model->draw_logs.kept.fetch_reads;
	struct vkr_engine *engine = walk->model->engine;
	struct vkr_walk_access access = *run->access;
	// A place is no larger than a read of it.
	const uint32_t aligned = (uint32_t)__builtin_ctzll(run->first | run->stride);
	const uint32_t most = 31 - (uint32_t)__builtin_clz(run->each);
	const uint32_t shift = aligned < most ? aligned : most;
	const struct shape shape = {run->first, run->stride, run->count, shift};
	struct vkr_read_table *table = NULL;
	uint32_t site = 0;
	access.each = run->each;
	enum vkr_result result = vkr_walk_access_site(walk, &access, &site);
	if (result != VKR_OK)
		return result;
	struct vkr_access_filter *filter = begin_filter(reads, site, target, run->each, shift);
	if (filter == NULL || !find_reads(reads, filter, &shape, &table))
		return vkr_error_memory(walk->error, "the vertices of a draw");
	if (table == NULL)
		return VKR_OK;
	filter->kept = table;
	result = vkr_engine_dispatch_begin(engine, access.command, 1, 0, walk->error);
	if (result != VKR_OK)
		return result;
	result = vkr_filters_defer(engine, &reads->filters, walk->error);
	*waits = reads->filters.page_count == 0; // else they were noted
	vkr_access_filters_clear(&reads->filters);
	vkr_engine_dispatch_end(engine);
	return result;
}

enum vkr_result vkr_fetch_wait(struct vkr_walk *walk, const struct vkr_fetch_run *run, bool *waits)
{
	const struct vkr_buffer *buffer = run->access->buffer;
	const uint64_t last = run->base + run->first + (run->count - 1) * run->stride;
	*waits = false;
	if (run->count < READS_LEAST || buffer->memory == NULL ||
	    last + run->each > buffer->bytes || walk->model->objects.links)
		return VKR_OK;
	if (walk->model->draw_logs.kept.fetch_reads == NULL)
		walk->model->draw_logs.kept.fetch_reads =
			calloc(1, sizeof *walk->model->draw_logs.kept.fetch_reads);
	if (walk->model->draw_logs.kept.fetch_reads == NULL)
		return vkr_error_memory(walk->error, "the vertices of a draw");
	const struct vkr_engine_target target = {.memory = buffer->memory->id,
						 .base = buffer->offset + run->base,
						 .bytes = run->end - run->base};
	return wait_for(walk, run, &target, waits);
}
