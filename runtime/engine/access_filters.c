// SPDX-License-Identifier: Apache-2.0
#include "access_filters.h"

#include "array.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

// Of all filters together: 16 MiB of entries.
#define PAGES_MOST ((1u << 22) / VKR_FILTER_PAGE)
// Of those of another thread: 2 MiB.
#define PAGES_MOST_LIKE ((1u << 19) / VKR_FILTER_PAGE)

void vkr_access_filters_finish(struct vkr_access_filters *filters)
{
	for (size_t at = 0; at < filters->made; at++)
		free(filters->items[at].pages.items);
	free(filters->items);
	free(filters->first.items);
	free(filters->numbers.items);
	free(filters->lists.items);
	free(filters->entries);
	free(filters->seen);
	*filters = (struct vkr_access_filters){0};
}

bool vkr_access_filters_begin(struct vkr_access_filters *filters, size_t access_count)
{
	filters->count = 0;
	filters->page_count = 0;
	filters->pages_most = PAGES_MOST;
	filters->first.count = 0;
	if (filters->entries == NULL)
		filters->entries =
			malloc((size_t)PAGES_MOST * VKR_FILTER_PAGE * sizeof *filters->entries);
	if (filters->seen == NULL)
		filters->seen =
			malloc((size_t)PAGES_MOST * VKR_FILTER_PAGE_BITS * sizeof *filters->seen);
	if (filters->entries == NULL || filters->seen == NULL ||
	    !VKR_ARRAY_RESERVE(&filters->first, access_count))
		return false;
	filters->first.count = access_count;
	if (access_count > 0)
		memset(filters->first.items, 0, access_count * sizeof *filters->first.items);
	return true;
}

// One more filter; false for lack of memory.
static bool add_filter(struct vkr_access_filters *filters)
{
	if (!VKR_ARRAY_RESERVE(filters, 1))
		return false;
	if (filters->count == filters->made)
		filters->items[filters->made++] = (struct vkr_access_filter){0};
	struct vkr_access_filter *added = &filters->items[filters->count++];
	added->pages.count = 0;
	added->kept = NULL;
	return true;
}

bool vkr_access_filters_like(struct vkr_access_filters *filters,
			     const struct vkr_access_filters *like)
{
	if (!vkr_access_filters_begin(filters, like->first.count))
		return false;
	filters->pages_most = PAGES_MOST_LIKE;
	if (like->first.count > 0)
		memcpy(filters->first.items, like->first.items,
		       like->first.count * sizeof *like->first.items);
	for (size_t at = 0; at < like->count; at++) {
		if (!add_filter(filters))
			return false;
		struct vkr_access_filter *made = &filters->items[at];
		const struct vkr_access_filter *of = &like->items[at];
		made->site = of->site;
		made->bytes = of->bytes;
		made->writes = of->writes;
		made->shift = of->shift;
		made->target = of->target;
		made->next = of->next;
	}
	return true;
}

bool vkr_access_filters_have_room(const struct vkr_access_filters *filters,
				  const struct vkr_access_filters *others)
{
	return filters->page_count + others->page_count <= filters->pages_most;
}

uint32_t vkr_access_filter(struct vkr_access_filters *filters, size_t access,
			   const struct vkr_engine_run *like, uint32_t bytes, unsigned shift)
{
	uint32_t *first = &filters->first.items[access];
	for (uint32_t at = *first; at != 0; at = filters->items[at - 1].next)
		if (filters->items[at - 1].target == like->target &&
		    filters->items[at - 1].site == like->site)
			return at - 1;
	if (!add_filter(filters))
		return UINT32_MAX;
	struct vkr_access_filter *made = &filters->items[filters->count - 1];
	made->site = like->site;
	made->bytes = bytes;
	made->writes = false;
	made->shift = shift;
	made->target = like->target;
	made->next = *first;
	*first = (uint32_t)filters->count;
	return *first - 1;
}

enum vkr_filter_note vkr_access_filter_page(struct vkr_access_filters *filters,
					    struct vkr_access_filter *filter, uint64_t page)
{
	if (page >= filter->pages.count) {
		const size_t more = (size_t)page + 1 - filter->pages.count;
		if (!VKR_ARRAY_RESERVE(&filter->pages, more))
			return VKR_FILTER_NO_MEMORY;
		memset(filter->pages.items + filter->pages.count, 0,
		       more * sizeof *filter->pages.items);
		filter->pages.count += more;
	}
	if (filters->page_count == filters->pages_most)
		return VKR_FILTER_FULL;
	memset(filters->entries + filters->page_count * VKR_FILTER_PAGE, 0,
	       VKR_FILTER_PAGE * sizeof *filters->entries);
	memset(filters->seen + filters->page_count * VKR_FILTER_PAGE_BITS, 0,
	       VKR_FILTER_PAGE_BITS * sizeof *filters->seen);
	filter->pages.items[page] = (uint32_t)++filters->page_count;
	return VKR_FILTER_NOTED;
}

// There are entries from one on.
static void see_row(struct vkr_access_filters *filters, size_t at, uint32_t count)
{
	while (count > 0) {
		const uint32_t bit = (uint32_t)(at % 32);
		const uint32_t bits = count < 32 - bit ? count : 32 - bit;
		filters->seen[at / 32] |= UINT32_MAX >> (32 - bits) << bit;
		at += bits;
		count -= bits;
	}
}

enum vkr_filter_note vkr_access_filter_note_row(struct vkr_access_filters *filters,
						struct vkr_access_filter *filter, uint64_t offset,
						int64_t stride, uint32_t count, uint32_t invocation)
{
	const bool is_dense = stride == INT64_C(1) << filter->shift;
	bool known = false;
	for (uint32_t at = 0; at < count;) {
		const uint64_t place = offset + (uint64_t)(stride * (int64_t)at);
		const uint32_t entry = (uint32_t)((place >> filter->shift) % VKR_FILTER_PAGE);
		const enum vkr_filter_note noted =
			vkr_access_filter_note(filters, filter, place, invocation + at);
		if (noted > VKR_FILTER_KNOWN)
			return noted;
		known = known || noted == VKR_FILTER_KNOWN;
		at++;
		if (!is_dense || at == count)
			continue;
		// The bytes after it on the same page.
		const uint64_t page = (place >> filter->shift) / VKR_FILTER_PAGE;
		uint32_t *entries = filters->entries +
				    (size_t)(filter->pages.items[page] - 1) * VKR_FILTER_PAGE +
				    entry + 1;
		const uint32_t room = VKR_FILTER_PAGE - entry - 1;
		const uint32_t more = count - at < room ? count - at : room;
		const uint32_t first = invocation + at + 1;
		uint32_t old = 0;
		for (uint32_t i = 0; i < more; i++) {
			old |= entries[i];
			entries[i] = entries[i] != 0 ? entries[i] : first + i;
		}
		known = known || old != 0;
		see_row(filters, (size_t)(entries - filters->entries), more);
		at += more;
	}
	return known ? VKR_FILTER_KNOWN : VKR_FILTER_NOTED;
}

enum vkr_filter_note vkr_access_filter_note_places(struct vkr_access_filters *filters,
						   struct vkr_access_filter *filter,
						   uint64_t offset, uint32_t step, uint32_t count,
						   const uint32_t *others, uint32_t invocation)
{
	const uint64_t each = step >> filter->shift;
	uint64_t place = offset >> filter->shift;
	for (uint32_t done = 0; done < count;) {
		const uint64_t page = place / VKR_FILTER_PAGE;
		size_t at = 0;
		if (!vkr_access_filter_at(filter, place << filter->shift, &at)) {
			const enum vkr_filter_note made =
				vkr_access_filter_page(filters, filter, page);
			if (made != VKR_FILTER_NOTED)
				return made;
			vkr_access_filter_at(filter, place << filter->shift, &at);
		}
		for (; done < count && place / VKR_FILTER_PAGE == page;
		     done++, at += each, place += each) {
			const uint32_t entry = filters->entries[at];
			filters->entries[at] = entry != 0 ? entry : invocation + others[done] + 1;
			filters->seen[at / 32] |= 1u << (at % 32);
		}
	}
	return VKR_FILTER_NOTED;
}

void vkr_access_filters_clear(struct vkr_access_filters *filters)
{
	for (size_t at = 0; at < filters->count; at++)
		filters->items[at].pages.count = 0;
	filters->page_count = 0;
}

bool vkr_access_filters_fill(const struct vkr_access_filters *filters)
{
	return filters->page_count > PAGES_MOST / 2;
}
