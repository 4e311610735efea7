// SPDX-License-Identifier: Apache-2.0
#include "linked_reach.h"

#include "array.h"
#include "engine.h"
#include "site_scope.h"

#include <stdlib.h>

void vkr_link_reach_finish(struct vkr_link_reach *reach)
{
	vkr_map_finish(&reach->written);
	vkr_map_finish(&reach->read);
	free(reach->uses.items);
	*reach = (struct vkr_link_reach){0};
}

void vkr_link_reach_forget(struct vkr_link_reach *reach)
{
	vkr_map_finish(&reach->written);
	vkr_map_finish(&reach->read);
	vkr_map_init(&reach->written);
	vkr_map_init(&reach->read);
	reach->uses.count = 0;
	reach->known = 0;
}

// ---- Values -------------------------------------------------------------------------------------

static uint64_t key_of(const struct vkr_sync_atomic *atomic, uint64_t value)
{
	uint64_t hash = vkr_map_hash(atomic->memory);
	hash = vkr_map_hash(hash ^ atomic->offset);
	hash = vkr_map_hash(hash ^ ((uint64_t)atomic->reference << 32 | atomic->bytes));
	return vkr_map_hash(hash ^ value);
}

// Whether invocations of other commands could meet it.
static bool is_met(const struct vkr_linked *linked, const struct vkr_sync_atomic *atomic)
{
	const struct vkr_sync *sync = &linked->logs.sync;
	const uint32_t site = sync->events.items[atomic->event].site;
	return atomic->memory <= UINT32_MAX &&
	       vkr_scope_is_far(linked->logs.sites.items[site].scope);
}

static bool add_use(struct vkr_link_reach *reach, struct vkr_map *map, uint64_t key, size_t command)
{
	uint64_t newest = 0;
	if (vkr_map_get(map, key, &newest) &&
	    reach->uses.items[newest - 1].command == (uint32_t)command)
		return true;
	if (!VKR_ARRAY_RESERVE(&reach->uses, 1))
		return false;
	reach->uses.items[reach->uses.count++] =
		(struct vkr_link_use){(uint32_t)command, (uint32_t)newest};
	return vkr_map_set(map, key, reach->uses.count);
}

static bool learn_order(struct vkr_link_reach *reach, const struct vkr_linked *commands,
			size_t count)
{
	for (; reach->known < count; reach->known++) {
		const struct vkr_linked *linked = &commands[reach->known];
		for (size_t at = 0; at < linked->logs.sync.atomics.count; at++) {
			const struct vkr_sync_atomic *atomic = &linked->logs.sync.atomics.items[at];
			if (!is_met(linked, atomic))
				continue;
			if ((atomic->writes &&
			     !add_use(reach, &reach->written, key_of(atomic, atomic->written),
				      reach->known)) ||
			    (atomic->reads && !add_use(reach, &reach->read,
						       key_of(atomic, atomic->read), reach->known)))
				return false;
		}
	}
	return true;
}

// ---- Walking ------------------------------------------------------------------------------------

struct walking {
	struct vkr_link_reach *reach;
	const struct vkr_linked *commands;
	size_t count;
	const bool *ends; // commands between which others are looked for
	const bool *within;
	bool *reached;
	uint32_t *stack;
	size_t depth;
};

static void reach_one(struct walking *walking, uint32_t command)
{
	if (walking->reached[command] || (walking->within != NULL && !walking->within[command]) ||
	    !(vkr_linked_is_logged(&walking->commands[command]) || walking->ends[command]))
		return;
	walking->reached[command] = true;
	walking->stack[walking->depth++] = command;
}

static void reach_uses(struct walking *walking, const struct vkr_map *map, uint64_t key)
{
	uint64_t use = 0;
	if (!vkr_map_get(map, key, &use))
		return;
	for (; use != 0; use = walking->reach->uses.items[use - 1].next)
		reach_one(walking, walking->reach->uses.items[use - 1].command);
}

// Commands that may come right after the command, or right before it.
static void reach_next(struct walking *walking, uint32_t command, bool forward)
{
	const struct vkr_linked *from = &walking->commands[command];
	for (size_t at = 0; at < from->logs.sync.atomics.count; at++) {
		const struct vkr_sync_atomic *atomic = &from->logs.sync.atomics.items[at];
		if (!is_met(from, atomic))
			continue;
		if (forward && atomic->writes)
			reach_uses(walking, &walking->reach->read, key_of(atomic, atomic->written));
		else if (!forward && atomic->reads)
			reach_uses(walking, &walking->reach->written, key_of(atomic, atomic->read));
	}
	// Dependencies go with the order of feeding.
	const size_t first = forward ? command + 1 : 0, end = forward ? walking->count : command;
	for (size_t other = first; other < end; other++) {
		const struct vkr_linked *to = &walking->commands[other];
		const struct vkr_linked *one = forward ? from : to, *two = forward ? to : from;
		if (!walking->reached[other] &&
		    vkr_engine_stands_before(&one->standing, one->stage, &two->standing,
					     two->stage))
			reach_one(walking, (uint32_t)other);
	}
}

// From those that are marked.
static void linked_reach_walk(struct walking *walking, const bool *from, bool forward)
{
	for (uint32_t at = 0; at < walking->count; at++)
		if (from[at]) {
			walking->reached[at] = true;
			walking->stack[walking->depth++] = at;
		}
	while (walking->depth > 0)
		reach_next(walking, walking->stack[--walking->depth], forward);
}

// Those after the first and before the last ones, in `found`; `room`: for a mark a command.
static void find_between(struct walking *walking, const bool *first, const bool *last, bool *room,
			 bool *found)
{
	for (size_t at = 0; at < walking->count; at++)
		room[at] = found[at] = false;
	walking->within = NULL;
	walking->reached = room;
	linked_reach_walk(walking, first, true);
	walking->within = room;
	walking->reached = found;
	linked_reach_walk(walking, last, false);
}

// Whoever may have written what those that are wanted read instead of whom they seem to have read
// from.
static void add_doubts(struct walking *walking, bool *wanted, bool *room)
{
	for (size_t at = 0; at < walking->count; at++)
		room[at] = wanted[at];
	walking->within = NULL;
	walking->reached = wanted;
	for (uint32_t command = 0; command < walking->count; command++) {
		const struct vkr_linked *linked = &walking->commands[command];
		for (size_t at = 0; room[command] && at < linked->logs.sync.atomics.count; at++) {
			const struct vkr_sync_atomic *atomic = &linked->logs.sync.atomics.items[at];
			if (atomic->reads && is_met(linked, atomic))
				reach_uses(walking, &walking->reach->written,
					   key_of(atomic, atomic->read));
			walking->depth = 0;
		}
	}
}

bool vkr_link_reach_find(struct vkr_link_reach *reach, const struct vkr_linked *commands,
			 size_t count, const bool *second, bool *wanted)
{
	bool *marks = calloc(count, 4 * sizeof *marks);
	uint32_t *stack = calloc(count, sizeof *stack);
	const bool good = marks != NULL && stack != NULL && learn_order(reach, commands, count);
	if (good) {
		bool *first = marks, *room = marks + count, *found = marks + 2 * count,
		     *ends = marks + 3 * count;
		struct walking walking = {.reach = reach,
					  .commands = commands,
					  .count = count,
					  .ends = ends,
					  .stack = stack};
		for (size_t at = 0; at < count; at++) {
			first[at] = wanted[at];
			ends[at] = wanted[at] = wanted[at] || second[at];
		}
		for (int forward = 0; forward < 2; forward++) {
			find_between(&walking, forward ? first : second, forward ? second : first,
				     room, found);
			for (size_t at = 0; at < count; at++)
				wanted[at] = wanted[at] || found[at];
		}
		add_doubts(&walking, wanted, room);
	}
	free(marks);
	free(stack);
	return good;
}

// ---- Values of others yet to come ---------------------------------------------------------------

// Whether one of the command's atomics has read a value that no known one has written, and may
// have acquired by it, or handed it on.
static bool reads_unknown(const struct vkr_link_reach *reach, const struct vkr_linked *linked)
{
	for (size_t at = 0; at < linked->logs.sync.atomics.count; at++) {
		const struct vkr_sync_atomic *atomic = &linked->logs.sync.atomics.items[at];
		uint64_t use = 0;
		if (atomic->reads && (atomic->acquires || atomic->writes) &&
		    is_met(linked, atomic) &&
		    !vkr_map_get(&reach->written, key_of(atomic, atomic->read), &use))
			return true;
	}
	return false;
}

bool vkr_link_reach_unknown(struct vkr_link_reach *reach, const struct vkr_linked *commands,
			    size_t count, const bool *from, bool *unknown)
{
	bool *reached = calloc(count, sizeof *reached);
	uint32_t *stack = calloc(count, sizeof *stack);
	const bool good = reached != NULL && stack != NULL && learn_order(reach, commands, count);
	if (good) {
		struct walking walking = {.reach = reach,
					  .commands = commands,
					  .count = count,
					  .ends = from,
					  .reached = reached,
					  .stack = stack};
		linked_reach_walk(&walking, from, false);
		for (size_t at = 0; at < count; at++)
			unknown[at] = reached[at] && reads_unknown(reach, &commands[at]);
	}
	free(reached);
	free(stack);
	return good;
}
