// SPDX-License-Identifier: Apache-2.0
#include "sync_locks.h"

#include "array.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

enum role { NO_CHANGE, TAKES, GIVES };

// ---- One location -------------------------------------------------------------------------------

// What its atomics have in common.
struct lock {
	const struct vkr_sync *sync;
	uint64_t free_value;
	const struct vkr_site *by[3]; // by role: what acquires or releases
};

static bool sync_locks_changes(const struct vkr_sync_atomic *atomic)
{
	return atomic->writes && (!atomic->reads || atomic->read != atomic->written);
}

static enum role role_of(const struct lock *lock, const struct vkr_sync_atomic *atomic)
{
	return !sync_locks_changes(atomic)                         ? NO_CHANGE
	       : atomic->reads && atomic->read == lock->free_value ? TAKES
								   : GIVES;
}

// The event that acquires for an atomic, or releases: itself, or a fence right after or before it;
// VKR_SYNC_NONE: none.
static uint32_t effective_event(const struct vkr_sync *sync, uint32_t event, enum role role)
{
	const struct vkr_sync_event *events = sync->events.items;
	const struct vkr_sync_agent *agent = &sync->agents.items[events[event].agent];
	const unsigned order = role == TAKES ? VKR_ORDER_ACQUIRE : VKR_ORDER_RELEASE;
	const size_t end = agent->first_event + agent->event_count;
	if (sync->sites[events[event].site].order & order)
		return event;
	if (role == TAKES ? event + 1 >= end : event <= agent->first_event)
		return VKR_SYNC_NONE;
	const uint32_t fence = role == TAKES ? event + 1 : event - 1;
	const struct vkr_site *site = &sync->sites[events[fence].site];
	return site->operation == VKR_SITE_MEMORY_BARRIER && site->order & order ? fence
										 : VKR_SYNC_NONE;
}

static bool is_alike(const struct vkr_site *x, const struct vkr_site *y)
{
	return x->order == y->order && x->semantics == y->semantics && x->scope == y->scope;
}

// Whether the atomic does the same as all others of its role.
static bool sync_locks_fits(struct lock *lock, const struct vkr_sync_atomic *atomic, enum role role)
{
	const uint32_t event = effective_event(lock->sync, atomic->event, role);
	if (event == VKR_SYNC_NONE || (role == GIVES && atomic->written != lock->free_value) ||
	    (role == TAKES && atomic->written == lock->free_value))
		return false;
	const struct vkr_site *site = &lock->sync->sites[lock->sync->events.items[event].site];
	if (lock->by[role] == NULL)
		lock->by[role] = site;
	return is_alike(lock->by[role], site);
}

// Whether the atomics of one location, in the order of agents and of their programs, are a lock's.
static bool is_lock(struct lock *lock, struct vkr_sync_atomic *const *members, size_t count)
{
	const struct vkr_sync *sync = lock->sync;
	uint32_t agent = VKR_SYNC_NONE, takes = 0, kept = 0;
	bool holds = false;
	size_t first = 0;
	while (first < count && !sync_locks_changes(members[first]))
		first++;
	if (first == count || !members[first]->reads)
		return false;
	lock->free_value = members[first]->read;
	for (size_t at = 0; at < count; at++) {
		const struct vkr_sync_atomic *atomic = members[at];
		const uint32_t of = sync->events.items[atomic->event].agent;
		if (of != agent && holds)
			kept++; // for good
		holds = of == agent && holds;
		agent = of;
		const enum role role = role_of(lock, atomic);
		if (role == NO_CHANGE && atomic->writes && atomic->written == lock->free_value)
			return false;
		if (role == NO_CHANGE)
			continue;
		if (holds == (role == TAKES) || !sync_locks_fits(lock, atomic, role))
			return false;
		holds = role == TAKES;
		takes += holds;
	}
	return takes > 1 && kept + holds <= 1 &&
	       !(sync->commands.is_silent != NULL &&
		 sync->commands.is_silent(sync->commands.silent_context, members[0]));
}

// ---- All of them --------------------------------------------------------------------------------

static int compare_atomics(const void *a, const void *b)
{
	const struct vkr_sync_atomic *x = *(struct vkr_sync_atomic *const *)a;
	const struct vkr_sync_atomic *y = *(struct vkr_sync_atomic *const *)b;
	const uint64_t keys[][2] = {{x->memory, y->memory},
				    {x->offset, y->offset},
				    {x->bytes, y->bytes},
				    {x->reference, y->reference},
				    {(uintptr_t)x, (uintptr_t)y}};
	for (size_t at = 0; at < sizeof keys / sizeof *keys; at++)
		if (keys[at][0] != keys[at][1])
			return keys[at][0] < keys[at][1] ? -1 : 1;
	return 0;
}

// What is known of each event until what is held is: which lock it takes, or gives.
struct change {
	uint32_t lock;
	uint8_t role;
};

// Notes the changes of the locks among the atomics.
static bool find_changes(const struct vkr_sync *sync, struct change *changed)
{
	const size_t count = sync->atomics.count;
	struct vkr_sync_atomic **sorted = calloc(count + 1, sizeof *sorted);
	if (sorted == NULL)
		return false;
	for (size_t at = 0; at < count; at++)
		sorted[at] = &sync->atomics.items[at];
	vkr_sort(sorted, count, sizeof *sorted, compare_atomics);
	for (size_t first = 0, end; first < count; first = end) {
		struct lock lock = {.sync = sync};
		for (end = first + 1; end < count; end++)
			if (sorted[end]->memory != sorted[first]->memory ||
			    sorted[end]->offset != sorted[first]->offset ||
			    sorted[end]->bytes != sorted[first]->bytes ||
			    sorted[end]->reference != sorted[first]->reference)
				break;
		if (!is_lock(&lock, sorted + first, end - first))
			continue;
		for (size_t at = first; at < end; at++) {
			const enum role role = role_of(&lock, sorted[at]);
			if (role != NO_CHANGE)
				changed[effective_event(sync, sorted[at]->event, role)] =
					(struct change){(uint32_t)first, (uint8_t)role};
		}
	}
	free(sorted);
	return true;
}

// What is held without a lock: 1 + index, or 0, in *held. False for lack of memory.
static bool sync_locks_give(struct vkr_sync_locks *locks, uint32_t lock, uint32_t *held)
{
	if (*held == 0)
		return true;
	const struct vkr_sync_held top = locks->holdings.items[*held - 1];
	uint32_t others = top.others;
	if (top.lock == lock) {
		*held = others;
		return true;
	}
	if (!sync_locks_give(locks, lock, &others) || !VKR_ARRAY_RESERVE(&locks->holdings, 1))
		return false;
	locks->holdings.items[locks->holdings.count++] = (struct vkr_sync_held){top.lock, others};
	*held = (uint32_t)locks->holdings.count;
	return true;
}

bool vkr_sync_locks_find(struct vkr_sync_locks *locks, const struct vkr_sync *sync)
{
	struct change *changed = calloc(sync->events.count + 1, sizeof *changed);
	*locks = (struct vkr_sync_locks){
		.held = calloc(sync->events.count + 1, sizeof *locks->held)};
	bool good = changed != NULL && locks->held != NULL && find_changes(sync, changed);
	for (size_t at = 0; at < sync->agents.count && good; at++) {
		const struct vkr_sync_agent *agent = &sync->agents.items[at];
		uint32_t held = 0;
		for (size_t i = agent->first_event;
		     i < agent->first_event + agent->event_count && good; i++) {
			if (changed[i].role == GIVES)
				good = sync_locks_give(locks, changed[i].lock, &held);
			if (changed[i].role == TAKES &&
			    (good = VKR_ARRAY_RESERVE(&locks->holdings, 1))) {
				locks->holdings.items[locks->holdings.count++] =
					(struct vkr_sync_held){changed[i].lock, held};
				held = (uint32_t)locks->holdings.count;
			}
			locks->held[i] = held;
		}
	}
	free(changed);
	return good;
}

void vkr_sync_locks_finish(struct vkr_sync_locks *locks)
{
	free(locks->held);
	free(locks->holdings.items);
	*locks = (struct vkr_sync_locks){0};
}

static uint32_t held_at(const struct vkr_sync_locks *locks, const struct vkr_sync *sync,
			const struct vkr_sync_access *access)
{
	return access->agent == VKR_SYNC_NONE || access->events == 0
		       ? 0
		       : locks->held[sync->agents.items[access->agent].first_event +
				     access->events - 1];
}

// Holding the same locks is an equivalence, so that the last write of some stands for those before.
bool vkr_sync_locks_protect(const struct vkr_sync_locks *locks, const struct vkr_sync *sync,
			    const struct vkr_sync_access *a, const struct vkr_sync_access *b)
{
	uint32_t x = held_at(locks, sync, a), y = held_at(locks, sync, b);
	if (x == 0)
		return false;
	while (x != 0 && y != 0 &&
	       locks->holdings.items[x - 1].lock == locks->holdings.items[y - 1].lock) {
		x = locks->holdings.items[x - 1].others;
		y = locks->holdings.items[y - 1].others;
	}
	return x == 0 && y == 0;
}
