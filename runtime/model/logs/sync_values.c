// SPDX-License-Identifier: Apache-2.0
// Which atomic read which other's value, by the values that the log holds. Knows locations and
// values; of the program only what makes an atomic matter.
//
// A value that one write alone has written was read from that one: counters, tickets and unique
// flags leave no doubt. What several have written was perhaps read from any of these: the reader is
// ordered as if it had been all of them, so that no false race is told, and the doubt is noted. A
// value that nobody in the dispatch has written was there before.
#include "array.h"
#include "error.h"
#include "shader_sync.h"

#include <stdlib.h>

// The atomics of one location, by value and in their order.
struct location {
	struct vkr_sync *sync;
	const uint32_t *members; // indices of atomics
	size_t count;
	uint32_t *writers; // indices, by value written
	size_t writer_count;
	uint32_t *child, *sibling; // by atomic: 1 + index; RMWs that have read its value
	uint32_t *doubtful; // by atomic: 1 + index of the nearest write that it goes back to whose
			    // own value is in doubt
	uint32_t *visited;  // by atomic: 1 + the reader whose doubts were last followed through it
	uint32_t *stack;
	size_t budget; // of doubts
	bool silent;   // others have written what nobody tells of
};

static unsigned fence_classes(const struct vkr_site *site, unsigned order)
{
	return site->order & order && site->scope != VKR_SCOPE_INVOCATION ? site->semantics : 0;
}

// "Synchronizes-With": a fence before an atomic write, or behind an atomic read, of a storage class
// in the fence's semantics.
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
	qsort(sorted, location->writer_count, sizeof *sorted, compare_writers);
	for (size_t at = 0; at < location->writer_count; at++)
		location->writers[at] = (uint32_t)(sorted[at] - items);
	free(sorted);
	return true;
}

// The first writer of a value not below.
static size_t lower_bound(const struct location *location, uint64_t value)
{
	const struct vkr_sync_atomic *items = location->sync->atomics.items;
	size_t low = 0, high = location->writer_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (items[location->writers[middle]].written < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool add_doubt(struct location *location, uint32_t reader, uint32_t writer)
{
	struct vkr_sync *sync = location->sync;
	struct vkr_sync_atomic *atomic = &sync->atomics.items[reader];
	if (location->budget == 0) {
		sync->too_many = true;
		return true;
	}
	location->budget--;
	if (!VKR_ARRAY_RESERVE(&sync->perhaps, 1))
		return false;
	if (atomic->perhaps_count++ == 0)
		atomic->first_perhaps = sync->perhaps.count;
	sync->perhaps.items[sync->perhaps.count++] = writer;
	return true;
}

// What nobody of those that tell of it has written an update may have, which goes on with the
// release sequence of any of them.
static bool doubt_all(struct location *location, uint32_t reader)
{
	struct vkr_sync *sync = location->sync;
	const struct vkr_sync_atomic *items = sync->atomics.items;
	const uint32_t own = sync->events.items[items[reader].event].agent;
	for (size_t at = 0; at < location->writer_count && !sync->too_many; at++) {
		const uint32_t writer = location->writers[at];
		if (sync->events.items[items[writer].event].agent == own)
			continue;
		sync->ambiguous = true;
		if (!add_doubt(location, reader, writer))
			return false;
	}
	return true;
}

static bool find_source(struct location *location, uint32_t reader)
{
	struct vkr_sync *sync = location->sync;
	struct vkr_sync_atomic *items = sync->atomics.items;
	struct vkr_sync_atomic *atomic = &items[reader];
	const struct vkr_sync_event *own = &sync->events.items[atomic->event];
	for (size_t at = lower_bound(location, atomic->read); at < location->writer_count; at++) {
		const uint32_t writer = location->writers[at];
		const struct vkr_sync_atomic *from = &items[writer];
		const struct vkr_sync_event *event = &sync->events.items[from->event];
		if (from->written != atomic->read)
			break;
		// Nobody reads what it writes later itself.
		if (event->agent == own->agent && from->event >= atomic->event)
			continue;
		if (atomic->from == VKR_SYNC_NONE) {
			atomic->from = writer;
			continue;
		}
		sync->ambiguous = true;
		if (!add_doubt(location, reader, writer))
			return false;
		if (sync->too_many)
			break;
	}
	return atomic->from != VKR_SYNC_NONE || !location->silent || doubt_all(location, reader);
}

// ---- The order of writes ------------------------------------------------------------------------

// Gives turns to a write and those that go back to it, so that each release sequence is one run.
static uint64_t number_from(struct location *location, uint32_t root, uint64_t turn)
{
	struct vkr_sync_atomic *items = location->sync->atomics.items;
	size_t depth = 0;
	location->stack[depth++] = root;
	while (depth > 0) {
		const uint32_t index = location->stack[--depth];
		struct vkr_sync_atomic *atomic = &items[index];
		if (atomic->turn != 0)
			continue;
		atomic->turn = turn++;
		location->doubtful[index] = atomic->perhaps_count > 0 ? index + 1
					    : atomic->from != VKR_SYNC_NONE && atomic->reads
						    ? location->doubtful[atomic->from]
						    : 0;
		for (uint32_t at = location->child[index]; at != 0; at = location->sibling[at - 1])
			location->stack[depth++] = at - 1;
	}
	return turn;
}

static void number_writes(struct location *location)
{
	struct vkr_sync_atomic *items = location->sync->atomics.items;
	uint64_t turn = 1;
	for (size_t at = location->count; at-- > 0;) {
		const uint32_t index = location->members[at];
		const struct vkr_sync_atomic *atomic = &items[index];
		if (!atomic->writes || !atomic->reads || atomic->from == VKR_SYNC_NONE)
			continue;
		location->sibling[index] = location->child[atomic->from];
		location->child[atomic->from] = index + 1;
	}
	// What was there before comes first; then each store with what goes back to it; then what
	// goes round in a circle, each value having been written again.
	for (int pass = 0; pass < 3; pass++)
		for (size_t at = 0; at < location->count; at++) {
			const uint32_t index = location->members[at];
			const struct vkr_sync_atomic *atomic = &items[index];
			const bool begins = pass == 0
						    ? atomic->reads && atomic->from == VKR_SYNC_NONE
					    : pass == 1 ? !atomic->reads
							: true;
			if (atomic->writes && begins && atomic->turn == 0)
				turn = number_from(location, index, turn);
		}
}

// A reader is in doubt, too, where the updates that lead to the value it read are.
static bool spread_doubt(struct location *location, uint32_t reader)
{
	struct vkr_sync *sync = location->sync;
	size_t depth = 0;
	location->visited[reader] = reader + 1;
	const struct vkr_sync_atomic *atomic = &sync->atomics.items[reader];
	const size_t own = atomic->perhaps_count, first = atomic->first_perhaps;
	if (atomic->from != VKR_SYNC_NONE && location->doubtful[atomic->from] != 0)
		location->stack[depth++] = location->doubtful[atomic->from] - 1;
	for (size_t at = 0; at < own; at++)
		if (location->doubtful[sync->perhaps.items[first + at]] != 0)
			location->stack[depth++] =
				location->doubtful[sync->perhaps.items[first + at]] - 1;
	if (depth == 0)
		return true;
	// The list moves to the end, where it can grow.
	struct vkr_sync_atomic *grown = &sync->atomics.items[reader];
	grown->perhaps_count = 0;
	for (size_t at = 0; at < own && !sync->too_many; at++)
		if (!add_doubt(location, reader, sync->perhaps.items[first + at]))
			return false;
	// The stack has room for every atomic once; a doubt that is met again may be on it twice.
	while (depth > 0 && !sync->too_many) {
		const uint32_t index = location->stack[--depth];
		const struct vkr_sync_atomic *through = &sync->atomics.items[index];
		if (location->visited[index] == reader + 1)
			continue;
		location->visited[index] = reader + 1;
		const size_t from = through->first_perhaps, count = through->perhaps_count;
		sync->too_many = depth + count + 1 > sync->atomics.count;
		if (sync->too_many)
			break;
		if (through->from != VKR_SYNC_NONE && location->doubtful[through->from] != 0)
			location->stack[depth++] = location->doubtful[through->from] - 1;
		for (size_t at = 0; at < count; at++) {
			const uint32_t writer = sync->perhaps.items[from + at];
			if (!add_doubt(location, reader, writer))
				return false;
			if (location->doubtful[writer] != 0 &&
			    location->visited[location->doubtful[writer] - 1] != reader + 1)
				location->stack[depth++] = location->doubtful[writer] - 1;
		}
	}
	return true;
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
	const size_t doubts = sync->perhaps.count;
	bool released = false, acquired = false;
	for (size_t at = 0; at < location->count; at++) {
		released = released || items[location->members[at]].releases;
		acquired = acquired || items[location->members[at]].acquires;
	}
	if (!released || !acquired)
		return true;
	if (!sort_writers(location))
		return false;
	location->silent = sync->is_silent != NULL &&
			   sync->is_silent(sync->silent_context, &items[location->members[0]]);
	for (size_t at = 0; at < location->count && !sync->too_many; at++) {
		struct vkr_sync_atomic *atomic = &items[location->members[at]];
		atomic->matters = true;
		if (atomic->reads && !find_source(location, location->members[at]))
			return false;
	}
	if (sync->too_many)
		return true;
	number_writes(location);
	for (size_t at = 0; at < location->count && sync->perhaps.count > doubts; at++)
		if (items[location->members[at]].reads && items[location->members[at]].acquires &&
		    !spread_doubt(location, location->members[at]))
			return false;
	return true;
}

static bool match_all(struct location *location, struct vkr_sync_atomic **sorted, uint32_t *members)
{
	struct vkr_sync *sync = location->sync;
	for (size_t at = 0; at < sync->atomics.count; at++)
		sorted[at] = &sync->atomics.items[at];
	qsort(sorted, sync->atomics.count, sizeof *sorted, compare_places);
	for (size_t at = 0; at < sync->atomics.count; at++)
		members[at] = (uint32_t)(sorted[at] - sync->atomics.items);
	for (size_t at = 0; at < sync->atomics.count && !sync->too_many;) {
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

// Doubts beyond this many an atomic make the whole dispatch's order unknown: with as many false
// edges there would be nothing left that is not ordered.
#define DOUBTS_PER_ATOMIC 256u

enum vkr_result vkr_sync_match(struct vkr_sync *sync, struct vkr_error *error)
{
	const size_t count = sync->atomics.count;
	if (count == 0)
		return VKR_OK;
	struct vkr_sync_atomic **sorted = calloc(count, sizeof *sorted);
	uint32_t *words = calloc(count, 7 * sizeof *words);
	bool good = sorted != NULL && words != NULL;
	if (good) {
		struct location location = {.sync = sync,
					    .writers = words + count,
					    .child = words + 2 * count,
					    .sibling = words + 3 * count,
					    .doubtful = words + 4 * count,
					    .visited = words + 5 * count,
					    .stack = words + 6 * count,
					    .budget = DOUBTS_PER_ATOMIC * count};
		good = match_all(&location, sorted, words);
		find_makers(sync);
	}
	free(sorted);
	free(words);
	return good ? VKR_OK : vkr_error_memory(error, "a dispatch's atomics");
}
