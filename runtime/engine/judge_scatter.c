// SPDX-License-Identifier: Apache-2.0
// The same judgement as judge.c's of accesses without a pattern, where words are touched as words
// before: empty ones, ones that the touch stands for, and ones that say already what it says.
// Whatever is not surely of that kind is left to judge_fast.c; knows no rule of its own.
#include "judge.h"

#include "shadow_cells.h"

// What is the same for all accesses of one list.
struct scattered {
	struct vkr_fast *fast;
	uint64_t base;         // the touch's slot, without its invocation's place in the workgroup
	unsigned group_shift;  // from where on slots of one stamp tell the workgroup
	unsigned pair_shift;   // the same of slots of two invocations
	bool safe_from_others; // the site's accesses by other workgroups do not race with it
	bool safe_from_mates;  // nor those by the same one in the same barrier interval
	uint64_t pair;         // the slot of two invocations, without their places; 0: not made
	bool wants_pair;       // and such slots are met
};

// Random accesses wait for memory, not for arithmetic: what those further down the list will need
// is asked for early, first the slots of their lines, then, through these, the slots of their
// words.
#define PAGES_AHEAD 96u
#define LINES_AHEAD 72u
#define WORDS_AHEAD 48u

// GCC takes a function that only prefetches for one without effect and drops its calls.
#define VKR_INLINED static inline __attribute__((always_inline))

static inline uint64_t *line_slot(uint64_t tree, uint64_t offset)
{
	return &vkr_slot_children(tree)[offset % VKR_PAGE_BYTES / VKR_LINE_BYTES];
}

VKR_INLINED void prefetch_line(uint64_t tree, uint64_t offset)
{
	if (vkr_slot_kind(tree) == VKR_SLOT_SPLIT)
		__builtin_prefetch(line_slot(tree, offset), 0, 2);
}

VKR_INLINED void prefetch_word(uint64_t tree, const struct vkr_hint *hint, uint64_t offset)
{
	uint64_t line;
	if (vkr_slot_kind(tree) == VKR_SLOT_CELLS) {
		const uint32_t *cell = vkr_cell_hinted(tree, hint, offset);
		if (cell)
			__builtin_prefetch(cell, 0, 2);
		return;
	}
	if (vkr_slot_kind(tree) != VKR_SLOT_SPLIT)
		return;
	line = *line_slot(tree, offset);
	if (vkr_slot_kind(line) == VKR_SLOT_SPLIT)
		__builtin_prefetch(
			&vkr_slot_children(line)[offset % VKR_LINE_BYTES / VKR_WORD_BYTES], 0, 2);
}

VKR_INLINED void prefetch_page(const struct vkr_engine_scatter *scatter,
			       const struct vkr_shadow *shadow, uint64_t end, uint32_t i)
{
	const uint64_t at = scatter->target->base + scatter->offsets[i];
	if (at < end)
		__builtin_prefetch(&shadow->pages[at / VKR_PAGE_BYTES]);
}

VKR_INLINED void prefetch_lines(const struct vkr_engine_scatter *scatter,
				const struct vkr_shadow *shadow, uint64_t end, uint32_t i)
{
	const uint64_t at = scatter->target->base + scatter->offsets[i];
	if (at < end) {
		const struct vkr_page *page = &shadow->pages[at / VKR_PAGE_BYTES];
		prefetch_line(page->write, at);
		prefetch_line(page->access, at);
	}
}

VKR_INLINED void prefetch_at(const struct vkr_shadow *shadow, uint64_t end, uint64_t at)
{
	if (at < end) {
		const struct vkr_page *page = &shadow->pages[at / VKR_PAGE_BYTES];
		prefetch_word(page->write, &page->write_hint, at);
		prefetch_word(page->access, &page->access_hint, at);
	}
}

VKR_INLINED void prefetch_words(const struct vkr_engine_scatter *scatter,
				const struct vkr_shadow *shadow, uint64_t end, uint32_t i)
{
	prefetch_at(shadow, end, scatter->target->base + scatter->offsets[i]);
}

// What the first of the list will need.
VKR_INLINED void prefetch_first(const struct vkr_engine_scatter *scatter,
				const struct vkr_shadow *shadow, uint64_t end)
{
	for (uint32_t i = 0; i < PAGES_AHEAD && i < scatter->count; i++)
		prefetch_page(scatter, shadow, end, i);
	for (uint32_t i = 0; i < LINES_AHEAD && i < scatter->count; i++)
		prefetch_lines(scatter, shadow, end, i);
	for (uint32_t i = 0; i < WORDS_AHEAD && i < scatter->count; i++)
		prefetch_words(scatter, shadow, end, i);
}

VKR_INLINED void prefetch_next(const struct vkr_engine_scatter *scatter,
			       const struct vkr_shadow *shadow, uint64_t end, uint32_t i)
{
	if (i + PAGES_AHEAD < scatter->count)
		prefetch_page(scatter, shadow, end, i + PAGES_AHEAD);
	if (i + LINES_AHEAD < scatter->count)
		prefetch_lines(scatter, shadow, end, i + LINES_AHEAD);
	if (i + WORDS_AHEAD < scatter->count)
		prefetch_words(scatter, shadow, end, i + WORDS_AHEAD);
}

static bool is_safe_from(const struct vkr_fast *fast, enum vkr_relation relation)
{
	uint32_t unused = 0;
	return fast->read_only ||
	       vkr_intervals_verdict(&fast->engine->intervals, &fast->step, &fast->step, relation,
				     &unused) == VKR_RACE_NONE;
}

static struct scattered scattered_of(struct vkr_fast *fast, struct vkr_touch *touch)
{
	struct scattered all = {.fast = fast,
				.group_shift = VKR_SLOT_FIELD_SHIFT + touch->local_bits,
				.pair_shift = VKR_SLOT_FIELD_SHIFT + 2u * touch->local_bits};
	vkr_touch_aim(touch, 0, 0);
	all.base = touch->paint.slot;
	if (fast->remembers) {
		all.safe_from_others = is_safe_from(fast, VKR_OTHER_WORKGROUP);
		all.safe_from_mates = is_safe_from(fast, VKR_SAME_WORKGROUP);
	}
	return all;
}

// The slot of the touch's second invocation beside its first, as judge_history.c makes it.
static enum vkr_result make_pair(struct scattered *all, struct vkr_error *error)
{
	const struct vkr_touch *touch = all->fast->touch;
	struct vkr_stamps *stamps = &all->fast->engine->stamps;
	struct vkr_stamp stamp = stamps->items[touch->stamp];
	const unsigned bits = 2u * touch->local_bits;
	uint32_t number;
	stamp.pair = true;
	stamp.other_site = touch->site;
	stamp.other_interval = touch->interval;
	stamp.high = (uint32_t)((uint64_t)touch->workgroup >> (VKR_SLOT_FIELD_BITS - bits));
	const enum vkr_result result = vkr_stamps_find(stamps, &stamp, &number, error);
	if (result == VKR_OK)
		all->pair =
			vkr_slot_make(VKR_SLOT_LOCAL, number, (uint64_t)touch->workgroup << bits);
	return result;
}

// Whether what has been accessed since the last write needs no look: it says what the touch says
// already, or does so now.
static inline bool is_remembered(struct scattered *all, uint64_t *slot, uint64_t mine)
{
	const uint64_t old = *slot;
	if (old == mine)
		return true;
	if (((old ^ mine) & ((UINT64_C(1) << VKR_SLOT_FIELD_SHIFT) - 1)) == 0) {
		if ((old ^ mine) >> all->group_shift != 0)
			return all->safe_from_others;
		if (!all->safe_from_mates || all->pair == 0) {
			all->wants_pair = true;
			return false;
		}
		*slot = all->pair |
			(mine - all->base) << (all->group_shift - VKR_SLOT_FIELD_SHIFT) |
			(old - all->base);
		return true;
	}
	if (((old ^ all->pair) & ((UINT64_C(1) << VKR_SLOT_FIELD_SHIFT) - 1)) == 0)
		return (old ^ all->pair) >> all->pair_shift != 0 ? all->safe_from_others
								 : all->safe_from_mates;
	all->wants_pair = all->wants_pair || vkr_slot_kind(old) == VKR_SLOT_LOCAL;
	return false;
}

static inline bool is_known(const struct vkr_known *known, uint64_t slot, uint64_t offset)
{
	return slot == 0 ||
	       (vkr_known_has(known, slot, offset) &&
		(vkr_slot_kind(slot) == VKR_SLOT_SINGLE || vkr_slot_kind(slot) == VKR_SLOT_LOCAL));
}

// The slot of a word; NULL where its line or page is not split.
static inline uint64_t *word_slot(uint64_t tree, uint64_t offset)
{
	if (vkr_slot_kind(tree) != VKR_SLOT_SPLIT)
		return NULL;
	tree = *line_slot(tree, offset);
	if (vkr_slot_kind(tree) != VKR_SLOT_SPLIT)
		return NULL;
	return &vkr_slot_children(tree)[offset % VKR_LINE_BYTES / VKR_WORD_BYTES];
}

// What holds for a word, be it as part of its line or page.
static inline uint64_t leaf_of(uint64_t tree, const struct vkr_hint *hint, uint64_t offset)
{
	if (vkr_slot_kind(tree) == VKR_SLOT_CELLS) {
		const uint32_t *cell = vkr_cell_hinted(tree, hint, offset);
		return cell ? vkr_cell_slot_hinted(tree, hint, *cell) : 0;
	}
	if (vkr_slot_kind(tree) == VKR_SLOT_SPLIT)
		tree = *line_slot(tree, offset);
	if (vkr_slot_kind(tree) == VKR_SLOT_SPLIT)
		tree = vkr_slot_children(tree)[offset % VKR_LINE_BYTES / VKR_WORD_BYTES];
	return tree;
}

// The cell of the touch in a page of its tree; 0 where the page is not known to know the stamp, or
// the number does not fit.
static inline uint32_t own_cell(const struct vkr_fast *fast, const struct vkr_hint *hint,
				uint64_t mine)
{
	const uint64_t field = vkr_slot_field(mine);
	if (hint->number == 0 || hint->stamp != fast->touch->stamp || field > VKR_CELL_FIELD_MASK)
		return 0;
	return (uint32_t)hint->number << VKR_CELL_FIELD_BITS | (uint32_t)field;
}

static inline uint64_t last_write(const struct vkr_page *page, uint64_t at)
{
	return leaf_of(page->write, &page->write_hint, at);
}

// The same as remembers_word of a page of cells.
static inline bool remembers_cell(const struct scattered *all, const struct vkr_page *page,
				  uint64_t at, uint64_t mine)
{
	const struct vkr_fast *fast = all->fast;
	const uint32_t fresh = own_cell(fast, &page->access_hint, mine);
	uint32_t *cell = vkr_cell_hinted(page->access, &page->access_hint, at);
	if (!cell || fresh == 0 || !is_known(&fast->safe_write, last_write(page, at), at))
		return false;
	const uint32_t old = *cell, apart = old ^ fresh;
	if (apart == 0)
		return true;
	if (apart >> VKR_CELL_FIELD_BITS == 0)
		return apart >> fast->touch->local_bits != 0 && all->safe_from_others;
	const uint64_t slot = vkr_cell_slot(vkr_slot_cells(page->access), old);
	if (!is_known(&fast->safe_access, slot, at) ||
	    (slot != 0 && !is_known(&fast->replaced, slot, at)))
		return false;
	*cell = fresh;
	return true;
}

// Judges a read or an atomic of one word; false: nothing has changed.
static inline bool remembers_word(struct scattered *all, uint64_t at, uint64_t mine)
{
	const struct vkr_fast *fast = all->fast;
	struct vkr_page *page = &fast->touch->shadow->pages[at / VKR_PAGE_BYTES];
	uint64_t *access;
	if (vkr_slot_kind(page->access) == VKR_SLOT_CELLS)
		return remembers_cell(all, page, at, mine);
	access = word_slot(page->access, at);
	if (!access || !is_known(&fast->safe_write, last_write(page, at), at))
		return false;
	if (*access != 0 &&
	    !(is_known(&fast->safe_access, *access, at) && is_known(&fast->replaced, *access, at)))
		return is_remembered(all, access, mine);
	*access = mine;
	return true;
}

// Empties a word of what was accessed since the last write, where that is safe from the touch.
static inline bool clears_word(const struct vkr_fast *fast, const struct vkr_page *page,
			       uint64_t at)
{
	const struct vkr_hint *hint = &page->access_hint;
	if (vkr_slot_kind(page->access) == VKR_SLOT_CELLS) {
		uint32_t *cell = vkr_cell_hinted(page->access, hint, at);
		if (!cell || *cell == 0)
			return true;
		if (!is_known(&fast->safe_access, vkr_cell_slot_hinted(page->access, hint, *cell),
			      at))
			return false;
		*cell = 0;
		return true;
	}
	uint64_t *access = word_slot(page->access, at);
	if (!access)
		return leaf_of(page->access, hint, at) == 0;
	if (!is_known(&fast->safe_access, *access, at))
		return false;
	*access = 0;
	return true;
}

// The same of a plain write.
static inline bool overwrites_word(const struct scattered *all, uint64_t at, uint64_t mine)
{
	const struct vkr_fast *fast = all->fast;
	const struct vkr_page *page = &fast->touch->shadow->pages[at / VKR_PAGE_BYTES];
	if (vkr_slot_kind(page->write) == VKR_SLOT_CELLS) {
		const struct vkr_hint *hint = &page->write_hint;
		const uint32_t fresh = own_cell(fast, hint, mine);
		uint32_t *cell = vkr_cell_hinted(page->write, hint, at);
		if (!cell || fresh == 0 ||
		    !is_known(&fast->safe_write, vkr_cell_slot_hinted(page->write, hint, *cell),
			      at) ||
		    !clears_word(fast, page, at))
			return false;
		*cell = fresh;
		return true;
	}
	uint64_t *write = word_slot(page->write, at);
	if (!write || !is_known(&fast->safe_write, *write, at) || !clears_word(fast, page, at))
		return false;
	*write = mine;
	return true;
}

static enum vkr_result judge_access(struct scattered *all, struct vkr_touch *touch, uint32_t local,
				    uint64_t at, uint64_t end, struct vkr_error *error)
{
	const uint64_t mine = all->base + ((uint64_t)local << VKR_SLOT_FIELD_SHIFT);
	const uint64_t high = touch->what->bytes < end - at ? at + touch->what->bytes : end;
	uint64_t low = at;
	while (!(low & (VKR_WORD_BYTES - 1)) && high - low >= VKR_WORD_BYTES &&
	       (all->fast->remembers ? remembers_word(all, low, mine)
				     : overwrites_word(all, low, mine))) {
		low += VKR_WORD_BYTES;
		if (low == high)
			return VKR_OK;
	}
	if (all->pair == 0 && all->wants_pair && all->safe_from_mates) {
		const enum vkr_result result = make_pair(all, error);
		if (result != VKR_OK)
			return result;
	}
	if (low == at)
		return vkr_judge_one(all->fast, touch, local, at, end, error);
	vkr_touch_aim(touch, local, at);
	return vkr_judge_words(all->fast, low, high, error);
}

// Shadow memory of less than this stays in the caches.
#define FAR_BYTES ((uint64_t)64 << 10)

enum vkr_result vkr_judge_scatter(struct vkr_fast *fast, struct vkr_touch *touch,
				  const struct vkr_engine_scatter *scatter, uint64_t end,
				  struct vkr_error *error)
{
	const struct vkr_engine_target *target = scatter->target;
	const uint32_t local_size = fast->engine->dispatch.local_size;
	const bool far = touch->shadow->bytes > FAR_BYTES;
	const bool whole = touch->what->piece_count == 0;
	struct scattered all = scattered_of(fast, touch);
	enum vkr_result result = VKR_OK;

	fast->cells = whole && target->memory != VKR_ENGINE_WORKGROUP;
	if (far)
		prefetch_first(scatter, touch->shadow, end);
	for (uint32_t i = 0; i < scatter->count && result == VKR_OK; i++) {
		const uint32_t local = scatter->locals ? scatter->locals[i] : scatter->local + i;
		const uint64_t at = target->base + scatter->offsets[i];
		if (far)
			prefetch_next(scatter, touch->shadow, end, i);
		if (local >= local_size || at >= end)
			continue;
		result = whole ? judge_access(&all, touch, local, at, end, error)
			       : vkr_judge_one(fast, touch, local, at, end, error);
	}
	return result;
}

// Strides of fewer bytes leave few words out; of more, few cells would be in a page.
#define LEAST_GRANULE 4u
#define MOST_GRANULE  8u

// The stride's binary logarithm, where it is a power of two.
static uint8_t granule_of(const struct vkr_judge_site *site, int64_t stride)
{
	const uint64_t bytes = (uint64_t)(stride < 0 ? -stride : stride);
	for (uint8_t shift = LEAST_GRANULE; shift <= MOST_GRANULE; shift++)
		if (bytes == UINT64_C(1) << shift && site->bytes == VKR_WORD_BYTES)
			return shift;
	return 0;
}

enum vkr_result vkr_judge_strided(struct vkr_fast *fast, struct vkr_touch *touch,
				  const struct vkr_engine_run *run, uint64_t end,
				  struct vkr_error *error)
{
	const uint64_t base = run->target->base;
	const bool far = touch->shadow->bytes > FAR_BYTES;
	const bool whole = touch->what->piece_count == 0;
	const uint64_t ahead = (uint64_t)run->stride * WORDS_AHEAD;
	struct scattered all = scattered_of(fast, touch);
	enum vkr_result result = VKR_OK;

	fast->cells = whole && run->target->memory != VKR_ENGINE_WORKGROUP;
	fast->granule = fast->cells ? granule_of(touch->what, run->stride) : 0;
	for (uint32_t i = 0; i < run->count && result == VKR_OK; i++) {
		const uint64_t offset = run->offset + (uint64_t)run->stride * i;
		if (far)
			prefetch_at(touch->shadow, end, base + offset + ahead);
		if (offset >= end - base)
			continue;
		result =
			whole ? judge_access(&all, touch, run->local + i, base + offset, end, error)
			      : vkr_judge_one(fast, touch, run->local + i, base + offset, end,
					      error);
	}
	return result;
}
