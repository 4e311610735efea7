// SPDX-License-Identifier: Apache-2.0
// What a command has read at one site through one target, place by place, with the first that read
// there. Shared by all that keep it: by reads that wait (deferred_reads.h), and by what knows again
// what a draw or a dispatch has read. Knows places; not whose they are.
#pragma once

#include "access_filters.h"

// A page of places, of which some were read. Most pages of a large table are like others, but for
// the workgroup: they are kept once, with their readers counted from the first one on.
struct vkr_read_page {
	uint32_t references;
	uint32_t count;                      // places that were read
	uint64_t hash;                       // of the rest
	bool is_shared;                      // those who look for the hash find it
	uint32_t bits[VKR_FILTER_PAGE_BITS]; // which places were read
	uint32_t readers[];                  // of these, each minus the first one, modulo 2^32
};

// The pages that tables share. Whoever makes tables has it made with the first one, and drops it.
struct vkr_read_pages;
void vkr_read_pages_drop(struct vkr_read_pages *pages);

// Never changed once it is made. Pages are sparse, where textures are read that are smaller on the
// screen.
struct vkr_read_table {
	uint32_t references;
	uint32_t in_use;   // pages with reads
	size_t reads;      // places that were read
	size_t page_count; // of places
	uint32_t *pages;   // by page of places: 1 + which page with reads; 0: none
	struct {
		struct vkr_read_page *page;
		uint32_t first; // 1 + the first reader
	} * items;              // pages with reads
	struct vkr_read_pages *shared;
	size_t bytes; // of it, and of pages that were made for it
};

// How many places a filter has noted, and these; NULL for lack of memory.
size_t vkr_read_table_count(const struct vkr_access_filters *filters,
			    const struct vkr_access_filter *filter);
struct vkr_read_table *vkr_read_table_make(struct vkr_read_pages **pages,
					   const struct vkr_access_filters *filters,
					   const struct vkr_access_filter *filter);
struct vkr_read_table *vkr_read_table_hold(struct vkr_read_table *table);
void vkr_read_table_drop(struct vkr_read_table *table);

// Whether both have read the same places, with the same readers.
bool vkr_read_table_equals(const struct vkr_read_table *a, const struct vkr_read_table *b);

// Has the filter note what is in the table; false for lack of memory.
bool vkr_read_table_note(const struct vkr_read_table *table, struct vkr_access_filters *filters,
			 struct vkr_access_filter *filter);

static inline size_t vkr_read_table_bytes(const struct vkr_read_table *table)
{
	return table->bytes;
}

static inline bool vkr_read_table_has(const struct vkr_read_table *table, size_t page)
{
	return page < table->page_count && table->pages[page] != 0;
}

// The bits of a page that it has.
static inline const uint32_t *vkr_read_table_bits(const struct vkr_read_table *table, size_t page)
{
	return table->items[table->pages[page] - 1].page->bits;
}

// What is left of a table, for one that takes reads out of it. Has nothing while it is whole.
struct vkr_reads_left {
	uint32_t in_use; // pages
	bool is_whole;   // nothing was taken out
	uint32_t *bits;  // as those of the table, by page with reads
	bool *is_used;   // by page with reads
};

// All of it.
static inline struct vkr_reads_left vkr_reads_left_all(const struct vkr_read_table *of)
{
	return (struct vkr_reads_left){.in_use = of->in_use, .is_whole = true};
}

// Before something is taken out; false for lack of memory.
bool vkr_reads_left_open(struct vkr_reads_left *left, const struct vkr_read_table *of);
void vkr_reads_left_finish(struct vkr_reads_left *left);

static inline bool vkr_reads_left_has(const struct vkr_reads_left *left,
				      const struct vkr_read_table *of, size_t page)
{
	return vkr_read_table_has(of, page) &&
	       (left->is_used == NULL || left->is_used[of->pages[page] - 1]);
}

static inline const uint32_t *vkr_reads_left_bits(const struct vkr_reads_left *left,
						  const struct vkr_read_table *of, size_t page)
{
	return left->bits == NULL
		       ? vkr_read_table_bits(of, page)
		       : left->bits + (size_t)(of->pages[page] - 1) * VKR_FILTER_PAGE_BITS;
}

// To take something out of them.
static inline uint32_t *vkr_reads_left_own(struct vkr_reads_left *left,
					   const struct vkr_read_table *of, size_t page)
{
	return left->bits + (size_t)(of->pages[page] - 1) * VKR_FILTER_PAGE_BITS;
}

// Takes a page out.
static inline void vkr_reads_left_forget(struct vkr_reads_left *left,
					 const struct vkr_read_table *of, size_t page)
{
	left->is_used[of->pages[page] - 1] = false;
	left->is_whole = false;
	left->in_use--;
}

// Writes what is left in pages [first, end) of places into entries, page with reads by page with
// reads, and which of these is a page's, 1 + its index, into `pages`; 0: nothing is left there.
void vkr_reads_left_write(const struct vkr_reads_left *left, const struct vkr_read_table *of,
			  size_t first, size_t end, uint32_t *pages, uint32_t *entries);
