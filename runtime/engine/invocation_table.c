// SPDX-License-Identifier: Apache-2.0
#include "invocation_table.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#define FIRST_COLLECT ((size_t)64 << 20) // bytes
#define FIRST_LISTS   ((size_t)64)       // a power of two

void vkr_invocation_tables_finish(struct vkr_invocation_tables *tables)
{
	for (size_t at = 0; at < tables->count; at++)
		free(tables->items[at]);
	free(tables->items);
	free(tables->first.items);
	*tables = (struct vkr_invocation_tables){0};
}

static uint32_t *list_of(struct vkr_invocation_tables *tables, uint64_t hash)
{
	return &tables->first.items[hash & (tables->first.count - 1)];
}

static void make_lists(struct vkr_invocation_tables *tables)
{
	memset(tables->first.items, 0, tables->first.count * sizeof *tables->first.items);
	for (size_t at = 0; at < tables->count; at++) {
		uint32_t *first = list_of(tables, tables->items[at]->hash);
		tables->items[at]->next = *first;
		*first = (uint32_t)at + 1;
	}
}

// Room for one more; as many lists as tables at least.
static bool make_room(struct vkr_invocation_tables *tables)
{
	if (!VKR_ARRAY_RESERVE(tables, 1))
		return false;
	if (tables->count < tables->first.count)
		return true;
	const size_t more = tables->first.count > 0 ? tables->first.count : FIRST_LISTS;
	if (!VKR_ARRAY_RESERVE(&tables->first, more))
		return false;
	tables->first.count += more;
	make_lists(tables);
	return true;
}

static size_t bytes_of(uint32_t count)
{
	return sizeof(struct vkr_invocation_table) + (size_t)count * sizeof(uint32_t);
}

struct vkr_invocation_table *vkr_invocation_table(struct vkr_invocation_tables *tables,
						  const uint32_t *items, uint32_t count)
{
	const size_t bytes = (size_t)count * sizeof *items;
	const uint64_t hash = XXH3_64bits(items, bytes);
	if (!make_room(tables))
		return NULL;
	uint32_t *first = list_of(tables, hash);
	for (uint32_t at = *first; at != 0; at = tables->items[at - 1]->next) {
		struct vkr_invocation_table *old = tables->items[at - 1];
		if (old->hash == hash && old->count == count &&
		    memcmp(old->items, items, bytes) == 0)
			return old;
	}
	struct vkr_invocation_table *made = malloc(bytes_of(count));
	if (made == NULL)
		return NULL;
	*made = (struct vkr_invocation_table){.hash = hash, .next = *first, .count = count};
	memcpy(made->items, items, bytes);
	tables->items[tables->count++] = made;
	*first = (uint32_t)tables->count;
	tables->bytes += bytes_of(count);
	return made;
}

bool vkr_invocation_tables_fill(const struct vkr_invocation_tables *tables)
{
	const size_t least =
		tables->collect_at > FIRST_COLLECT ? tables->collect_at : FIRST_COLLECT;
	return tables->bytes >= least;
}

void vkr_invocation_tables_sweep(struct vkr_invocation_tables *tables)
{
	size_t kept = 0;
	for (size_t at = 0; at < tables->count; at++) {
		struct vkr_invocation_table *table = tables->items[at];
		if (table->used) {
			table->used = false;
			tables->items[kept++] = table;
			continue;
		}
		tables->bytes -= bytes_of(table->count);
		free(table);
	}
	tables->count = kept;
	if (tables->first.count > 0)
		make_lists(tables);
	tables->collect_at = 2 * tables->bytes; // as many again may come
}
