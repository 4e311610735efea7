// SPDX-License-Identifier: Apache-2.0
#include "slot_translation.h"

#include "error.h"

#include <string.h>

static enum vkr_result translate_children(uint64_t slot, unsigned level,
					  const struct vkr_translation *by, struct vkr_pool *pool,
					  uint64_t *made, struct vkr_error *error)
{
	const unsigned fanout = vkr_level_fanout(level);
	const uint64_t *from = vkr_slot_children(slot);
	uint64_t *children = vkr_pool_take(pool, fanout * sizeof *children);
	enum vkr_result result = VKR_OK;
	if (!children)
		return vkr_error_memory(error, "shadow memory");
	memset(children, 0, fanout * sizeof *children);
	for (unsigned i = 0; i < fanout && result == VKR_OK; i++)
		result = vkr_slot_translate(from[i], level + 1, by, pool, &children[i], error);
	*made = (uint64_t)(uintptr_t)children | VKR_SLOT_SPLIT;
	return result;
}

enum vkr_result vkr_slot_translate(uint64_t slot, unsigned level, const struct vkr_translation *by,
				   struct vkr_pool *pool, uint64_t *made, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	*made = 0;
	switch (vkr_slot_kind(slot)) {
	case VKR_SLOT_SINGLE:
	case VKR_SLOT_PAIR:
		*made = vkr_slot_rename(slot, by);
		return VKR_OK;
	case VKR_SLOT_SET:
		return vkr_slot_set_translate(slot, by, pool, made, error);
	case VKR_SLOT_PARTS: {
		const struct vkr_parts *parts = vkr_slot_parts(slot);
		struct vkr_part list[VKR_PARTS_MOST];
		for (unsigned i = 0; i < parts->count; i++)
			list[i] = vkr_part_at(parts, i);
		result = vkr_slot_set_parts(made, list, parts->count, pool, error);
		for (unsigned i = 0; i < parts->count && result == VKR_OK; i++)
			vkr_slot_parts(*made)->slots[i] = vkr_slot_rename(parts->slots[i], by);
		return result;
	}
	case VKR_SLOT_PACKED:
		return vkr_packed_translate(slot, by, pool, made, error);
	case VKR_SLOT_STRIPES:
		return vkr_stripes_translate(slot, by, pool, made, error);
	case VKR_SLOT_SPLIT:
		return translate_children(slot, level, by, pool, made, error);
	}
	return VKR_OK;
}

static bool are_like(const uint64_t *slots, const uint64_t *others, uint32_t count,
		     const struct vkr_likeness *by)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t a = slots[i], b = others[i];
		if (vkr_slot_kind(a) != vkr_slot_kind(b) || (a == 0) != (b == 0) ||
		    vkr_slot_field(a) != vkr_slot_field(b) ||
		    (a != 0 && !by->agrees(by->user, vkr_slot_epoch(a), vkr_slot_epoch(b))))
			return false;
	}
	return true;
}

bool vkr_slot_is_like(uint64_t slot, uint64_t other, unsigned level, const struct vkr_likeness *by)
{
	if (vkr_slot_kind(slot) != vkr_slot_kind(other))
		return false;
	switch (vkr_slot_kind(slot)) {
	case VKR_SLOT_SINGLE:
	case VKR_SLOT_PAIR:
		return are_like(&slot, &other, 1, by);
	case VKR_SLOT_SET: {
		const struct vkr_slot_set *a = vkr_slot_set(slot), *b = vkr_slot_set(other);
		return a->count == b->count && are_like(a->slots, b->slots, a->count, by);
	}
	case VKR_SLOT_PARTS: {
		const struct vkr_parts *a = vkr_slot_parts(slot), *b = vkr_slot_parts(other);
		return a->count == b->count && memcmp(a->spans, b->spans, sizeof a->spans) == 0 &&
		       are_like(a->slots, b->slots, a->count, by);
	}
	case VKR_SLOT_PACKED:
		return vkr_packed_is_like(slot, other, by);
	case VKR_SLOT_STRIPES:
		return vkr_stripes_is_like(slot, other, by);
	case VKR_SLOT_SPLIT:
		break;
	}
	for (unsigned i = 0; i < vkr_level_fanout(level); i++)
		if (!vkr_slot_is_like(vkr_slot_children(slot)[i], vkr_slot_children(other)[i],
				      level + 1, by))
			return false;
	return true;
}
