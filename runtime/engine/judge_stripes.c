// SPDX-License-Identifier: Apache-2.0
// Knows no rule of its own: what is not simple is left to judge.c.
#include "judge_stripes.h"

#include "judge.h"

#include <assert.h>

#define RECIPROCAL_SHIFT 24u

void vkr_stripe_rows_init(struct vkr_stripe_rows *rows, unsigned stride)
{
	rows->stride = stride;
	rows->reciprocal = (1u << RECIPROCAL_SHIFT) / stride + 1;
	rows->count = 0;
}

bool vkr_judge_may_stripe(const struct vkr_fast *fast)
{
	const struct vkr_access *access = fast->access;
	const uint64_t most = (uint64_t)access->workgroup << access->local_bits |
			      (fast->engine->dispatch.local_size - 1);
	return access->invocation && !access->table && access->what->piece_count == 0 &&
	       fast->read_only == fast->remembers && !(access->what->flags & VKR_ENGINE_ATOMIC) &&
	       access->shadow->memory != VKR_ENGINE_WORKGROUP && most <= UINT32_MAX;
}

static unsigned stride_of(uint64_t slot)
{
	return vkr_slot_kind(slot) == VKR_SLOT_STRIPES ? vkr_slot_stripes(slot)->stride : 0;
}

static unsigned page_stride(const struct vkr_page *page)
{
	const unsigned stride = stride_of(page->write);
	return stride != 0 ? stride : stride_of(page->access);
}

bool vkr_judge_has_stripes(const struct vkr_fast *fast, uint64_t at)
{
	return page_stride(&fast->access->shadow->pages[at / VKR_PAGE_BYTES]) != 0;
}

static bool may_open(const struct vkr_fast *fast, uint64_t slot)
{
	return vkr_slot_kind(slot) == VKR_SLOT_STRIPES ||
	       vkr_stripes_can_make(slot, &fast->engine->epochs);
}

unsigned vkr_judge_stripe_stride(const struct vkr_fast *fast, uint64_t at, unsigned stride)
{
	const struct vkr_page *page = &fast->access->shadow->pages[at / VKR_PAGE_BYTES];
	const unsigned old = page_stride(page);
	const bool open = fast->read_only
				  ? may_open(fast, page->access) &&
					    (vkr_slot_kind(page->write) == VKR_SLOT_STRIPES ||
					     vkr_slot_kind(page->write) == VKR_SLOT_SINGLE)
				  : may_open(fast, page->write) && may_open(fast, page->access);
	return open ? (old != 0 ? old : stride) : 0;
}

// A hint of a page that is not of cells holds the last command that could not make stripes of it.
static enum vkr_result gather_tree(struct vkr_fast *fast, uint64_t *slot, struct vkr_hint *hint,
				   unsigned stride, struct vkr_error *error)
{
	const uint32_t command = fast->access->command;
	if (vkr_slot_kind(*slot) != VKR_SLOT_SPLIT || hint->before == command)
		return VKR_OK;
	*hint = (struct vkr_hint){.before = command};
	uint64_t made;
	const enum vkr_result result = vkr_stripes_gather(*slot, stride, &fast->engine->epochs,
							  &fast->engine->pool, &made, error);
	if (result != VKR_OK || made == 0)
		return result;
	vkr_slot_release(slot, 0, &fast->engine->pool);
	*slot = made;
	if (vkr_slot_stripes(made)->count == 0)
		vkr_slot_release(slot, 0, &fast->engine->pool);
	return VKR_OK;
}

enum vkr_result vkr_judge_gather_stripes(struct vkr_fast *fast, uint64_t at, unsigned stride,
					 struct vkr_error *error)
{
	struct vkr_page *page = &fast->access->shadow->pages[at / VKR_PAGE_BYTES];
	const unsigned old = page_stride(page);
	const unsigned own = old != 0 ? old : stride;
	enum vkr_result result;
	if (own == 0)
		return VKR_OK;
	result = gather_tree(fast, &page->write, &page->write_hint, own, error);
	if (result != VKR_OK || (vkr_slot_kind(page->write) != VKR_SLOT_STRIPES &&
				 vkr_slot_kind(page->write) != VKR_SLOT_SINGLE))
		return result;
	return gather_tree(fast, &page->access, &page->access_hint, own, error);
}

// ---- Rows ---------------------------------------------------------------------------------------

// Bytes of one element of a page.
struct piece {
	uint64_t start; // the page's
	unsigned element, low, high;
	unsigned row; // that it goes into
};

// Finds or makes the piece's row, which does not have the element yet. Those of a page are of
// different bytes, so that none of them meets another one.
static bool find_row(struct vkr_stripe_rows *rows, const struct vkr_access *access,
		     struct piece *piece)
{
	struct vkr_stripe_row *row;
	for (unsigned i = 0; i < rows->count; i++) {
		row = &rows->items[i];
		piece->row = i;
		if (row->start != piece->start || row->head.low >= piece->high ||
		    row->head.high <= piece->low)
			continue;
		return row->head.low == piece->low && row->head.high == piece->high &&
		       !(row->head.elements[piece->element / 64] >> piece->element % 64 & 1);
	}
	if (rows->count == VKR_STRIPE_ROWS)
		return false;
	piece->row = rows->count++;
	row = &rows->items[piece->row];
	row->page = vkr_shadow_page(access->shadow, piece->start);
	row->start = piece->start;
	row->head = (struct vkr_stripe_head){
		.epoch = access->epoch, .low = (uint16_t)piece->low, .high = (uint16_t)piece->high};
	return true;
}

static struct piece piece_at(const struct vkr_stripe_rows *rows, uint64_t low, uint64_t high)
{
	const uint64_t start = low & ~(VKR_PAGE_BYTES - 1);
	const unsigned at = (unsigned)(low - start);
	const unsigned element = (unsigned)((uint64_t)at * rows->reciprocal >> RECIPROCAL_SHIFT);
	const uint64_t page_end = start + VKR_PAGE_BYTES;
	uint64_t end = start + (uint64_t)(element + 1) * rows->stride;
	end = end < page_end ? end : page_end;
	end = end < high ? end : high;
	const unsigned from = at - element * rows->stride;
	return (struct piece){.start = start,
			      .element = element,
			      .low = from,
			      .high = from + (unsigned)(end - low)};
}

static void put_piece(struct vkr_stripe_rows *rows, const struct piece *piece, uint32_t field)
{
	struct vkr_stripe_row *row = &rows->items[piece->row];
	row->head.elements[piece->element / 64] |= UINT64_C(1) << piece->element % 64;
	row->fields[piece->element] = field;
}

// Adds an access across the end of an element or a page.
static bool push_pieces(struct vkr_stripe_rows *rows, const struct vkr_access *access,
			uint32_t field, uint64_t low, uint64_t high)
{
	struct piece pieces[VKR_STRIPE_ROWS];
	const unsigned before = rows->count;
	unsigned count = 0;
	while (low < high) {
		struct piece *piece = &pieces[count];
		if (count < VKR_STRIPE_ROWS)
			*piece = piece_at(rows, low, high);
		if (count == VKR_STRIPE_ROWS || !find_row(rows, access, piece)) {
			rows->count = before;
			return false;
		}
		low += piece->high - piece->low;
		count++;
	}
	for (unsigned i = 0; i < count; i++)
		put_piece(rows, &pieces[i], field);
	return true;
}

bool vkr_stripe_rows_push(struct vkr_stripe_rows *rows, const struct vkr_access *access,
			  uint32_t local, uint64_t low, uint64_t high)
{
	const uint32_t field = access->workgroup << access->local_bits | local;
	if ((low | high) & (VKR_WORD_BYTES - 1))
		return false;
	struct piece piece = piece_at(rows, low, high);
	if (piece.high - piece.low != high - low)
		return push_pieces(rows, access, field, low, high);
	if (!find_row(rows, access, &piece))
		return false;
	put_piece(rows, &piece, field);
	return true;
}

// A bit for each element in [low, high) of one word of them.
static uint64_t bits_between(unsigned word, unsigned low, unsigned high)
{
	const unsigned from = low > word * 64 ? low - word * 64 : 0;
	const unsigned to = high < word * 64 + 64 ? high - word * 64 : 64;
	if (low >= word * 64 + 64 || high <= word * 64)
		return 0;
	return (to == 64 ? UINT64_MAX : (UINT64_C(1) << to) - 1) & ~((UINT64_C(1) << from) - 1);
}

uint32_t vkr_stripe_rows_push_row(struct vkr_stripe_rows *rows, const struct vkr_access *access,
				  uint32_t local, uint64_t low, unsigned bytes, uint32_t count)
{
	const uint32_t field = access->workgroup << access->local_bits | local;
	struct piece piece = piece_at(rows, low, low + bytes);
	if (((low | bytes) & (VKR_WORD_BYTES - 1)) || piece.high - piece.low != bytes ||
	    !find_row(rows, access, &piece))
		return 0;
	struct vkr_stripe_row *row = &rows->items[piece.row];
	const unsigned room = (unsigned)VKR_PAGE_BYTES - piece.high;
	const unsigned most = room / rows->stride - piece.element + 1;
	const unsigned end = piece.element + (count < most ? count : most);
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++) {
		const uint64_t bits = bits_between(word, piece.element, end);
		if (row->head.elements[word] & bits)
			return 0;
	}
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++)
		row->head.elements[word] |= bits_between(word, piece.element, end);
	for (unsigned at = piece.element; at < end; at++)
		row->fields[at] = field + (at - piece.element);
	return end - piece.element;
}

// ---- Judging ------------------------------------------------------------------------------------

// Whether something is known of an epoch in all of a page.
static bool is_known(const struct vkr_known *known, uint32_t epoch, uint64_t start)
{
	return known->epoch == epoch && known->low <= start &&
	       known->high >= start + VKR_PAGE_BYTES;
}

// Which elements a stripe has in common with a row; false for none.
static bool overlap_of(const struct vkr_stripe_head *stripe, const struct vkr_stripe_head *row,
		       uint64_t *elements)
{
	uint64_t any = 0;
	if (stripe->low >= row->high || stripe->high <= row->low)
		return false;
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++) {
		elements[word] = stripe->elements[word] & row->elements[word];
		any |= elements[word];
	}
	return any != 0;
}

// Whether what is said of bytes [low, high) does not race with the access, which is aimed at them:
// of another command that may differ from one line to the next.
static bool element_is_safe(struct vkr_fast *fast, uint64_t slot, uint64_t low, uint64_t high,
			    struct vkr_known *safe)
{
	for (; low < high; low = (low & ~(VKR_LINE_BYTES - 1)) + VKR_LINE_BYTES)
		if (!vkr_judge_harmless(fast, slot, 0, low, safe))
			return false;
	return true;
}

// Whether a stripe does not race with a row at the elements that they have in common.
static bool is_safe(struct vkr_fast *fast, struct vkr_access *access, unsigned stride,
		    const struct vkr_stripe *stripe, const struct vkr_stripe_row *row,
		    const uint64_t *elements, struct vkr_known *safe)
{
	const struct vkr_epoch *x = &fast->engine->epochs.items[stripe->head.epoch];
	const bool same = x->command == access->command;
	const uint32_t mask = (UINT32_C(1) << access->local_bits) - 1;
	const unsigned low = stripe->head.low > row->head.low ? stripe->head.low : row->head.low;
	const unsigned high =
		stripe->head.high < row->head.high ? stripe->head.high : row->head.high;
	bool own_is_safe = false;
	if (is_known(safe, stripe->head.epoch, row->start))
		return true;
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++) {
		for (uint64_t left = elements[word]; left != 0; left &= left - 1) {
			const unsigned at = word * 64 + (unsigned)__builtin_ctzll(left);
			const uint64_t element = row->start + at * stride;
			const bool own = same && stripe->fields[at] == row->fields[at];
			if (own && own_is_safe)
				continue;
			vkr_access_aim(access, row->fields[at] & mask, element + low);
			if (!element_is_safe(fast, vkr_stripe_slot(stripe, at), element + low,
					     element + high, safe))
				return false;
			if (is_known(safe, stripe->head.epoch, row->start))
				return true;
			own_is_safe = own_is_safe || own;
		}
	}
	return true;
}

static bool slot_is_safe(struct vkr_fast *fast, struct vkr_access *access, unsigned stride,
			 uint64_t slot, const struct vkr_stripe_row *row, struct vkr_known *safe)
{
	uint64_t elements[VKR_STRIPE_BITWORDS];
	if (vkr_slot_kind(slot) != VKR_SLOT_STRIPES)
		return slot == 0 || is_known(safe, vkr_slot_epoch(slot), row->start) ||
		       (vkr_judge_harmless(fast, slot, 0, row->start, safe) &&
			is_known(safe, vkr_slot_epoch(slot), row->start));
	const struct vkr_stripes *stripes = vkr_slot_stripes(slot);
	for (unsigned i = 0; i < stripes->count; i++) {
		const struct vkr_stripe *stripe = stripes->items[i];
		if (overlap_of(&stripe->head, &row->head, elements) &&
		    !is_safe(fast, access, stride, stripe, row, elements, safe))
			return false;
	}
	return true;
}

// Takes from the row what a stripe of its own epoch remembers already: judge_history.c keeps the
// one of another workgroup, too.
static bool meet_same(const struct vkr_fast *fast, const struct vkr_stripe *stripe,
		      struct vkr_stripe_row *row, const uint64_t *elements)
{
	const struct vkr_access *access = fast->access;
	if (stripe->head.epoch != access->epoch || row->head.low < stripe->head.low ||
	    row->head.high > stripe->head.high)
		return false;
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++) {
		for (uint64_t left = elements[word]; left != 0; left &= left - 1) {
			const unsigned at = word * 64 + (unsigned)__builtin_ctzll(left);
			if (stripe->fields[at] != row->fields[at] &&
			    stripe->fields[at] >> access->local_bits == access->workgroup)
				return false;
		}
		row->head.elements[word] &= ~elements[word];
	}
	return true;
}

// What a row of reads makes of a stripe of another command: *cut, whether it takes its place. As
// judge_parts.c's meet_other.
static bool meet_other(struct vkr_fast *fast, const struct vkr_stripe *stripe, uint64_t start,
		       uint32_t *other, bool *cut)
{
	const struct vkr_epoch *x = &fast->engine->epochs.items[stripe->head.epoch];
	*cut = true;
	if ((*other != 0 && *other != x->command) || !vkr_judge_is_simple_beside(fast, x))
		return false;
	*other = x->command;
	if (is_known(&fast->replaced, stripe->head.epoch, start))
		return true;
	const struct vkr_cached_verdict *cached =
		vkr_judge_commands(fast->engine, stripe->head.epoch, fast->access, start);
	const struct vkr_known known = vkr_known_of(stripe->head.epoch, cached);
	if (!is_known(&known, stripe->head.epoch, start))
		return false;
	*cut = cached->subsumes;
	if (*cut)
		fast->replaced = known;
	return true;
}

// What is to be done to a tree's stripes: a bit for each.
struct plan {
	uint64_t cut;
	unsigned more; // stripes than now, at most
};

static void plan_cut(struct plan *plan, const struct vkr_stripes *stripes, unsigned i,
		     const struct vkr_stripe_row *row)
{
	const struct vkr_stripe_head *head = &stripes->items[i]->head;
	plan->cut |= UINT64_C(1) << i;
	plan->more +=
		(head->low < row->head.low ? 1u : 0u) + (head->high > row->head.high ? 1u : 0u);
}

// A row of reads beside what was accessed since the last write.
static bool plan_read(struct vkr_fast *fast, uint64_t slot, struct vkr_stripe_row *row,
		      struct plan *plan)
{
	const struct vkr_stripe_head all = row->head;
	uint64_t elements[VKR_STRIPE_BITWORDS];
	uint32_t other = 0;
	if (slot == 0)
		return true;
	const struct vkr_stripes *stripes = vkr_slot_stripes(slot);
	for (unsigned i = 0; i < stripes->count; i++) {
		const struct vkr_stripe *stripe = stripes->items[i];
		const struct vkr_epoch *x = &fast->engine->epochs.items[stripe->head.epoch];
		bool cut = false;
		if (!overlap_of(&stripe->head, &all, elements))
			continue;
		if (x->command != fast->access->command) {
			if (!meet_other(fast, stripe, row->start, &other, &cut))
				return false;
			if (cut)
				plan_cut(plan, stripes, i, row);
		} else if (x->site == fast->access->site &&
			   x->reference == fast->access->reference) {
			if (!meet_same(fast, stripe, row, elements))
				return false;
		}
	}
	return true;
}

static void plan_write(uint64_t slot, const struct vkr_stripe_row *row, struct plan *plan)
{
	uint64_t elements[VKR_STRIPE_BITWORDS];
	if (slot == 0)
		return;
	const struct vkr_stripes *stripes = vkr_slot_stripes(slot);
	for (unsigned i = 0; i < stripes->count; i++)
		if (overlap_of(&stripes->items[i]->head, &row->head, elements))
			plan_cut(plan, stripes, i, row);
}

static enum vkr_result cut_planned(struct vkr_fast *fast, uint64_t *slot,
				   const struct vkr_stripe_head *row, const struct plan *plan,
				   struct vkr_error *error)
{
	struct vkr_pool *pool = &fast->engine->pool;
	uint64_t elements[VKR_STRIPE_BITWORDS], planned = plan->cut;
	if (planned == 0)
		return VKR_OK;
	enum vkr_result result = vkr_stripes_reserve(slot, plan->more, pool, error);
	if (result != VKR_OK)
		return result;
	struct vkr_stripes *stripes = vkr_slot_stripes(*slot);
	for (unsigned i = 0; planned != 0 && result == VKR_OK; i++, planned >>= 1) {
		if ((planned & 1) && overlap_of(&stripes->items[i]->head, row, elements))
			result = vkr_stripes_cut(stripes, &i, row->low, row->high, elements, pool,
						 error);
	}
	if (result == VKR_OK && stripes->count == 0)
		vkr_slot_release(slot, 0, pool);
	return result;
}

static enum vkr_result open_tree(struct vkr_fast *fast, uint64_t *slot, unsigned stride,
				 struct vkr_error *error)
{
	return vkr_slot_kind(*slot) == VKR_SLOT_STRIPES
		       ? VKR_OK
		       : vkr_stripes_make(slot, stride, &fast->engine->pool, error);
}

// What is to be done for one row.
struct row_plan {
	struct vkr_stripe_head whole; // the row's, before what is remembered already is taken out
	struct plan write, access;
};

static bool plan_row(struct vkr_fast *fast, struct vkr_access *access, unsigned stride,
		     struct vkr_stripe_row *row, struct row_plan *plan)
{
	const struct vkr_page *page = row->page;
	*plan = (struct row_plan){.whole = row->head};
	if (!slot_is_safe(fast, access, stride, page->write, row, &fast->safe_write) ||
	    !slot_is_safe(fast, access, stride, page->access, row, &fast->safe_access))
		return false;
	if (fast->remembers)
		return plan_read(fast, page->access, row, &plan->access);
	plan_write(page->write, row, &plan->write);
	plan_write(page->access, row, &plan->access);
	return true;
}

static unsigned count_of(uint64_t slot)
{
	return slot == 0 ? 0 : vkr_slot_stripes(slot)->count;
}

// Whether there is room for what the rows make of their pages. What one of them leaves of a stripe
// the next one may cut again.
static bool has_room(const struct vkr_fast *fast, const struct vkr_stripe_rows *rows,
		     const struct row_plan *plans)
{
	unsigned more = 0, most = 0;
	for (unsigned i = 0; i < rows->count; i++) {
		const struct vkr_page *page = rows->items[i].page;
		const unsigned writes = fast->remembers ? 0 : count_of(page->write);
		const unsigned accesses = count_of(page->access);
		more += plans[i].write.more + plans[i].access.more + 1;
		most = writes > most ? writes : most;
		most = accesses > most ? accesses : most;
	}
	return most + VKR_STRIPE_ROWS * more <= VKR_STRIPES_MOST;
}

static enum vkr_result judge_stripes_remember(struct vkr_fast *fast, unsigned stride,
					      const struct vkr_stripe_row *row,
					      const struct row_plan *plan, struct vkr_error *error)
{
	struct vkr_page *page = row->page;
	uint64_t *own = fast->remembers ? &page->access : &page->write;
	uint64_t any = 0;
	enum vkr_result result =
		cut_planned(fast, &page->access, &plan->whole, &plan->access, error);
	if (result == VKR_OK)
		result = cut_planned(fast, &page->write, &plan->whole, &plan->write, error);
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++)
		any |= row->head.elements[word];
	if (result != VKR_OK || any == 0)
		return result;
	result = open_tree(fast, own, stride, error);
	if (result == VKR_OK)
		result = vkr_stripes_reserve(own, 1, &fast->engine->pool, error);
	return result == VKR_OK ? vkr_stripes_add(vkr_slot_stripes(*own), &row->head, row->fields,
						  &fast->engine->pool, error)
				: result;
}

// Makes stripes of what is to be cut, or to be added to; *open: they are of the stride.
static enum vkr_result open_page(struct vkr_fast *fast, const struct vkr_stripe_row *row,
				 unsigned stride, bool *open, struct vkr_error *error)
{
	struct vkr_page *page = row->page;
	uint64_t *own = fast->remembers ? &page->access : &page->write;
	enum vkr_result result = VKR_OK;
	*open = vkr_judge_stripe_stride(fast, row->start, stride) == stride;
	if (*open && *own != 0)
		result = open_tree(fast, own, stride, error);
	if (*open && result == VKR_OK && !fast->remembers && page->access != 0)
		result = open_tree(fast, &page->access, stride, error);
	return result;
}

enum vkr_result vkr_judge_stripes(struct vkr_fast *fast, struct vkr_access *access,
				  struct vkr_stripe_rows *rows, bool *judged,
				  struct vkr_error *error)
{
	struct row_plan plans[VKR_STRIPE_ROWS];
	enum vkr_result result = VKR_OK;
	*judged = true;
	for (unsigned i = 0; i < rows->count && *judged && result == VKR_OK; i++)
		result = open_page(fast, &rows->items[i], rows->stride, judged, error);
	for (unsigned i = 0; i < rows->count && *judged && result == VKR_OK; i++)
		*judged = plan_row(fast, access, rows->stride, &rows->items[i], &plans[i]);
	*judged = *judged && result == VKR_OK && has_room(fast, rows, plans);
	for (unsigned i = 0; i < rows->count && *judged && result == VKR_OK; i++) {
		// Those before it may be of its page.
		if (i > 0) {
			rows->items[i].head = plans[i].whole;
			*judged = plan_row(fast, access, rows->stride, &rows->items[i], &plans[i]);
			assert(*judged);
		}
		result = judge_stripes_remember(fast, rows->stride, &rows->items[i], &plans[i],
						error);
	}
	rows->count = 0;
	return result;
}
