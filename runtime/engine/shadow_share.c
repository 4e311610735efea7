// SPDX-License-Identifier: Apache-2.0
#include "shadow_share.h"

#include "array.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES ((uint64_t)4096)
// Slices are of multiples of this.
#define SLICE_BYTES ((uint64_t)256)

// The first range that ends after an offset.
static size_t first_after(const struct vkr_share_ranges *ranges, uint64_t offset)
{
	size_t least = 0;
	VKR_SEARCH(least, ranges->count, at, ranges->items[at].high <= offset);
	return least;
}

static bool add_range(struct vkr_share_ranges *ranges, uint64_t low, uint64_t high)
{
	// Those that touch it become one with it.
	size_t first = first_after(ranges, low), end;
	if (first > 0 && ranges->items[first - 1].high == low)
		first--;
	for (end = first; end < ranges->count && ranges->items[end].low <= high; end++) {
		low = ranges->items[end].low < low ? ranges->items[end].low : low;
		high = ranges->items[end].high > high ? ranges->items[end].high : high;
	}
	if (!VKR_ARRAY_RESERVE(ranges, 1))
		return false;
	memmove(ranges->items + first + 1, ranges->items + end,
		(ranges->count - end) * sizeof *ranges->items);
	ranges->items[first] = (struct vkr_share_range){low, high};
	ranges->count = ranges->count - (end - first) + 1;
	return true;
}

bool vkr_share_init(struct vkr_share *share, const struct vkr_shard *shard, uint32_t serial,
		    uint64_t bytes)
{
	const uint64_t pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	*share = (struct vkr_share){.divided = shard != NULL};
	vkr_map_init(&share->noted);
	if (!shard)
		return true;
	bool enough = true;
	for (size_t at = vkr_shard_pages_find(&shard->also, serial);
	     at < shard->also.count && shard->also.items[at].place == serial && enough; at++) {
		const struct vkr_shard_run *run = &shard->also.items[at];
		if (run->first >= pages)
			break;
		const uint64_t count =
			run->count < pages - run->first ? run->count : pages - run->first;
		enough = add_range(&share->own, run->first * PAGE_BYTES,
				   (run->first + count) * PAGE_BYTES);
	}
	// Nobody has a part in the last judge's pages.
	if (enough && shard->index == shard->count && pages > 0)
		enough = add_range(&share->placed, 0, pages * PAGE_BYTES);
	return enough;
}

void vkr_share_finish(struct vkr_share *share)
{
	free(share->own.items);
	free(share->placed.items);
	free(share->common.items);
	vkr_map_finish(&share->noted);
	*share = (struct vkr_share){0};
}

// Slices of what has no part yet: of less than pages, so that parts are even where it is small.
static bool place_gap(struct vkr_share *share, const struct vkr_shard *shard, uint64_t low,
		      uint64_t high, uint32_t *next)
{
	const uint64_t even = (high - low + shard->count - 1) / shard->count;
	const uint64_t slice = (even + SLICE_BYTES - 1) / SLICE_BYTES * SLICE_BYTES;
	bool enough = add_range(&share->placed, low, high);
	if (next == NULL)
		return enough && add_range(&share->own, low, high) &&
		       add_range(&share->common, low, high);
	for (; low < high && enough; low += slice) {
		if (*next == shard->index)
			enough = add_range(&share->own, low,
					   slice < high - low ? low + slice : high);
		*next = (*next + 1) % shard->count;
		if (slice >= high - low)
			break;
	}
	return enough;
}

bool vkr_share_place(struct vkr_share *share, const struct vkr_shard *shard, uint64_t low,
		     uint64_t high, uint32_t *next)
{
	bool enough = true;
	if (!share->divided || low >= high)
		return true;
	low &= ~(PAGE_BYTES - 1);
	high = (high + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	while (low < high && enough) {
		const size_t at = first_after(&share->placed, low);
		const bool last = at == share->placed.count;
		const uint64_t from = last ? high : share->placed.items[at].low;
		const uint64_t behind = last ? high : share->placed.items[at].high;
		if (from > low)
			enough = place_gap(share, shard, low, from < high ? from : high, next);
		low = behind;
	}
	return enough;
}

bool vkr_share_is_common(const struct vkr_share *share, uint64_t low, uint64_t high)
{
	const size_t at = first_after(&share->common, low);
	return at < share->common.count && share->common.items[at].low <= low &&
	       high <= share->common.items[at].high;
}

bool vkr_share_next(struct vkr_share *share, uint64_t *low, uint64_t high, uint64_t *end)
{
	const struct vkr_share_ranges *own = &share->own;
	size_t at = share->hint;
	*end = high;
	if (!share->divided)
		return *low < high;
	if (at >= own->count || own->items[at].high <= *low ||
	    (at > 0 && own->items[at - 1].high > *low))
		at = first_after(own, *low);
	share->hint = at;
	if (at == own->count || own->items[at].low >= high || *low >= high)
		return false;
	*low = own->items[at].low > *low ? own->items[at].low : *low;
	*end = own->items[at].high < high ? own->items[at].high : high;
	return true;
}

bool vkr_share_note(struct vkr_share *share, struct vkr_shard *shard, uint32_t serial, uint64_t low,
		    uint64_t high)
{
	uint64_t unused;
	for (uint64_t page = low / PAGE_BYTES; page * PAGE_BYTES < high; page++) {
		if (share->last_noted == page + 1)
			continue;
		share->last_noted = page + 1;
		if (vkr_map_get(&share->noted, page, &unused))
			continue;
		if (!vkr_map_set(&share->noted, page, 1) ||
		    !vkr_shard_pages_add(&shard->conflicts, serial, page))
			return false;
	}
	return true;
}

bool vkr_share_want(struct vkr_share *share, struct vkr_shard *shard, uint32_t serial, uint64_t low,
		    uint64_t high)
{
	bool enough = true;
	for (uint64_t page = low / PAGE_BYTES; page * PAGE_BYTES < high && enough; page++)
		if (!vkr_share_has(share, page * PAGE_BYTES, (page + 1) * PAGE_BYTES))
			enough = vkr_shard_pages_add(&shard->wanted, serial, page);
	return enough;
}
