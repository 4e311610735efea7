// SPDX-License-Identifier: Apache-2.0
// Cells of a page: making them of lines and lines of them. Knows the form of slots and nothing of
// what they mean.
#include "shadow_packed.h"

#include "error.h"
#include "slot_translation.h"

#include <assert.h>
#include <string.h>

#define WORD_SHIFT 2u
#define PAGE_LINES ((unsigned)(VKR_PAGE_BYTES / VKR_LINE_BYTES))
#define LINE_WORDS ((unsigned)(VKR_LINE_BYTES / VKR_WORD_BYTES))

// So many lines that are split, and the page's, take a third of what its cells take.
#define MANY_LINES 6u

static size_t packed_bytes(unsigned shift)
{
	return sizeof(struct vkr_packed) + ((size_t)VKR_PAGE_BYTES >> shift) * sizeof(uint32_t);
}

void vkr_packed_release(uint64_t slot, struct vkr_pool *pool)
{
	struct vkr_packed *packed = vkr_slot_packed(slot);
	vkr_pool_give(pool, packed, packed_bytes(packed->shift));
}

uint32_t vkr_packed_used(struct vkr_packed *packed)
{
	uint32_t used = 0;
	for (unsigned i = 0; i < vkr_packed_count(packed); i++)
		used |= 1u << (packed->items[i] >> VKR_PACKED_FIELD_BITS);
	used >>= 1;
	for (unsigned i = 0; i < VKR_PACKED_EPOCHS; i++)
		if (!(used >> i & 1))
			packed->epochs[i] = 0;
	packed->last = 0;
	return used;
}

static unsigned find_epoch(const struct vkr_packed *packed, uint32_t epoch)
{
	for (unsigned i = 0; i < VKR_PACKED_EPOCHS; i++)
		if (packed->epochs[i] == epoch)
			return i + 1;
	return 0;
}

bool vkr_packed_encode(struct vkr_packed *packed, const struct vkr_epochs *epochs, uint64_t slot,
		       uint32_t *packed_cell)
{
	const uint32_t epoch = vkr_slot_epoch(slot);
	unsigned number = packed->last;
	*packed_cell = 0;
	if (slot == 0)
		return true;
	if (vkr_slot_kind(slot) != VKR_SLOT_SINGLE || vkr_slot_field(slot) > VKR_PACKED_FIELD_MASK)
		return false;
	if (number == 0 || packed->epochs[number - 1] != epoch) {
		// Words that several invocations have.
		if (epochs->items[epoch].shape < WORD_SHIFT)
			return false;
		number = find_epoch(packed, epoch);
		if (number == 0)
			number = find_epoch(packed, 0);
		if (number == 0) {
			vkr_packed_used(packed);
			number = find_epoch(packed, 0);
		}
		if (number == 0)
			return false;
		packed->epochs[number - 1] = epoch;
		packed->last = (uint8_t)number;
	}
	*packed_cell = number << VKR_PACKED_FIELD_BITS | (uint32_t)vkr_slot_field(slot);
	return true;
}

enum vkr_result vkr_packed_make(uint64_t *slot, uint64_t offset, unsigned shift,
				struct vkr_pool *pool, struct vkr_error *error)
{
	struct vkr_packed *made = vkr_pool_take(pool, packed_bytes(shift));
	if (!made)
		return vkr_error_memory(error, "shadow memory");
	memset(made, 0, packed_bytes(shift));
	made->shift = (uint8_t)shift;
	made->phase = (uint16_t)(offset & ((1u << shift) - 1u));
	*slot = (uint64_t)(uintptr_t)made | (uint64_t)(shift - WORD_SHIFT) << 3 | VKR_SLOT_PACKED;
	return VKR_OK;
}

static bool gather_word(struct vkr_packed *packed, const struct vkr_epochs *epochs, unsigned word,
			uint64_t slot)
{
	// Parts of a line may overlap.
	return slot == 0 || (packed->items[word] == 0 &&
			     vkr_packed_encode(packed, epochs, slot, &packed->items[word]));
}

static bool gather_line(struct vkr_packed *packed, const struct vkr_epochs *epochs, unsigned first,
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
				gather_word(packed, epochs, first + i, vkr_slot_children(slot)[i]);
		return gathered;
	}
	if (vkr_slot_kind(slot) == VKR_SLOT_PARTS)
		parts = vkr_slot_parts(slot);
	else if (vkr_slot_kind(slot) != VKR_SLOT_SINGLE)
		return false;
	for (unsigned i = 0; i < (parts ? parts->count : 1u) && gathered; i++) {
		const struct vkr_part part = parts ? vkr_part_at(parts, i) : whole;
		for (uint32_t at = part.low; at < part.high && gathered; at++)
			gathered = gather_word(packed, epochs, first + at,
					       vkr_slot_advance(part.slot,
								(at - part.low) * VKR_WORD_BYTES,
								epochs));
	}
	return gathered;
}

static bool gather_lines(struct vkr_packed *packed, const struct vkr_epochs *epochs,
			 const uint64_t *lines)
{
	for (unsigned i = 0; i < PAGE_LINES; i++)
		if (!gather_line(packed, epochs, i * LINE_WORDS, lines[i]))
			return false;
	return true;
}

// Of cells of some words, cells of all.
static void spread_packed(struct vkr_packed *to, const struct vkr_packed *from)
{
	memcpy(to->epochs, from->epochs, sizeof to->epochs);
	to->last = from->last;
	for (unsigned i = 0; i < vkr_packed_count(from); i++)
		to->items[((i << from->shift) + from->phase) >> WORD_SHIFT] = from->items[i];
}

static bool are_many(const uint64_t *lines)
{
	unsigned split = 0;
	for (unsigned i = 0; i < PAGE_LINES; i++)
		split += vkr_slot_kind(lines[i]) == VKR_SLOT_SPLIT;
	return split >= MANY_LINES;
}

enum vkr_result vkr_packed_gather(uint64_t slot, const struct vkr_epochs *epochs,
				  struct vkr_pool *pool, uint64_t *made, struct vkr_error *error)
{
	const bool split = vkr_slot_kind(slot) == VKR_SLOT_SPLIT;
	*made = 0;
	if (split && !are_many(vkr_slot_children(slot)))
		return VKR_OK;
	const enum vkr_result result = vkr_packed_make(made, 0, WORD_SHIFT, pool, error);
	if (result != VKR_OK)
		return result;
	assert(*made != 0);
	if (!split) {
		spread_packed(vkr_slot_packed(*made), vkr_slot_packed(slot));
	} else if (!gather_lines(vkr_slot_packed(*made), epochs, vkr_slot_children(slot))) {
		vkr_packed_release(*made, pool);
		*made = 0;
	}
	return VKR_OK;
}

static enum vkr_result expand_line(struct vkr_packed *packed, unsigned line, uint64_t *slot,
				   struct vkr_pool *pool, struct vkr_error *error)
{
	uint64_t words[LINE_WORDS], any = 0;
	for (unsigned i = 0; i < LINE_WORDS; i++) {
		words[i] = vkr_packed_slot_at(packed, line * VKR_LINE_BYTES + i * VKR_WORD_BYTES);
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

enum vkr_result vkr_packed_expand(uint64_t *slot, struct vkr_pool *pool, struct vkr_error *error)
{
	const uint64_t old = *slot;
	uint64_t *lines = vkr_pool_take(pool, PAGE_LINES * sizeof *lines);
	enum vkr_result result = VKR_OK;
	if (!lines)
		return vkr_error_memory(error, "shadow memory");
	for (unsigned i = 0; i < PAGE_LINES; i++) {
		lines[i] = 0;
		if (result == VKR_OK)
			result = expand_line(vkr_slot_packed(old), i, &lines[i], pool, error);
	}
	*slot = (uint64_t)(uintptr_t)lines | VKR_SLOT_SPLIT;
	vkr_packed_release(old, pool);
	return result;
}

void vkr_packed_clear(uint64_t *slot, uint64_t start, uint64_t low, uint64_t high,
		      struct vkr_pool *pool)
{
	struct vkr_packed *packed = vkr_slot_packed(*slot);
	uint32_t any = 0;
	for (unsigned i = 0; i < vkr_packed_count(packed); i++) {
		const uint64_t at = start + ((uint64_t)i << packed->shift) + packed->phase;
		if (at >= low && at < high)
			packed->items[i] = 0;
		any |= packed->items[i];
	}
	if (any != 0)
		return;
	vkr_packed_release(*slot, pool);
	*slot = 0;
}

enum vkr_result vkr_packed_translate(uint64_t slot, const struct vkr_translation *by,
				     struct vkr_pool *pool, uint64_t *made, struct vkr_error *error)
{
	const struct vkr_packed *from = vkr_slot_packed(slot);
	struct vkr_packed *to = vkr_pool_take(pool, packed_bytes(from->shift));
	if (!to)
		return vkr_error_memory(error, "shadow memory");
	memcpy(to, from, packed_bytes(from->shift));
	vkr_packed_used(to);
	for (unsigned i = 0; i < VKR_PACKED_EPOCHS; i++)
		if (to->epochs[i] != 0)
			to->epochs[i] = by->name(by->user, to->epochs[i]);
	*made = (uint64_t)(uintptr_t)to | (slot & 63);
	return VKR_OK;
}

// Whether pages of which cells are the same have the same epochs; the other one has those alone
// that its cells name.
static bool has_epochs(const struct vkr_packed *packed, const struct vkr_packed *other,
		       const struct vkr_likeness *by)
{
	for (unsigned i = 0; i < VKR_PACKED_EPOCHS; i++)
		if (other->epochs[i] != 0 &&
		    !by->agrees(by->user, packed->epochs[i], other->epochs[i]))
			return false;
	return true;
}

bool vkr_packed_is_like(uint64_t slot, uint64_t other, const struct vkr_likeness *by)
{
	const struct vkr_packed *a = vkr_slot_packed(slot), *b = vkr_slot_packed(other);
	uint8_t numbers[VKR_PACKED_EPOCHS + 1] = {0}; // of the other's epochs, by those of the one
	if (a->shift != b->shift || a->phase != b->phase)
		return false;
	if (memcmp(a->items, b->items, vkr_packed_count(a) * sizeof *a->items) == 0)
		return has_epochs(a, b, by);
	// Where epochs have come and gone, they have other numbers.
	for (unsigned i = 0; i < vkr_packed_count(a); i++) {
		const uint32_t number = a->items[i] >> VKR_PACKED_FIELD_BITS;
		const uint32_t its = b->items[i] >> VKR_PACKED_FIELD_BITS;
		if ((a->items[i] ^ b->items[i]) & VKR_PACKED_FIELD_MASK)
			return false;
		if (numbers[number] == its && its != 0)
			continue;
		if (numbers[number] != 0 || (number == 0) != (its == 0) ||
		    (number != 0 &&
		     !by->agrees(by->user, a->epochs[number - 1], b->epochs[its - 1])))
			return false;
		numbers[number] = (uint8_t)its;
	}
	return true;
}
