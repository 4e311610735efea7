// SPDX-License-Identifier: Apache-2.0
#include "read_marks.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

// Offsets of one page of bits, one for each fourth.
#define PAGE_SHIFT 17u
#define PAGE_WORDS ((size_t)1 << (PAGE_SHIFT - 2 - 6))

// For one dispatch: each lookup searches all of them. Beyond this, reads are judged again.
#define MARKS_MOST   64u
#define WRITTEN_MOST 64u

void vkr_read_marks_finish(struct vkr_read_marks *marks)
{
	for (size_t at = 0; at < marks->made; at++) {
		free(marks->items[at].pages.items);
		free(marks->items[at].fresh.items);
	}
	free(marks->items);
	free(marks->bits.items);
	free(marks->written.items);
	free(marks->offsets.items);
	free(marks->locals.items);
	*marks = (struct vkr_read_marks){0};
}

static void forget_marks(struct vkr_read_marks *marks)
{
	marks->count = 0;
	marks->bits.count = 0;
}

void vkr_read_marks_begin(struct vkr_read_marks *marks)
{
	forget_marks(marks);
	marks->written.count = 0;
	marks->off = false;
	marks->workgroup = 0;
}

// ---- Workgroups ---------------------------------------------------------------------------------

static bool make_page(struct vkr_read_marks *marks, struct vkr_marks *of, uint32_t page)
{
	if (page >= of->pages.count) {
		const size_t more = (size_t)page + 1 - of->pages.count;
		if (!VKR_ARRAY_RESERVE(&of->pages, more))
			return false;
		memset(of->pages.items + of->pages.count, 0, more * sizeof *of->pages.items);
		of->pages.count += more;
	}
	if (!VKR_ARRAY_RESERVE(&marks->bits, PAGE_WORDS))
		return false;
	memset(marks->bits.items + marks->bits.count, 0, PAGE_WORDS * sizeof *marks->bits.items);
	marks->bits.count += PAGE_WORDS;
	of->pages.items[page] = (uint32_t)(marks->bits.count / PAGE_WORDS);
	return true;
}

static bool mark_fresh(struct vkr_read_marks *marks, struct vkr_marks *of)
{
	for (size_t at = 0; at < of->fresh.count; at++) {
		const uint32_t offset = of->fresh.items[at], page = offset >> PAGE_SHIFT;
		if (offset % 4 != 0)
			continue;
		if ((page >= of->pages.count || of->pages.items[page] == 0) &&
		    !make_page(marks, of, page))
			return false;
		uint64_t *bits = marks->bits.items + (of->pages.items[page] - 1) * PAGE_WORDS;
		bits[offset / 256 % PAGE_WORDS] |= UINT64_C(1) << (offset / 4 % 64);
	}
	of->fresh.count = 0;
	return true;
}

bool vkr_read_marks_workgroup(struct vkr_read_marks *marks, uint32_t workgroup)
{
	// One that may have come before is not to meet its own marks.
	if (workgroup <= marks->workgroup)
		forget_marks(marks);
	marks->workgroup = workgroup;
	for (size_t at = 0; at < marks->count; at++)
		if (!mark_fresh(marks, &marks->items[at]))
			return false;
	return true;
}

// ---- Ranges -------------------------------------------------------------------------------------

static bool ranges_overlap(const struct vkr_marks_range *a, const struct vkr_marks_range *b)
{
	return a->memory == b->memory && a->base < b->end && b->base < a->end;
}

static bool is_written(const struct vkr_read_marks *marks, const struct vkr_marks_range *range)
{
	for (size_t at = 0; at < marks->written.count; at++)
		if (ranges_overlap(&marks->written.items[at], range))
			return true;
	return false;
}

bool vkr_read_marks_written(struct vkr_read_marks *marks, const struct vkr_marks_range *range)
{
	for (size_t at = 0; at < marks->written.count; at++) {
		const struct vkr_marks_range *known = &marks->written.items[at];
		if (known->memory == range->memory && known->base <= range->base &&
		    known->end >= range->end)
			return true;
	}
	if (marks->off)
		return true;
	if (marks->written.count == WRITTEN_MOST) {
		marks->off = true;
		forget_marks(marks);
		return true;
	}
	if (!VKR_ARRAY_RESERVE(&marks->written, 1))
		return false;
	marks->written.items[marks->written.count++] = *range;
	for (size_t at = 0; at < marks->count; at++)
		if (ranges_overlap(&marks->items[at].range, range)) {
			forget_marks(marks);
			break;
		}
	return true;
}

// ---- Reads --------------------------------------------------------------------------------------

// NULL where there are none.
static struct vkr_marks *marks_of(const struct vkr_read_marks *marks, uint32_t site,
				  uint32_t reference, const struct vkr_marks_range *range)
{
	for (size_t at = 0; at < marks->count; at++) {
		struct vkr_marks *of = &marks->items[at];
		if (of->site == site && of->reference == reference &&
		    of->range.memory == range->memory && of->range.base == range->base &&
		    of->range.end == range->end)
			return of;
	}
	return NULL;
}

bool vkr_read_marks_find(struct vkr_read_marks *marks, uint32_t site, uint32_t reference,
			 const struct vkr_marks_range *range, struct vkr_marks **found)
{
	*found = marks_of(marks, site, reference, range);
	if (*found != NULL)
		return true;
	if (marks->off || marks->count == MARKS_MOST || is_written(marks, range))
		return true;
	if (!VKR_ARRAY_RESERVE(marks, 1))
		return false;
	struct vkr_marks *of = &marks->items[marks->count];
	if (marks->count == marks->made) {
		*of = (struct vkr_marks){0};
		marks->made++;
	}
	marks->count++;
	of->site = site;
	of->reference = reference;
	of->range = *range;
	of->pages.count = of->fresh.count = 0;
	*found = of;
	return true;
}

static inline bool is_marked(const struct vkr_read_marks *marks, const struct vkr_marks *of,
			     uint32_t offset)
{
	const uint32_t page = offset >> PAGE_SHIFT;
	if (page >= of->pages.count || of->pages.items[page] == 0)
		return false;
	const uint64_t *bits = marks->bits.items + (of->pages.items[page] - 1) * PAGE_WORDS;
	return offset % 4 == 0 && bits[offset / 256 % PAGE_WORDS] >> (offset / 4 % 64) & 1;
}

bool vkr_read_marks_cover(const struct vkr_read_marks *marks, uint32_t site, uint32_t reference,
			  const struct vkr_marks_range *range, uint64_t low, uint64_t high,
			  uint32_t bytes)
{
	const struct vkr_marks *of = marks_of(marks, site, reference, range);
	uint64_t covered = low;
	if (of == NULL || high > UINT32_MAX)
		return false;
	// Reads are marked where they begin, at multiples of 4.
	for (uint64_t at = low > bytes ? (low - bytes) / 4 * 4 : 0; covered < high; at += 4) {
		if (at > covered)
			return false;
		if (is_marked(marks, of, (uint32_t)at) && at + bytes > covered)
			covered = at + bytes;
	}
	return true;
}

static bool begin_sift(struct vkr_read_marks *marks, uint32_t count)
{
	marks->offsets.count = marks->locals.count = 0;
	return VKR_ARRAY_RESERVE(&marks->offsets, count) &&
	       VKR_ARRAY_RESERVE(&marks->locals, count);
}

bool vkr_read_marks_sift(struct vkr_read_marks *marks, const struct vkr_marks *of,
			 const uint32_t *offsets, const uint32_t *locals, uint32_t local,
			 uint32_t count)
{
	size_t left = 0;
	if (!begin_sift(marks, count))
		return false;
	for (uint32_t at = 0; at < count; at++) {
		marks->offsets.items[left] = offsets[at];
		marks->locals.items[left] = locals != NULL ? locals[at] : local + at;
		left += !is_marked(marks, of, offsets[at]);
	}
	marks->offsets.count = marks->locals.count = left;
	return true;
}

bool vkr_read_marks_sift_row(struct vkr_read_marks *marks, const struct vkr_marks *of,
			     uint64_t first, int64_t stride, uint32_t local, uint32_t count)
{
	size_t left = 0;
	if (!begin_sift(marks, count))
		return false;
	for (uint32_t at = 0; at < count; at++) {
		const uint32_t offset = (uint32_t)(first + (uint64_t)(stride * (int64_t)at));
		marks->offsets.items[left] = offset;
		marks->locals.items[left] = local + at;
		left += !is_marked(marks, of, offset);
	}
	marks->offsets.count = marks->locals.count = left;
	return true;
}

bool vkr_read_marks_add(struct vkr_read_marks *marks, struct vkr_marks *of)
{
	const size_t count = marks->offsets.count;
	if (!VKR_ARRAY_RESERVE(&of->fresh, count))
		return false;
	if (count > 0)
		memcpy(of->fresh.items + of->fresh.count, marks->offsets.items,
		       count * sizeof *of->fresh.items);
	of->fresh.count += count;
	return true;
}
