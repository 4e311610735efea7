// SPDX-License-Identifier: Apache-2.0
// Cells of a page: making them of lines and lines of them. Knows the form of slots and nothing of
// what they mean.
#include "shadow_cells.h"

#include "error.h"

#include <assert.h>
#include <string.h>

#define WORD_SHIFT 2u
#define PAGE_LINES ((unsigned)(VKR_PAGE_BYTES / VKR_LINE_BYTES))
#define LINE_WORDS ((unsigned)(VKR_LINE_BYTES / VKR_WORD_BYTES))

// So many lines that are split, and the page's, take a third of what its cells take.
#define MANY_LINES 6u

static size_t cells_bytes(unsigned shift)
{
	return sizeof(struct vkr_cells) + ((size_t)VKR_PAGE_BYTES >> shift) * sizeof(uint32_t);
}

void vkr_cells_release(uint64_t slot, struct vkr_pool *pool)
{
	struct vkr_cells *cells = vkr_slot_cells(slot);
	vkr_pool_give(pool, cells, cells_bytes(cells->shift));
}

uint32_t vkr_cells_used(struct vkr_cells *cells)
{
	uint32_t used = 0;
	for (unsigned i = 0; i < vkr_cells_count(cells); i++)
		used |= 1u << (cells->items[i] >> VKR_CELL_FIELD_BITS);
	used >>= 1;
	for (unsigned i = 0; i < VKR_CELL_STAMPS; i++)
		if (!(used >> i & 1))
			cells->stamps[i] = 0;
	cells->last = 0;
	return used;
}

static unsigned find_stamp(const struct vkr_cells *cells, uint32_t stamp)
{
	for (unsigned i = 0; i < VKR_CELL_STAMPS; i++)
		if (cells->stamps[i] == stamp)
			return i + 1;
	return 0;
}

bool vkr_cells_encode(struct vkr_cells *cells, const struct vkr_stamps *stamps, uint64_t slot,
		      uint32_t *cell)
{
	const uint32_t stamp = vkr_slot_stamp(slot);
	unsigned number = cells->last;
	*cell = 0;
	if (slot == 0)
		return true;
	if (vkr_slot_kind(slot) != VKR_SLOT_SINGLE || vkr_slot_field(slot) > VKR_CELL_FIELD_MASK)
		return false;
	if (number == 0 || cells->stamps[number - 1] != stamp) {
		// Words that several invocations have.
		if (stamps->items[stamp].shape < WORD_SHIFT)
			return false;
		number = find_stamp(cells, stamp);
		if (number == 0)
			number = find_stamp(cells, 0);
		if (number == 0) {
			vkr_cells_used(cells);
			number = find_stamp(cells, 0);
		}
		if (number == 0)
			return false;
		cells->stamps[number - 1] = stamp;
		cells->last = (uint8_t)number;
	}
	*cell = number << VKR_CELL_FIELD_BITS | (uint32_t)vkr_slot_field(slot);
	return true;
}

enum vkr_result vkr_cells_make(uint64_t *slot, uint64_t offset, unsigned shift,
			       struct vkr_pool *pool, struct vkr_error *error)
{
	struct vkr_cells *made = vkr_pool_take(pool, cells_bytes(shift));
	if (!made)
		return vkr_error_memory(error, "shadow memory");
	memset(made, 0, cells_bytes(shift));
	made->shift = (uint8_t)shift;
	made->phase = (uint16_t)(offset & ((1u << shift) - 1u));
	*slot = (uint64_t)(uintptr_t)made | (uint64_t)(shift - WORD_SHIFT) << 3 | VKR_SLOT_CELLS;
	return VKR_OK;
}

static bool gather_word(struct vkr_cells *cells, const struct vkr_stamps *stamps, unsigned word,
			uint64_t slot)
{
	// Parts of a line may overlap.
	return slot == 0 || (cells->items[word] == 0 &&
			     vkr_cells_encode(cells, stamps, slot, &cells->items[word]));
}

static bool gather_line(struct vkr_cells *cells, const struct vkr_stamps *stamps, unsigned first,
			uint64_t slot)
{
	struct vkr_part whole = {slot, 0, LINE_WORDS};
	const struct vkr_parts *parts = NULL;
	bool gathered = true;
	if (slot == 0)
		return true;
	if (vkr_slot_kind(slot) == VKR_SLOT_SPLIT) {
		for (unsigned i = 0; i < LINE_WORDS && gathered; i++)
			gathered =
				gather_word(cells, stamps, first + i, vkr_slot_children(slot)[i]);
		return gathered;
	}
	if (vkr_slot_kind(slot) == VKR_SLOT_PARTS)
		parts = vkr_slot_parts(slot);
	else if (vkr_slot_kind(slot) != VKR_SLOT_SINGLE)
		return false;
	for (unsigned i = 0; i < (parts ? parts->count : 1u) && gathered; i++) {
		const struct vkr_part part = parts ? vkr_part_at(parts, i) : whole;
		for (uint32_t at = part.low; at < part.high && gathered; at++)
			gathered = gather_word(cells, stamps, first + at,
					       vkr_slot_advance(part.slot,
								(at - part.low) * VKR_WORD_BYTES,
								stamps));
	}
	return gathered;
}

static bool gather_lines(struct vkr_cells *cells, const struct vkr_stamps *stamps,
			 const uint64_t *lines)
{
	for (unsigned i = 0; i < PAGE_LINES; i++)
		if (!gather_line(cells, stamps, i * LINE_WORDS, lines[i]))
			return false;
	return true;
}

// Of cells of some words, cells of all.
static void spread_cells(struct vkr_cells *to, const struct vkr_cells *from)
{
	memcpy(to->stamps, from->stamps, sizeof to->stamps);
	to->last = from->last;
	for (unsigned i = 0; i < vkr_cells_count(from); i++)
		to->items[((i << from->shift) + from->phase) >> WORD_SHIFT] = from->items[i];
}

static bool are_many(const uint64_t *lines)
{
	unsigned split = 0;
	for (unsigned i = 0; i < PAGE_LINES; i++)
		split += vkr_slot_kind(lines[i]) == VKR_SLOT_SPLIT;
	return split >= MANY_LINES;
}

enum vkr_result vkr_cells_gather(uint64_t *slot, const struct vkr_stamps *stamps,
				 struct vkr_pool *pool, struct vkr_error *error)
{
	const bool split = vkr_slot_kind(*slot) == VKR_SLOT_SPLIT;
	uint64_t made = 0;
	if (split && !are_many(vkr_slot_children(*slot)))
		return VKR_OK;
	const enum vkr_result result = vkr_cells_make(&made, 0, WORD_SHIFT, pool, error);
	if (result != VKR_OK)
		return result;
	assert(made != 0);
	if (split && !gather_lines(vkr_slot_cells(made), stamps, vkr_slot_children(*slot))) {
		vkr_cells_release(made, pool);
		return VKR_OK;
	}
	if (!split)
		spread_cells(vkr_slot_cells(made), vkr_slot_cells(*slot));
	vkr_slot_release(slot, 0, pool);
	*slot = made;
	return VKR_OK;
}

static enum vkr_result expand_line(struct vkr_cells *cells, unsigned line, uint64_t *slot,
				   struct vkr_pool *pool, struct vkr_error *error)
{
	uint64_t words[LINE_WORDS], any = 0;
	for (unsigned i = 0; i < LINE_WORDS; i++) {
		words[i] = vkr_cells_slot_at(cells, line * VKR_LINE_BYTES + i * VKR_WORD_BYTES);
		any |= words[i];
	}
	*slot = 0;
	if (any == 0)
		return VKR_OK;
	uint64_t *children = vkr_pool_take(pool, sizeof words);
	if (!children)
		return vkr_error_memory(error, "shadow memory");
	memcpy(children, words, sizeof words);
	*slot = (uint64_t)(uintptr_t)children | VKR_SLOT_SPLIT;
	return VKR_OK;
}

enum vkr_result vkr_cells_expand(uint64_t *slot, struct vkr_pool *pool, struct vkr_error *error)
{
	const uint64_t old = *slot;
	uint64_t *lines = vkr_pool_take(pool, PAGE_LINES * sizeof *lines);
	enum vkr_result result = VKR_OK;
	if (!lines)
		return vkr_error_memory(error, "shadow memory");
	for (unsigned i = 0; i < PAGE_LINES; i++) {
		lines[i] = 0;
		if (result == VKR_OK)
			result = expand_line(vkr_slot_cells(old), i, &lines[i], pool, error);
	}
	*slot = (uint64_t)(uintptr_t)lines | VKR_SLOT_SPLIT;
	vkr_cells_release(old, pool);
	return result;
}

void vkr_cells_clear(uint64_t *slot, uint64_t start, uint64_t low, uint64_t high,
		     struct vkr_pool *pool)
{
	struct vkr_cells *cells = vkr_slot_cells(*slot);
	uint32_t any = 0;
	for (unsigned i = 0; i < vkr_cells_count(cells); i++) {
		const uint64_t at = start + ((uint64_t)i << cells->shift) + cells->phase;
		if (at >= low && at < high)
			cells->items[i] = 0;
		any |= cells->items[i];
	}
	if (any != 0)
		return;
	vkr_cells_release(*slot, pool);
	*slot = 0;
}
