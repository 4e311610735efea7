// SPDX-License-Identifier: Apache-2.0
// The table of stamps. Knows their contents as a key, and not what they stand for.
#include "stamp.h"

#include "array.h"
#include "error.h"
#include "map.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_COLLECT ((size_t)1 << 20)

void vkr_stamps_init(struct vkr_stamps *stamps)
{
	*stamps = (struct vkr_stamps){.count = 1, .collect_at = FIRST_COLLECT};
}

void vkr_stamps_finish(struct vkr_stamps *stamps)
{
	free(stamps->items);
	free(stamps->table);
	free(stamps->free_items);
	*stamps = (struct vkr_stamps){0};
}

static size_t stamp_hash(const struct vkr_stamp *stamp)
{
	uint64_t h = vkr_map_hash(((uint64_t)stamp->command << 32) | stamp->site);
	h = vkr_map_hash(h ^ (((uint64_t)stamp->reference << 32) | stamp->interval));
	if (stamp->pair)
		h = vkr_map_hash(h ^ (((uint64_t)stamp->other_site << 32) | stamp->other_interval));
	return (size_t)vkr_map_hash(
		h ^ (((uint64_t)stamp->high << 32) | ((uint64_t)stamp->shape << 16) | stamp->pair));
}

static bool stamp_equal(const struct vkr_stamp *a, const struct vkr_stamp *b)
{
	return a->command == b->command && a->site == b->site && a->reference == b->reference &&
	       a->interval == b->interval && a->other_site == b->other_site &&
	       a->other_interval == b->other_interval && a->high == b->high &&
	       a->shape == b->shape && a->local_bits == b->local_bits && a->pair == b->pair &&
	       a->invocation == b->invocation;
}

static bool table_build(struct vkr_stamps *stamps, size_t size)
{
	uint32_t *table = calloc(size, sizeof *table);
	if (!table)
		return false;
	for (uint32_t i = 1; i < stamps->count; i++) {
		size_t at;
		if (!stamps->items[i].used)
			continue;
		for (at = stamp_hash(&stamps->items[i]) & (size - 1); table[at];
		     at = (at + 1) & (size - 1)) {
		}
		table[at] = i;
	}
	free(stamps->table);
	stamps->table = table;
	stamps->table_size = size;
	return true;
}

enum vkr_result vkr_stamps_find(struct vkr_stamps *stamps, const struct vkr_stamp *content,
				uint32_t *stamp, struct vkr_error *error)
{
	size_t at;
	uint32_t made;

	if (stamps->live + 1 > stamps->table_size / 2 &&
	    !table_build(stamps, stamps->table_size ? stamps->table_size * 2 : 1024))
		return vkr_error_memory(error, "stamps");
	for (at = stamp_hash(content) & (stamps->table_size - 1); stamps->table[at];
	     at = (at + 1) & (stamps->table_size - 1)) {
		if (stamp_equal(&stamps->items[stamps->table[at]], content)) {
			*stamp = stamps->table[at];
			return VKR_OK;
		}
	}
	if (stamps->free_count) {
		made = stamps->free_items[--stamps->free_count];
	} else {
		if (stamps->count > VKR_STAMP_MASK)
			return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
					     "more than %u kinds of accesses in shadow memory at "
					     "once",
					     VKR_STAMP_MASK);
		if (!vkr_array_reserve((void **)&stamps->items, &stamps->capacity,
				       stamps->count + 1, sizeof *stamps->items))
			return vkr_error_memory(error, "stamps");
		made = (uint32_t)stamps->count++;
	}
	stamps->items[made] = *content;
	stamps->items[made].used = true;
	stamps->items[made].marked = false;
	stamps->table[at] = made;
	stamps->live++;
	*stamp = made;
	return VKR_OK;
}

void vkr_stamps_begin_collect(struct vkr_stamps *stamps)
{
	for (size_t i = 1; i < stamps->count; i++)
		stamps->items[i].marked = false;
}

enum vkr_result vkr_stamps_sweep(struct vkr_stamps *stamps, struct vkr_error *error)
{
	size_t size = 1024;
	for (size_t i = 1; i < stamps->count; i++) {
		if (!stamps->items[i].used || stamps->items[i].marked)
			continue;
		if (!vkr_array_reserve((void **)&stamps->free_items, &stamps->free_capacity,
				       stamps->free_count + 1, sizeof *stamps->free_items))
			return vkr_error_memory(error, "stamps");
		stamps->items[i].used = false;
		stamps->free_items[stamps->free_count++] = (uint32_t)i;
		stamps->live--;
	}
	stamps->collect_at = stamps->live * 2 > FIRST_COLLECT ? stamps->live * 2 : FIRST_COLLECT;
	while (size < stamps->live * 4)
		size *= 2;
	return table_build(stamps, size) ? VKR_OK : vkr_error_memory(error, "stamps");
}
