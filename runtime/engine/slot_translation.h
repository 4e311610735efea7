// SPDX-License-Identifier: Apache-2.0
// Slots whose epochs go by other names: copying them, and comparing them with others. Knows the
// form of slots and nothing of what they mean.
#pragma once

#include "shadow_slot.h"

struct vkr_translation {
	// The other name of an epoch; 0, which makes the copy useless, where it has none.
	uint32_t (*name)(void *user, uint32_t epoch);
	void *user;
};

// A slot of kind single or pair, or an empty one.
static inline uint64_t vkr_slot_rename(uint64_t slot, const struct vkr_translation *by)
{
	return slot == 0 ? 0
			 : vkr_slot_make(vkr_slot_kind(slot),
					 by->name(by->user, vkr_slot_epoch(slot)),
					 vkr_slot_field(slot));
}

// A copy of a slot of a level, with all that it points to.
enum vkr_result vkr_slot_translate(uint64_t slot, unsigned level, const struct vkr_translation *by,
				   struct vkr_pool *pool, uint64_t *made,
				   struct vkr_error *error) VKR_MUST_USE;

struct vkr_likeness {
	// Whether an epoch of the one slot is what an epoch of the other one is there.
	bool (*agrees)(void *user, uint32_t epoch, uint32_t other);
	void *user;
};

// Whether two slots of a level, of one form, say the same but for the names of epochs. `other` is a
// copy by vkr_slot_translate.
bool vkr_slot_is_like(uint64_t slot, uint64_t other, unsigned level, const struct vkr_likeness *by);

// These do it for slots of kind set (shadow_set.c), packed (shadow_packed.c) and stripes
// (shadow_stripes.c).
enum vkr_result vkr_slot_set_translate(uint64_t slot, const struct vkr_translation *by,
				       struct vkr_pool *pool, uint64_t *made,
				       struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_packed_translate(uint64_t slot, const struct vkr_translation *by,
				     struct vkr_pool *pool, uint64_t *made,
				     struct vkr_error *error) VKR_MUST_USE;
bool vkr_packed_is_like(uint64_t slot, uint64_t other, const struct vkr_likeness *by);
enum vkr_result vkr_stripes_translate(uint64_t slot, const struct vkr_translation *by,
				      struct vkr_pool *pool, uint64_t *made,
				      struct vkr_error *error) VKR_MUST_USE;
bool vkr_stripes_is_like(uint64_t slot, uint64_t other, const struct vkr_likeness *by);
