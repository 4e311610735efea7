// SPDX-License-Identifier: Apache-2.0
// Slots of kind set. Knows nothing of the nodes that they hold for.
#include "error.h"
#include "shadow_slot.h"
#include "slot_translation.h"

#include <string.h>

static size_t set_bytes(uint32_t capacity)
{
	return sizeof(struct vkr_slot_set) + capacity * sizeof(uint64_t);
}

void vkr_slot_set_give(struct vkr_slot_set *set, struct vkr_pool *pool)
{
	vkr_pool_give(pool, set, set_bytes(set->capacity));
}

enum vkr_result vkr_slot_set_copy(uint64_t slot, uint64_t distance, const struct vkr_epochs *epochs,
				  struct vkr_pool *pool, uint64_t *copy, struct vkr_error *error)
{
	const struct vkr_slot_set *from = vkr_slot_set(slot);
	struct vkr_slot_set *to = vkr_pool_take(pool, set_bytes(from->capacity));
	if (!to)
		return vkr_error_memory(error, "shadow memory");
	*to = (struct vkr_slot_set){.count = from->count, .capacity = from->capacity};
	for (uint32_t i = 0; i < from->count; i++)
		to->slots[i] = vkr_slot_advance(from->slots[i], distance, epochs);
	*copy = (uint64_t)(uintptr_t)to | VKR_SLOT_SET;
	return VKR_OK;
}

enum vkr_result vkr_slot_set_add(uint64_t *slot, uint64_t more, struct vkr_pool *pool,
				 struct vkr_error *error)
{
	struct vkr_slot_set *set =
		vkr_slot_kind(*slot) == VKR_SLOT_SET ? vkr_slot_set(*slot) : NULL;
	const uint32_t count = set ? set->count : 1;
	struct vkr_slot_set *made;

	if (set && set->count < set->capacity) {
		set->slots[set->count++] = more;
		return VKR_OK;
	}
	// Three slots and the head fill the smallest piece; each next size twice that.
	made = vkr_pool_take(pool, set_bytes(set ? set->capacity * 2 + 1 : 3));
	if (!made)
		return vkr_error_memory(error, "shadow memory");
	made->count = count + 1;
	made->capacity = set ? set->capacity * 2 + 1 : 3;
	memcpy(made->slots, set ? set->slots : slot, count * sizeof made->slots[0]);
	made->slots[count] = more;
	if (set)
		vkr_slot_set_give(set, pool);
	*slot = (uint64_t)(uintptr_t)made | VKR_SLOT_SET;
	return VKR_OK;
}

enum vkr_result vkr_slot_set_translate(uint64_t slot, const struct vkr_translation *by,
				       struct vkr_pool *pool, uint64_t *made,
				       struct vkr_error *error)
{
	const struct vkr_slot_set *from = vkr_slot_set(slot);
	struct vkr_slot_set *to = vkr_pool_take(pool, set_bytes(from->capacity));
	if (!to)
		return vkr_error_memory(error, "shadow memory");
	*to = (struct vkr_slot_set){.count = from->count, .capacity = from->capacity};
	for (uint32_t i = 0; i < from->count; i++)
		to->slots[i] = vkr_slot_rename(from->slots[i], by);
	*made = (uint64_t)(uintptr_t)to | VKR_SLOT_SET;
	return VKR_OK;
}
