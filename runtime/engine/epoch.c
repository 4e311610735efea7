// SPDX-License-Identifier: Apache-2.0
// The table of epochs. Knows their contents as a key, and not what they stand for.
#include "epoch.h"

#include "array.h"
#include "error.h"
#include "map.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_COLLECT ((size_t)1 << 12)

void vkr_epochs_init(struct vkr_epochs *epochs)
{
	*epochs = (struct vkr_epochs){.count = 1, .collect_at = FIRST_COLLECT};
}

void vkr_epochs_finish(struct vkr_epochs *epochs)
{
	free(epochs->items);
	free(epochs->table);
	free(epochs->free_items);
	*epochs = (struct vkr_epochs){0};
}

uint64_t vkr_epochs_bytes(const struct vkr_epochs *epochs)
{
	return epochs->capacity * sizeof *epochs->items +
	       epochs->table_size * sizeof *epochs->table +
	       epochs->free_capacity * sizeof *epochs->free_items;
}

static size_t epoch_hash(const struct vkr_epoch *epoch)
{
	uint64_t h = vkr_map_hash(((uint64_t)epoch->command << 32) | epoch->site);
	h = vkr_map_hash(h ^ (((uint64_t)epoch->reference << 32) | epoch->interval));
	if (epoch->pair)
		h = vkr_map_hash(h ^ (((uint64_t)epoch->other_site << 32) | epoch->other_interval));
	if (epoch->table)
		h = vkr_map_hash(h ^ epoch->table->hash);
	return (size_t)vkr_map_hash(h ^ (((uint64_t)epoch->high << 32) |
					 ((uint64_t)epoch->shape << 16) |
					 ((uint64_t)epoch->against << 1) | epoch->pair));
}

static bool epoch_equal(const struct vkr_epoch *a, const struct vkr_epoch *b)
{
	return a->command == b->command && a->site == b->site && a->reference == b->reference &&
	       a->interval == b->interval && a->other_site == b->other_site &&
	       a->other_interval == b->other_interval && a->table == b->table &&
	       a->high == b->high && a->shape == b->shape && a->local_bits == b->local_bits &&
	       a->against == b->against && a->pair == b->pair && a->invocation == b->invocation;
}

static bool table_build(struct vkr_epochs *epochs, size_t size)
{
	uint32_t *table = calloc(size, sizeof *table);
	if (!table)
		return false;
	for (uint32_t i = 1; i < epochs->count; i++) {
		size_t at;
		if (!epochs->items[i].used)
			continue;
		for (at = epoch_hash(&epochs->items[i]) & (size - 1); table[at];
		     at = (at + 1) & (size - 1)) {
		}
		table[at] = i;
	}
	free(epochs->table);
	epochs->table = table;
	epochs->table_size = size;
	return true;
}

enum vkr_result vkr_epochs_find(struct vkr_epochs *epochs, const struct vkr_epoch *content,
				uint32_t *epoch, struct vkr_error *error)
{
	size_t at;
	uint32_t made;

	if (epochs->live + 1 > epochs->table_size / 2 &&
	    !table_build(epochs, epochs->table_size ? epochs->table_size * 2 : 1024))
		return vkr_error_memory(error, "epochs");
	for (at = epoch_hash(content) & (epochs->table_size - 1); epochs->table[at];
	     at = (at + 1) & (epochs->table_size - 1)) {
		if (epoch_equal(&epochs->items[epochs->table[at]], content)) {
			*epoch = epochs->table[at];
			return VKR_OK;
		}
	}
	if (epochs->free_count) {
		made = epochs->free_items[--epochs->free_count];
	} else {
		if (epochs->count > VKR_EPOCH_MASK)
			return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
					     "more than %u kinds of accesses in shadow memory at "
					     "once",
					     VKR_EPOCH_MASK);
		if (!vkr_array_reserve((void **)&epochs->items, &epochs->capacity,
				       epochs->count + 1, sizeof *epochs->items))
			return vkr_error_memory(error, "epochs");
		made = (uint32_t)epochs->count++;
	}
	epochs->items[made] = *content;
	epochs->items[made].used = true;
	epochs->items[made].marked = false;
	epochs->table[at] = made;
	epochs->live++;
	*epoch = made;
	return VKR_OK;
}

void vkr_epochs_begin_collect(struct vkr_epochs *epochs)
{
	for (size_t i = 1; i < epochs->count; i++)
		epochs->items[i].marked = false;
}

enum vkr_result vkr_epochs_sweep(struct vkr_epochs *epochs, struct vkr_error *error)
{
	size_t size = 1024;
	for (size_t i = 1; i < epochs->count; i++) {
		if (!epochs->items[i].used || epochs->items[i].marked)
			continue;
		if (!vkr_array_reserve((void **)&epochs->free_items, &epochs->free_capacity,
				       epochs->free_count + 1, sizeof *epochs->free_items))
			return vkr_error_memory(error, "epochs");
		epochs->items[i].used = false;
		epochs->free_items[epochs->free_count++] = (uint32_t)i;
		epochs->live--;
	}
	epochs->collect_at = epochs->live * 2 > FIRST_COLLECT ? epochs->live * 2 : FIRST_COLLECT;
	while (size < epochs->live * 4)
		size *= 2;
	return table_build(epochs, size) ? VKR_OK : vkr_error_memory(error, "epochs");
}
