// SPDX-License-Identifier: Apache-2.0
#include "read_repeats.h"

#include "array.h"
#include "error.h"
#include "map.h"
#include "read_table.h"

#include <stdlib.h>
#include <string.h>

// Of all that is kept: once there is more, all of it goes, and what goes on repeating comes back.
#define BYTES_MOST ((size_t)64 << 20)

// Of a shader that has had so many logs since one repeated, one in so many is looked at.
#define MISSES_MOST 8u

// One filter of a reading.
struct repeat_filter {
	uint32_t access;
	bool possible; // an implementation may read other texels, too
	uint64_t target_bytes;
	struct vkr_texel_plan plan; // of texels
	struct vkr_read_table *reads;
};

struct repeat {
	struct vkr_repeat_key key;
	uint32_t local_size;
	size_t filter_count, open_count;
	struct repeat_filter *filters;
	uint32_t *open; // accesses of which any texel may be read (VKR_PLAN_OPEN)
};

struct vkr_read_repeats {
	struct vkr_map known; // by place_of a key: 1 + index
	struct repeat *items;
	size_t count, capacity;
	size_t bytes;
	struct vkr_read_pages *pages; // of all tables; NULL: none yet
	struct vkr_map misses;        // by shader: logs since one repeated
};

static void repeat_finish(struct repeat *repeat)
{
	for (size_t at = 0; repeat->filters != NULL && at < repeat->filter_count; at++)
		vkr_read_table_drop(repeat->filters[at].reads);
	free(repeat->filters);
	free(repeat->open);
}

static void read_repeats_clear(struct vkr_read_repeats *repeats)
{
	for (size_t at = 0; at < repeats->count; at++)
		repeat_finish(&repeats->items[at]);
	repeats->count = repeats->bytes = 0;
	vkr_map_finish(&repeats->known);
	vkr_map_init(&repeats->known);
}

void vkr_read_repeats_destroy(struct vkr_read_repeats *repeats)
{
	if (repeats == NULL)
		return;
	read_repeats_clear(repeats);
	vkr_read_pages_drop(repeats->pages);
	vkr_map_finish(&repeats->known);
	vkr_map_finish(&repeats->misses);
	free(repeats->items);
	free(repeats);
}

static struct vkr_read_repeats *read_repeats_make(void)
{
	struct vkr_read_repeats *repeats = calloc(1, sizeof *repeats);
	if (repeats == NULL)
		return NULL;
	vkr_map_init(&repeats->known);
	vkr_map_init(&repeats->misses);
	return repeats;
}

// Where memory is short it is only not expected.
bool vkr_read_repeats_expected(struct vkr_read_repeats **repeats, uint32_t shader)
{
	uint64_t misses = 0;
	if (*repeats == NULL)
		*repeats = read_repeats_make();
	if (*repeats == NULL)
		return false;
	vkr_map_get(&(*repeats)->misses, shader, &misses);
	return vkr_map_set(&(*repeats)->misses, shader, misses + 1) &&
	       (misses < MISSES_MOST || misses % MISSES_MOST == 0);
}

bool vkr_read_repeats_lately(const struct vkr_read_repeats *repeats, uint32_t shader)
{
	uint64_t misses = 0;
	if (repeats != NULL)
		vkr_map_get(&repeats->misses, shader, &misses);
	return misses < MISSES_MOST;
}

static uint64_t place_of(const struct vkr_repeat_key *key)
{
	return key->low ^ vkr_map_hash(key->shader);
}

static const struct repeat *read_repeats_find(const struct vkr_read_repeats *repeats,
					      const struct vkr_repeat_key *key)
{
	uint64_t index = 0;
	if (repeats == NULL || !vkr_map_get(&repeats->known, place_of(key), &index))
		return NULL;
	const struct repeat *repeat = &repeats->items[index - 1];
	return repeat->key.low == key->low && repeat->key.high == key->high &&
			       repeat->key.shader == key->shader
		       ? repeat
		       : NULL;
}

// ---- Keeping ------------------------------------------------------------------------------------

// Fills in the filter of an access, if it has one. False where it may not be kept.
static bool note_filter(const struct vkr_texel_reading *of, size_t access, struct repeat *repeat)
{
	const struct vkr_texel_reads *reads = of->replay->reads;
	const struct vkr_program_access *what = &of->program->accesses[access];
	const uint32_t first = reads->filters.first.items[access];
	if (first == 0)
		return true;
	const struct vkr_access_filter *filter = &reads->filters.items[first - 1];
	struct repeat_filter *made = &repeat->filters[first - 1];
	if (filter->next != 0 || what->arrayed)
		return false;
	made->access = (uint32_t)access;
	made->target_bytes = filter->target->bytes;
	if (what->texel == NULL)
		return true;
	const struct vkr_texel_read *read = &reads->accesses.items[access];
	made->possible = read->possible;
	made->plan = read->plan;
	return read->made && read->plan.kind != VKR_PLAN_NONE && read->filter == first - 1;
}

static bool note_filters(const struct vkr_texel_reading *of, struct repeat *repeat)
{
	const struct vkr_texel_reads *reads = of->replay->reads;
	const struct vkr_access_filters *filters = &reads->filters;
	bool noted = true;
	repeat->filter_count = filters->count;
	repeat->filters = calloc(filters->count + 1, sizeof *repeat->filters);
	repeat->open = calloc(reads->accesses.count + 1, sizeof *repeat->open);
	if (repeat->filters == NULL || repeat->open == NULL)
		return false;
	for (size_t access = 0; access < filters->first.count && noted; access++)
		noted = note_filter(of, access, repeat);
	for (uint32_t access = 0; access < reads->accesses.count; access++)
		if (reads->accesses.items[access].made &&
		    reads->accesses.items[access].plan.kind == VKR_PLAN_OPEN)
			repeat->open[repeat->open_count++] = access;
	return noted;
}

static bool copy_reads(const struct vkr_texel_reading *of, struct vkr_read_pages **pages,
		       struct repeat *repeat, size_t *bytes)
{
	const struct vkr_texel_reads *reads = of->replay->reads;
	const struct vkr_access_filters *filters = &reads->filters;
	bool copied = true;
	*bytes += repeat->filter_count * sizeof *repeat->filters;
	for (size_t at = 0; at < filters->count && copied; at++) {
		const struct vkr_access_filter *from = &filters->items[at];
		struct vkr_read_table *made = vkr_read_table_make(pages, filters, from);
		repeat->filters[at].reads = made;
		copied = made != NULL;
		*bytes += copied ? vkr_read_table_bytes(made) : 0;
	}
	return copied;
}

void vkr_read_repeats_keep(struct vkr_read_repeats *to, const struct vkr_texel_reading *of,
			   const struct vkr_repeat_key *key, uint32_t local_size)
{
	struct repeat repeat = {.key = *key, .local_size = local_size};
	size_t bytes = sizeof repeat;
	if (of->varies || of->odd)
		return;
	if (!note_filters(of, &repeat) || !copy_reads(of, &to->pages, &repeat, &bytes) ||
	    !VKR_ARRAY_RESERVE(to, 1) || !vkr_map_set(&to->known, place_of(key), to->count + 1)) {
		repeat_finish(&repeat);
		return;
	}
	to->items[to->count++] = repeat;
	to->bytes += bytes;
	if (to->bytes > BYTES_MOST)
		read_repeats_clear(to);
}

// ---- Finding ------------------------------------------------------------------------------------

// Makes the filter as the reading would. *same: it is as it was kept.
static enum vkr_result make_filter(struct vkr_texel_reading *of, const struct repeat_filter *like,
				   uint32_t index, bool *same)
{
	struct vkr_texel_reads *reads = of->replay->reads;
	struct vkr_program_access *access = &of->program->accesses[like->access];
	uint32_t filter = UINT32_MAX;
	enum vkr_result result;
	if (access->texel == NULL) {
		const struct vkr_engine_target *target =
			vkr_dispatch_target(of->targets, access->variable, 0);
		*same = target != NULL;
		result = target != NULL ? vkr_texel_reads_buffer(of, access, target, &filter)
					: VKR_OK;
	} else {
		struct vkr_texel_read *read = &reads->accesses.items[like->access];
		result = vkr_texel_reads_plan(of, access, read);
		filter = read->filter;
		*same = read->plan.kind != VKR_PLAN_NONE &&
			vkr_texel_plan_is_same(&read->plan, &like->plan);
		read->possible = like->possible;
		if (result == VKR_OK && *same && like->possible && !read->plan.bound->possible &&
		    !vkr_possible_texels_note(&of->replay->possible, read->plan.bound, access))
			return vkr_error_memory(of->error, "texels");
	}
	*same = *same && filter == index && !of->odd &&
		reads->filters.items[index].target->bytes == like->target_bytes;
	return result;
}

// Notes where an access may read, as the reading would. *same: it may as when it was kept.
static enum vkr_result note_open(struct vkr_texel_reading *of, uint32_t index, bool *same)
{
	struct vkr_program_access *access = &of->program->accesses[index];
	struct vkr_texel_read *read = &of->replay->reads->accesses.items[index];
	const enum vkr_result result = vkr_texel_reads_plan(of, access, read);
	if (result != VKR_OK)
		return result;
	*same = read->plan.kind == VKR_PLAN_OPEN;
	if (*same && !read->plan.bound->possible &&
	    !vkr_possible_texels_note(&of->replay->possible, read->plan.bound, access))
		return vkr_error_memory(of->error, "texels");
	return VKR_OK;
}

// The reads of all filters are those that are kept.
static void take_reads(struct vkr_texel_reads *reads, const struct repeat *repeat)
{
	for (size_t at = 0; at < repeat->filter_count; at++)
		reads->filters.items[at].kept = repeat->filters[at].reads;
}

enum vkr_result vkr_read_repeats_find(struct vkr_read_repeats *repeats,
				      struct vkr_texel_reading *of,
				      const struct vkr_repeat_key *key, uint32_t *local_size,
				      bool *found)
{
	const struct repeat *repeat = read_repeats_find(repeats, key);
	enum vkr_result result = VKR_OK;
	*found = false;
	if (repeat == NULL)
		return VKR_OK;
	bool same = true;
	for (size_t at = 0; at < repeat->filter_count && same && result == VKR_OK; at++)
		result = make_filter(of, &repeat->filters[at], (uint32_t)at, &same);
	for (size_t at = 0; at < repeat->open_count && same && result == VKR_OK; at++)
		result = note_open(of, repeat->open[at], &same);
	if (result != VKR_OK)
		return result;
	if (same)
		take_reads(of->replay->reads, repeat);
	if (!same && !vkr_texel_reads_begin(of->replay, of->program))
		return vkr_error_memory(of->error, "the reads of a draw");
	*local_size = repeat->local_size;
	*found = same;
	if (same)
		vkr_map_remove(&repeats->misses, key->shader);
	return VKR_OK;
}
