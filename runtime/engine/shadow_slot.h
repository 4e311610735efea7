// SPDX-License-Identifier: Apache-2.0
// The slots of shadow memory, and the trees that they make of a page.
//
// A slot is 64 bits: kind (3), epoch (28), field (33); 0 is empty.
//   single  field: the invocation that made the node's first byte; the epoch's shape says how it
//           goes on to the others. 0 for fixed function and host.
//   pair    two different invocations of one workgroup. field: place of one in the workgroup, place
//           of the other, low bits of the workgroup; the epoch is the first's and has `pair` set.
//   set     pointer to a struct vkr_slot_set, where none of these is exact.
//   parts   of a line only: pointer to a struct vkr_parts, where stretches of its words differ.
//   packed  of a page only: pointer to a struct vkr_packed (shadow_packed.h), where each of its
//           words was accessed by one invocation, and neighbours do not agree; in the three bits
//           after the kind what a granule's shift is more than that of a word.
//   stripes of a page only: pointer to a struct vkr_stripes (shadow_stripes.h), where its accesses
//           are at one stride.
//   split   pointer to the slots of the next level.
#pragma once

#include "epoch.h"
#include "shadow_pool.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vkr_slot_kind {
	VKR_SLOT_SINGLE = 0,
	VKR_SLOT_SPLIT = 1,
	VKR_SLOT_SET = 2,
	VKR_SLOT_PAIR = 3,
	VKR_SLOT_PARTS = 4,
	VKR_SLOT_PACKED = 5,
	VKR_SLOT_STRIPES = 6,
};

#define VKR_SLOT_FIELD_SHIFT (3u + VKR_EPOCH_BITS)
#define VKR_SLOT_FIELD_BITS  (64u - VKR_SLOT_FIELD_SHIFT)

// Levels of a tree: binary logarithms of the bytes that a node covers.
#define VKR_LEVELS 4u
static const uint8_t vkr_level_shift[VKR_LEVELS] = {12, 6, 2, 0};

// Children of a node of a level. A byte has none.
static inline unsigned vkr_level_fanout(unsigned level)
{
	return level + 1 < VKR_LEVELS ? 1u << (vkr_level_shift[level] - vkr_level_shift[level + 1])
				      : 0;
}

static inline uint64_t vkr_level_bytes(unsigned level)
{
	return (uint64_t)1 << vkr_level_shift[level];
}

#define VKR_PAGE_BYTES ((uint64_t)4096)
#define VKR_LINE_BYTES ((uint64_t)64)
#define VKR_WORD_BYTES ((uint64_t)4)

// Several slots of kind single or pair that hold for one node.
struct vkr_slot_set {
	uint32_t count, capacity;
	uint64_t slots[];
};

// Slots of kind single that hold for stretches of the words of one line: less than what its words
// apart need, as long as they are few. Parts may overlap: then several slots hold for a word, in
// their order.
#define VKR_PARTS_MOST 14u
struct vkr_parts {
	uint8_t count, capacity;
	uint8_t spans[VKR_PARTS_MOST]; // first word << 4 | last word; 0 after them
	uint64_t slots[];              // of each one's first word
};

struct vkr_part {
	uint64_t slot;
	uint32_t low, high; // words in the line
};

static inline enum vkr_slot_kind vkr_slot_kind(uint64_t slot)
{
	return (enum vkr_slot_kind)(slot & 7);
}

static inline uint32_t vkr_slot_epoch(uint64_t slot)
{
	return (uint32_t)(slot >> 3) & VKR_EPOCH_MASK;
}

static inline uint64_t vkr_slot_field(uint64_t slot)
{
	return slot >> VKR_SLOT_FIELD_SHIFT;
}

static inline uint64_t vkr_slot_make(enum vkr_slot_kind kind, uint32_t epoch, uint64_t field)
{
	return field << VKR_SLOT_FIELD_SHIFT | (uint64_t)epoch << 3 | (uint64_t)kind;
}

// What fixed function, the host or one invocation has accessed.
static inline uint64_t vkr_slot_single(uint32_t epoch, uint64_t invocation)
{
	return vkr_slot_make(VKR_SLOT_SINGLE, epoch, invocation);
}

// Whether an epoch says all of it: of kind single or pair, or empty.
static inline bool vkr_slot_is_plain(uint64_t slot)
{
	return vkr_slot_kind(slot) == VKR_SLOT_SINGLE || vkr_slot_kind(slot) == VKR_SLOT_PAIR;
}

// Whether a page's slot says different things of its lines or words.
static inline bool vkr_slot_is_divided(uint64_t slot)
{
	return vkr_slot_kind(slot) == VKR_SLOT_SPLIT || vkr_slot_kind(slot) == VKR_SLOT_PARTS ||
	       vkr_slot_kind(slot) == VKR_SLOT_PACKED;
}

static inline uint64_t *vkr_slot_children(uint64_t slot)
{
	return (uint64_t *)(uintptr_t)(slot & ~(uint64_t)7);
}

static inline struct vkr_slot_set *vkr_slot_set(uint64_t slot)
{
	return (struct vkr_slot_set *)(uintptr_t)(slot & ~(uint64_t)7);
}

static inline struct vkr_parts *vkr_slot_parts(uint64_t slot)
{
	return (struct vkr_parts *)(uintptr_t)(slot & ~(uint64_t)7);
}

static inline struct vkr_part vkr_part_at(const struct vkr_parts *parts, unsigned i)
{
	return (struct vkr_part){parts->slots[i], parts->spans[i] >> 4,
				 (parts->spans[i] & 15u) + 1u};
}

// How a range is filled: `slot` (single, or 0 for empty) is what the byte at `base` gets.
struct vkr_paint {
	uint64_t slot, base;
	uint8_t shape;
};

static inline uint64_t vkr_paint_at(const struct vkr_paint *paint, uint64_t offset)
{
	return paint->slot + ((offset - paint->base) >> paint->shape << VKR_SLOT_FIELD_SHIFT);
}

// Splits a slot of a level above the lowest.
enum vkr_result vkr_slot_split(uint64_t *slot, unsigned level, const struct vkr_epochs *epochs,
			       struct vkr_pool *pool, struct vkr_error *error) VKR_MUST_USE;

// Releases what a slot points to and makes it empty.
void vkr_slot_release(uint64_t *slot, unsigned level, struct vkr_pool *pool);

// Adds a slot to a set, or makes a set of what *slot holds.
enum vkr_result vkr_slot_set_add(uint64_t *slot, uint64_t more, struct vkr_pool *pool,
				 struct vkr_error *error) VKR_MUST_USE;
// A set that says at a distance what another one says.
enum vkr_result vkr_slot_set_copy(uint64_t slot, uint64_t distance, const struct vkr_epochs *epochs,
				  struct vkr_pool *pool, uint64_t *copy,
				  struct vkr_error *error) VKR_MUST_USE;
void vkr_slot_set_give(struct vkr_slot_set *set, struct vkr_pool *pool);

// Makes a line's slot one of kind parts, of 1 to VKR_PARTS_MOST. Of what it holds only parts are
// released.
enum vkr_result vkr_slot_set_parts(uint64_t *slot, const struct vkr_part *parts, unsigned count,
				   struct vkr_pool *pool, struct vkr_error *error) VKR_MUST_USE;

// What a slot of kind single or pair says from `distance` bytes after its node's start on.
static inline uint64_t vkr_slot_advance(uint64_t slot, uint64_t distance,
					const struct vkr_epochs *epochs)
{
	const struct vkr_epoch *epoch = &epochs->items[vkr_slot_epoch(slot)];
	uint64_t steps = distance >> epoch->shape;
	if (vkr_slot_kind(slot) == VKR_SLOT_PAIR)
		steps |= steps << epoch->local_bits;
	return slot + (steps << VKR_SLOT_FIELD_SHIFT);
}

// Fills [low, high) within one page of a tree.
enum vkr_result vkr_slot_paint(uint64_t *slot, unsigned level, uint64_t start, uint64_t low,
			       uint64_t high, const struct vkr_paint *paint,
			       const struct vkr_epochs *epochs, struct vkr_pool *pool,
			       struct vkr_error *error) VKR_MUST_USE;

// A leaf of a tree: a slot that is not split, and the part of it that the visit is about.
struct vkr_leaf {
	uint64_t *slot;
	uint64_t start; // of its node
	uint64_t low, high;
	unsigned level;
	bool split; // set by the visitor: split this leaf and visit its children instead
};

typedef enum vkr_result (*vkr_leaf_visitor)(void *context, struct vkr_leaf *leaf,
					    struct vkr_error *error);

struct vkr_visit {
	vkr_leaf_visitor visitor;
	void *context;
	// Split leaves that are only in part inside of the range. Else the visitor must not change
	// what it is shown, which may be a copy.
	bool cut;
	const struct vkr_epochs *epochs;
	struct vkr_pool *pool;
};

// Visits the leaves of [low, high), within one page of a tree, ascending. With `cut` none is of
// kind parts.
enum vkr_result vkr_slot_visit(uint64_t *slot, unsigned level, uint64_t start, uint64_t low,
			       uint64_t high, const struct vkr_visit *visit,
			       struct vkr_error *error) VKR_MUST_USE;

// Calls `visitor` with each slot that a leaf's slot of any kind holds; with none for 0.
void vkr_slot_each(uint64_t slot, void (*visitor)(void *context, uint64_t slot), void *context);
