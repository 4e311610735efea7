// SPDX-License-Identifier: Apache-2.0
// Which bytes the invocations of one command have read, each with the first invocation that did, or
// written, each with the one that did. Knows offsets in targets; not what was read there.
//
// Reads of one command are ordered alike with everything else if nothing in the command conflicts
// with them: if one read of a byte does not race, no other read of the byte by the same site does.
// So each byte is judged once for each site. Bytes that one invocation writes once, and no other
// accesses, can be judged in any order.
#pragma once

#include "engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_read_table;

// Offsets of one page: a page has as many entries. Most sites of small shaders read a few.
#define VKR_FILTER_PAGE 256u

// The reads, or the writes, of one site through one target.
struct vkr_access_filter {
	uint32_t site; // the engine's
	uint32_t bytes;
	bool writes;
	unsigned shift; // offsets are multiples of 2^shift
	const struct vkr_engine_target *target;
	struct {
		uint32_t *items; // by page of offsets: 1 + which of the entries' pages; 0: none
		size_t count, capacity;
	} pages;
	uint32_t next; // 1 + index of the access's next filter; 0: none
	// What it has noted, if an earlier command's reads are taken over: then it has no pages.
	struct vkr_read_table *kept;
};

// Kept from command to command; zeroed before the first.
struct vkr_access_filters {
	struct vkr_access_filter *items;
	size_t count, capacity; // of items
	size_t made;            // items whose pages are to be released
	size_t pages_most;      // of all of them together
	struct {
		uint32_t *items; // by access: 1 + index of its first filter
		size_t count, capacity;
	} first;
	uint32_t *entries; // pages of 1 + the invocation that was first there; 0: none
	uint32_t *seen;    // a bit for each entry: whether there is one
	size_t page_count;
	// Of entries side by side, the engine's invocations, list after list.
	struct {
		uint32_t *items;
		size_t count, capacity;
	} numbers;
	struct {
		struct vkr_engine_elements *items;
		size_t count, capacity;
	} lists;
};

#define VKR_FILTER_PAGE_BITS (VKR_FILTER_PAGE / 32u)

// A command's accesses begin: nothing was read. False for lack of memory.
bool vkr_access_filters_begin(struct vkr_access_filters *filters, size_t access_count);
void vkr_access_filters_finish(struct vkr_access_filters *filters);

// Makes filters like others, which are empty and have fewer pages: for what another thread notes.
bool vkr_access_filters_like(struct vkr_access_filters *filters,
			     const struct vkr_access_filters *like);

// Whether it has room for all that others have noted.
bool vkr_access_filters_have_room(const struct vkr_access_filters *filters,
				  const struct vkr_access_filters *others);

// The filter of an access's site and target, made on first use; UINT32_MAX for lack of memory.
uint32_t vkr_access_filter(struct vkr_access_filters *filters, size_t access,
			   const struct vkr_engine_run *like, uint32_t bytes, unsigned shift);

enum vkr_filter_note {
	VKR_FILTER_NOTED, // nobody has read there before
	VKR_FILTER_KNOWN,
	VKR_FILTER_FULL, // all pages are in use: what they say is to be taken out
	VKR_FILTER_NO_MEMORY,
};

enum vkr_filter_note vkr_access_filter_page(struct vkr_access_filters *filters,
					    struct vkr_access_filter *filter, uint64_t page);

// Where the entry of a place is among all entries, and whether its page is there.
static inline bool vkr_access_filter_at(const struct vkr_access_filter *filter, uint64_t offset,
					size_t *at)
{
	const uint64_t place = offset >> filter->shift, page = place / VKR_FILTER_PAGE;
	if (page >= filter->pages.count || filter->pages.items[page] == 0)
		return false;
	*at = ((size_t)filter->pages.items[page] - 1) * VKR_FILTER_PAGE + place % VKR_FILTER_PAGE;
	return true;
}

// Whether a read at an offset, which is a multiple of 2^shift, is noted already.
static inline bool vkr_access_filter_knows(const struct vkr_access_filters *filters,
					   const struct vkr_access_filter *filter, uint64_t offset)
{
	size_t at = 0;
	return vkr_access_filter_at(filter, offset, &at) && filters->seen[at / 32] >> (at % 32) & 1;
}

// Notes a read at such an offset.
static inline enum vkr_filter_note vkr_access_filter_note(struct vkr_access_filters *filters,
							  struct vkr_access_filter *filter,
							  uint64_t offset, uint32_t invocation)
{
	size_t at = 0;
	if (!vkr_access_filter_at(filter, offset, &at)) {
		const enum vkr_filter_note made = vkr_access_filter_page(
			filters, filter, (offset >> filter->shift) / VKR_FILTER_PAGE);
		if (made != VKR_FILTER_NOTED)
			return made;
		vkr_access_filter_at(filter, offset, &at);
	}
	if (filters->seen[at / 32] >> (at % 32) & 1)
		return VKR_FILTER_KNOWN;
	filters->seen[at / 32] |= 1u << (at % 32);
	filters->entries[at] = invocation + 1;
	return VKR_FILTER_NOTED;
}

// Notes reads of invocations invocation, invocation + 1, ..., each `stride` bytes after the one
// before.
enum vkr_filter_note vkr_access_filter_note_row(struct vkr_access_filters *filters,
						struct vkr_access_filter *filter, uint64_t offset,
						int64_t stride, uint32_t count,
						uint32_t invocation);

// Notes reads of places that are `step` bytes apart, each by one invocation: `invocation` more than
// its item of `others`.
enum vkr_filter_note vkr_access_filter_note_places(struct vkr_access_filters *filters,
						   struct vkr_access_filter *filter,
						   uint64_t offset, uint32_t step, uint32_t count,
						   const uint32_t *others, uint32_t invocation);

// The first entry from *at on at which somebody was noted, in *at; false where there is none.
static inline bool vkr_access_filters_next(const struct vkr_access_filters *filters, size_t *at)
{
	const size_t words = filters->page_count * VKR_FILTER_PAGE_BITS;
	size_t word = *at / 32;
	uint32_t bits = word < words ? filters->seen[word] & UINT32_MAX << (*at % 32) : 0;
	while (bits == 0 && ++word < words)
		bits = filters->seen[word];
	*at = word * 32 + (bits != 0 ? (unsigned)__builtin_ctz(bits) : 0);
	return bits != 0;
}

// Takes everything out: the filters stay, empty.
void vkr_access_filters_clear(struct vkr_access_filters *filters);

// The entries of a page that the filter has.
static inline uint32_t *vkr_filter_entries(const struct vkr_access_filter *filter,
					   uint32_t *entries, uint64_t page)
{
	return entries + (size_t)(filter->pages.items[page] - 1) * VKR_FILTER_PAGE;
}

// Whether it is time to judge them.
bool vkr_access_filters_fill(const struct vkr_access_filters *filters);
