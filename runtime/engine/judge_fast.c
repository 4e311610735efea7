// SPDX-License-Identifier: Apache-2.0
// The same judgement as judge.c's for the cases that make up nearly all accesses: whole lines and
// single words, nothing to tell, nothing to split. Whatever is not surely of that kind is left to
// judge.c; knows no rule of its own.
#include "judge.h"

// Descends to the slot that holds for `offset`.
static inline uint64_t *leaf_at(uint64_t *slot, uint64_t offset, unsigned *level)
{
	unsigned at = 0;
	while (vkr_slot_kind(*slot) == VKR_SLOT_SPLIT) {
		const uint64_t inside = offset & (((uint64_t)1 << vkr_level_shift[at]) - 1);
		at++;
		slot = &vkr_slot_children(*slot)[inside >> vkr_level_shift[at]];
	}
	*level = at;
	return slot;
}

struct fast {
	struct vkr_engine *engine;
	const struct vkr_touch *touch;
	struct vkr_step step;
	uint64_t workgroup_field; // invocation number of the workgroup's first invocation
	bool read_only;
};

static struct fast fast_begin(struct vkr_engine *engine, const struct vkr_touch *touch)
{
	return (struct fast){.engine = engine,
			     .touch = touch,
			     .step = vkr_judge_step(touch->what, touch->reference, touch->interval),
			     .read_only = !(touch->what->flags & VKR_ENGINE_WRITE)};
}

// Whether a leaf surely does not race with the touch. `offset`: where the touch's node begins.
static inline bool harmless(const struct fast *fast, uint64_t slot, unsigned level, uint64_t offset)
{
	const struct vkr_touch *touch = fast->touch;
	const struct vkr_stamp *x;
	const struct vkr_judge_site *site;
	struct vkr_step from;
	enum vkr_relation relation;
	uint64_t invocation, distance;
	uint32_t unused = 0;

	if (slot == 0)
		return true;
	if (vkr_slot_kind(slot) == VKR_SLOT_SET)
		return false;
	x = &fast->engine->stamps.items[vkr_slot_stamp(slot)];
	if (x->command != touch->command) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(fast->engine, vkr_slot_stamp(slot), touch, offset);
		return cached->race_class == VKR_RACE_NONE && cached->memory == 0;
	}
	if (!x->invocation || !touch->invocation)
		return false;
	site = &fast->engine->sites.items[x->site - 1];
	if (fast->read_only && !(site->flags & VKR_ENGINE_WRITE))
		return true;
	if (x->reference != touch->reference)
		return false;
	distance = offset & (((uint64_t)1 << vkr_level_shift[level]) - 1);
	invocation = vkr_slot_invocation(slot, x, distance, false);
	if (x->shape == touch->paint.shape && !x->pair && vkr_slot_kind(slot) == VKR_SLOT_SINGLE &&
	    invocation == vkr_touch_invocation(touch, offset))
		return true;
	relation = invocation >> x->local_bits == touch->workgroup ? VKR_SAME_WORKGROUP
								   : VKR_OTHER_WORKGROUP;
	from = vkr_judge_step(site, x->reference, x->interval);
	return vkr_intervals_verdict(&fast->engine->intervals, &from, &fast->step, relation,
				     &unused) == VKR_RACE_NONE;
}

// Remembers a read or an atomic in a slot of its own node where that is simple.
static inline bool remember(const struct fast *fast, uint64_t *slot, uint64_t mine, uint64_t offset)
{
	const struct vkr_touch *touch = fast->touch;
	const uint64_t old = *slot;
	const struct vkr_stamp *x;

	if (old == 0) {
		*slot = mine;
		return true;
	}
	if (vkr_slot_stamp(old) == touch->stamp) {
		if (old == mine || vkr_slot_kind(old) == VKR_SLOT_GROUPS)
			return true;
		if (vkr_slot_kind(old) == VKR_SLOT_SINGLE && touch->invocation &&
		    vkr_slot_field(old) >> touch->local_bits !=
			    vkr_slot_field(mine) >> touch->local_bits) {
			*slot = old | VKR_SLOT_GROUPS;
			return true;
		}
		return false;
	}
	if (vkr_slot_kind(old) == VKR_SLOT_SET)
		return false;
	x = &fast->engine->stamps.items[vkr_slot_stamp(old)];
	if (x->command != touch->command) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(fast->engine, vkr_slot_stamp(old), touch, offset);
		if (!cached->replaces || cached->memory != 0)
			return false;
		*slot = mine;
		return true;
	}
	return vkr_slot_kind(old) == VKR_SLOT_GROUPS && x->reference == touch->reference &&
	       fast->engine->sites.items[x->site - 1].category == touch->what->category;
}

// One node of the level that begins at `offset`. False: judge.c must do it; nothing has changed.
static inline bool fast_node(const struct fast *fast, struct vkr_page *page, uint64_t offset,
			     unsigned level)
{
	const struct vkr_touch *touch = fast->touch;
	const uint64_t mine = vkr_paint_at(&touch->paint, offset);
	unsigned write_level, access_level;
	uint64_t *write = leaf_at(&page->write, offset, &write_level);
	uint64_t *access = leaf_at(&page->access, offset, &access_level);

	if (write_level > level || access_level > level)
		return false;
	if (!harmless(fast, *write, write_level, offset) ||
	    !harmless(fast, *access, access_level, offset))
		return false;
	if (fast->read_only || (touch->what->flags & VKR_ENGINE_ATOMIC))
		return access_level == level && remember(fast, access, mine, offset);
	if (write_level != level || (access_level != level && *access != 0))
		return false;
	if (vkr_slot_kind(*access) == VKR_SLOT_SET)
		return false;
	*write = mine;
	*access = 0;
	return true;
}

enum vkr_result vkr_judge_lines(struct vkr_engine *engine, const struct vkr_touch *touch,
				uint64_t low, uint64_t high, struct vkr_error *error)
{
	const struct fast fast = fast_begin(engine, touch);
	uint64_t slow = low; // [slow, low) has not been judged yet
	enum vkr_result result;

	while (low < high) {
		const uint64_t end = (low & ~(VKR_LINE_BYTES - 1)) + VKR_LINE_BYTES;
		struct vkr_page *page = &touch->shadow->pages[low / VKR_PAGE_BYTES];
		if (!(low & (VKR_LINE_BYTES - 1)) && end <= high &&
		    fast_node(&fast, page, low, 1)) {
			if (slow < low) {
				result = vkr_judge_range(engine, touch, slow, low, error);
				if (result != VKR_OK)
					return result;
			}
			slow = end;
		}
		low = end;
	}
	return slow < high ? vkr_judge_range(engine, touch, slow, high, error) : VKR_OK;
}

enum vkr_result vkr_judge_words(struct vkr_engine *engine, const struct vkr_touch *touch,
				uint64_t low, uint64_t high, struct vkr_error *error)
{
	const struct fast fast = fast_begin(engine, touch);
	while (low < high) {
		struct vkr_page *page = &touch->shadow->pages[low / VKR_PAGE_BYTES];
		if ((low & (VKR_WORD_BYTES - 1)) || high - low < VKR_WORD_BYTES ||
		    !fast_node(&fast, page, low, 2))
			return vkr_judge_range(engine, touch, low, high, error);
		low += VKR_WORD_BYTES;
	}
	return VKR_OK;
}
