// SPDX-License-Identifier: Apache-2.0
// Which atomic read which other's value, according to the values in the log. Knows locations and
// values; of the program only what makes an atomic matter.
//
// A value that only one write has written was read from that write: counters, tickets and unique
// flags are never ambiguous. If several have written it, it may have been read from any of these, a
// class of writes that all readers of the value share: a reader is ordered as if it had read from
// all of them, so that no false race is reported, and the ambiguity is noted. A value that no write
// of the dispatch has written was there before.
#include "array.h"
#include "error.h"
#include "search.h"
#include "site_scope.h"
#include "sort.h"
#include "sync_uses.h"

#include <stdlib.h>
#include <string.h>

// The atomics of one location, by value and in their order.
struct location {
	struct vkr_sync *sync;
	const uint32_t *members; // indices of atomics
	size_t count;
	uint32_t *writers; // indices, by value written
	size_t writer_count;
	uint32_t *child, *sibling; // by atomic: 1 + index; RMWs that have read its value
	uint32_t *stack;
	uint32_t *all; // writers, by index, once some reader may have read any of them
	size_t all_count;
	uint32_t place_class; // of these; 0: not made yet
	bool silent;          // others have written unknown values
};

static unsigned fence_classes(const struct vkr_site *site, unsigned order)
{
	return site->order & order && site->scope != VKR_SCOPE_INVOCATION ? site->semantics : 0;
}

// Marks atomics that "Synchronizes-With" allows: a write after a release fence and a read before an
// acquire fence whose semantics hold its storage class.
static void find_roles_of(struct vkr_sync *sync, const struct vkr_sync_agent *agent)
{
	unsigned released = 0, acquired = 0;
	for (uint32_t at = 0; at < agent->event_count; at++) {
		const struct vkr_sync_event *event = &sync->events.items[agent->first_event + at];
		const struct vkr_site *site = &sync->sites[event->site];
		if (event->atomic == VKR_SYNC_NONE) {
			released |= fence_classes(site, VKR_ORDER_RELEASE);
			continue;
		}
		struct vkr_sync_atomic *atomic = &sync->atomics.items[event->atomic];
		atomic->releases = atomic->writes && ((site->order & VKR_ORDER_RELEASE) ||
						      (released & site->storage_class));
	}
	for (uint32_t at = agent->event_count; at-- > 0;) {
		const struct vkr_sync_event *event = &sync->events.items[agent->first_event + at];
		const struct vkr_site *site = &sync->sites[event->site];
		if (event->atomic == VKR_SYNC_NONE) {
			acquired |= fence_classes(site, VKR_ORDER_ACQUIRE);
			continue;
		}
		struct vkr_sync_atomic *atomic = &sync->atomics.items[event->atomic];
		atomic->acquires = atomic->reads && ((site->order & VKR_ORDER_ACQUIRE) ||
						     (acquired & site->storage_class));
	}
}

void vkr_sync_find_roles(struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->agents.count; at++)
		if (sync->agents.items[at].has_atomics)
			find_roles_of(sync, &sync->agents.items[at]);
}

// An update that has changed nothing and releases nothing: what read its value has read that of the
// write before it, and is in the same release sequences.
static bool is_source(const struct vkr_sync_atomic *atomic)
{
	return atomic->writes &&
	       (!atomic->reads || atomic->releases || atomic->read != atomic->written);
}

static int compare_values(const struct vkr_sync_atomic *x, const struct vkr_sync_atomic *y)
{
	if (x->written != y->written)
		return x->written < y->written ? -1 : 1;
	return x < y ? -1 : x > y;
}

// qsort's comparison has no context: pointers carry it.
static int compare_writers(const void *a, const void *b)
{
	return compare_values(*(struct vkr_sync_atomic *const *)a,
			      *(struct vkr_sync_atomic *const *)b);
}

static bool sort_writers(struct location *location)
{
	struct vkr_sync_atomic *items = location->sync->atomics.items;
	struct vkr_sync_atomic **sorted = calloc(location->count, sizeof *sorted);
	if (sorted == NULL)
		return false;
	location->writer_count = 0;
	for (size_t at = 0; at < location->count; at++)
		if (is_source(&items[location->members[at]]))
			sorted[location->writer_count++] = &items[location->members[at]];
	vkr_sort(sorted, location->writer_count, sizeof *sorted, compare_writers);
	for (size_t at = 0; at < location->writer_count; at++)
		location->writers[at] = (uint32_t)(sorted[at] - items);
	free(sorted);
	return true;
}

// The first writer of a value not below, or above.
static size_t sync_values_bound(const struct location *location, uint64_t value, bool above)
{
	const struct vkr_sync_atomic *items = location->sync->atomics.items;
	size_t low = 0;
	VKR_SEARCH(low, location->writer_count, at,
		   above ? items[location->writers[at]].written <= value
			 : items[location->writers[at]].written < value);
	return low;
}

// Of writers in ascending order: how many the reader cannot have read from, and in *begin where
// they begin, since no atomic reads what its own agent writes later. With `whole` the agent's
// earlier writers are counted too.
static size_t find_own(const struct vkr_sync *sync, const uint32_t *writers, size_t count,
		       uint32_t reader, bool whole, size_t *begin)
{
	const uint32_t agent = vkr_sync_agent_of(sync, reader);
	size_t first = 0;
	VKR_SEARCH(first, count, at,
		   whole ? vkr_sync_agent_of(sync, writers[at]) < agent : writers[at] < reader);
	size_t end = first;
	VKR_SEARCH(end, count, at, vkr_sync_agent_of(sync, writers[at]) <= agent);
	*begin = first;
	return end - first;
}

// 1 + the index of a class of the writers; 0 for lack of memory.
static uint32_t make_class(struct vkr_sync *sync, const uint32_t *writers, size_t count)
{
	if (!VKR_ARRAY_RESERVE(&sync->candidates.classes, 1) ||
	    !VKR_ARRAY_RESERVE(&sync->candidates.members, count))
		return 0;
	const uint32_t index = (uint32_t)sync->candidates.classes.count++;
	sync->candidates.classes.items[index] =
		(struct vkr_sync_class){.first = sync->candidates.members.count, .count = count};
	for (size_t at = 0; at < count; at++)
		sync->candidates.members.items[sync->candidates.members.count++] =
			(struct vkr_sync_member){.atomic = writers[at], .class = index};
	return index + 1;
}

// A value that no observed atomic has written may come from an update that was not observed, which
// may continue the release sequence of any of them.
static bool doubt_all(struct location *location, uint32_t reader)
{
	struct vkr_sync *sync = location->sync;
	struct vkr_sync_atomic *items = sync->atomics.items;
	size_t begin;
	if (location->all_count == 0) {
		for (size_t at = 0; at < location->count; at++)
			if (is_source(&items[location->members[at]]))
				location->all[location->all_count++] = location->members[at];
	}
	if (find_own(sync, location->all, location->all_count, reader, true, &begin) ==
	    location->all_count)
		return true;
	sync->ambiguous = true;
	if (location->place_class == 0) {
		location->place_class = make_class(sync, location->all, location->all_count);
		for (size_t at = 0; at < location->all_count; at++)
			items[location->all[at]].place_class = location->place_class;
	}
	items[reader].reads_class = location->place_class;
	return location->place_class != 0;
}

static bool find_source(struct location *location, uint32_t reader)
{
	struct vkr_sync *sync = location->sync;
	struct vkr_sync_atomic *items = sync->atomics.items;
	struct vkr_sync_atomic *atomic = &items[reader];
	const size_t first = sync_values_bound(location, atomic->read, false);
	const size_t end = sync_values_bound(location, atomic->read, true);
	const uint32_t *writers = location->writers + first;
	size_t begin;
	const size_t later = find_own(sync, writers, end - first, reader, false, &begin);
	const size_t count = end - first - later;
	if (count == 0)
		return !location->silent || doubt_all(location, reader);
	atomic->from = writers[begin > 0 ? 0 : later];
	if (count == 1)
		return true;
	sync->ambiguous = true;
	atomic->reads_class = items[writers[0]].value_class;
	if (atomic->reads_class != 0)
		return true;
	const uint32_t class = make_class(sync, writers, end - first);
	for (size_t at = first; at < end; at++)
		items[location->writers[at]].value_class = class;
	atomic->reads_class = class;
	return class != 0;
}

// ---- The order of writes ------------------------------------------------------------------------

// Numbers a write and those that derive from it in modification order, so that each release
// sequence is contiguous. Writes of different locations have different numbers: of those to the
// same bytes, in other sizes, none is known to come before another.
static void number_from(struct location *location, uint32_t root)
{
	struct vkr_sync *sync = location->sync;
	struct vkr_sync_atomic *items = sync->atomics.items;
	const uint64_t since = sync->modifications + 1;
	size_t depth = 0;
	location->stack[depth++] = root;
	while (depth > 0) {
		const uint32_t index = location->stack[--depth];
		struct vkr_sync_atomic *atomic = &items[index];
		if (atomic->modification != 0)
			continue;
		atomic->modification = ++sync->modifications;
		atomic->since = since;
		for (uint32_t at = location->child[index]; at != 0; at = location->sibling[at - 1])
			location->stack[depth++] = at - 1;
	}
}

static void number_writes(struct location *location)
{
	struct vkr_sync_atomic *items = location->sync->atomics.items;
	// Of several that derive from one, the first one's number is the lowest: writes are fed in
	// that order, and each finds its place at the end.
	for (size_t at = 0; at < location->count; at++) {
		const uint32_t index = location->members[at];
		const struct vkr_sync_atomic *atomic = &items[index];
		if (!atomic->writes || !atomic->reads || atomic->from == VKR_SYNC_NONE)
			continue;
		location->sibling[index] = location->child[atomic->from];
		location->child[atomic->from] = index + 1;
	}
	// The value from before comes first; then each store with the updates that derive from it;
	// then updates that derive from each other in a circle, because each value was written
	// again.
	for (int pass = 0; pass < 3; pass++)
		for (size_t at = 0; at < location->count; at++) {
			const uint32_t index = location->members[at];
			const struct vkr_sync_atomic *atomic = &items[index];
			const bool begins = pass == 0
						    ? atomic->reads && atomic->from == VKR_SYNC_NONE
					    : pass == 1 ? !atomic->reads
							: true;
			if (atomic->writes && begins && atomic->modification == 0)
				number_from(location, index);
		}
}

// ---- Locations ----------------------------------------------------------------------------------

static int compare_places(const void *a, const void *b)
{
	const struct vkr_sync_atomic *x = *(struct vkr_sync_atomic *const *)a;
	const struct vkr_sync_atomic *y = *(struct vkr_sync_atomic *const *)b;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->reference != y->reference)
		return x->reference < y->reference ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool same_place(const struct vkr_sync_atomic *x, const struct vkr_sync_atomic *y)
{
	return x->memory == y->memory && x->offset == y->offset && x->bytes == y->bytes &&
	       x->reference == y->reference;
}

static bool match_location(struct location *location)
{
	struct vkr_sync *sync = location->sync;
	struct vkr_sync_atomic *items = sync->atomics.items;
	bool released = false, acquired = false;
	for (size_t at = 0; at < location->count; at++) {
		released = released || items[location->members[at]].releases;
		acquired = acquired || items[location->members[at]].acquires;
	}
	if (!released || !acquired)
		return true;
	if (!sort_writers(location))
		return false;
	location->silent = sync->commands.is_silent != NULL &&
			   sync->commands.is_silent(sync->commands.silent_context,
						    &items[location->members[0]]);
	location->all_count = 0;
	location->place_class = 0;
	for (size_t at = 0; at < location->count; at++) {
		struct vkr_sync_atomic *atomic = &items[location->members[at]];
		atomic->matters = true;
		if (atomic->reads && !find_source(location, location->members[at]))
			return false;
	}
	number_writes(location);
	return true;
}

static bool match_all(struct location *location, struct vkr_sync_atomic **sorted, uint32_t *members)
{
	struct vkr_sync *sync = location->sync;
	for (size_t at = 0; at < sync->atomics.count; at++)
		sorted[at] = &sync->atomics.items[at];
	vkr_sort(sorted, sync->atomics.count, sizeof *sorted, compare_places);
	for (size_t at = 0; at < sync->atomics.count; at++)
		members[at] = (uint32_t)(sorted[at] - sync->atomics.items);
	for (size_t at = 0; at < sync->atomics.count;) {
		size_t length = 1;
		while (at + length < sync->atomics.count &&
		       same_place(sorted[at], sorted[at + length]))
			length++;
		location->members = members + at;
		location->count = length;
		if (!match_location(location))
			return false;
		at += length;
	}
	return true;
}

// An atomic that makes available or visible does so whether or not others meet it ("Availability
// and Visibility Semantics").
static void find_makers(struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->atomics.count; at++) {
		struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		const unsigned order = sync->sites[sync->events.items[atomic->event].site].order;
		atomic->matters = atomic->matters ||
				  (atomic->writes && order & VKR_ORDER_RELEASE &&
				   order & VKR_ORDER_MAKE_AVAILABLE) ||
				  (atomic->reads && order & VKR_ORDER_ACQUIRE &&
				   order & VKR_ORDER_MAKE_VISIBLE);
	}
}

enum vkr_result vkr_sync_match(struct vkr_sync *sync, struct vkr_error *error)
{
	const size_t count = sync->atomics.count;
	if (count == 0)
		return VKR_OK;
	struct vkr_sync_atomic **sorted = calloc(count, sizeof *sorted);
	uint32_t *words = calloc(count, 6 * sizeof *words);
	bool good = sorted != NULL && words != NULL;
	if (good) {
		struct location location = {.sync = sync,
					    .writers = words + count,
					    .child = words + 2 * count,
					    .sibling = words + 3 * count,
					    .stack = words + 4 * count,
					    .all = words + 5 * count};
		good = match_all(&location, sorted, words);
		find_makers(sync);
	}
	free(sorted);
	free(words);
	return good ? VKR_OK : vkr_error_memory(error, "a dispatch's atomics");
}

bool vkr_sync_reads_others(const struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->atomics.count; at++) {
		const struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		const uint8_t scope = sync->sites[sync->events.items[atomic->event].site].scope;
		if (atomic->matters && atomic->reads && atomic->from == VKR_SYNC_NONE &&
		    (atomic->acquires || atomic->writes) && atomic->memory <= UINT32_MAX &&
		    vkr_scope_is_far(scope))
			return true;
	}
	return false;
}

void vkr_sync_drop_doubts(struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->atomics.count; at++) {
		struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		if (atomic->reads_class != 0)
			atomic->from = VKR_SYNC_NONE;
		atomic->reads_class = 0;
	}
}
