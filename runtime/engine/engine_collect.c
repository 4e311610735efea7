// SPDX-License-Identifier: Apache-2.0
// Reuses what no byte remembers any more: numbers of epochs and of commands, and dependencies
// before which nothing is left. Knows who holds them; not what they mean.
#include "array.h"
#include "deferred_reads.h"
#include "engine_state.h"
#include "error.h"
#include "kept_effects.h"
#include "map.h"
#include "shadow_packed.h"
#include "shadow_stripes.h"

#define FIRST_COLLECT ((size_t)1 << 12)

static void mark_slot(struct vkr_engine *engine, uint64_t slot, unsigned level)
{
	if (slot == 0)
		return;
	if (vkr_slot_kind(slot) == VKR_SLOT_SPLIT) {
		const unsigned fanout = vkr_level_fanout(level);
		for (unsigned i = 0; i < fanout; i++)
			mark_slot(engine, vkr_slot_children(slot)[i], level + 1);
	} else if (vkr_slot_kind(slot) == VKR_SLOT_SET) {
		const struct vkr_slot_set *set = vkr_slot_set(slot);
		for (uint32_t i = 0; i < set->count; i++)
			engine->epochs.items[vkr_slot_epoch(set->slots[i])].marked = true;
	} else if (vkr_slot_kind(slot) == VKR_SLOT_PARTS) {
		const struct vkr_parts *parts = vkr_slot_parts(slot);
		for (unsigned i = 0; i < parts->count; i++)
			engine->epochs.items[vkr_slot_epoch(parts->slots[i])].marked = true;
	} else if (vkr_slot_kind(slot) == VKR_SLOT_PACKED) {
		struct vkr_packed *packed = vkr_slot_packed(slot);
		const uint32_t used = vkr_packed_used(packed);
		for (unsigned i = 0; i < VKR_PACKED_EPOCHS; i++)
			if (used >> i & 1)
				engine->epochs.items[packed->epochs[i]].marked = true;
	} else if (vkr_slot_kind(slot) == VKR_SLOT_STRIPES) {
		const struct vkr_stripes *stripes = vkr_slot_stripes(slot);
		for (unsigned i = 0; i < stripes->count; i++)
			engine->epochs.items[stripes->items[i]->head.epoch].marked = true;
	} else {
		engine->epochs.items[vkr_slot_epoch(slot)].marked = true;
	}
}

static void mark_shadow(struct vkr_engine *engine, const struct vkr_shadow *shadow)
{
	for (size_t i = 0; vkr_shadow_next_page(shadow, &i); i++) {
		struct vkr_page *page = &shadow->pages[i];
		mark_slot(engine, page->write, 0);
		mark_slot(engine, page->access, 0);
		page->write_hint = page->access_hint = (struct vkr_hint){0};
	}
	for (size_t i = 0; i < shadow->possible.count; i++)
		engine->epochs.items[shadow->possible.items[i].epoch].marked = true;
	vkr_deferred_mark(engine, shadow);
}

// Everything that remembers an epoch outside of shadow memory is forgotten.
static enum vkr_result sweep_epochs(struct vkr_engine *engine, struct vkr_error *error)
{
	vkr_epochs_begin_collect(&engine->epochs);
	for (size_t i = 0; i < engine->memories.count; i++)
		mark_shadow(engine, &engine->memories.items[i]);
	mark_shadow(engine, &engine->workgroup_memory);
	for (size_t i = 0; i < VKR_VERDICT_CACHE; i++)
		engine->cache[i] = (struct vkr_cached_verdict){0};
	for (size_t i = 0; i < VKR_LINE_CHANGES; i++)
		engine->line_changes[i].epoch = 0;
	for (size_t i = 0; i < engine->sites.count; i++) {
		engine->sites.items[i].last[0].epoch = 0;
		engine->sites.items[i].last[1].epoch = 0;
	}
	const enum vkr_result result = vkr_epochs_sweep(&engine->epochs, error);
	if (result != VKR_OK)
		return result;
	for (size_t i = 1; i < engine->epochs.count; i++)
		if (engine->epochs.items[i].used && engine->epochs.items[i].table)
			engine->epochs.items[i].table->used = true;
	vkr_effects_mark(engine);
	vkr_invocation_tables_sweep(&engine->tables);
	return VKR_OK;
}

// Whether so many epochs have come that the walk through shadow memory costs little beside them:
// the memory for epochs may grow as large as what is walked through.
static bool epochs_fill(struct vkr_engine *engine)
{
	struct vkr_epochs *epochs = &engine->epochs;
	uint64_t walked = engine->pool.held;
	if (epochs->live < epochs->collect_at)
		return false;
	for (size_t i = 0; i < engine->memories.count; i++)
		walked += vkr_shadow_table_bytes(&engine->memories.items[i]);
	const size_t least = (size_t)(walked / sizeof(struct vkr_epoch));
	epochs->collect_at = least > epochs->collect_at ? least : epochs->collect_at;
	return epochs->live >= epochs->collect_at;
}

enum vkr_result vkr_engine_collect_epochs(struct vkr_engine *engine, struct vkr_error *error)
{
	return epochs_fill(engine) || vkr_invocation_tables_fill(&engine->tables)
		       ? sweep_epochs(engine, error)
		       : VKR_OK;
}

// Ranges of memory that is gone: no place is in them, and one says so as well as another.
static enum vkr_result forget_ranges(struct vkr_engine *engine, struct vkr_error *error)
{
	struct vkr_map live;
	uint64_t unused;
	bool known = true;
	vkr_map_init(&live);
	for (size_t i = 0; i < engine->memories.count && known; i++)
		if (engine->memories.items[i].live)
			known = vkr_map_set(&live, engine->memories.items[i].serial, 1);
	for (size_t i = 0; i < engine->queues.timelines.count && known; i++) {
		struct vkr_timeline *on = &engine->queues.timelines.items[i];
		size_t kept = 0;
		for (size_t j = 0; j < on->transitions.count; j++)
			if (vkr_map_get(&live, on->transitions.items[j].memory, &unused))
				on->transitions.items[kept++] = on->transitions.items[j];
		on->transitions.count = kept;
		for (size_t j = 0; j < on->past_accesses.count; j++) {
			struct vkr_engine_barrier_access *access = &on->past_accesses.items[j];
			if (access->memory == 0 || vkr_map_get(&live, access->memory, &unused))
				continue;
			access->memory = VKR_NO_SERIAL;
			access->offset = access->bytes = 0;
		}
	}
	vkr_map_finish(&live);
	return known ? VKR_OK : vkr_error_memory(error, "dependencies");
}

static enum vkr_result forget_dependencies(struct vkr_engine *engine, struct vkr_error *error)
{
	enum vkr_result result = forget_ranges(engine, error);
	for (uint32_t i = 1; i <= engine->queues.timelines.count && result == VKR_OK; i++)
		result = vkr_queues_forget(&engine->queues, i, error);
	return result;
}

enum vkr_result vkr_engine_collect_commands(struct vkr_engine *engine, struct vkr_error *error)
{
	const struct vkr_queues *queues = &engine->queues;
	// The memory for commands may grow as large as shadow memory, which the collection walks
	// through.
	const size_t shadow = (size_t)(engine->pool.held / sizeof(struct vkr_command));
	size_t least = queues->collect_at > shadow ? queues->collect_at : shadow;
	if (least < FIRST_COLLECT)
		least = FIRST_COLLECT;
	// A dispatch that is open may hold epochs that are in no slot yet.
	return queues->spare.count > 0 || queues->commands.count < least || engine->dispatch.open
		       ? VKR_OK
		       : vkr_engine_forget_commands(engine, error);
}

enum vkr_result vkr_engine_forget_commands(struct vkr_engine *engine, struct vkr_error *error)
{
	struct vkr_queues *queues = &engine->queues;
	enum vkr_result result = sweep_epochs(engine, error);
	if (result != VKR_OK)
		return result;
	for (size_t i = 1; i < engine->epochs.count; i++)
		if (engine->epochs.items[i].used)
			queues->commands.items[engine->epochs.items[i].command - 1].marked = true;
	for (size_t i = 0; i < queues->commands.count; i++) {
		struct vkr_command *command = &queues->commands.items[i];
		const bool kept = command->marked || command->state || command->holds > 0;
		command->marked = false;
		if (kept || command->timeline == 0)
			continue;
		if (!VKR_ARRAY_RESERVE(&queues->spare, 1))
			return vkr_error_memory(error, "commands");
		command->timeline = 0;
		queues->spare.items[queues->spare.count++] = (uint32_t)i + 1;
	}
	// At least as many as are kept pass before the next time.
	queues->collect_at = 2 * (queues->commands.count - queues->spare.count);
	return forget_dependencies(engine, error);
}

void vkr_engine_tags(const struct vkr_engine *engine, void (*tag)(void *context, uint64_t tag),
		     void *context)
{
	const struct vkr_queues *queues = &engine->queues;
	for (size_t i = 0; i < queues->commands.count; i++)
		if (queues->commands.items[i].timeline != 0)
			tag(context, queues->commands.items[i].tag);
	for (size_t i = 0; i < queues->timelines.count; i++)
		for (size_t j = 0; j < queues->timelines.items[i].past.count; j++)
			tag(context, queues->timelines.items[i].past.items[j].tag);
	for (size_t i = 0; i < engine->memories.count; i++)
		vkr_ownership_tags(&engine->memories.items[i].ownership, tag, context);
}
