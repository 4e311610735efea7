// SPDX-License-Identifier: Apache-2.0
#include "deferred_reads.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

size_t vkr_deferred_table_bytes(const struct vkr_deferred_table *table)
{
	size_t pages = 0;
	for (size_t page = 0; page < table->filter.pages.count; page++)
		pages += table->filter.pages.items[page] != 0;
	return pages * VKR_FILTER_PAGE * sizeof *table->entries;
}

void vkr_deferred_readers_drop(struct vkr_engine *engine, struct vkr_deferred_readers *readers)
{
	if (readers == NULL || --readers->references > 0)
		return;
	engine->deferred.bytes -= readers->bytes;
	free(readers);
}

static void finish_table(struct vkr_engine *engine, struct vkr_deferred_table *table)
{
	engine->deferred.bytes -= vkr_deferred_table_bytes(table);
	vkr_deferred_readers_drop(engine, table->readers);
	vkr_queues_command_release(&engine->queues, table->command);
	free(table->filter.pages.items);
	free(table->entries);
}

void vkr_deferred_group_destroy(struct vkr_engine *engine, struct vkr_shadow *shadow,
				struct vkr_deferred_group *group)
{
	struct vkr_deferred *deferred = shadow->deferred;
	size_t at = 0;
	while (deferred->items[at] != group)
		at++;
	deferred->items[at] = deferred->items[--deferred->count];
	for (size_t i = 0; i < group->tables.count; i++)
		finish_table(engine, &group->tables.items[i]);
	free(group->tables.items);
	free(group->writes.items);
	free(group->reads.items);
	free(group);
	if (deferred->count > 0)
		return;
	free(deferred->items);
	free(deferred);
	shadow->deferred = NULL;
}

void vkr_deferred_drop(struct vkr_engine *engine, struct vkr_shadow *shadow)
{
	while (shadow->deferred != NULL)
		vkr_deferred_group_destroy(engine, shadow, shadow->deferred->items[0]);
}

void vkr_deferred_finish(struct vkr_engine *engine)
{
	for (size_t memory = 0; memory < engine->memories.count; memory++)
		vkr_deferred_drop(engine, &engine->memories.items[memory]);
	vkr_deferred_readers_drop(engine, engine->deferred.readers);
	engine->deferred.readers = NULL;
}

void vkr_deferred_mark(struct vkr_engine *engine, const struct vkr_shadow *shadow)
{
	for (size_t at = 0; shadow->deferred != NULL && at < shadow->deferred->count; at++) {
		const struct vkr_deferred_group *group = shadow->deferred->items[at];
		for (size_t i = 0; i < group->tables.count; i++)
			engine->epochs.items[group->tables.items[i].epoch].marked = true;
	}
}

struct vkr_deferred_group *vkr_deferred_group_make(struct vkr_engine *engine,
						   struct vkr_shadow *shadow, uint64_t low,
						   uint64_t high)
{
	if (shadow->deferred == NULL)
		shadow->deferred = calloc(1, sizeof *shadow->deferred);
	if (shadow->deferred == NULL || !VKR_ARRAY_RESERVE(shadow->deferred, 1))
		return NULL;
	struct vkr_deferred_group *made = calloc(1, sizeof *made);
	if (made == NULL)
		return NULL;
	made->low = low;
	made->high = high;
	made->number = engine->deferred.groups++;
	shadow->deferred->items[shadow->deferred->count++] = made;
	return made;
}

void vkr_deferred_group_tidy(struct vkr_engine *engine, struct vkr_shadow *shadow,
			     struct vkr_deferred_group *group)
{
	size_t kept = 0;
	for (size_t at = 0; at < group->tables.count; at++) {
		struct vkr_deferred_table *table = &group->tables.items[at];
		if (vkr_deferred_table_bytes(table) == 0)
			finish_table(engine, table);
		else
			group->tables.items[kept++] = *table;
	}
	group->tables.count = kept;
	if (kept == 0)
		vkr_deferred_group_destroy(engine, shadow, group);
}

// Most often those that were made last.
struct vkr_deferred_readers *vkr_deferred_readers_of(struct vkr_engine *engine,
						     const struct vkr_filter_readers *of)
{
	const size_t bytes = of->count * sizeof *of->list;
	struct vkr_deferred_readers *last = engine->deferred.readers;
	if (last == NULL || last->command != engine->dispatch.command || last->bytes != bytes) {
		struct vkr_deferred_readers *made = malloc(sizeof *made + bytes);
		if (made == NULL)
			return NULL;
		*made = (struct vkr_deferred_readers){
			.references = 1, .command = engine->dispatch.command, .bytes = bytes};
		memcpy(made->items, of->list, bytes);
		engine->deferred.bytes += bytes;
		vkr_deferred_readers_drop(engine, last);
		engine->deferred.readers = last = made;
	}
	last->references++;
	return last;
}
