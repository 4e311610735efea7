// SPDX-License-Identifier: Apache-2.0
// Keeps what is collected of a dispatch's log: ranges of bytes, and the accesses to them. Knows
// nothing of order.
#include "shader_sync.h"

#include "array.h"
#include "search.h"
#include "sort.h"

#include <stdlib.h>

static int compare_ranges(const void *a, const void *b)
{
	const struct vkr_sync_range *x = a, *y = b;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	return x->low < y->low ? -1 : x->low > y->low;
}

void vkr_sync_ranges_merge(struct vkr_sync_ranges *ranges)
{
	size_t kept = 0;
	if (ranges->count == 0)
		return;
	vkr_sort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
	for (size_t at = 1; at < ranges->count; at++) {
		struct vkr_sync_range *last = &ranges->items[kept];
		const struct vkr_sync_range *next = &ranges->items[at];
		if (next->memory == last->memory && next->low <= last->high)
			last->high = next->high > last->high ? next->high : last->high;
		else
			ranges->items[++kept] = *next;
	}
	ranges->count = kept + 1;
}

#define FIRST_MERGE ((size_t)1 << 16)

bool vkr_sync_ranges_add(struct vkr_sync_ranges *ranges, const struct vkr_sync_range *range)
{
	if (ranges->count > 0) {
		const struct vkr_sync_range *last = &ranges->items[ranges->count - 1];
		if (last->memory == range->memory && last->low <= range->low &&
		    range->high <= last->high)
			return true;
	}
	if (ranges->count >= FIRST_MERGE && ranges->count >= ranges->merge_at) {
		vkr_sync_ranges_merge(ranges);
		ranges->merge_at = 2 * ranges->count;
	}
	if (!VKR_ARRAY_RESERVE(ranges, 1))
		return false;
	ranges->items[ranges->count++] = *range;
	return true;
}

static bool is_below(const struct vkr_sync_range *range, const struct vkr_sync_access *access)
{
	return range->memory < access->memory ||
	       (range->memory == access->memory && range->high <= access->low);
}

bool vkr_sync_ranges_access(const struct vkr_sync_ranges *ranges,
			    const struct vkr_sync_access *access)
{
	size_t first = 0;
	VKR_SEARCH(first, ranges->count, at, is_below(&ranges->items[at], access));
	return first < ranges->count && ranges->items[first].memory == access->memory &&
	       ranges->items[first].low < access->high;
}

void vkr_sync_keep_ranges(struct vkr_sync *sync)
{
	size_t kept = 0;
	for (size_t at = 0; at < sync->accesses.count; at++)
		if (vkr_sync_ranges_access(&sync->ranges, &sync->accesses.items[at]))
			sync->accesses.items[kept++] = sync->accesses.items[at];
	sync->accesses.count = kept;
}

void vkr_sync_clear(struct vkr_sync *sync)
{
	struct vkr_sync_ranges ranges = sync->ranges;
	vkr_order_destroy(sync->order);
	free(sync->events.items);
	free(sync->atomics.items);
	free(sync->agents.items);
	free(sync->accesses.items);
	free(sync->candidates.classes.items);
	free(sync->candidates.members.items);
	free(sync->fed.items);
	ranges.count = 0;
	*sync = (struct vkr_sync){.ranges = ranges, .rules = sync->rules};
}
