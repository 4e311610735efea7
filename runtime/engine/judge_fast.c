// SPDX-License-Identifier: Apache-2.0
// A fast path of judge.c for the cases that make up nearly all accesses: whole lines and single
// words, nothing to report, nothing to split. All other cases are left to judge.c; knows no rule of
// its own.
#include "judge_keep.h"

#include "shadow_packed.h"

// Descends to the slot that holds for `offset`.
static inline uint64_t *leaf_at(uint64_t *slot, uint64_t offset, unsigned *level)
{
	*level = 0;
	if (vkr_slot_kind(*slot) != VKR_SLOT_SPLIT)
		return slot;
	slot = &vkr_slot_children(*slot)[offset % VKR_PAGE_BYTES / VKR_LINE_BYTES];
	*level = 1;
	if (vkr_slot_kind(*slot) != VKR_SLOT_SPLIT)
		return slot;
	slot = &vkr_slot_children(*slot)[offset % VKR_LINE_BYTES / VKR_WORD_BYTES];
	*level = vkr_slot_kind(*slot) == VKR_SLOT_SPLIT ? 3 : 2;
	return slot;
}

void vkr_fast_begin(struct vkr_fast *fast, struct vkr_engine *engine,
		    const struct vkr_access *access)
{
	*fast = (struct vkr_fast){
		.engine = engine,
		.access = access,
		.step = vkr_judge_step(access->what, access->reference, access->interval),
		.remembers = vkr_judge_remembers(access->what),
		.read_only = !(access->what->flags & VKR_ENGINE_WRITE)};
}

// Whether what a slot of kind single or pair says are writes.
static inline bool judge_fast_writes(const struct vkr_engine *engine, uint64_t slot)
{
	const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(slot)];
	return engine->sites.items[x->site - 1].flags & VKR_ENGINE_WRITE;
}

// Does so for a leaf of a level; most slots are empty, or have the epoch of the slot before. For
// epochs of other commands, and for reads beside reads, the answer does not depend on the
// invocation: one answer serves all of them.
static inline bool is_safe(struct vkr_fast *fast, uint64_t slot, unsigned level, uint64_t offset,
			   struct vkr_known *safe)
{
	const uint64_t distance = offset & (((uint64_t)1 << vkr_level_shift[level]) - 1);
	if (slot == 0)
		return true;
	if (vkr_known_has(safe, slot, offset) && vkr_slot_is_plain(slot))
		return true;
	if (vkr_slot_kind(slot) == VKR_SLOT_SET) {
		const struct vkr_slot_set *set = vkr_slot_set(slot);
		for (uint32_t i = 0; i < set->count; i++) {
			if (fast->read_only && !judge_fast_writes(fast->engine, set->slots[i]))
				continue;
			if (!vkr_judge_harmless(fast, set->slots[i], distance, offset, safe))
				return false;
		}
		return true;
	}
	return vkr_judge_harmless(fast, slot, distance, offset, safe);
}

// Remembers a read or an atomic beside several where that is simple: one of another workgroup stays
// in its place, or all are the dispatch's and stay beside it. What else is to be done with them,
// and lack of memory, is left to judge.c.
static bool remember_in_set(struct vkr_fast *fast, uint64_t *slot, uint64_t mine,
			    const struct vkr_leaf *leaf)
{
	const struct vkr_access *access = fast->access;
	const struct vkr_slot_set *set = vkr_slot_set(*slot);
	struct vkr_error unused;
	bool stay = true;
	for (uint32_t i = 0; i < set->count; i++) {
		if (set->slots[i] == mine)
			return true;
		const struct vkr_epoch *x =
			&fast->engine->epochs.items[vkr_slot_epoch(set->slots[i])];
		const enum vkr_outcome outcome =
			vkr_judge_combine(fast->engine, set->slots[i], access, leaf);
		if (outcome == VKR_KEEP_OLD && !vkr_slot_is_mate(set->slots[i], x, access))
			return true;
		stay = stay && outcome == VKR_KEEP_BOTH && x->command == access->command;
	}
	return stay && vkr_slot_set_add(slot, mine, &fast->engine->pool, &unused) == VKR_OK;
}

// What the access has replaced it replaces in other words, too.
static void note_replaced(struct vkr_fast *fast, uint64_t old, uint64_t offset)
{
	const struct vkr_known known = vkr_known_of(
		vkr_slot_epoch(old),
		vkr_judge_commands(fast->engine, vkr_slot_epoch(old), fast->access, offset));
	if (vkr_known_has(&known, old, offset))
		fast->replaced = known;
}

// Remembers a read or an atomic in a slot of its own node, of a level, where that is simple.
static bool remember_beside(struct vkr_fast *fast, uint64_t *slot, uint64_t mine, unsigned level,
			    uint64_t offset)
{
	const struct vkr_leaf leaf = {.start = offset,
				      .low = offset,
				      .high = offset + ((uint64_t)1 << vkr_level_shift[level]),
				      .level = level};
	const uint64_t old = *slot;
	struct vkr_error unused;

	if (vkr_slot_kind(old) == VKR_SLOT_SPLIT || vkr_slot_kind(old) == VKR_SLOT_PARTS)
		return false;
	if (vkr_slot_kind(old) == VKR_SLOT_SET)
		return remember_in_set(fast, slot, mine, &leaf);
	const bool other =
		fast->engine->epochs.items[vkr_slot_epoch(old)].command != fast->access->command;
	switch (vkr_judge_combine(fast->engine, old, fast->access, &leaf)) {
	case VKR_KEEP_OLD:
		return true;
	case VKR_KEEP_NEW:
		if (other)
			note_replaced(fast, old, offset);
		*slot = mine;
		return true;
	case VKR_KEEP_BOTH:
		return !other &&
		       vkr_slot_set_add(slot, mine, &fast->engine->pool, &unused) == VKR_OK;
	case VKR_RESTRICT:
	case VKR_MAKE_LOCAL:
	case VKR_SPLIT:
		break;
	}
	return false;
}

static inline bool judge_fast_remember(struct vkr_fast *fast, uint64_t *slot, uint64_t mine,
				       unsigned level, uint64_t offset)
{
	const uint64_t old = *slot;
	if (old == mine)
		return true;
	if (old == 0 || (vkr_known_has(&fast->replaced, old, offset) && vkr_slot_is_plain(old))) {
		*slot = mine;
		return true;
	}
	return remember_beside(fast, slot, mine, level, offset);
}

// Judges one node by the leaves of the two trees that hold for it; `own`: the leaf is the node's
// own, not that of a larger one. False: judge.c must do it; nothing has changed.
static inline bool fast_leaves(struct vkr_fast *fast, uint64_t *write, unsigned write_level,
			       uint64_t *access, unsigned access_level, unsigned level,
			       uint64_t offset)
{
	const uint64_t mine = vkr_paint_at(&fast->access->paint, offset);
	if (!is_safe(fast, *write, write_level, offset, &fast->safe_write) ||
	    !is_safe(fast, *access, access_level, offset, &fast->safe_access))
		return false;
	if (fast->remembers)
		return access_level == level &&
		       judge_fast_remember(fast, access, mine, level, offset);
	if (write_level != level || (access_level != level && *access != 0) ||
	    vkr_slot_kind(*write) == VKR_SLOT_SET)
		return false;
	if (vkr_slot_kind(*access) == VKR_SLOT_SET)
		vkr_slot_set_give(vkr_slot_set(*access), &fast->engine->pool);
	*write = mine;
	*access = 0;
	return true;
}

// The whole lines of one page from `low` on, until one is not simple: where that one begins.
static uint64_t fast_lines(struct vkr_fast *fast, uint64_t low, uint64_t high)
{
	struct vkr_page *page = vkr_shadow_page(fast->access->shadow, low);
	const bool writes = vkr_slot_kind(page->write) == VKR_SLOT_SPLIT;
	const bool accesses = vkr_slot_kind(page->access) == VKR_SLOT_SPLIT;
	const uint64_t first = low % VKR_PAGE_BYTES / VKR_LINE_BYTES;
	uint64_t *write = writes ? vkr_slot_children(page->write) + first : &page->write;
	uint64_t *access = accesses ? vkr_slot_children(page->access) + first : &page->access;

	if ((low & (VKR_LINE_BYTES - 1)) || !(fast->remembers ? accesses : writes))
		return low;
	while (high - low >= VKR_LINE_BYTES &&
	       fast_leaves(fast, write, writes, access, accesses, 1, low)) {
		write += writes;
		access += accesses;
		low += VKR_LINE_BYTES;
	}
	return low;
}

enum vkr_result vkr_judge_lines(struct vkr_fast *fast, uint64_t low, uint64_t high,
				struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	const struct vkr_access *access = fast->access;
	uint64_t slow = low; // [slow, low) is left to judge.c, and not judged yet
	enum vkr_result result = VKR_OK;
	while (low < high) {
		const uint64_t page_end = (low & ~(VKR_PAGE_BYTES - 1)) + VKR_PAGE_BYTES;
		const uint64_t end = page_end < high ? page_end : high;
		uint64_t done = fast_lines(fast, low, end);
		if (done == low)
			result = vkr_judge_parts(fast, low, end, &done, error);
		if (done > low && slow < low && result == VKR_OK)
			result = vkr_judge_range(engine, access, slow, low, error);
		if (result != VKR_OK)
			return result;
		if (done > low) {
			low = slow = done;
			continue;
		}
		low = (low & ~(VKR_LINE_BYTES - 1)) + VKR_LINE_BYTES;
		low = low < end ? low : end;
	}
	return slow < high ? vkr_judge_range(engine, access, slow, high, error) : VKR_OK;
}

// Splits a node in which nothing is remembered, down to the word at `offset`.
static enum vkr_result open_word(const struct vkr_fast *fast, uint64_t **slot, unsigned *level,
				 uint64_t offset, struct vkr_error *error)
{
	while (*level < 2 && **slot == 0) {
		const enum vkr_result result = vkr_slot_split(*slot, *level, &fast->engine->epochs,
							      &fast->engine->pool, error);
		if (result != VKR_OK)
			return result;
		*slot = vkr_slot_children(**slot) +
			(*level == 0 ? offset % VKR_PAGE_BYTES / VKR_LINE_BYTES
				     : offset % VKR_LINE_BYTES / VKR_WORD_BYTES);
		++*level;
	}
	return VKR_OK;
}

static struct vkr_hint *hint_of(struct vkr_page *page, const uint64_t *tree)
{
	return tree == &page->write ? &page->write_hint : &page->access_hint;
}

// Makes cells of a page where they can say what it says.
static enum vkr_result gather_page(struct vkr_engine *engine, uint64_t *tree,
				   struct vkr_error *error)
{
	uint64_t made;
	const enum vkr_result result =
		vkr_packed_gather(*tree, &engine->epochs, &engine->pool, &made, error);
	if (result != VKR_OK || made == 0)
		return result;
	vkr_slot_release(tree, 0, &engine->pool);
	*tree = made;
	return VKR_OK;
}

// Of the lines that are new one in so many is taken for a sign that there may be enough of them.
#define LOOK_AT 4u

// Makes cells of the access's tree of a page where words here and there are to be remembered.
static enum vkr_result open_packed(const struct vkr_fast *fast, struct vkr_page *page,
				   uint64_t offset, struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	uint64_t *tree = fast->remembers ? &page->access : &page->write;
	if (*tree == 0 && fast->granule != 0) {
		*hint_of(page, tree) = (struct vkr_hint){0};
		return vkr_packed_make(tree, offset, fast->granule, &engine->pool, error);
	}
	const uint64_t line = offset % VKR_PAGE_BYTES / VKR_LINE_BYTES;
	if (fast->sparse || vkr_slot_kind(*tree) != VKR_SLOT_SPLIT || line % LOOK_AT != 0 ||
	    vkr_slot_children(*tree)[line] != 0)
		return VKR_OK;
	*hint_of(page, tree) = (struct vkr_hint){0};
	return gather_page(engine, tree, error);
}

// Puts into a page of cells what a word says from now on, in whatever form it takes.
static enum vkr_result store_word(const struct vkr_fast *fast, uint64_t *tree, uint64_t offset,
				  uint64_t value, struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	struct vkr_packed *packed = vkr_slot_packed(*tree);
	enum vkr_result result = VKR_OK;
	unsigned level;
	if (!vkr_packed_at(packed, offset)) {
		if (value == 0)
			return VKR_OK;
		result = gather_page(engine, tree, error);
		if (result != VKR_OK)
			return result;
		packed = vkr_slot_packed(*tree);
	}
	if (vkr_packed_encode(packed, &engine->epochs, value, vkr_packed_at(packed, offset)))
		return VKR_OK;
	result = vkr_packed_expand(tree, &engine->pool, error);
	if (result != VKR_OK)
		return result;
	uint64_t *slot = leaf_at(tree, offset, &level);
	result = open_word(fast, &slot, &level, offset, error);
	if (result == VKR_OK)
		*slot = value;
	return result;
}

static bool in_packed(const uint64_t *tree)
{
	return vkr_slot_kind(*tree) == VKR_SLOT_PACKED;
}

// Judges a word of a page of which one tree is in cells, or both are.
static enum vkr_result judge_packed(struct vkr_fast *fast, struct vkr_page *page, uint64_t offset,
				    bool *judged, struct vkr_error *error)
{
	const bool writes = in_packed(&page->write), accesses = in_packed(&page->access);
	const uint64_t old_write =
		writes ? vkr_packed_slot_at(vkr_slot_packed(page->write), offset) : 0;
	const uint64_t old_access =
		accesses ? vkr_packed_slot_at(vkr_slot_packed(page->access), offset) : 0;
	uint64_t new_write = old_write, new_access = old_access;
	unsigned write_level = 2, access_level = 2;
	uint64_t *write = writes ? &new_write : leaf_at(&page->write, offset, &write_level);
	uint64_t *access = accesses ? &new_access : leaf_at(&page->access, offset, &access_level);
	enum vkr_result result = VKR_OK;
	if (fast->remembers && !accesses)
		result = open_word(fast, &access, &access_level, offset, error);
	else if (!fast->remembers && !writes)
		result = open_word(fast, &write, &write_level, offset, error);
	*judged = result == VKR_OK && write_level <= 2 && access_level <= 2 &&
		  fast_leaves(fast, write, write_level, access, access_level, 2, offset);
	if (*judged && new_write != old_write)
		result = store_word(fast, &page->write, offset, new_write, error);
	if (*judged && new_access != old_access && result == VKR_OK)
		result = store_word(fast, &page->access, offset, new_access, error);
	page->write_hint = vkr_packed_hint(page->write, page->write_hint);
	page->access_hint = vkr_packed_hint(page->access, page->access_hint);
	return result;
}

// Judges a word where that is simple.
static enum vkr_result judge_word(struct vkr_fast *fast, struct vkr_page *page, uint64_t low,
				  bool *judged, struct vkr_error *error)
{
	unsigned write_level, access_level;
	uint64_t *write, *access;
	enum vkr_result result = VKR_OK;
	if (fast->packed)
		result = open_packed(fast, page, low, error);
	if (result != VKR_OK)
		return result;
	if (in_packed(&page->write) || in_packed(&page->access))
		return judge_packed(fast, page, low, judged, error);
	write = leaf_at(&page->write, low, &write_level);
	access = leaf_at(&page->access, low, &access_level);
	if (!fast->sparse)
		result = fast->remembers ? open_word(fast, &access, &access_level, low, error)
					 : open_word(fast, &write, &write_level, low, error);
	*judged = result == VKR_OK && write_level <= 2 && access_level <= 2 &&
		  fast_leaves(fast, write, write_level, access, access_level, 2, low);
	return result;
}

enum vkr_result vkr_judge_words(struct vkr_fast *fast, uint64_t low, uint64_t high,
				struct vkr_error *error)
{
	const struct vkr_access *access = fast->access;
	while (low < high) {
		struct vkr_page *page = vkr_shadow_page(access->shadow, low);
		bool judged = false;
		enum vkr_result result = VKR_OK;
		if (!(low & (VKR_WORD_BYTES - 1)) && high - low >= VKR_WORD_BYTES)
			result = judge_word(fast, page, low, &judged, error);
		if (result != VKR_OK)
			return result;
		if (judged) {
			low += VKR_WORD_BYTES;
			continue;
		}
		if (fast->sparse) {
			uint64_t done = low;
			result = vkr_judge_parts(fast, low, high, &done, error);
			if (result != VKR_OK)
				return result;
			if (done > low) {
				low = done;
				continue;
			}
		}
		return vkr_judge_range(fast->engine, access, low, high, error);
	}
	return VKR_OK;
}
