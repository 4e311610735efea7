// SPDX-License-Identifier: Apache-2.0
#include "slot_window.h"

#include "error.h"

static bool is_whole(const struct vkr_window *of)
{
	return of->low <= of->start && of->high >= of->start + vkr_level_bytes(of->level);
}

static bool is_outside(const struct vkr_window *of)
{
	return of->high <= of->start || of->low >= of->start + vkr_level_bytes(of->level);
}

static struct vkr_window window_of_child(const struct vkr_window *of, unsigned i)
{
	struct vkr_window child = *of;
	child.level++;
	child.start += i * vkr_level_bytes(child.level);
	return child;
}

// An empty slot has empty children.
static uint64_t child_of(uint64_t slot, unsigned i)
{
	return slot != 0 ? vkr_slot_children(slot)[i] : 0;
}

enum vkr_result vkr_window_cut(uint64_t *slot, const struct vkr_window *of,
			       const struct vkr_epochs *epochs, struct vkr_pool *pool,
			       struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (*slot == 0 || is_whole(of) || is_outside(of))
		return VKR_OK;
	if (vkr_slot_kind(*slot) != VKR_SLOT_SPLIT)
		result = vkr_slot_split(slot, of->level, epochs, pool, error);
	for (unsigned i = 0; i < vkr_level_fanout(of->level) && result == VKR_OK; i++) {
		const struct vkr_window child = window_of_child(of, i);
		result = vkr_window_cut(&vkr_slot_children(*slot)[i], &child, epochs, pool, error);
	}
	return result;
}

bool vkr_window_is_empty(uint64_t slot, const struct vkr_window *of)
{
	if (slot == 0 || is_outside(of))
		return true;
	if (is_whole(of))
		return false;
	for (unsigned i = 0; i < vkr_level_fanout(of->level); i++) {
		const struct vkr_window child = window_of_child(of, i);
		if (!vkr_window_is_empty(child_of(slot, i), &child))
			return false;
	}
	return true;
}

enum vkr_result vkr_window_translate(uint64_t slot, const struct vkr_window *of,
				     const struct vkr_translation *by, struct vkr_pool *pool,
				     uint64_t *made, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	*made = 0;
	if (vkr_window_is_empty(slot, of))
		return VKR_OK;
	if (is_whole(of))
		return vkr_slot_translate(slot, of->level, by, pool, made, error);
	result = vkr_slot_split(made, of->level, NULL, pool, error);
	for (unsigned i = 0; i < vkr_level_fanout(of->level) && result == VKR_OK; i++) {
		const struct vkr_window child = window_of_child(of, i);
		result = vkr_window_translate(child_of(slot, i), &child, by, pool,
					      &vkr_slot_children(*made)[i], error);
	}
	return result;
}

bool vkr_window_is_like(uint64_t slot, uint64_t other, const struct vkr_window *of,
			const struct vkr_likeness *by)
{
	if (is_outside(of) || (slot == 0 && other == 0))
		return true;
	if (is_whole(of))
		return vkr_slot_is_like(slot, other, of->level, by);
	for (unsigned i = 0; i < vkr_level_fanout(of->level); i++) {
		const struct vkr_window child = window_of_child(of, i);
		if (!vkr_window_is_like(child_of(slot, i), child_of(other, i), &child, by))
			return false;
	}
	return true;
}

enum vkr_result vkr_window_replace(uint64_t *slot, uint64_t copy, const struct vkr_window *of,
				   const struct vkr_translation *by, struct vkr_pool *pool,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (is_outside(of) || (*slot == 0 && copy == 0))
		return VKR_OK;
	if (is_whole(of)) {
		vkr_slot_release(slot, of->level, pool);
		return vkr_slot_translate(copy, of->level, by, pool, slot, error);
	}
	if (*slot == 0)
		result = vkr_slot_split(slot, of->level, NULL, pool, error);
	for (unsigned i = 0; i < vkr_level_fanout(of->level) && result == VKR_OK; i++) {
		const struct vkr_window child = window_of_child(of, i);
		result = vkr_window_replace(&vkr_slot_children(*slot)[i], child_of(copy, i), &child,
					    by, pool, error);
	}
	return result;
}
