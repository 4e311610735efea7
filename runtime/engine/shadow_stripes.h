// SPDX-License-Identifier: Apache-2.0
// One page of a tree as accesses at a stride leave it: the members of structs in an array, each
// accessed by some site for many of them. Knows slots; nothing of which accesses race.
//
// The page is cut into elements of as many bytes as the stride, from its start on; the last one may
// be cut off. A stripe remembers, of one epoch, bytes [low, high) of some elements, each of which
// one invocation accessed. Stripes may overlap: then several slots hold for a byte, in their order.
#pragma once

#include "shadow_slot.h"

#define VKR_STRIPES_MOST    63u // of a page
#define VKR_STRIPE_LEAST    16u // bytes of an element
#define VKR_STRIPE_ELEMENTS ((unsigned)VKR_PAGE_BYTES / VKR_STRIPE_LEAST)
#define VKR_STRIPE_BITWORDS (VKR_STRIPE_ELEMENTS / 64u)

struct vkr_stripe_head {
	uint64_t elements[VKR_STRIPE_BITWORDS]; // a bit for each
	uint32_t epoch;                         // of uniform shape, and of no table
	uint16_t low, high;                     // bytes of an element, whole words
};

struct vkr_stripe {
	struct vkr_stripe_head head;
	uint32_t fields[]; // of slots, by element
};

struct vkr_stripes {
	uint16_t stride; // bytes of an element
	uint16_t count, capacity;
	struct vkr_stripe *items[];
};

static inline struct vkr_stripes *vkr_slot_stripes(uint64_t slot)
{
	return (struct vkr_stripes *)(uintptr_t)(slot & ~(uint64_t)7);
}

static inline uint64_t vkr_stripe_slot(const struct vkr_stripe *stripe, unsigned element)
{
	return vkr_slot_single(stripe->head.epoch, stripe->fields[element]);
}

// Elements of a page, the last one included that is cut off.
static inline unsigned vkr_stripes_elements(unsigned stride)
{
	return ((unsigned)VKR_PAGE_BYTES + stride - 1) / stride;
}

// Whether a page's slot can be made stripes of a stride: it is empty, or of kind single, all of it
// by one agent.
bool vkr_stripes_can_make(uint64_t slot, const struct vkr_epochs *epochs);
enum vkr_result vkr_stripes_make(uint64_t *slot, unsigned stride, struct vkr_pool *pool,
				 struct vkr_error *error) VKR_MUST_USE;

// Makes stripes that say what a page that is split says, if few do; else *made is 0.
enum vkr_result vkr_stripes_gather(uint64_t slot, unsigned stride, const struct vkr_epochs *epochs,
				   struct vkr_pool *pool, uint64_t *made,
				   struct vkr_error *error) VKR_MUST_USE;

// Makes room for more stripes, with which there are no more than VKR_STRIPES_MOST.
enum vkr_result vkr_stripes_reserve(uint64_t *slot, unsigned more, struct vkr_pool *pool,
				    struct vkr_error *error) VKR_MUST_USE;

// Adds a stripe, or its elements to the one of its epoch and bytes, which says nothing of them.
// There must be room.
enum vkr_result vkr_stripes_add(struct vkr_stripes *stripes, const struct vkr_stripe_head *head,
				const uint32_t *fields, struct vkr_pool *pool,
				struct vkr_error *error) VKR_MUST_USE;

// Takes bytes [low, high) of the elements out of stripe i, which may become two or three. There
// must be room. *i is the last one that is done.
enum vkr_result vkr_stripes_cut(struct vkr_stripes *stripes, unsigned *i, unsigned low,
				unsigned high, const uint64_t *elements, struct vkr_pool *pool,
				struct vkr_error *error) VKR_MUST_USE;

// Makes lines of stripes.
enum vkr_result vkr_stripes_expand(uint64_t *slot, struct vkr_pool *pool,
				   struct vkr_error *error) VKR_MUST_USE;

void vkr_stripes_release(uint64_t slot, struct vkr_pool *pool);
