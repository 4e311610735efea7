// SPDX-License-Identifier: Apache-2.0
// What a command has read at one site through one target, place by place, with the first that read
// there; and who these readers are. Both are shared by all that keep them: by reads that wait
// (deferred_reads.h), and by what knows again what a draw has logged. Knows places; not whose they
// are.
#pragma once

#include "access_filters.h"

// Never changed once it is made. Pages are sparse, where textures are read that are smaller on the
// screen: a page has bits for all of its places, and readers for those that were read.
struct vkr_read_table {
	uint32_t references;
	uint32_t in_use;   // pages with reads
	size_t reads;      // places that were read
	size_t page_count; // of places
	uint32_t *pages;   // by page of places: 1 + which page with reads; 0: none
	uint32_t *bits;    // by page with reads: which places were read
	uint32_t *readers; // page by page, place by place: 1 + a reader
};

// How many places a filter has noted, and these; NULL for lack of memory.
size_t vkr_read_table_count(const struct vkr_access_filters *filters,
			    const struct vkr_access_filter *filter);
struct vkr_read_table *vkr_read_table_make(const struct vkr_access_filters *filters,
					   const struct vkr_access_filter *filter, size_t count);
struct vkr_read_table *vkr_read_table_hold(struct vkr_read_table *table);
void vkr_read_table_drop(struct vkr_read_table *table);

// Has the filter note what is in the table; false for lack of memory.
bool vkr_read_table_note(const struct vkr_read_table *table, struct vkr_access_filters *filters,
			 struct vkr_access_filter *filter);

static inline size_t vkr_read_table_bytes(const struct vkr_read_table *table)
{
	return table->reads * sizeof *table->readers +
	       (size_t)table->in_use * VKR_FILTER_PAGE_BITS * sizeof *table->bits;
}

static inline bool vkr_read_table_has(const struct vkr_read_table *table, size_t page)
{
	return page < table->page_count && table->pages[page] != 0;
}

// The bits of a page that it has.
static inline const uint32_t *vkr_read_table_bits(const struct vkr_read_table *table, size_t page)
{
	return table->bits + (size_t)(table->pages[page] - 1) * VKR_FILTER_PAGE_BITS;
}

// What is left of a table, for one that takes reads out of it.
struct vkr_reads_left {
	uint32_t in_use; // pages
	bool is_whole;   // nothing was taken out
	uint32_t *bits;  // as those of the table
	bool *is_used;   // by page with reads
};

// All of it; false for lack of memory.
bool vkr_reads_left_init(struct vkr_reads_left *left, const struct vkr_read_table *of);
void vkr_reads_left_finish(struct vkr_reads_left *left);

static inline bool vkr_reads_left_has(const struct vkr_reads_left *left,
				      const struct vkr_read_table *of, size_t page)
{
	return vkr_read_table_has(of, page) && left->is_used[of->pages[page] - 1];
}

static inline uint32_t *vkr_reads_left_bits(const struct vkr_reads_left *left,
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

// What is left as entries of a filter whose pages are the table's; to be freed. NULL for lack of
// memory.
uint32_t *vkr_reads_left_entries(const struct vkr_reads_left *left,
				 const struct vkr_read_table *of);

struct vkr_reader_list {
	uint32_t references;
	uint32_t waiting; // those of them that are of reads that wait
	size_t count;
	struct vkr_filter_reader items[];
};

// NULL for lack of memory.
struct vkr_reader_list *vkr_reader_list_make(const struct vkr_filter_reader *readers, size_t count);
struct vkr_reader_list *vkr_reader_list_hold(struct vkr_reader_list *list);
void vkr_reader_list_drop(struct vkr_reader_list *list);
