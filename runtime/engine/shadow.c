// SPDX-License-Identifier: Apache-2.0
// The trees of slots: splitting, filling, visiting, releasing. Knows the form of slots and nothing
// of what they mean.
#include "shadow.h"

#include "engine.h"
#include "error.h"
#include "shadow_packed.h"
#include "shadow_stripes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_TABLE ((size_t)1 << 20)
#define BLOCK_PAGES ((size_t)1 << (VKR_BLOCK_SHIFT - 12))

static size_t parts_bytes(unsigned capacity)
{
	return sizeof(struct vkr_parts) + capacity * sizeof(uint64_t);
}

// Capacities that fill pieces of the pool.
static unsigned parts_capacity(unsigned count)
{
	return count <= 2 ? 2 : count <= 6 ? 6 : VKR_PARTS_MOST;
}

enum vkr_result vkr_slot_set_parts(uint64_t *slot, const struct vkr_part *parts, unsigned count,
				   struct vkr_pool *pool, struct vkr_error *error)
{
	const unsigned capacity = parts_capacity(count);
	struct vkr_parts *made =
		vkr_slot_kind(*slot) == VKR_SLOT_PARTS ? vkr_slot_parts(*slot) : NULL;
	assert(count >= 1 && count <= VKR_PARTS_MOST);
	if (!made || made->capacity != capacity) {
		if (made)
			vkr_pool_give(pool, made, parts_bytes(made->capacity));
		*slot = 0;
		made = vkr_pool_take(pool, parts_bytes(capacity));
		if (!made)
			return vkr_error_memory(error, "shadow memory");
		made->capacity = (uint8_t)capacity;
	}
	made->count = (uint8_t)count;
	memset(made->spans, 0, sizeof made->spans);
	for (unsigned i = 0; i < count; i++) {
		made->slots[i] = parts[i].slot;
		made->spans[i] = (uint8_t)(parts[i].low << 4 | (parts[i].high - 1));
	}
	*slot = (uint64_t)(uintptr_t)made | VKR_SLOT_PARTS;
	return VKR_OK;
}

// Zeros; large ones are address space until they are accessed.
static void *tables_take(size_t bytes)
{
	if (bytes < LARGE_TABLE)
		return calloc(1, bytes);
	void *tables = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return tables != MAP_FAILED ? tables : NULL;
}

enum vkr_result vkr_shadow_init(struct vkr_shadow *shadow, uint32_t memory, uint32_t serial,
				uint64_t bytes, bool coherent, struct vkr_error *error)
{
	const size_t pages = (size_t)((bytes + VKR_PAGE_BYTES - 1) / VKR_PAGE_BYTES);
	*shadow = (struct vkr_shadow){.memory = memory,
				      .serial = serial,
				      .live = true,
				      .coherent = coherent,
				      .bytes = bytes};
	shadow->table_bytes = pages * sizeof *shadow->pages + vkr_shadow_block_count(shadow);
	void *tables = bytes <= VKR_ENGINE_MEMORY_MOST ? tables_take(shadow->table_bytes) : NULL;
	if (!tables) {
		*shadow = (struct vkr_shadow){0};
		return vkr_error_memory(error, "shadow memory");
	}
	shadow->pages = tables;
	shadow->page_count = pages;
	shadow->used = (void *)(shadow->pages + pages);
	return VKR_OK;
}

bool vkr_shadow_next_page(const struct vkr_shadow *shadow, size_t *page)
{
	const size_t block = *page / BLOCK_PAGES;
	const uint8_t *used;
	// Of huge memory most often only the first blocks are in use.
	if (*page >= shadow->page_count || block >= shadow->used_end)
		return false;
	if (shadow->used[block])
		return true;
	used = memchr(shadow->used + block, 1, shadow->used_end - block);
	if (!used)
		return false;
	*page = (size_t)(used - shadow->used) * BLOCK_PAGES;
	return *page < shadow->page_count;
}

uint64_t vkr_shadow_table_bytes(const struct vkr_shadow *shadow)
{
	uint64_t pages = 0;
	for (size_t page = 0; vkr_shadow_next_page(shadow, &page); page += BLOCK_PAGES)
		pages += shadow->page_count - page < BLOCK_PAGES ? shadow->page_count - page
								 : BLOCK_PAGES;
	return pages * sizeof *shadow->pages;
}

void vkr_shadow_finish(struct vkr_shadow *shadow, struct vkr_pool *pool)
{
	for (size_t i = 0; vkr_shadow_next_page(shadow, &i); i++) {
		vkr_slot_release(&shadow->pages[i].write, 0, pool);
		vkr_slot_release(&shadow->pages[i].access, 0, pool);
	}
	if (shadow->table_bytes >= LARGE_TABLE)
		munmap(shadow->pages, shadow->table_bytes);
	else
		free(shadow->pages);
	vkr_ownership_finish(&shadow->ownership);
	free(shadow->mappings.items);
	free(shadow->possible.items);
	vkr_share_finish(&shadow->share);
	*shadow = (struct vkr_shadow){0};
}

void vkr_slot_release(uint64_t *slot, unsigned level, struct vkr_pool *pool)
{
	if (vkr_slot_kind(*slot) == VKR_SLOT_SPLIT) {
		uint64_t *children = vkr_slot_children(*slot);
		const unsigned fanout = vkr_level_fanout(level);
		for (unsigned i = 0; i < fanout; i++)
			vkr_slot_release(&children[i], level + 1, pool);
		vkr_pool_give(pool, children, fanout * sizeof *children);
	} else if (vkr_slot_kind(*slot) == VKR_SLOT_SET) {
		vkr_slot_set_give(vkr_slot_set(*slot), pool);
	} else if (vkr_slot_kind(*slot) == VKR_SLOT_PARTS) {
		vkr_pool_give(pool, vkr_slot_parts(*slot),
			      parts_bytes(vkr_slot_parts(*slot)->capacity));
	} else if (vkr_slot_kind(*slot) == VKR_SLOT_PACKED) {
		vkr_packed_release(*slot, pool);
	} else if (vkr_slot_kind(*slot) == VKR_SLOT_STRIPES) {
		vkr_stripes_release(*slot, pool);
	}
	*slot = 0;
}

static void slot_wipe(uint64_t *slot, unsigned level, struct vkr_pool *pool)
{
	// Lines are whole again: most runs are of whole ones.
	if (vkr_slot_kind(*slot) != VKR_SLOT_SPLIT || level == 1) {
		vkr_slot_release(slot, level, pool);
		return;
	}
	for (unsigned i = 0; i < vkr_level_fanout(level); i++)
		slot_wipe(&vkr_slot_children(*slot)[i], level + 1, pool);
}

void vkr_shadow_wipe(struct vkr_shadow *shadow, struct vkr_pool *pool)
{
	for (size_t i = 0; vkr_shadow_next_page(shadow, &i); i++) {
		slot_wipe(&shadow->pages[i].write, 0, pool);
		slot_wipe(&shadow->pages[i].access, 0, pool);
	}
}

// The words of a line that was in parts.
static enum vkr_result parts_copy(uint64_t slot, uint64_t *words, const struct vkr_epochs *epochs,
				  struct vkr_pool *pool, struct vkr_error *error)
{
	const struct vkr_parts *parts = vkr_slot_parts(slot);
	enum vkr_result result = VKR_OK;
	memset(words, 0, VKR_LINE_BYTES / VKR_WORD_BYTES * sizeof *words);
	for (unsigned i = 0; i < parts->count; i++) {
		const struct vkr_part part = vkr_part_at(parts, i);
		for (uint32_t at = part.low; at < part.high && result == VKR_OK; at++) {
			const uint64_t word = vkr_slot_advance(
				part.slot, (at - part.low) * VKR_WORD_BYTES, epochs);
			if (words[at] == 0)
				words[at] = word;
			else
				result = vkr_slot_set_add(&words[at], word, pool, error);
		}
	}
	return result;
}

enum vkr_result vkr_slot_split(uint64_t *slot, unsigned level, const struct vkr_epochs *epochs,
			       struct vkr_pool *pool, struct vkr_error *error)
{
	const unsigned fanout = vkr_level_fanout(level);
	uint64_t *children;
	enum vkr_result result = VKR_OK;

	assert(level + 1 < VKR_LEVELS);
	if (vkr_slot_kind(*slot) == VKR_SLOT_PACKED)
		return vkr_packed_expand(slot, pool, error);
	if (vkr_slot_kind(*slot) == VKR_SLOT_STRIPES)
		return vkr_stripes_expand(slot, pool, error);
	children = vkr_pool_take(pool, fanout * sizeof *children);
	if (!children)
		return vkr_error_memory(error, "shadow memory");
	if (*slot == 0) {
		memset(children, 0, fanout * sizeof *children);
	} else if (vkr_slot_kind(*slot) == VKR_SLOT_PARTS) {
		assert(level == 1);
		result = parts_copy(*slot, children, epochs, pool, error);
		vkr_slot_release(slot, level, pool);
	} else {
		for (unsigned i = 0; i < fanout; i++) {
			const uint64_t distance = i * vkr_level_bytes(level + 1);
			children[i] = 0;
			if (vkr_slot_kind(*slot) != VKR_SLOT_SET)
				children[i] = vkr_slot_advance(*slot, distance, epochs);
			else if (result == VKR_OK)
				result = vkr_slot_set_copy(*slot, distance, epochs, pool,
							   &children[i], error);
		}
		if (vkr_slot_kind(*slot) == VKR_SLOT_SET)
			vkr_slot_set_give(vkr_slot_set(*slot), pool);
	}
	*slot = (uint64_t)(uintptr_t)children | VKR_SLOT_SPLIT;
	return result;
}

enum vkr_result vkr_slot_paint(uint64_t *slot, unsigned level, uint64_t start, uint64_t low,
			       uint64_t high, const struct vkr_paint *paint,
			       const struct vkr_epochs *epochs, struct vkr_pool *pool,
			       struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	uint64_t child;

	if (paint->slot == 0 && *slot == 0)
		return VKR_OK;
	if (low <= start && high >= start + vkr_level_bytes(level)) {
		vkr_slot_release(slot, level, pool);
		*slot = paint->slot ? vkr_paint_at(paint, start) : 0;
		return VKR_OK;
	}
	if (vkr_slot_kind(*slot) == VKR_SLOT_PACKED && paint->slot == 0 &&
	    !((low | high) & (VKR_WORD_BYTES - 1))) {
		vkr_packed_clear(slot, start, low, high, pool);
		return VKR_OK;
	}
	if (vkr_slot_kind(*slot) != VKR_SLOT_SPLIT) {
		result = vkr_slot_split(slot, level, epochs, pool, error);
		if (result != VKR_OK)
			return result;
	}
	assert(level < VKR_LEVELS - 1); // a byte is painted whole
	child = low > start ? (low - start) >> vkr_level_shift[level + 1] : 0;
	for (; child < vkr_level_fanout(level) && result == VKR_OK; child++) {
		const uint64_t at = start + (child << vkr_level_shift[level + 1]);
		if (at >= high)
			break;
		result = vkr_slot_paint(&vkr_slot_children(*slot)[child], level + 1, at, low, high,
					paint, epochs, pool, error);
	}
	return result;
}

static enum vkr_result visit_children(uint64_t *slot, unsigned level, uint64_t start, uint64_t low,
				      uint64_t high, const struct vkr_visit *visit,
				      struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	uint64_t child = low > start ? (low - start) >> vkr_level_shift[level + 1] : 0;
	for (; child < vkr_level_fanout(level) && result == VKR_OK; child++) {
		const uint64_t at = start + (child << vkr_level_shift[level + 1]);
		if (at >= high)
			break;
		result = vkr_slot_visit(&vkr_slot_children(*slot)[child], level + 1, at, low, high,
					visit, error);
	}
	return result;
}

// Shows each word of a page of cells as a leaf of its own.
static enum vkr_result visit_packed(const uint64_t *slot, uint64_t start, uint64_t low,
				    uint64_t high, const struct vkr_visit *visit,
				    struct vkr_error *error)
{
	struct vkr_packed *packed = vkr_slot_packed(*slot);
	const unsigned first = low > start ? (unsigned)((low - start) >> packed->shift) : 0;
	enum vkr_result result = VKR_OK;
	for (unsigned i = first; i < vkr_packed_count(packed) && result == VKR_OK; i++) {
		const uint64_t at = start + ((uint64_t)i << packed->shift) + packed->phase;
		uint64_t word = vkr_packed_slot(packed, packed->items[i]);
		struct vkr_leaf leaf = {.slot = &word,
					.start = at,
					.low = low > at ? low : at,
					.high = high < at + VKR_WORD_BYTES ? high
									   : at + VKR_WORD_BYTES,
					.level = 2};
		if (at >= high)
			break;
		if (word != 0 && leaf.low < leaf.high)
			result = visit->visitor(visit->context, &leaf, error);
	}
	return result;
}

enum vkr_result vkr_slot_visit(uint64_t *slot, unsigned level, uint64_t start, uint64_t low,
			       uint64_t high, const struct vkr_visit *visit,
			       struct vkr_error *error)
{
	const uint64_t end = start + vkr_level_bytes(level);
	struct vkr_leaf leaf = {.slot = slot,
				.start = start,
				.low = low > start ? low : start,
				.high = high < end ? high : end,
				.level = level};
	enum vkr_result result;

	if (vkr_slot_kind(*slot) == VKR_SLOT_SPLIT)
		return visit_children(slot, level, start, low, high, visit, error);
	if (vkr_slot_kind(*slot) == VKR_SLOT_PACKED && !visit->cut)
		return visit_packed(slot, start, low, high, visit, error);
	leaf.split = vkr_slot_kind(*slot) == VKR_SLOT_STRIPES ||
		     (visit->cut && (leaf.low != start || leaf.high != end ||
				     vkr_slot_kind(*slot) == VKR_SLOT_PARTS ||
				     vkr_slot_kind(*slot) == VKR_SLOT_PACKED));
	if (!leaf.split) {
		result = visit->visitor(visit->context, &leaf, error);
		if (result != VKR_OK || !leaf.split)
			return result;
	}
	result = vkr_slot_split(slot, level, visit->epochs, visit->pool, error);
	if (result != VKR_OK)
		return result;
	return visit_children(slot, level, start, low, high, visit, error);
}

void vkr_slot_each(uint64_t slot, void (*visitor)(void *context, uint64_t slot), void *context)
{
	if (slot == 0)
		return;
	if (vkr_slot_kind(slot) == VKR_SLOT_SET) {
		const struct vkr_slot_set *set = vkr_slot_set(slot);
		for (uint32_t at = 0; at < set->count; at++)
			visitor(context, set->slots[at]);
	} else if (vkr_slot_kind(slot) == VKR_SLOT_PARTS) {
		const struct vkr_parts *parts = vkr_slot_parts(slot);
		for (unsigned at = 0; at < parts->count; at++)
			visitor(context, parts->slots[at]);
	} else {
		visitor(context, slot);
	}
}
