// SPDX-License-Identifier: Apache-2.0
// Takes back what no byte remembers any more: numbers of stamps and of commands. Knows who holds
// them; nothing of what they mean.
#include "array.h"
#include "error.h"
#include "judge.h"

#define FIRST_COLLECT ((size_t)1 << 16)

static void mark_slot(struct vkr_engine *engine, uint64_t slot, unsigned level)
{
	if (slot == 0)
		return;
	if (vkr_slot_kind(slot) == VKR_SLOT_SPLIT) {
		const unsigned fanout = vkr_level_fanout(level);
		for (unsigned i = 0; i < fanout; i++)
			mark_slot(engine, vkr_slot_children(slot)[i], level + 1);
	} else if (vkr_slot_kind(slot) == VKR_SLOT_SET) {
		const struct vkr_set *set = vkr_slot_set(slot);
		for (uint32_t i = 0; i < set->count; i++)
			engine->stamps.items[vkr_slot_stamp(set->slots[i])].marked = true;
	} else if (vkr_slot_kind(slot) == VKR_SLOT_PARTS) {
		const struct vkr_parts *parts = vkr_slot_parts(slot);
		for (unsigned i = 0; i < parts->count; i++)
			engine->stamps.items[vkr_slot_stamp(parts->slots[i])].marked = true;
	} else {
		engine->stamps.items[vkr_slot_stamp(slot)].marked = true;
	}
}

static void mark_shadow(struct vkr_engine *engine, const struct vkr_shadow *shadow)
{
	for (size_t i = 0; vkr_shadow_next_page(shadow, &i); i++) {
		mark_slot(engine, shadow->pages[i].write, 0);
		mark_slot(engine, shadow->pages[i].access, 0);
	}
}

// Everything that remembers a stamp outside of shadow memory is forgotten.
static enum vkr_result sweep_stamps(struct vkr_engine *engine, struct vkr_error *error)
{
	vkr_stamps_begin_collect(&engine->stamps);
	for (size_t i = 0; i < engine->memories.count; i++)
		mark_shadow(engine, &engine->memories.items[i]);
	mark_shadow(engine, &engine->workgroup_memory);
	for (size_t i = 0; i < VKR_VERDICT_CACHE; i++)
		engine->cache[i] = (struct vkr_cached_verdict){0};
	for (size_t i = 0; i < engine->sites.count; i++) {
		engine->sites.items[i].last[0].stamp = 0;
		engine->sites.items[i].last[1].stamp = 0;
	}
	return vkr_stamps_sweep(&engine->stamps, error);
}

enum vkr_result vkr_engine_collect_stamps(struct vkr_engine *engine, struct vkr_error *error)
{
	return engine->stamps.live < engine->stamps.collect_at ? VKR_OK
							       : sweep_stamps(engine, error);
}

enum vkr_result vkr_engine_collect_commands(struct vkr_engine *engine, struct vkr_error *error)
{
	struct vkr_queues *queues = &engine->queues;
	// What is kept of commands may take as much as shadow memory, which is looked through.
	const size_t shadow = (size_t)(engine->pool.held / sizeof(struct vkr_command));
	size_t least = queues->collect_at > shadow ? queues->collect_at : shadow;
	if (least < FIRST_COLLECT)
		least = FIRST_COLLECT;
	// A dispatch that is open may hold stamps that are in no slot yet.
	if (queues->spare.count > 0 || queues->commands.count < least || engine->dispatch.open)
		return VKR_OK;
	enum vkr_result result = sweep_stamps(engine, error);
	if (result != VKR_OK)
		return result;
	for (size_t i = 1; i < engine->stamps.count; i++)
		if (engine->stamps.items[i].used)
			queues->commands.items[engine->stamps.items[i].command - 1].marked = true;
	for (size_t i = 0; i < queues->commands.count; i++) {
		struct vkr_command *command = &queues->commands.items[i];
		const bool kept = command->marked || command->state;
		command->marked = false;
		if (kept)
			continue;
		if (!VKR_ARRAY_RESERVE(&queues->spare, 1))
			return vkr_error_memory(error, "commands");
		queues->spare.items[queues->spare.count++] = (uint32_t)i + 1;
		if (engine->options.command_gone)
			engine->options.command_gone(engine->options.context, command->tag);
	}
	// At least as many as are kept pass before the next time.
	queues->collect_at = 2 * (queues->commands.count - queues->spare.count);
	return VKR_OK;
}
