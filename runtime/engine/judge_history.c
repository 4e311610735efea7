// SPDX-License-Identifier: Apache-2.0
// Remembers reads and atomics since the last write, as judge_keep.h says. Knows slots; nothing of
// which accesses race.
#include "judge_keep.h"

#include "error.h"

#include <string.h>

enum vkr_result vkr_judge_restrict(struct vkr_engine *engine, uint64_t slot, uint64_t distance,
				   bool second, uint8_t shape, uint8_t against, uint64_t *made,
				   struct vkr_error *error)
{
	struct vkr_epoch epoch = engine->epochs.items[vkr_slot_epoch(slot)];
	const uint64_t invocation = vkr_slot_number(slot, &epoch, distance, second);
	uint32_t number;
	enum vkr_result result;

	if (second) {
		epoch.site = epoch.other_site;
		epoch.interval = epoch.other_interval;
	}
	epoch.pair = false;
	epoch.other_site = epoch.other_interval = 0;
	epoch.high = (uint32_t)(invocation >> VKR_SLOT_FIELD_BITS);
	epoch.shape = shape;
	epoch.against = against;
	result = vkr_epochs_find(&engine->epochs, &epoch, &number, error);
	if (result == VKR_OK)
		*made = vkr_slot_single(number, invocation);
	return result;
}

// Restricts what a leaf's slot says to what an invocation other than the access's did.
static enum vkr_result restrict_other(struct vkr_engine *engine, const struct vkr_access *access,
				      const struct vkr_leaf *leaf, uint64_t *slot,
				      struct vkr_error *error)
{
	const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(*slot)];
	const bool second =
		vkr_slot_number(*slot, x, 0, false) == vkr_access_invocation(access, leaf->start);
	return vkr_judge_restrict(engine, *slot, 0, second, x->shape,
				  vkr_judge_remainder(engine, access->what), slot, error);
}

// A slot of kind pair for `old` and the access.
static enum vkr_result make_local(struct vkr_engine *engine, uint64_t old,
				  const struct vkr_access *access, const struct vkr_leaf *leaf,
				  uint64_t *made, struct vkr_error *error)
{
	struct vkr_epoch epoch = engine->epochs.items[vkr_slot_epoch(old)];
	const uint64_t mask = ((uint64_t)1 << epoch.local_bits) - 1;
	const uint64_t one = vkr_slot_number(old, &epoch, 0, false) & mask;
	const uint64_t other = vkr_access_invocation(access, leaf->start) & mask;
	const uint64_t workgroup = access->workgroup;
	uint32_t number;
	enum vkr_result result;

	epoch.pair = true;
	epoch.other_site = access->site;
	epoch.other_interval = access->interval;
	if (epoch.shape != access->paint.shape)
		epoch.shape = VKR_SHAPE_UNIFORM;
	epoch.high = (uint32_t)(workgroup >> (VKR_SLOT_FIELD_BITS - 2u * epoch.local_bits));
	result = vkr_epochs_find(&engine->epochs, &epoch, &number, error);
	if (result == VKR_OK)
		*made = vkr_slot_make(VKR_SLOT_PAIR, number,
				      workgroup << (2u * epoch.local_bits) |
					      other << epoch.local_bits | one);
	return result;
}

// Atomics that all happen-before a plain read take the place of the last write: whatever does not
// race with this read is ordered after it, and so after them and after the write before them.
static enum vkr_result judge_history_promote(struct vkr_engine *engine,
					     const struct vkr_access *access, struct vkr_leaf *leaf,
					     struct vkr_error *error)
{
	struct vkr_page *page = vkr_shadow_page(access->shadow, leaf->start);
	const uint64_t old = *leaf->slot;
	const uint64_t high = leaf->start + ((uint64_t)1 << vkr_level_shift[leaf->level]);
	const struct vkr_paint paint = {.slot = old,
					.base = leaf->start,
					.shape = engine->epochs.items[vkr_slot_epoch(old)].shape};
	enum vkr_result result =
		vkr_slot_paint(&page->write, 0, leaf->start & ~(VKR_PAGE_BYTES - 1), leaf->start,
			       high, &paint, &engine->epochs, &engine->pool, error);
	if (result == VKR_OK)
		*leaf->slot = vkr_paint_at(&access->paint, leaf->start);
	return result;
}

static bool can_promote(struct vkr_engine *engine, const struct vkr_access *access,
			const struct vkr_leaf *leaf)
{
	const uint64_t old = *leaf->slot;
	const struct vkr_epoch *x;
	if (access->what->flags & (VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS))
		return false;
	x = &engine->epochs.items[vkr_slot_epoch(old)];
	// The place of the last write has no room for the second invocation in another node.
	return x->command != access->command && !x->pair &&
	       (engine->sites.items[x->site - 1].flags &
		(VKR_ENGINE_WRITE | VKR_ENGINE_MAY_ACCESS)) == VKR_ENGINE_WRITE &&
	       vkr_judge_commands(engine, vkr_slot_epoch(old), access, leaf->low)->before &&
	       !vkr_judge_keeps(engine, access->command);
}

static enum vkr_result remember_beside_one(struct vkr_engine *engine,
					   const struct vkr_access *access, struct vkr_leaf *leaf,
					   uint64_t mine, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	switch (vkr_judge_combine(engine, *leaf->slot, access, leaf)) {
	case VKR_KEEP_BOTH:
		if (can_promote(engine, access, leaf))
			return judge_history_promote(engine, access, leaf, error);
		return vkr_slot_set_add(leaf->slot, mine, &engine->pool, error);
	case VKR_KEEP_OLD:
		return VKR_OK;
	case VKR_KEEP_NEW:
		*leaf->slot = mine;
		return VKR_OK;
	case VKR_RESTRICT:
		result = restrict_other(engine, access, leaf, leaf->slot, error);
		return result == VKR_OK ? vkr_slot_set_add(leaf->slot, mine, &engine->pool, error)
					: result;
	case VKR_MAKE_LOCAL:
		return make_local(engine, *leaf->slot, access, leaf, leaf->slot, error);
	case VKR_SPLIT:
		leaf->split = true;
		return VKR_OK;
	}
	return VKR_OK;
}

// Drops what others of the set stand for since their command is over: no more than the last reader
// of each kind on each queue stays, however many read without order between them.
static void drop_superseded(struct vkr_engine *engine, struct vkr_slot_set *set, uint32_t command)
{
	bool any_over = false;
	for (uint32_t i = 0; i < set->count && !any_over; i++)
		any_over = engine->epochs.items[vkr_slot_epoch(set->slots[i])].command != command;
	if (!any_over)
		return;
	for (uint32_t i = set->count; i-- > 0;) {
		const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(set->slots[i])];
		for (uint32_t j = 0; j < set->count; j++) {
			const struct vkr_epoch *y =
				&engine->epochs.items[vkr_slot_epoch(set->slots[j])];
			if (y->command == command || y->against != VKR_AGAINST_ALL ||
			    !vkr_judge_subsumes(engine, y, x))
				continue;
			memmove(&set->slots[i], &set->slots[i + 1],
				(--set->count - i) * sizeof *set->slots);
			break;
		}
	}
}

static enum vkr_result remember_beside_many(struct vkr_engine *engine,
					    const struct vkr_access *access, struct vkr_leaf *leaf,
					    uint64_t mine, struct vkr_error *error)
{
	struct vkr_slot_set *set = vkr_slot_set(*leaf->slot);
	uint32_t kept = 0, last = 0; // the last one to be restricted
	bool done = false;
	enum vkr_result result = VKR_OK;

	drop_superseded(engine, set, access->command);
	for (uint32_t i = 0; i < set->count; i++) {
		const enum vkr_outcome outcome =
			vkr_judge_combine(engine, set->slots[i], access, leaf);
		if (outcome == VKR_SPLIT) {
			leaf->split = true;
			return VKR_OK;
		}
		if (outcome == VKR_RESTRICT)
			last = i;
	}
	for (uint32_t i = 0; i < set->count && result == VKR_OK; i++) {
		uint64_t slot = set->slots[i];
		switch (vkr_judge_combine(engine, slot, access, leaf)) {
		case VKR_KEEP_NEW:
			continue;
		case VKR_RESTRICT:
			if (i != last)
				continue;
			result = restrict_other(engine, access, leaf, &slot, error);
			break;
		case VKR_KEEP_OLD:
			done = true;
			break;
		case VKR_MAKE_LOCAL:
			result = make_local(engine, slot, access, leaf, &slot, error);
			done = true;
			break;
		case VKR_KEEP_BOTH:
		case VKR_SPLIT:
			break;
		}
		set->slots[kept++] = slot;
	}
	set->count = kept;
	if (result != VKR_OK)
		return result;
	if (kept == 0 || (done && kept == 1)) {
		*leaf->slot = done ? set->slots[0] : mine;
		vkr_slot_set_give(set, &engine->pool);
		return VKR_OK;
	}
	return done ? VKR_OK : vkr_slot_set_add(leaf->slot, mine, &engine->pool, error);
}

enum vkr_result vkr_judge_remember(struct vkr_engine *engine, const struct vkr_access *access,
				   struct vkr_leaf *leaf, struct vkr_error *error)
{
	const uint64_t mine = vkr_paint_at(&access->paint, leaf->start);
	if (*leaf->slot == 0) {
		*leaf->slot = mine;
		return VKR_OK;
	}
	if (*leaf->slot == mine)
		return VKR_OK;
	if (vkr_slot_kind(*leaf->slot) == VKR_SLOT_SET)
		return remember_beside_many(engine, access, leaf, mine, error);
	return remember_beside_one(engine, access, leaf, mine, error);
}
