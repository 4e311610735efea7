// SPDX-License-Identifier: Apache-2.0
#include "deferred_reads.h"

#include "engine_feed.h"

#include "array.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

static void finish_table(struct vkr_engine *engine, struct vkr_deferred_table *table)
{
	engine->deferred.bytes -= vkr_read_table_bytes(table->reads);
	vkr_reads_left_finish(&table->left);
	vkr_read_table_drop(table->reads);
	vkr_queues_command_release(&engine->queues, table->command);
}

void vkr_deferred_group_remove(struct vkr_engine *engine, struct vkr_deferred_group *group,
			       size_t at)
{
	finish_table(engine, &group->tables.items[at]);
	group->tables.count--;
	memmove(&group->tables.items[at], &group->tables.items[at + 1],
		(group->tables.count - at) * sizeof *group->tables.items);
}

// ---- Logs ---------------------------------------------------------------------------------------

void vkr_deferred_forget(struct vkr_engine *engine, struct vkr_deferred_group *group, size_t count)
{
	for (size_t at = 0; at < count; at++) {
		struct vkr_unread_log *log = group->unread.items[at].log;
		vkr_queues_command_release(&engine->queues, log->command);
		log->drop(log, group->unread.items[at].access);
	}
	group->unread.count -= count;
	if (group->unread.count > 0)
		memmove(group->unread.items, group->unread.items + count,
			group->unread.count * sizeof *group->unread.items);
}

enum vkr_result vkr_deferred_read_log(struct vkr_engine *engine, struct vkr_unread_log *log,
				      const struct vkr_engine_range *range, struct vkr_error *error)
{
	const struct vkr_interrupted was = vkr_dispatch_interrupt(engine);
	engine->deferred.reading = engine->feeds_waiting = true;
	const enum vkr_result result = log->read(log, range, error);
	engine->deferred.reading = false;
	vkr_dispatch_resume(engine, &was);
	return result;
}

// Of one log there are several where it has several sites.
static enum vkr_result read_oldest(struct vkr_engine *engine, const struct vkr_shadow *shadow,
				   const struct vkr_deferred_group *group, struct vkr_error *error)
{
	struct vkr_unread_log *log = group->unread.items[0].log;
	const struct vkr_engine_range range = {shadow->memory, group->low,
					       group->high - group->low};
	size_t count = 1;
	while (count < group->unread.count && group->unread.items[count].log == log)
		count++;
	const enum vkr_result result = vkr_deferred_read_log(engine, log, &range, error);
	vkr_deferred_forget(
		engine, vkr_deferred_find(shadow, range.offset, range.offset + range.bytes), count);
	return result;
}

enum vkr_result vkr_deferred_read(struct vkr_engine *engine, const struct vkr_shadow *shadow,
				  uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_deferred_group *group = vkr_deferred_find(shadow, low, high);
	enum vkr_result result = VKR_OK;
	while (group != NULL && group->unread.count > 0 && !engine->deferred.reading &&
	       result == VKR_OK) {
		result = read_oldest(engine, shadow, group, error);
		group = vkr_deferred_find(shadow, low, high);
	}
	return result;
}

// ---- Groups -------------------------------------------------------------------------------------

size_t vkr_deferred_from(const struct vkr_deferred *deferred, uint64_t low)
{
	size_t first = 0;
	VKR_SEARCH(first, deferred->count, at, deferred->items[at]->high <= low);
	return first;
}

void vkr_deferred_group_detach(struct vkr_shadow *shadow, struct vkr_deferred_group *group)
{
	struct vkr_deferred *deferred = shadow->deferred;
	const size_t at = vkr_deferred_from(deferred, group->low);
	deferred->count--;
	memmove(&deferred->items[at], &deferred->items[at + 1],
		(deferred->count - at) * sizeof *deferred->items);
	if (deferred->count > 0)
		return;
	free(deferred->items);
	free(deferred);
	shadow->deferred = NULL;
}

void vkr_deferred_group_release(struct vkr_engine *engine, struct vkr_deferred_group *group)
{
	for (size_t i = 0; i < group->tables.count; i++)
		finish_table(engine, &group->tables.items[i]);
	vkr_deferred_forget(engine, group, group->unread.count);
	free(group->unread.items);
	free(group->tables.items);
	free(group->writes.items);
	free(group->reads.items);
	free(group);
}

void vkr_deferred_group_destroy(struct vkr_engine *engine, struct vkr_shadow *shadow,
				struct vkr_deferred_group *group)
{
	vkr_deferred_group_detach(shadow, group);
	vkr_deferred_group_release(engine, group);
}

void vkr_deferred_drop(struct vkr_engine *engine, struct vkr_shadow *shadow)
{
	while (shadow->deferred != NULL && shadow->deferred->count > 0)
		vkr_deferred_group_destroy(engine, shadow, shadow->deferred->items[0]);
	// Without memory for a first group there is none.
	if (shadow->deferred != NULL)
		free(shadow->deferred->items);
	free(shadow->deferred);
	shadow->deferred = NULL;
}

void vkr_deferred_finish(struct vkr_engine *engine)
{
	for (size_t memory = 0; memory < engine->memories.count; memory++)
		vkr_deferred_drop(engine, &engine->memories.items[memory]);
	vkr_read_pages_drop(engine->deferred.pages);
	engine->deferred.pages = NULL;
	free(engine->deferred.seen.items);
}

void vkr_deferred_mark(struct vkr_engine *engine, const struct vkr_shadow *shadow)
{
	for (size_t at = 0; shadow->deferred != NULL && at < shadow->deferred->count; at++) {
		const struct vkr_deferred_group *group = shadow->deferred->items[at];
		for (size_t i = 0; i < group->tables.count; i++)
			engine->epochs.items[group->tables.items[i].epoch].marked = true;
		for (size_t i = 0; i < group->unread.count; i++)
			engine->epochs.items[group->unread.items[i].epoch].marked = true;
	}
}

bool vkr_deferred_waits(const struct vkr_shadow *shadow, uint64_t low, uint64_t high)
{
	const struct vkr_deferred *deferred = shadow->deferred;
	const size_t at = deferred != NULL ? vkr_deferred_from(deferred, low) : 0;
	return deferred != NULL && at < deferred->count && deferred->items[at]->low < high;
}

struct vkr_deferred_group *vkr_deferred_find(const struct vkr_shadow *shadow, uint64_t low,
					     uint64_t high)
{
	const struct vkr_deferred *deferred = shadow->deferred;
	const size_t at = deferred != NULL ? vkr_deferred_from(deferred, low) : 0;
	if (deferred == NULL || at == deferred->count || deferred->items[at]->low != low ||
	    deferred->items[at]->high != high)
		return NULL;
	return deferred->items[at];
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
	struct vkr_deferred *deferred = shadow->deferred;
	const size_t at = vkr_deferred_from(deferred, low);
	memmove(&deferred->items[at + 1], &deferred->items[at],
		(deferred->count++ - at) * sizeof *deferred->items);
	deferred->items[at] = made;
	return made;
}

void vkr_deferred_group_tidy(struct vkr_engine *engine, struct vkr_shadow *shadow,
			     struct vkr_deferred_group *group)
{
	size_t kept = 0;
	for (size_t at = 0; at < group->tables.count; at++) {
		struct vkr_deferred_table *table = &group->tables.items[at];
		if (table->left.in_use == 0)
			finish_table(engine, table);
		else
			group->tables.items[kept++] = *table;
	}
	group->tables.count = kept;
	if (kept == 0 && group->unread.count == 0)
		vkr_deferred_group_destroy(engine, shadow, group);
}

// Those that are kept elsewhere, or most often those that were made last.
