// SPDX-License-Identifier: Apache-2.0
#include "read_table.h"

#include "map.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define BITS_BYTES (VKR_FILTER_PAGE_BITS * sizeof(uint32_t))

// ---- Pages --------------------------------------------------------------------------------------

struct vkr_read_pages {
	size_t references;
	struct vkr_map by_hash; // hash -> page
};

static struct vkr_read_pages *make_pages(void)
{
	struct vkr_read_pages *pages = calloc(1, sizeof *pages);
	if (pages == NULL)
		return NULL;
	pages->references = 1;
	vkr_map_init(&pages->by_hash);
	return pages;
}

void vkr_read_pages_drop(struct vkr_read_pages *pages)
{
	if (pages == NULL || --pages->references > 0)
		return;
	vkr_map_finish(&pages->by_hash);
	free(pages);
}

static void drop_page(struct vkr_read_pages *pages, struct vkr_read_page *page)
{
	if (--page->references > 0)
		return;
	if (page->is_shared)
		vkr_map_remove(&pages->by_hash, page->hash);
	free(page);
}

static bool is_same_page(const struct vkr_read_page *a, const struct vkr_read_page *b)
{
	return a->count == b->count && memcmp(a->bits, b->bits, BITS_BYTES) == 0 &&
	       memcmp(a->readers, b->readers, a->count * sizeof *a->readers) == 0;
}

// The page that is like this one, held once more: another one, or a copy. NULL for lack of memory.
static struct vkr_read_page *share_page(struct vkr_read_pages *pages, struct vkr_read_page *like,
					size_t *bytes)
{
	const size_t size =
		offsetof(struct vkr_read_page, readers) + like->count * sizeof *like->readers;
	uint64_t found = 0;
	const size_t skipped = offsetof(struct vkr_read_page, bits);
	like->hash = XXH3_64bits((const char *)like + skipped, size - skipped);
	like->is_shared = !vkr_map_get(&pages->by_hash, like->hash, &found);
	if (!like->is_shared && is_same_page((struct vkr_read_page *)(uintptr_t)found, like)) {
		((struct vkr_read_page *)(uintptr_t)found)->references++;
		return (struct vkr_read_page *)(uintptr_t)found;
	}
	struct vkr_read_page *made = malloc(size);
	if (made == NULL)
		return NULL;
	memcpy(made, like, size);
	made->references = 1;
	if (made->is_shared && !vkr_map_set(&pages->by_hash, made->hash, (uintptr_t)made)) {
		free(made);
		return NULL;
	}
	*bytes += size;
	return made;
}

// ---- Tables -------------------------------------------------------------------------------------

static struct vkr_read_table *table_alloc(size_t page_count, size_t in_use)
{
	struct vkr_read_table *table = calloc(1, sizeof *table);
	if (table == NULL)
		return NULL;
	table->references = 1;
	table->page_count = page_count;
	table->pages = calloc(page_count + 1, sizeof *table->pages);
	table->items = calloc(in_use + 1, sizeof *table->items);
	table->bytes = page_count * sizeof *table->pages + in_use * sizeof *table->items;
	if (table->pages != NULL && table->items != NULL)
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

// Adds what was read on a page; false for lack of memory. `made`: room for a page.
static bool add_page(struct vkr_read_table *table, size_t page, const uint32_t *entries,
		     const uint32_t *bits, struct vkr_read_page *made)
{
	uint32_t first = 0;
	made->count = 0;
	memcpy(made->bits, bits, BITS_BYTES);
	for (uint32_t word = 0; word < VKR_FILTER_PAGE_BITS; word++)
		for (uint32_t rest = bits[word]; rest != 0; rest &= rest - 1) {
			const uint32_t entry = entries[word * 32 + (uint32_t)__builtin_ctz(rest)];
			first = made->count == 0 ? entry : first;
			made->readers[made->count++] = entry - first;
		}
	struct vkr_read_page *shared = share_page(table->shared, made, &table->bytes);
	if (shared == NULL)
		return false;
	table->items[table->in_use].page = shared;
	table->items[table->in_use].first = first;
	table->pages[page] = ++table->in_use;
	table->reads += made->count;
	return true;
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

struct vkr_read_table *vkr_read_table_make(struct vkr_read_pages **pages,
					   const struct vkr_access_filters *filters,
					   const struct vkr_access_filter *filter)
{
	size_t in_use = 0;
	if (*pages == NULL)
		*pages = make_pages();
	if (*pages == NULL)
		return NULL;
	for (size_t page = 0; page < filter->pages.count; page++)
		in_use += filter->pages.items[page] != 0;
	struct vkr_read_page *room =
		calloc(1, sizeof *room + VKR_FILTER_PAGE * sizeof *room->readers);
	struct vkr_read_table *table = table_alloc(filter->pages.count, in_use);
	bool made = room != NULL && table != NULL;
	if (table != NULL) {
		table->shared = *pages;
		table->shared->references++;
	}
	for (size_t page = 0; made && page < filter->pages.count; page++)
		if (filter->pages.items[page] != 0)
			made = add_page(table, page,
					vkr_filter_entries(filter, filters->entries, page),
					bits_of(filters, filter, page), room);
	free(room);
	if (made)
		return table;
	vkr_read_table_drop(table);
	return NULL;
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
	for (uint32_t at = 0; at < table->in_use; at++)
		drop_page(table->shared, table->items[at].page);
	vkr_read_pages_drop(table->shared);
	free(table->pages);
	free(table->items);
	free(table);
}

bool vkr_read_table_equals(const struct vkr_read_table *a, const struct vkr_read_table *b)
{
	if (a == b)
		return true;
	if (a->shared != b->shared || a->in_use != b->in_use || a->page_count != b->page_count ||
	    memcmp(a->pages, b->pages, a->page_count * sizeof *a->pages) != 0)
		return false;
	for (uint32_t at = 0; at < a->in_use; at++)
		if (a->items[at].page != b->items[at].page ||
		    a->items[at].first != b->items[at].first)
			return false;
	return true;
}

// Writes the readers of a page into its entries, where `left` has a bit.
static void write_page(const struct vkr_read_table *table, size_t page, const uint32_t *left,
		       uint32_t *entries)
{
	const struct vkr_read_page *from = table->items[table->pages[page] - 1].page;
	const uint32_t first = table->items[table->pages[page] - 1].first;
	const uint32_t *reader = from->readers;
	for (uint32_t word = 0; word < VKR_FILTER_PAGE_BITS; word++)
		for (uint32_t rest = from->bits[word]; rest != 0; rest &= rest - 1, reader++)
			if (left[word] & rest & -rest)
				entries[word * 32 + (uint32_t)__builtin_ctz(rest)] =
					first + *reader;
}

bool vkr_read_table_note(const struct vkr_read_table *table, struct vkr_access_filters *filters,
			 struct vkr_access_filter *filter)
{
	for (size_t page = 0; page < table->page_count; page++) {
		if (table->pages[page] == 0)
			continue;
		if (vkr_access_filter_page(filters, filter, page) != VKR_FILTER_NOTED)
			return false;
		const uint32_t *bits = vkr_read_table_bits(table, page);
		memcpy(bits_of(filters, filter, page), bits, BITS_BYTES);
		write_page(table, page, bits, vkr_filter_entries(filter, filters->entries, page));
	}
	return true;
}

// ---- What is left -------------------------------------------------------------------------------

bool vkr_reads_left_open(struct vkr_reads_left *left, const struct vkr_read_table *of)
{
	if (left->bits != NULL)
		return true;
	left->bits = malloc((of->in_use + (size_t)1) * BITS_BYTES);
	left->is_used = malloc((of->in_use + (size_t)1) * sizeof *left->is_used);
	if (left->bits == NULL || left->is_used == NULL) {
		vkr_reads_left_finish(left);
		return false;
	}
	for (uint32_t page = 0; page < of->in_use; page++) {
		memcpy(left->bits + (size_t)page * VKR_FILTER_PAGE_BITS, of->items[page].page->bits,
		       BITS_BYTES);
		left->is_used[page] = true;
	}
	return true;
}

void vkr_reads_left_finish(struct vkr_reads_left *left)
{
	free(left->bits);
	free(left->is_used);
	left->bits = NULL;
	left->is_used = NULL;
}

void vkr_reads_left_write(const struct vkr_reads_left *left, const struct vkr_read_table *of,
			  size_t first, size_t end, uint32_t *pages, uint32_t *entries)
{
	uint32_t used = 0;
	for (size_t page = first; page < end; page++) {
		pages[page - first] = 0;
		if (!vkr_reads_left_has(left, of, page))
			continue;
		uint32_t *to = entries + (size_t)used * VKR_FILTER_PAGE;
		memset(to, 0, VKR_FILTER_PAGE * sizeof *to);
		write_page(of, page, vkr_reads_left_bits(left, of, page), to);
		pages[page - first] = ++used;
	}
}

// ---- Readers ------------------------------------------------------------------------------------
