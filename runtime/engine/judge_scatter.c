// SPDX-License-Identifier: Apache-2.0
// A fast path of judge.c for accesses without a pattern to words that are accessed as words: empty
// ones, ones that the access subsumes, and ones that already remember it. All other cases are left
// to judge_fast.c; knows no rule of its own.
#include "array.h"
#include "error.h"
#include "judge.h"
#include "judge_stripes.h"
#include "shadow_packed.h"

// One invocation's access, all bytes of which are judged.
static enum vkr_result judge_whole(struct vkr_fast *fast, struct vkr_access *access, uint32_t local,
				   uint64_t at, uint64_t end, struct vkr_error *error)
{
	const struct vkr_judge_site *site = access->what;
	enum vkr_result result = VKR_OK;

	vkr_access_aim(access, local, at);
	if (fast->in_place && site->bytes <= end - at &&
	    vkr_judge_in_place(fast, at, at + site->bytes))
		return VKR_OK;
	if (site->piece_count == 0)
		return vkr_judge_words(fast, at, site->bytes < end - at ? at + site->bytes : end,
				       error);
	for (uint32_t i = 0; i < site->piece_count && result == VKR_OK; i++) {
		const struct vkr_piece *piece = &fast->engine->pieces.items[site->first_piece + i];
		if (piece->offset < end - at)
			result = vkr_judge_words(fast, at + piece->offset,
						 piece->bytes < end - at - piece->offset
							 ? at + piece->offset + piece->bytes
							 : end,
						 error);
	}
	if (result == VKR_OK && fast->engine->found.count != 0)
		result = vkr_judge_found_end(fast->engine, access, error);
	return result;
}

// Judges the bytes of one invocation's access that are in the judged part.
static enum vkr_result judge_own(struct vkr_fast *fast, struct vkr_access *access, uint32_t local,
				 uint64_t at, uint64_t end, struct vkr_error *error)
{
	const struct vkr_judge_site *site = access->what;
	const struct vkr_piece whole = {.offset = 0, .bytes = site->bytes};
	const struct vkr_piece *pieces =
		site->piece_count == 0 ? &whole : &fast->engine->pieces.items[site->first_piece];
	const uint32_t count = site->piece_count == 0 ? 1 : site->piece_count;
	struct vkr_share *share = &access->shadow->share;
	enum vkr_result result = VKR_OK;
	if (vkr_share_has(share, at, site->bytes < end - at ? at + site->bytes : end))
		return judge_whole(fast, access, local, at, end, error);
	vkr_access_aim(access, local, at);
	for (uint32_t i = 0; i < count && result == VKR_OK; i++) {
		uint64_t low = at + pieces[i].offset, stretch;
		if (pieces[i].offset >= end - at)
			continue;
		const uint64_t high = pieces[i].bytes < end - low ? low + pieces[i].bytes : end;
		for (; result == VKR_OK && vkr_share_next(share, &low, high, &stretch);
		     low = stretch)
			result = vkr_judge_words(fast, low, stretch, error);
	}
	if (result == VKR_OK && fast->engine->found.count != 0)
		result = vkr_judge_found_end(fast->engine, access, error);
	return result;
}

enum vkr_result vkr_judge_one(struct vkr_fast *fast, struct vkr_access *access, uint32_t local,
			      uint64_t at, uint64_t end, struct vkr_error *error)
{
	if (at >= end)
		return VKR_OK;
	return access->shadow->share.divided ? judge_own(fast, access, local, at, end, error)
					     : judge_whole(fast, access, local, at, end, error);
}

// What is the same for all accesses of one list.
struct scattered {
	struct vkr_fast *fast;
	uint64_t base;         // the access's slot, without its invocation's place in the workgroup
	unsigned group_shift;  // from where on slots of one epoch say the workgroup
	unsigned pair_shift;   // the same of slots of two invocations
	bool safe_from_others; // the site's accesses by other workgroups do not race with it
	bool safe_from_mates;  // nor those by the same one in the same barrier interval
	uint32_t field;        // of invocation 0 in cells
	bool in_packed;        // those of all invocations fit into cells
	uint64_t pair;         // the slot of two invocations, without their places; 0: not made
	bool wants_pair;       // and such slots are met
};

// Random accesses wait for memory, not for arithmetic: what those further down the list will need
// is asked for early, first their pages, then the cells of their words, or the slots of their lines
// and through these the slots of their words. The caches next to the core have room for few that
// are on their way: these go to the next ones.
#define PAGES_AHEAD  96u
#define PACKED_AHEAD 48u
#define WORDS_AHEAD  20u
#define TO_NEXT      2

// GCC takes a function that only prefetches for one without effect and drops its calls.
#define VKR_INLINED static inline __attribute__((always_inline))

static inline uint64_t *line_slot(uint64_t tree, uint64_t offset)
{
	return &vkr_slot_children(tree)[offset % VKR_PAGE_BYTES / VKR_LINE_BYTES];
}

// True where the word is not in a cell, so that its slot is to be asked for.
VKR_INLINED bool prefetch_packed(uint64_t tree, uint64_t offset)
{
	if (vkr_slot_is_of_words(tree))
		__builtin_prefetch(vkr_word_packed(tree, offset), 0, TO_NEXT);
	else if (vkr_slot_kind(tree) == VKR_SLOT_SPLIT)
		__builtin_prefetch(line_slot(tree, offset), 0, TO_NEXT);
	return vkr_slot_kind(tree) == VKR_SLOT_SPLIT;
}

VKR_INLINED void prefetch_word(uint64_t tree, uint64_t offset)
{
	uint64_t line;
	if (vkr_slot_kind(tree) != VKR_SLOT_SPLIT)
		return;
	line = *line_slot(tree, offset);
	if (vkr_slot_kind(line) == VKR_SLOT_SPLIT)
		__builtin_prefetch(
			&vkr_slot_children(line)[offset % VKR_LINE_BYTES / VKR_WORD_BYTES], 0,
			TO_NEXT);
}

// Where the accesses of a list are.
struct places {
	const uint32_t *offsets; // of those that are not at a stride
	const uint32_t *locals;  // NULL: by neighbours, from `local` on
	uint32_t local, count;
	uint64_t first; // of those at a stride, which are of the workgroup, an offset
	int64_t stride;
	uint64_t base, end; // of the target in its memory
};

// The offset in memory of one of them; not below `end` where it is beyond the target.
VKR_INLINED uint64_t place_at(const struct places *places, bool strided, uint32_t i)
{
	if (!strided)
		return places->base + places->offsets[i];
	const uint64_t offset = places->first + (uint64_t)places->stride * i;
	return offset < places->end - places->base ? places->base + offset : places->end;
}

// How far ahead of the access that is judged shadow was asked for.
struct ahead {
	const struct vkr_page *pages;
	const struct places *places;
	bool strided;
	uint32_t page, packed_cell, word;
	bool words; // some of them are not in cells
};

VKR_INLINED uint64_t ahead_at(const struct ahead *ahead, uint32_t i)
{
	const uint64_t at = place_at(ahead->places, ahead->strided, i);
	return at < ahead->places->end ? at : ahead->places->base;
}

VKR_INLINED void prefetch_until(struct ahead *ahead, uint32_t i)
{
	const uint32_t count = ahead->places->count;
	for (; ahead->page < count && ahead->page <= i + PAGES_AHEAD; ahead->page++)
		__builtin_prefetch(&ahead->pages[ahead_at(ahead, ahead->page) / VKR_PAGE_BYTES]);
	for (; ahead->packed_cell < count && ahead->packed_cell <= i + PACKED_AHEAD;
	     ahead->packed_cell++) {
		const uint64_t at = ahead_at(ahead, ahead->packed_cell);
		const struct vkr_page *page = &ahead->pages[at / VKR_PAGE_BYTES];
		ahead->words |= prefetch_packed(page->write, at);
		ahead->words |= prefetch_packed(page->access, at);
	}
	for (; ahead->words && ahead->word < count && ahead->word <= i + WORDS_AHEAD;
	     ahead->word++) {
		const uint64_t at = ahead_at(ahead, ahead->word);
		const struct vkr_page *page = &ahead->pages[at / VKR_PAGE_BYTES];
		prefetch_word(page->write, at);
		prefetch_word(page->access, at);
	}
}

static bool is_safe_from(const struct vkr_fast *fast, enum vkr_relation relation)
{
	uint32_t unused = 0;
	return fast->read_only ||
	       vkr_intervals_verdict(&fast->engine->intervals, &fast->step, &fast->step, relation,
				     &unused) == VKR_RACE_NONE;
}

static struct scattered scattered_of(struct vkr_fast *fast, struct vkr_access *access)
{
	struct scattered all = {.fast = fast,
				.group_shift = VKR_SLOT_FIELD_SHIFT + access->local_bits,
				.pair_shift = VKR_SLOT_FIELD_SHIFT + 2u * access->local_bits};
	vkr_access_aim(access, 0, 0);
	all.base = access->paint.slot;
	all.in_packed = vkr_slot_field(all.base) + fast->engine->dispatch.local_size <=
			VKR_PACKED_FIELD_MASK;
	all.field = (uint32_t)vkr_slot_field(all.base);
	if (fast->remembers) {
		all.safe_from_others = is_safe_from(fast, VKR_OTHER_WORKGROUP);
		all.safe_from_mates = is_safe_from(fast, VKR_SAME_WORKGROUP);
	}
	return all;
}

// The slot of the access's second invocation beside its first, as judge_history.c makes it.
static enum vkr_result make_pair(struct scattered *all, struct vkr_error *error)
{
	const struct vkr_access *access = all->fast->access;
	struct vkr_epochs *epochs = &all->fast->engine->epochs;
	struct vkr_epoch epoch = epochs->items[access->epoch];
	const unsigned bits = 2u * access->local_bits;
	uint32_t number;
	epoch.pair = true;
	epoch.other_site = access->site;
	epoch.other_interval = access->interval;
	epoch.high = (uint32_t)((uint64_t)access->workgroup >> (VKR_SLOT_FIELD_BITS - bits));
	const enum vkr_result result = vkr_epochs_find(epochs, &epoch, &number, error);
	if (result == VKR_OK)
		all->pair =
			vkr_slot_make(VKR_SLOT_PAIR, number, (uint64_t)access->workgroup << bits);
	return result;
}

// Whether what has been accessed since the last write needs no look: it says what the access says
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
	all->wants_pair = all->wants_pair || vkr_slot_kind(old) == VKR_SLOT_PAIR;
	return false;
}

static inline bool is_known(const struct vkr_known *known, uint64_t slot, uint64_t offset)
{
	return slot == 0 || (vkr_known_has(known, slot, offset) && vkr_slot_is_plain(slot));
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

// The slot that holds for a word: its own, its line's or its page's.
static inline uint64_t leaf_of(uint64_t tree, uint64_t offset)
{
	if (vkr_slot_kind(tree) == VKR_SLOT_PACKED)
		return vkr_packed_slot_at(vkr_slot_packed(tree), offset);
	if (vkr_slot_kind(tree) == VKR_SLOT_SPLIT)
		tree = *line_slot(tree, offset);
	if (vkr_slot_kind(tree) == VKR_SLOT_SPLIT)
		tree = vkr_slot_children(tree)[offset % VKR_LINE_BYTES / VKR_WORD_BYTES];
	return tree;
}

// The cell of the access in a page of its tree; 0 where the page is not known to know the epoch, or
// the number does not fit.
VKR_INLINED uint32_t own_packed(const struct scattered *all, const struct vkr_hint *hint,
				uint32_t local)
{
	if (hint->now >> 4 != all->fast->access->epoch || !all->in_packed)
		return 0;
	return hint->now << VKR_PACKED_FIELD_BITS | (all->field + local);
}

static inline bool has_epoch(const struct vkr_known *known, uint32_t epoch, uint64_t offset)
{
	return epoch == known->epoch && offset - known->low < known->high - known->low;
}

// Whether what a word of the other tree says is known not to race with the access.
VKR_INLINED bool is_other_known(const struct vkr_known *known, uint64_t tree,
				const struct vkr_hint *hint, uint64_t at)
{
	if (vkr_slot_is_of_words(tree)) {
		const uint32_t packed_cell = *vkr_word_packed(tree, at);
		return packed_cell == 0 ||
		       has_epoch(known, vkr_packed_epoch(tree, hint, packed_cell), at);
	}
	return tree == 0 || is_known(known, leaf_of(tree, at), at);
}

// The cell of a word of the access's own tree, where it has one.
VKR_INLINED uint32_t *packed_of(uint64_t tree, uint64_t at)
{
	return vkr_slot_is_of_words(tree) ? vkr_word_packed(tree, at)
					  : vkr_packed_at(vkr_slot_packed(tree), at);
}

// Does what remembers_word does, for a packed page.
VKR_INLINED bool remembers_packed(const struct scattered *all, const struct vkr_page *page,
				  uint64_t at, uint32_t local)
{
	const struct vkr_fast *fast = all->fast;
	const uint32_t fresh = own_packed(all, &page->access_hint, local);
	uint32_t *packed_cell = packed_of(page->access, at);
	if (fresh == 0 || !packed_cell ||
	    !is_other_known(&fast->safe_write, page->write, &page->write_hint, at))
		return false;
	const uint32_t old = *packed_cell, apart = old ^ fresh;
	if (apart == 0)
		return true;
	if (old == 0) {
		*packed_cell = fresh;
		return true;
	}
	if (apart >> VKR_PACKED_FIELD_BITS == 0)
		return apart >> fast->access->local_bits != 0 && all->safe_from_others;
	const uint32_t epoch = vkr_packed_epoch(page->access, &page->access_hint, old);
	if (!has_epoch(&fast->safe_access, epoch, at) || !has_epoch(&fast->replaced, epoch, at))
		return false;
	*packed_cell = fresh;
	return true;
}

// Judges a read or an atomic of one word; false: nothing has changed.
VKR_INLINED bool remembers_word(struct scattered *all, uint64_t at, uint32_t local)
{
	const struct vkr_fast *fast = all->fast;
	struct vkr_page *page = &fast->access->shadow->pages[at / VKR_PAGE_BYTES];
	uint64_t *access;
	if (vkr_slot_kind(page->access) == VKR_SLOT_PACKED)
		return remembers_packed(all, page, at, local);
	access = word_slot(page->access, at);
	if (!access || !is_known(&fast->safe_write, leaf_of(page->write, at), at))
		return false;
	const uint64_t mine = all->base + ((uint64_t)local << VKR_SLOT_FIELD_SHIFT);
	if (*access != 0 &&
	    !(is_known(&fast->safe_access, *access, at) && is_known(&fast->replaced, *access, at)))
		return is_remembered(all, access, mine);
	*access = mine;
	return true;
}

// Empties a word of the slots of accesses since the last write.
VKR_INLINED void clear_word(uint64_t tree, uint64_t at)
{
	if (vkr_slot_kind(tree) == VKR_SLOT_PACKED) {
		uint32_t *packed_cell = packed_of(tree, at);
		if (packed_cell)
			*packed_cell = 0;
	} else if (tree != 0) {
		uint64_t *access = word_slot(tree, at);
		if (access)
			*access = 0;
	}
}

// Does what overwrites_word does, for a packed page.
VKR_INLINED bool overwrites_packed(const struct scattered *all, const struct vkr_page *page,
				   uint64_t at, uint32_t local)
{
	const struct vkr_hint *hint = &page->write_hint;
	const uint32_t fresh = own_packed(all, hint, local);
	uint32_t *packed_cell = packed_of(page->write, at);
	if (fresh == 0 || !packed_cell ||
	    !(*packed_cell == 0 ||
	      has_epoch(&all->fast->safe_write, vkr_packed_epoch(page->write, hint, *packed_cell),
			at)))
		return false;
	*packed_cell = fresh;
	return true;
}

// Whether a word of the slots of accesses since the last write can be emptied, if these do not race
// with the access: not where the word is part of a larger slot.
VKR_INLINED bool can_clear(const struct vkr_fast *fast, const struct vkr_page *page, uint64_t at)
{
	const uint64_t tree = page->access;
	if (!is_other_known(&fast->safe_access, tree, &page->access_hint, at))
		return false;
	return tree == 0 || vkr_slot_kind(tree) == VKR_SLOT_PACKED || word_slot(tree, at) ||
	       leaf_of(tree, at) == 0;
}

// Whether a plain write may overwrite the word.
VKR_INLINED bool overwrites_word(const struct scattered *all, uint64_t at, uint32_t local)
{
	const struct vkr_fast *fast = all->fast;
	const struct vkr_page *page = &fast->access->shadow->pages[at / VKR_PAGE_BYTES];
	if (!can_clear(fast, page, at))
		return false;
	if (vkr_slot_kind(page->write) == VKR_SLOT_PACKED) {
		if (!overwrites_packed(all, page, at, local))
			return false;
	} else {
		uint64_t *write = word_slot(page->write, at);
		if (!write || !is_known(&fast->safe_write, *write, at))
			return false;
		*write = all->base + ((uint64_t)local << VKR_SLOT_FIELD_SHIFT);
	}
	clear_word(page->access, at);
	return true;
}

VKR_INLINED bool judges_word(struct scattered *all, uint64_t at, uint32_t local, bool remembers)
{
	return remembers ? remembers_word(all, at, local) : overwrites_word(all, at, local);
}

// An access whose first words, up to `low`, are judged.
static enum vkr_result judge_rest(struct scattered *all, struct vkr_access *access, uint32_t local,
				  uint64_t at, uint64_t low, uint64_t end, struct vkr_error *error)
{
	const uint64_t high = access->what->bytes < end - at ? at + access->what->bytes : end;
	if (all->pair == 0 && all->wants_pair && all->safe_from_mates) {
		const enum vkr_result result = make_pair(all, error);
		if (result != VKR_OK)
			return result;
	}
	if (low == at)
		return vkr_judge_one(all->fast, access, local, at, end, error);
	vkr_access_aim(access, local, at);
	return vkr_judge_words(all->fast, low, high, error);
}

VKR_INLINED enum vkr_result judge_access(struct scattered *all, struct vkr_access *access,
					 uint32_t local, uint64_t at, uint64_t end, bool remembers,
					 struct vkr_error *error)
{
	const uint64_t high = access->what->bytes < end - at ? at + access->what->bytes : end;
	uint64_t low = at;
	if (access->what->piece_count != 0)
		return vkr_judge_one(all->fast, access, local, at, end, error);
	while (!(low & (VKR_WORD_BYTES - 1)) && high - low >= VKR_WORD_BYTES &&
	       judges_word(all, low, local, remembers)) {
		low += VKR_WORD_BYTES;
		if (low == high)
			return VKR_OK;
	}
	return judge_rest(all, access, local, at, low, end, error);
}

VKR_INLINED enum vkr_result judge_list(struct scattered *all, struct vkr_access *access,
				       const struct places *places, bool far, bool strided,
				       bool remembers, struct vkr_error *error)
{
	const uint32_t local_size = all->fast->engine->dispatch.local_size;
	struct ahead ahead = {.pages = access->shadow->pages, .places = places, .strided = strided};
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < places->count && result == VKR_OK; i++) {
		const uint32_t local =
			!strided && places->locals ? places->locals[i] : places->local + i;
		const uint64_t at = place_at(places, strided, i);
		if (far)
			prefetch_until(&ahead, i);
		if ((strided || local < local_size) && at < places->end)
			result =
				judge_access(all, access, local, at, places->end, remembers, error);
	}
	return result;
}

// The loop once for each kind that is frequent, so that it asks less.
static enum vkr_result judge_reads(struct scattered *all, struct vkr_access *access,
				   const struct places *places, bool far, struct vkr_error *error)
{
	return judge_list(all, access, places, far, false, true, error);
}

static enum vkr_result judge_writes(struct scattered *all, struct vkr_access *access,
				    const struct places *places, bool far, struct vkr_error *error)
{
	return judge_list(all, access, places, far, false, false, error);
}

static enum vkr_result judge_near_row(struct scattered *all, struct vkr_access *access,
				      const struct places *places, struct vkr_error *error)
{
	return judge_list(all, access, places, false, true, all->fast->remembers, error);
}

static enum vkr_result judge_far_row(struct scattered *all, struct vkr_access *access,
				     const struct places *places, struct vkr_error *error)
{
	return judge_list(all, access, places, true, true, all->fast->remembers, error);
}

// ---- Stripes ------------------------------------------------------------------------------------

// Rows of fewer accesses begin no stripes.
#define LEAST_ROW 4u
// Strides from which on few elements would be in a page.
#define STRIPE_MOST 512u

// Judges those in [first, last) that were put into rows.
static enum vkr_result judge_rows(struct scattered *all, struct vkr_access *access,
				  const struct places *places, struct vkr_stripe_rows *rows,
				  uint32_t first, uint32_t last, struct vkr_error *error)
{
	struct places left = *places;
	bool judged = true;
	enum vkr_result result = VKR_OK;
	if (rows->count != 0)
		result = vkr_judge_stripes(all->fast, access, rows, &judged, error);
	if (judged || result != VKR_OK)
		return result;
	left.count = last - first;
	left.local += first;
	if (places->offsets == NULL) {
		left.first += (uint64_t)places->stride * first;
		return judge_near_row(all, access, &left, error);
	}
	left.offsets += first;
	left.locals = places->locals ? places->locals + first : NULL;
	return all->fast->remembers ? judge_reads(all, access, &left, false, error)
				    : judge_writes(all, access, &left, false, error);
}

// Puts one into rows, or, of those at the rows' stride, more: *i is the last one.
static bool push_stripe(struct vkr_stripe_rows *rows, const struct vkr_access *access,
			const struct places *places, uint32_t local, uint64_t at, uint64_t high,
			uint32_t *i)
{
	const uint64_t room = places->end - at;
	uint64_t count = places->count - *i;
	uint32_t pushed = 0;
	if (places->offsets == NULL && places->stride == (int64_t)rows->stride && count > 1 &&
	    room >= access->what->bytes) {
		const uint64_t most = (room - access->what->bytes) / rows->stride + 1;
		count = most < count ? most : count;
		pushed = vkr_stripe_rows_push_row(rows, access, local, at, access->what->bytes,
						  (uint32_t)count);
	}
	if (pushed == 0)
		return vkr_stripe_rows_push(rows, access, local, at, high);
	*i += pushed - 1;
	return true;
}

// Judges by stripes those in pages that have such, or can be made such of a stride, if it is not 0.
static enum vkr_result judge_striped(struct scattered *all, struct vkr_access *access,
				     const struct places *places, unsigned stride,
				     struct vkr_error *error)
{
	const uint32_t local_size = all->fast->engine->dispatch.local_size;
	const bool strided = places->offsets == NULL;
	struct vkr_stripe_rows rows;
	uint64_t page = UINT64_MAX;
	uint32_t first = 0;
	unsigned own = 0;
	enum vkr_result result = VKR_OK;
	rows.count = rows.stride = 0;
	for (uint32_t i = 0; i < places->count && result == VKR_OK; i++) {
		const uint32_t local =
			!strided && places->locals ? places->locals[i] : places->local + i;
		const uint64_t at = place_at(places, strided, i);
		if (at >= places->end || (!strided && local >= local_size))
			continue;
		const uint64_t high = access->what->bytes < places->end - at
					      ? at + access->what->bytes
					      : places->end;
		if (at / VKR_PAGE_BYTES != page) {
			page = at / VKR_PAGE_BYTES;
			result = vkr_judge_gather_stripes(all->fast, at, stride, error);
			if (result != VKR_OK)
				break;
			own = vkr_judge_stripe_stride(all->fast, at, stride);
		}
		if (own != 0 && own == rows.stride &&
		    push_stripe(&rows, access, places, local, at, high, &i))
			continue;
		result = judge_rows(all, access, places, &rows, first, i, error);
		first = i;
		if (result != VKR_OK)
			break;
		// It may have been made stripes, or lines.
		own = vkr_judge_stripe_stride(all->fast, at, stride);
		if (own != 0) {
			vkr_stripe_rows_init(&rows, own);
			if (push_stripe(&rows, access, places, local, at, high, &i))
				continue;
		}
		rows.count = rows.stride = 0;
		first = i + 1;
		result = judge_access(all, access, local, at, places->end, all->fast->remembers,
				      error);
	}
	return result == VKR_OK
		       ? judge_rows(all, access, places, &rows, first, places->count, error)
		       : result;
}

// The stride of a row that may begin stripes; 0 where it may not.
static unsigned stripe_stride(const struct vkr_access *access, const struct places *places)
{
	const uint64_t stride = (uint64_t)(places->stride < 0 ? -places->stride : places->stride);
	return places->offsets == NULL && places->count >= LEAST_ROW &&
			       stride >= VKR_STRIPE_LEAST && stride < STRIPE_MOST &&
			       stride >= access->what->bytes && stride % VKR_WORD_BYTES == 0
		       ? (unsigned)stride
		       : 0;
}

static bool meets_stripes(const struct vkr_fast *fast, const struct places *places)
{
	for (uint32_t i = 0; i < places->count; i++) {
		const uint64_t at = place_at(places, places->offsets == NULL, i);
		if (at < places->end && vkr_judge_has_stripes(fast, at))
			return true;
	}
	return false;
}

// Shadow memory of less than this stays in the caches.
#define FAR_BYTES ((uint64_t)64 << 10)

static enum vkr_result judge_places(struct vkr_fast *fast, struct vkr_access *access,
				    const struct places *places, struct vkr_error *error)
{
	struct scattered all;
	const bool far = access->shadow->bytes > FAR_BYTES && !fast->sparse;
	const unsigned stride = stripe_stride(access, places);
	if (places->base >= places->end)
		return VKR_OK;
	all = scattered_of(fast, access);
	fast->packed =
		access->what->piece_count == 0 && access->shadow->memory != VKR_ENGINE_WORKGROUP;
	if (vkr_judge_may_stripe(fast) && (stride != 0 || meets_stripes(fast, places)))
		return judge_striped(&all, access, places, stride, error);
	if (places->offsets)
		return fast->remembers ? judge_reads(&all, access, places, far, error)
				       : judge_writes(&all, access, places, far, error);
	return far ? judge_far_row(&all, access, places, error)
		   : judge_near_row(&all, access, places, error);
}

// Room for the accesses of a list that are in the judged part.
static bool reserve_own(struct vkr_engine *engine, size_t count)
{
	size_t capacity = engine->own.capacity;
	if (!vkr_array_reserve((void **)&engine->own.offsets, &engine->own.capacity, count,
			       sizeof *engine->own.offsets))
		return false;
	return vkr_array_reserve((void **)&engine->own.locals, &capacity, engine->own.capacity,
				 sizeof *engine->own.locals);
}

// Judges the accesses of a list that are in the judged part, in the order of the list, those across
// the part's end included.
static enum vkr_result judge_own_list(struct vkr_fast *fast, struct vkr_access *access,
				      const struct places *all, struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	struct vkr_share *share = &access->shadow->share;
	struct places own = *all;
	enum vkr_result result = VKR_OK;
	if (!reserve_own(engine, all->count))
		return vkr_error_memory(error, "races");
	own.offsets = engine->own.offsets;
	own.locals = engine->own.locals;
	own.count = 0;
	for (uint32_t i = 0; i < all->count && result == VKR_OK; i++) {
		const uint32_t local = all->locals ? all->locals[i] : all->local + i;
		const uint64_t at = place_at(all, false, i);
		const uint64_t high =
			access->what->bytes < all->end - at ? at + access->what->bytes : all->end;
		uint64_t low = at, end;
		if (at >= all->end || local >= engine->dispatch.local_size ||
		    !vkr_share_next(share, &low, high, &end))
			continue;
		if (low == at && end == high) {
			engine->own.offsets[own.count] = all->offsets[i];
			engine->own.locals[own.count++] = local;
			continue;
		}
		result = judge_places(fast, access, &own, error);
		own.count = 0;
		if (result == VKR_OK)
			result = vkr_judge_one(fast, access, local, at, all->end, error);
	}
	return result == VKR_OK && own.count > 0 ? judge_places(fast, access, &own, error) : result;
}

enum vkr_result vkr_judge_scatter(struct vkr_fast *fast, struct vkr_access *access,
				  const struct vkr_engine_scatter *scatter, uint64_t end,
				  struct vkr_error *error)
{
	const struct places places = {.offsets = scatter->offsets,
				      .locals = scatter->locals,
				      .local = scatter->local,
				      .count = scatter->count,
				      .base = scatter->target->base,
				      .end = end};
	return access->shadow->share.divided ? judge_own_list(fast, access, &places, error)
					     : judge_places(fast, access, &places, error);
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

// How many of a row, from one at `at` on, lie before `end`, as far as they go up.
static uint32_t count_before(const struct vkr_access *access, int64_t stride, uint64_t at,
			     uint64_t end, uint32_t most)
{
	if (stride <= 0 || end - at < access->what->bytes)
		return 1;
	const uint64_t count = (end - at - access->what->bytes) / (uint64_t)stride + 1;
	return count < most ? (uint32_t)count : most;
}

// Judges what is in the judged part of a row: rows, and single accesses across the part's end.
static enum vkr_result judge_own_row(struct vkr_fast *fast, struct vkr_access *access,
				     const struct places *all, struct vkr_error *error)
{
	struct vkr_share *share = &access->shadow->share;
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0, count; i < all->count && result == VKR_OK; i += count) {
		const uint64_t at = place_at(all, true, i);
		const uint64_t bytes = access->what->bytes;
		const uint64_t high = bytes < all->end - at ? at + bytes : all->end;
		uint64_t low = at, end, row_low = at, row_end;
		count = 1;
		if (at >= all->end)
			continue;
		const bool some = vkr_share_next(share, &row_low, all->end, &row_end);
		if (!some && all->stride > 0)
			break;
		if (!vkr_share_next(share, &low, high, &end)) {
			// Up to where the next stretch begins.
			if (some && all->stride > 0 && row_low - at >= bytes)
				count = (uint32_t)((row_low - at - bytes) / (uint64_t)all->stride +
						   1);
			continue;
		}
		struct places own = *all;
		own.first = at - all->base;
		own.local = all->local + i;
		own.count = 1;
		if (low != at || end != high) {
			result = vkr_judge_one(fast, access, own.local, at, all->end, error);
			continue;
		}
		count = own.count = count_before(access, all->stride, at, row_end, all->count - i);
		result = judge_places(fast, access, &own, error);
	}
	return result;
}

enum vkr_result vkr_judge_strided(struct vkr_fast *fast, struct vkr_access *access,
				  const struct vkr_engine_run *run, uint64_t end,
				  struct vkr_error *error)
{
	const struct places places = {.local = run->local,
				      .count = run->count,
				      .first = run->offset,
				      .stride = run->stride,
				      .base = run->target->base,
				      .end = end};
	fast->granule = granule_of(access->what, run->stride);
	return access->shadow->share.divided ? judge_own_row(fast, access, &places, error)
					     : judge_places(fast, access, &places, error);
}
