// SPDX-License-Identifier: Apache-2.0
#include "read_table.h"

#include <stdlib.h>
#include <string.h>

#define BITS_BYTES (VKR_FILTER_PAGE_BITS * sizeof(uint32_t))

static struct vkr_read_table *table_alloc(size_t page_count, size_t in_use, size_t reads)
{
	struct vkr_read_table *table = calloc(1, sizeof *table);
	if (table == NULL)
		return NULL;
	table->references = 1;
	table->page_count = page_count;
	table->pages = calloc(page_count + 1, sizeof *table->pages);
	table->bits = malloc((in_use + 1) * BITS_BYTES);
	table->readers = malloc((reads + 1) * sizeof *table->readers);
	if (table->pages != NULL && table->bits != NULL && table->readers != NULL)
		return table;
	vkr_read_table_drop(table);
	return NULL;
}

// The bits of the filters' entries of a page that the filter has.
static uint32_t *bits_of(const struct vkr_access_filters *filters,
			 const struct vkr_access_filter *filter, size_t page)
{
	return filters->seen + (size_t)(filter->pages.items[page] - 1) * VKR_FILTER_PAGE_BITS;
}

static void add_page(struct vkr_read_table *table, size_t page, const uint32_t *entries,
		     const uint32_t *bits)
{
	memcpy(table->bits + (size_t)table->in_use * VKR_FILTER_PAGE_BITS, bits, BITS_BYTES);
	table->pages[page] = ++table->in_use;
	for (uint32_t word = 0; word < VKR_FILTER_PAGE_BITS; word++)
		for (uint32_t rest = bits[word]; rest != 0; rest &= rest - 1)
			table->readers[table->reads++] =
				entries[word * 32 + (uint32_t)__builtin_ctz(rest)];
}

size_t vkr_read_table_count(const struct vkr_access_filters *filters,
			    const struct vkr_access_filter *filter)
{
	size_t count = 0;
	for (size_t page = 0; page < filter->pages.count; page++) {
		if (filter->pages.items[page] == 0)
			continue;
		const uint32_t *bits = bits_of(filters, filter, page);
		for (uint32_t word = 0; word < VKR_FILTER_PAGE_BITS; word++)
			count += (size_t)__builtin_popcount(bits[word]);
	}
	return count;
}

struct vkr_read_table *vkr_read_table_make(const struct vkr_access_filters *filters,
					   const struct vkr_access_filter *filter, size_t count)
{
	size_t in_use = 0;
	for (size_t page = 0; page < filter->pages.count; page++)
		in_use += filter->pages.items[page] != 0;
	struct vkr_read_table *table = table_alloc(filter->pages.count, in_use, count);
	for (size_t page = 0; table != NULL && page < filter->pages.count; page++)
		if (filter->pages.items[page] != 0)
			add_page(table, page, vkr_filter_entries(filter, filters->entries, page),
				 bits_of(filters, filter, page));
	return table;
}

struct vkr_read_table *vkr_read_table_hold(struct vkr_read_table *table)
{
	table->references++;
	return table;
}

void vkr_read_table_drop(struct vkr_read_table *table)
{
	if (table == NULL || --table->references > 0)
		return;
	free(table->pages);
	free(table->bits);
	free(table->readers);
	free(table);
}

// Writes the readers of a page, which begin at `from`, into its entries, where `left` has a bit.
// The readers of the next page with reads.
static const uint32_t *write_page(const uint32_t *bits, const uint32_t *left, const uint32_t *from,
				  uint32_t *entries)
{
	for (uint32_t word = 0; word < VKR_FILTER_PAGE_BITS; word++)
		for (uint32_t rest = bits[word]; rest != 0; rest &= rest - 1, from++)
			if (left[word] & rest & -rest)
				entries[word * 32 + (uint32_t)__builtin_ctz(rest)] = *from;
	return from;
}

bool vkr_read_table_note(const struct vkr_read_table *table, struct vkr_access_filters *filters,
			 struct vkr_access_filter *filter)
{
	const uint32_t *from = table->readers;
	for (size_t page = 0; page < table->page_count; page++) {
		if (table->pages[page] == 0)
			continue;
		if (vkr_access_filter_page(filters, filter, page) != VKR_FILTER_NOTED)
			return false;
		const uint32_t *bits = vkr_read_table_bits(table, page);
		memcpy(bits_of(filters, filter, page), bits, BITS_BYTES);
		from = write_page(bits, bits, from,
				  vkr_filter_entries(filter, filters->entries, page));
	}
	return true;
}

// ---- What is left -------------------------------------------------------------------------------

bool vkr_reads_left_init(struct vkr_reads_left *left, const struct vkr_read_table *of)
{
	*left = (struct vkr_reads_left){.in_use = of->in_use, .is_whole = true};
	left->bits = malloc((of->in_use + (size_t)1) * BITS_BYTES);
	left->is_used = malloc((of->in_use + (size_t)1) * sizeof *left->is_used);
	if (left->bits == NULL || left->is_used == NULL) {
		vkr_reads_left_finish(left);
		return false;
	}
	memcpy(left->bits, of->bits, (size_t)of->in_use * BITS_BYTES);
	for (uint32_t page = 0; page < of->in_use; page++)
		left->is_used[page] = true;
	return true;
}

void vkr_reads_left_finish(struct vkr_reads_left *left)
{
	free(left->bits);
	free(left->is_used);
	*left = (struct vkr_reads_left){0};
}

uint32_t *vkr_reads_left_entries(const struct vkr_reads_left *left, const struct vkr_read_table *of)
{
	static const uint32_t none[VKR_FILTER_PAGE_BITS];
	uint32_t *entries = calloc((of->in_use + (size_t)1) * VKR_FILTER_PAGE, sizeof *entries);
	const uint32_t *from = of->readers;
	for (uint32_t page = 0; entries != NULL && page < of->in_use; page++) {
		const size_t first = (size_t)page * VKR_FILTER_PAGE_BITS;
		from = write_page(of->bits + first, left->is_used[page] ? left->bits + first : none,
				  from, entries + (size_t)page * VKR_FILTER_PAGE);
	}
	return entries;
}

// ---- Readers ------------------------------------------------------------------------------------

struct vkr_reader_list *vkr_reader_list_make(const struct vkr_filter_reader *readers, size_t count)
{
	struct vkr_reader_list *list = malloc(sizeof *list + count * sizeof *readers);
	if (list == NULL)
		return NULL;
	list->references = 1;
	list->waiting = 0;
	list->count = count;
	if (count > 0)
		memcpy(list->items, readers, count * sizeof *readers);
	return list;
}

struct vkr_reader_list *vkr_reader_list_hold(struct vkr_reader_list *list)
{
	list->references++;
	return list;
}

void vkr_reader_list_drop(struct vkr_reader_list *list)
{
	if (list != NULL && --list->references == 0)
		free(list);
}
