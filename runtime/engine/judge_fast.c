// SPDX-License-Identifier: Apache-2.0
// The same judgement as judge.c's for the cases that make up nearly all accesses: whole lines and
// single words, nothing to tell, nothing to split. Whatever is not surely of that kind is left to
// judge.c; knows no rule of its own.
#include "judge.h"

#include "shadow_cells.h"

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

void vkr_fast_begin(struct vkr_fast *fast, struct vkr_engine *engine, const struct vkr_touch *touch)
{
	*fast = (struct vkr_fast){
		.engine = engine,
		.touch = touch,
		.step = vkr_judge_step(touch->what, touch->reference, touch->interval),
		.remembers = vkr_judge_remembers(touch->what),
		.read_only = !(touch->what->flags & VKR_ENGINE_WRITE)};
}

// Whether the touch does not race with an older access of its dispatch and reference, whoever made
// it, and it does not outlive the touch.
static bool is_safe_from_all(const struct vkr_fast *fast, const struct vkr_judge_site *site,
			     const struct vkr_step *from)
{
	const struct vkr_intervals *intervals = &fast->engine->intervals;
	uint32_t unused = 0;
	if (vkr_intervals_verdict(intervals, from, &fast->step, VKR_SAME_WORKGROUP, &unused) !=
		    VKR_RACE_NONE ||
	    (fast->touch->shadow->memory != VKR_ENGINE_WORKGROUP &&
	     vkr_intervals_verdict(intervals, from, &fast->step, VKR_OTHER_WORKGROUP, &unused) !=
		     VKR_RACE_NONE))
		return false;
	return fast->remembers ||
	       !vkr_judge_outlives(intervals, site, from->interval, fast->touch->what);
}

bool vkr_judge_harmless(struct vkr_fast *fast, uint64_t slot, uint64_t distance, uint64_t offset,
			struct vkr_known *safe)
{
	const struct vkr_touch *touch = fast->touch;
	const struct vkr_stamp *x;
	const struct vkr_judge_site *site;
	struct vkr_step from;
	enum vkr_relation relation;
	uint64_t invocation;
	uint32_t unused = 0;

	if (vkr_slot_kind(slot) != VKR_SLOT_SINGLE && vkr_slot_kind(slot) != VKR_SLOT_LOCAL)
		return false;
	x = &fast->engine->stamps.items[vkr_slot_stamp(slot)];
	if (x->command != touch->command) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(fast->engine, vkr_slot_stamp(slot), touch, offset);
		const struct vkr_known known = vkr_known_of(vkr_slot_stamp(slot), cached);
		if (cached->race_class != VKR_RACE_NONE || !vkr_known_has(&known, slot, offset))
			return false;
		*safe = known;
		return true;
	}
	if (!x->invocation || !touch->invocation)
		return false;
	site = &fast->engine->sites.items[x->site - 1];
	if (fast->read_only && !(site->flags & VKR_ENGINE_WRITE)) {
		*safe = vkr_known_everywhere(vkr_slot_stamp(slot));
		return true;
	}
	if (x->reference != touch->reference)
		return false;
	from = vkr_judge_step(site, x->reference, x->interval);
	if (is_safe_from_all(fast, site, &from)) {
		*safe = vkr_known_everywhere(vkr_slot_stamp(slot));
		return true;
	}
	invocation = vkr_slot_invocation(slot, x, distance, false);
	if (x->shape == touch->paint.shape && !x->pair && vkr_slot_kind(slot) == VKR_SLOT_SINGLE &&
	    invocation == vkr_touch_invocation(touch, offset))
		return fast->remembers || !vkr_judge_outlives(&fast->engine->intervals, site,
							      x->interval, touch->what);
	relation = invocation >> x->local_bits == touch->workgroup ? VKR_SAME_WORKGROUP
								   : VKR_OTHER_WORKGROUP;
	return vkr_intervals_verdict(&fast->engine->intervals, &from, &fast->step, relation,
				     &unused) == VKR_RACE_NONE;
}

// The same for a leaf of a level; most slots are empty, or of the stamp of the slot before. Stamps
// of other commands, and reads beside reads, race or not whatever the invocation: one answer serves
// them all.
static inline bool is_safe(struct vkr_fast *fast, uint64_t slot, unsigned level, uint64_t offset,
			   struct vkr_known *safe)
{
	const uint64_t distance = offset & (((uint64_t)1 << vkr_level_shift[level]) - 1);
	if (slot == 0)
		return true;
	if (vkr_known_has(safe, slot, offset) &&
	    (vkr_slot_kind(slot) == VKR_SLOT_SINGLE || vkr_slot_kind(slot) == VKR_SLOT_LOCAL))
		return true;
	if (vkr_slot_kind(slot) == VKR_SLOT_SET) {
		const struct vkr_set *set = vkr_slot_set(slot);
		for (uint32_t i = 0; i < set->count; i++) {
			if (!vkr_judge_harmless(fast, set->slots[i], distance, offset, safe))
				return false;
		}
		return true;
	}
	return vkr_judge_harmless(fast, slot, distance, offset, safe);
}

// Whether two slots of one dispatch name the same workgroup.
static inline bool same_workgroup(const struct vkr_stamp *x, uint64_t slot,
				  const struct vkr_touch *touch)
{
	return vkr_slot_invocation(slot, x, 0, false) >> x->local_bits == touch->workgroup;
}

// Whether one of several says already what the touch says, or is kept in its place.
static bool remembered_in(const struct vkr_fast *fast, uint64_t slot, uint64_t mine)
{
	const struct vkr_touch *touch = fast->touch;
	const struct vkr_set *set = vkr_slot_set(slot);
	for (uint32_t i = 0; i < set->count; i++) {
		const struct vkr_stamp *x;
		if (set->slots[i] == mine)
			return true;
		x = &fast->engine->stamps.items[vkr_slot_stamp(set->slots[i])];
		if (x->command == touch->command && x->invocation && x->site == touch->site &&
		    x->reference == touch->reference && !same_workgroup(x, set->slots[i], touch))
			return true;
	}
	return false;
}

// Remembers a read or an atomic in a slot of its own node where that is simple, as
// judge_history.c would.
static bool remember_beside(struct vkr_fast *fast, uint64_t *slot, uint64_t mine, uint64_t offset)
{
	const struct vkr_touch *touch = fast->touch;
	const uint64_t old = *slot;
	const struct vkr_stamp *x;

	if (vkr_slot_kind(old) == VKR_SLOT_SPLIT || vkr_slot_kind(old) == VKR_SLOT_PARTS)
		return false;
	if (vkr_slot_kind(old) == VKR_SLOT_SET)
		return remembered_in(fast, old, mine);
	x = &fast->engine->stamps.items[vkr_slot_stamp(old)];
	if (x->command != touch->command) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(fast->engine, vkr_slot_stamp(old), touch, offset);
		const struct vkr_known known = vkr_known_of(vkr_slot_stamp(old), cached);
		if (!cached->replaces || !vkr_known_has(&known, old, offset))
			return false;
		fast->replaced = known;
		*slot = mine;
		return true;
	}
	if (x->site != touch->site || x->reference != touch->reference)
		return false;
	if (!same_workgroup(x, old, touch))
		return true;
	if ((touch->what->flags & VKR_ENGINE_NONPRIVATE) &&
	    vkr_judge_passed(&fast->engine->intervals, touch->what, x->interval)) {
		*slot = mine;
		return true;
	}
	return x->pair &&
	       !((touch->what->flags & VKR_ENGINE_NONPRIVATE) &&
		 vkr_judge_half_passed(&fast->engine->intervals, touch->what, x->interval));
}

static inline bool remember(struct vkr_fast *fast, uint64_t *slot, uint64_t mine, uint64_t offset)
{
	const uint64_t old = *slot;
	if (old == mine)
		return true;
	if (old == 0 ||
	    (vkr_known_has(&fast->replaced, old, offset) &&
	     (vkr_slot_kind(old) == VKR_SLOT_SINGLE || vkr_slot_kind(old) == VKR_SLOT_LOCAL))) {
		*slot = mine;
		return true;
	}
	return remember_beside(fast, slot, mine, offset);
}

// Judges one node by the leaves of the two trees that hold for it; `own`: the leaf is the node's
// own, not that of a larger one. False: judge.c must do it; nothing has changed.
static inline bool fast_leaves(struct vkr_fast *fast, uint64_t *write, unsigned write_level,
			       uint64_t *access, unsigned access_level, unsigned level,
			       uint64_t offset)
{
	const uint64_t mine = vkr_paint_at(&fast->touch->paint, offset);
	if (!is_safe(fast, *write, write_level, offset, &fast->safe_write) ||
	    !is_safe(fast, *access, access_level, offset, &fast->safe_access))
		return false;
	if (fast->remembers)
		return access_level == level && remember(fast, access, mine, offset);
	if (write_level != level || (access_level != level && *access != 0) ||
	    vkr_slot_kind(*write) == VKR_SLOT_SET || vkr_slot_kind(*access) == VKR_SLOT_SET)
		return false;
	*write = mine;
	*access = 0;
	return true;
}

// The whole lines of one page from `low` on, until one is not simple: where that one begins.
static uint64_t fast_lines(struct vkr_fast *fast, uint64_t low, uint64_t high)
{
	struct vkr_page *page = vkr_shadow_page(fast->touch->shadow, low);
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
	const struct vkr_touch *touch = fast->touch;
	uint64_t slow = low; // [slow, low) is left to judge.c, and not judged yet
	enum vkr_result result = VKR_OK;
	while (low < high) {
		const uint64_t page_end = (low & ~(VKR_PAGE_BYTES - 1)) + VKR_PAGE_BYTES;
		const uint64_t end = page_end < high ? page_end : high;
		uint64_t done = fast_lines(fast, low, end);
		if (done == low)
			result = vkr_judge_parts(fast, low, end, &done, error);
		if (done > low && slow < low && result == VKR_OK)
			result = vkr_judge_range(engine, touch, slow, low, error);
		if (result != VKR_OK)
			return result;
		if (done > low) {
			low = slow = done;
			continue;
		}
		low = (low & ~(VKR_LINE_BYTES - 1)) + VKR_LINE_BYTES;
		low = low < end ? low : end;
	}
	return slow < high ? vkr_judge_range(engine, touch, slow, high, error) : VKR_OK;
}

// Splits a node in which nothing is remembered, down to the word at `offset`.
static enum vkr_result open_word(const struct vkr_fast *fast, uint64_t **slot, unsigned *level,
				 uint64_t offset, struct vkr_error *error)
{
	while (*level < 2 && **slot == 0) {
		const enum vkr_result result = vkr_slot_split(*slot, *level, &fast->engine->stamps,
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

// Of the lines that are new one in so many is taken for a sign that there may be enough of them.
#define LOOK_AT 4u

// Makes cells of the touch's tree of a page where words here and there are to be remembered.
static enum vkr_result open_cells(const struct vkr_fast *fast, struct vkr_page *page,
				  uint64_t offset, struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	uint64_t *tree = fast->remembers ? &page->access : &page->write;
	if (vkr_slot_kind(*tree) != VKR_SLOT_CELLS)
		*hint_of(page, tree) = (struct vkr_hint){0};
	if (*tree == 0 && fast->granule != 0)
		return vkr_cells_make(tree, offset, fast->granule, &engine->pool, error);
	const uint64_t line = offset % VKR_PAGE_BYTES / VKR_LINE_BYTES;
	if (fast->sparse || vkr_slot_kind(*tree) != VKR_SLOT_SPLIT || line % LOOK_AT != 0 ||
	    vkr_slot_children(*tree)[line] != 0)
		return VKR_OK;
	return vkr_cells_gather(tree, &engine->stamps, &engine->pool, error);
}

// Puts into a page of cells what a word says from now on, in whatever form it takes.
static enum vkr_result store_word(const struct vkr_fast *fast, uint64_t *tree, uint64_t offset,
				  uint64_t value, struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	struct vkr_cells *cells = vkr_slot_cells(*tree);
	enum vkr_result result = VKR_OK;
	unsigned level;
	if (!vkr_cell_at(cells, offset)) {
		if (value == 0)
			return VKR_OK;
		result = vkr_cells_gather(tree, &engine->stamps, &engine->pool, error);
		if (result != VKR_OK)
			return result;
		cells = vkr_slot_cells(*tree);
	}
	if (vkr_cells_encode(cells, &engine->stamps, value, vkr_cell_at(cells, offset)))
		return VKR_OK;
	result = vkr_cells_expand(tree, &engine->pool, error);
	if (result != VKR_OK)
		return result;
	uint64_t *slot = leaf_at(tree, offset, &level);
	result = open_word(fast, &slot, &level, offset, error);
	if (result == VKR_OK)
		*slot = value;
	return result;
}

static bool in_cells(const uint64_t *tree)
{
	return vkr_slot_kind(*tree) == VKR_SLOT_CELLS;
}

// Judges a word of a page of which one tree is in cells, or both are.
static enum vkr_result judge_cell(struct vkr_fast *fast, struct vkr_page *page, uint64_t offset,
				  bool *judged, struct vkr_error *error)
{
	const bool writes = in_cells(&page->write), accesses = in_cells(&page->access);
	const uint64_t old_write =
		writes ? vkr_cells_slot_at(vkr_slot_cells(page->write), offset) : 0;
	const uint64_t old_access =
		accesses ? vkr_cells_slot_at(vkr_slot_cells(page->access), offset) : 0;
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
	page->write_hint = vkr_cells_hint(page->write, page->write_hint);
	page->access_hint = vkr_cells_hint(page->access, page->access_hint);
	return result;
}

// Judges a word where that is simple.
static enum vkr_result judge_word(struct vkr_fast *fast, struct vkr_page *page, uint64_t low,
				  bool *judged, struct vkr_error *error)
{
	unsigned write_level, access_level;
	uint64_t *write, *access;
	enum vkr_result result = VKR_OK;
	if (fast->cells)
		result = open_cells(fast, page, low, error);
	if (result != VKR_OK)
		return result;
	if (in_cells(&page->write) || in_cells(&page->access))
		return judge_cell(fast, page, low, judged, error);
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
	const struct vkr_touch *touch = fast->touch;
	while (low < high) {
		struct vkr_page *page = vkr_shadow_page(touch->shadow, low);
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
		return vkr_judge_range(fast->engine, touch, low, high, error);
	}
	return VKR_OK;
}
