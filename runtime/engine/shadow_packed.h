// SPDX-License-Identifier: Apache-2.0
// One page of a tree in a compact form: words of which each was accessed by one invocation, at few
// sites. Knows slots; nothing of which accesses race.
//
// A cell is 32 bits: the number of one of the page's epochs (4), 0 for empty, and the invocation's
// number (28). There is one for each granule of the page: for each word, or, of accesses at a
// stride, for one word of each stretch of that many bytes; nothing is remembered of other words.
#pragma once

#include "shadow.h"

#define VKR_PACKED_FIELD_BITS 28u
#define VKR_PACKED_FIELD_MASK ((1u << VKR_PACKED_FIELD_BITS) - 1u)
#define VKR_PACKED_EPOCHS     15u

struct vkr_packed {
	uint16_t phase;                     // of the granules' words, in bytes
	uint8_t shift;                      // binary logarithm of a granule's bytes
	uint8_t last;                       // of the epochs, the one that was last put in; 0: none
	uint32_t epochs[VKR_PACKED_EPOCHS]; // 0: free
	uint32_t items[];
};

static inline struct vkr_packed *vkr_slot_packed(uint64_t slot)
{
	return (struct vkr_packed *)(uintptr_t)(slot & ~(uint64_t)63);
}

static inline unsigned vkr_packed_count(const struct vkr_packed *packed)
{
	return (unsigned)VKR_PAGE_BYTES >> packed->shift;
}

// The cell of a word of the page; NULL where it has none.
static inline uint32_t *vkr_packed_at(struct vkr_packed *packed, uint64_t offset)
{
	const uint32_t at = (uint32_t)(offset % VKR_PAGE_BYTES) - packed->phase;
	return at & ((1u << packed->shift) - 1u) ? NULL : &packed->items[at >> packed->shift];
}

// What a cell's word remembers, as a slot of kind single.
static inline uint64_t vkr_packed_slot(const struct vkr_packed *packed, uint32_t packed_cell)
{
	return packed_cell == 0
		       ? 0
		       : vkr_slot_single(packed->epochs[(packed_cell >> VKR_PACKED_FIELD_BITS) - 1],
					 packed_cell & VKR_PACKED_FIELD_MASK);
}

static inline uint64_t vkr_packed_slot_at(struct vkr_packed *packed, uint64_t offset)
{
	const uint32_t *packed_cell = vkr_packed_at(packed, offset);
	return packed_cell ? vkr_packed_slot(packed, *packed_cell) : 0;
}

// The cell for what a slot of kind single says of a word, or of an empty one; false where there is
// none. Epochs that no cell names any more are replaced.
bool vkr_packed_encode(struct vkr_packed *packed, const struct vkr_epochs *epochs, uint64_t slot,
		       uint32_t *packed_cell);

// Makes cells of an empty slot of a page, for words at `offset` and at multiples of 2^shift bytes
// from it.
enum vkr_result vkr_packed_make(uint64_t *slot, uint64_t offset, unsigned shift,
				struct vkr_pool *pool, struct vkr_error *error) VKR_MUST_USE;

// Makes cells of all words of a page of which there are cells of some, or lines that are split, and
// many of them. *made is the slot that is to replace the page's; 0: cells cannot say what it says.
enum vkr_result vkr_packed_gather(uint64_t slot, const struct vkr_epochs *epochs,
				  struct vkr_pool *pool, uint64_t *made,
				  struct vkr_error *error) VKR_MUST_USE;

// Makes lines of cells.
enum vkr_result vkr_packed_expand(uint64_t *slot, struct vkr_pool *pool,
				  struct vkr_error *error) VKR_MUST_USE;

// Empties the words in [low, high) of the page at `start`; the slot where none is left.
void vkr_packed_clear(uint64_t *slot, uint64_t start, uint64_t low, uint64_t high,
		      struct vkr_pool *pool);

void vkr_packed_release(uint64_t slot, struct vkr_pool *pool);

// A bit for each epoch that some cell names; the others are free from now on. Hints are over.
uint32_t vkr_packed_used(struct vkr_packed *packed);

// What is known of a page's slot now, and of what was known before.
static inline struct vkr_hint vkr_packed_hint(uint64_t slot, struct vkr_hint old)
{
	const struct vkr_packed *packed = vkr_slot_packed(slot);
	struct vkr_hint hint = {0};
	if (vkr_slot_kind(slot) != VKR_SLOT_PACKED || packed->last == 0)
		return hint;
	hint.now = packed->epochs[packed->last - 1] << 4 | packed->last;
	hint.before = old.now != hint.now ? old.now : old.before;
	if ((hint.before & 15u) == 0 || packed->epochs[(hint.before & 15u) - 1] != hint.before >> 4)
		hint.before = 0;
	return hint;
}

// Whether the slot is of cells of words, which most are.
static inline bool vkr_slot_is_of_words(uint64_t slot)
{
	return (slot & 63) == VKR_SLOT_PACKED;
}

// Of such a slot.
static inline uint32_t *vkr_word_packed(uint64_t slot, uint64_t offset)
{
	return &vkr_slot_packed(slot)->items[offset % VKR_PAGE_BYTES / VKR_WORD_BYTES];
}

static inline uint32_t vkr_packed_epoch(uint64_t slot, const struct vkr_hint *hint,
					uint32_t packed_cell)
{
	const uint32_t number = packed_cell >> VKR_PACKED_FIELD_BITS;
	if (number == (hint->now & 15u))
		return hint->now >> 4;
	if (number == (hint->before & 15u))
		return hint->before >> 4;
	return vkr_slot_packed(slot)->epochs[number - 1];
}
