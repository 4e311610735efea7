// SPDX-License-Identifier: Apache-2.0
#include "byte_ranges.h"

#include "array.h"
#include "search.h"
#include "sort.h"

#include <stdlib.h>

// Ranges are put in order when as many have come as there were, but not fewer than this: each is
// then moved a number of times that grows with the logarithm of their number.
#define FEW 256u

static int byte_ranges_compare(const void *a, const void *b)
{
	const struct vkr_byte_range *x = a, *y = b;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	return x->low < y->low ? -1 : x->low > y->low;
}

void vkr_byte_ranges_settle(struct vkr_byte_ranges *ranges)
{
	size_t kept = 0;
	if (ranges->settled == ranges->count)
		return;
	vkr_sort(ranges->items, ranges->count, sizeof *ranges->items, byte_ranges_compare);
	for (size_t i = 0; i < ranges->count; i++) {
		const struct vkr_byte_range *range = &ranges->items[i];
		struct vkr_byte_range *last = kept > 0 ? &ranges->items[kept - 1] : NULL;
		if (!last || last->memory != range->memory || last->high < range->low)
			ranges->items[kept++] = *range;
		else if (last->high < range->high)
			last->high = range->high;
	}
	ranges->count = ranges->settled = kept;
}

// Whether those that are in order have it already: a race that happens again comes where it was.
static bool is_covered(const struct vkr_byte_ranges *ranges, const struct vkr_byte_range *range)
{
	size_t next = 0;
	VKR_SEARCH(next, ranges->settled, at, byte_ranges_compare(&ranges->items[at], range) <= 0);
	const struct vkr_byte_range *before = next > 0 ? &ranges->items[next - 1] : NULL;
	return before && before->memory == range->memory && before->high >= range->high;
}

bool vkr_byte_ranges_add(struct vkr_byte_ranges *ranges, uint32_t memory, uint64_t low,
			 uint64_t high)
{
	if (ranges->count > ranges->settled) {
		struct vkr_byte_range *last = &ranges->items[ranges->count - 1];
		if (last->memory == memory && last->low <= low && low <= last->high) {
			if (last->high < high)
				last->high = high;
			return true;
		}
	}
	const struct vkr_byte_range added = {memory, low, high};
	if (is_covered(ranges, &added))
		return true;
	if (ranges->count - ranges->settled >= (ranges->settled > FEW ? ranges->settled : FEW))
		vkr_byte_ranges_settle(ranges);
	if (!VKR_ARRAY_RESERVE(ranges, 1))
		return false;
	ranges->items[ranges->count++] = added;
	return true;
}

void vkr_byte_ranges_finish(struct vkr_byte_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct vkr_byte_ranges){0};
}
