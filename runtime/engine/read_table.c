// SPDX-License-Identifier: Apache-2.0
#include "read_table.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES (VKR_FILTER_PAGE * sizeof(uint32_t))

static struct vkr_read_table *table_alloc(size_t page_count, size_t in_use)
{
	struct vkr_read_table *table = calloc(1, sizeof *table);
	if (table == NULL)
		return NULL;
	table->references = 1;
	table->page_count = page_count;
	table->pages = calloc(page_count + 1, sizeof *table->pages);
	table->entries = malloc((in_use + 1) * PAGE_BYTES);
	if (table->pages != NULL && table->entries != NULL)
		return table;
	vkr_read_table_drop(table);
	return NULL;
}

static void add_page(struct vkr_read_table *table, size_t page, const uint32_t *entries)
{
	uint32_t *to = table->entries + (size_t)table->in_use * VKR_FILTER_PAGE;
	memcpy(to, entries, PAGE_BYTES);
	table->pages[page] = ++table->in_use;
}

size_t vkr_read_table_count(const struct vkr_access_filters *filters,
			    const struct vkr_access_filter *filter)
{
	size_t count = 0;
	for (size_t page = 0; page < filter->pages.count; page++) {
		if (filter->pages.items[page] == 0)
			continue;
		const uint32_t *entries = vkr_filter_entries(filter, filters->entries, page);
		uint32_t on_page = 0;
		for (uint32_t at = 0; at < VKR_FILTER_PAGE; at++)
			on_page += entries[at] != 0;
		count += on_page;
	}
	return count;
}

struct vkr_read_table *vkr_read_table_make(const struct vkr_access_filters *filters,
					   const struct vkr_access_filter *filter, size_t count)
{
	size_t in_use = 0;
	for (size_t page = 0; page < filter->pages.count; page++)
		in_use += filter->pages.items[page] != 0;
	struct vkr_read_table *table = table_alloc(filter->pages.count, in_use);
	if (table == NULL)
		return NULL;
	table->reads = count;
	for (size_t page = 0; page < filter->pages.count; page++)
		if (filter->pages.items[page] != 0)
			add_page(table, page, vkr_filter_entries(filter, filters->entries, page));
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
	free(table->entries);
	free(table);
}

bool vkr_read_table_own(struct vkr_read_table **table)
{
	struct vkr_read_table *of = *table;
	if (of->references == 1)
		return true;
	struct vkr_read_table *own = table_alloc(of->page_count, of->in_use);
	if (own == NULL)
		return false;
	own->reads = of->reads;
	for (size_t page = 0; page < of->page_count; page++)
		if (of->pages[page] != 0)
			add_page(own, page, vkr_read_table_entries(of, page));
	vkr_read_table_drop(of);
	*table = own;
	return true;
}

bool vkr_read_table_note(const struct vkr_read_table *table, struct vkr_access_filters *filters,
			 struct vkr_access_filter *filter)
{
	for (size_t page = 0; page < table->page_count; page++) {
		if (table->pages[page] == 0)
			continue;
		if (vkr_access_filter_page(filters, filter, page) != VKR_FILTER_NOTED)
			return false;
		memcpy(vkr_filter_entries(filter, filters->entries, page),
		       vkr_read_table_entries(table, page), PAGE_BYTES);
	}
	return true;
}

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
