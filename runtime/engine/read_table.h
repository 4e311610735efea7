// SPDX-License-Identifier: Apache-2.0
// What a command has read at one site through one target, place by place, with the first that read
// there; and who these readers are. Both are shared by all that keep them: by reads that wait
// (deferred_reads.h), and by what knows again what a draw has logged. Knows places; not whose they
// are.
#pragma once

#include "access_filters.h"

// Changed only while one alone keeps it.
struct vkr_read_table {
	uint32_t references;
	uint32_t in_use;   // pages of entries
	size_t reads;      // entries that are not 0, as it was made
	size_t page_count; // of places
	uint32_t *pages;   // by page of places: 1 + which of the entries' pages; 0: none
	uint32_t *entries; // 1 + a reader; 0: none
};

// How many places a filter has noted, and these; NULL for lack of memory.
size_t vkr_read_table_count(const struct vkr_access_filters *filters,
			    const struct vkr_access_filter *filter);
struct vkr_read_table *vkr_read_table_make(const struct vkr_access_filters *filters,
					   const struct vkr_access_filter *filter, size_t count);
struct vkr_read_table *vkr_read_table_hold(struct vkr_read_table *table);
void vkr_read_table_drop(struct vkr_read_table *table);

// Makes it one that nobody else keeps; false for lack of memory.
bool vkr_read_table_own(struct vkr_read_table **table);

// Has the filter note what is in the table; false for lack of memory.
bool vkr_read_table_note(const struct vkr_read_table *table, struct vkr_access_filters *filters,
			 struct vkr_access_filter *filter);

// Bytes of its entries.
static inline size_t vkr_read_table_bytes(const struct vkr_read_table *table)
{
	return (size_t)table->in_use * VKR_FILTER_PAGE * sizeof *table->entries;
}

static inline bool vkr_read_table_has(const struct vkr_read_table *table, size_t page)
{
	return page < table->page_count && table->pages[page] != 0;
}

// The entries of a page that it has.
static inline uint32_t *vkr_read_table_entries(const struct vkr_read_table *table, size_t page)
{
	return table->entries + (size_t)(table->pages[page] - 1) * VKR_FILTER_PAGE;
}

// Takes a page out.
static inline void vkr_read_table_forget(struct vkr_read_table *table, size_t page)
{
	table->pages[page] = 0;
	table->in_use--;
}

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
