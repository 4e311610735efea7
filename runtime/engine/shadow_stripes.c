// SPDX-License-Identifier: Apache-2.0
#include "shadow_stripes.h"

#include "error.h"
#include "slot_translation.h"

#include <assert.h>
#include <string.h>

#define LINE_WORDS ((unsigned)(VKR_LINE_BYTES / VKR_WORD_BYTES))
#define PAGE_LINES ((unsigned)(VKR_PAGE_BYTES / VKR_LINE_BYTES))
#define PAGE_WORDS ((unsigned)(VKR_PAGE_BYTES / VKR_WORD_BYTES))

static size_t stripe_bytes(unsigned stride)
{
	return sizeof(struct vkr_stripe) + vkr_stripes_elements(stride) * sizeof(uint32_t);
}

// Three and the head fill the smallest piece; each next size twice that.
#define LEAST_CAPACITY 3u

static size_t stripes_bytes(unsigned capacity)
{
	return sizeof(struct vkr_stripes) + capacity * sizeof(struct vkr_stripe *);
}

static void stripes_give(const struct vkr_stripes *stripes, struct vkr_stripe *stripe,
			 struct vkr_pool *pool)
{
	vkr_pool_give(pool, stripe, stripe_bytes(stripes->stride));
}

void vkr_stripes_release(uint64_t slot, struct vkr_pool *pool)
{
	struct vkr_stripes *stripes = vkr_slot_stripes(slot);
	for (unsigned i = 0; i < stripes->count; i++)
		stripes_give(stripes, stripes->items[i], pool);
	vkr_pool_give(pool, stripes, stripes_bytes(stripes->capacity));
}

bool vkr_stripes_can_make(uint64_t slot, const struct vkr_epochs *epochs)
{
	if (slot == 0)
		return true;
	if (vkr_slot_kind(slot) != VKR_SLOT_SINGLE || vkr_slot_field(slot) > UINT32_MAX)
		return false;
	const struct vkr_epoch *epoch = &epochs->items[vkr_slot_epoch(slot)];
	return epoch->shape == VKR_SHAPE_UNIFORM && !epoch->table;
}

enum vkr_result vkr_stripes_make(uint64_t *slot, unsigned stride, struct vkr_pool *pool,
				 struct vkr_error *error)
{
	const unsigned elements = vkr_stripes_elements(stride);
	struct vkr_stripes *made = vkr_pool_take(pool, stripes_bytes(LEAST_CAPACITY));
	if (!made)
		return vkr_error_memory(error, "shadow memory");
	made->stride = (uint16_t)stride;
	made->count = 0;
	made->capacity = LEAST_CAPACITY;
	if (*slot != 0) {
		struct vkr_stripe *all = vkr_pool_take(pool, stripe_bytes(stride));
		if (!all) {
			vkr_pool_give(pool, made, stripes_bytes(LEAST_CAPACITY));
			return vkr_error_memory(error, "shadow memory");
		}
		all->head = (struct vkr_stripe_head){.epoch = vkr_slot_epoch(*slot),
						     .high = made->stride};
		for (unsigned at = 0; at < elements; at++) {
			all->head.elements[at / 64] |= UINT64_C(1) << at % 64;
			all->fields[at] = (uint32_t)vkr_slot_field(*slot);
		}
		made->items[made->count++] = all;
	}
	*slot = (uint64_t)(uintptr_t)made | VKR_SLOT_STRIPES;
	return VKR_OK;
}

enum vkr_result vkr_stripes_reserve(uint64_t *slot, unsigned more, struct vkr_pool *pool,
				    struct vkr_error *error)
{
	struct vkr_stripes *old = vkr_slot_stripes(*slot);
	unsigned capacity = old->capacity;
	assert(old->count + more <= VKR_STRIPES_MOST);
	while (capacity < old->count + more)
		capacity = capacity * 2 + 1;
	if (capacity == old->capacity)
		return VKR_OK;
	struct vkr_stripes *made = vkr_pool_take(pool, stripes_bytes(capacity));
	if (!made)
		return vkr_error_memory(error, "shadow memory");
	memcpy(made, old, stripes_bytes(old->count));
	made->capacity = (uint16_t)capacity;
	vkr_pool_give(pool, old, stripes_bytes(old->capacity));
	*slot = (uint64_t)(uintptr_t)made | VKR_SLOT_STRIPES;
	return VKR_OK;
}

static struct vkr_stripe *copy_of(const struct vkr_stripes *stripes, const struct vkr_stripe *from,
				  struct vkr_pool *pool)
{
	const size_t bytes = stripe_bytes(stripes->stride);
	struct vkr_stripe *made = vkr_pool_take(pool, bytes);
	if (made)
		memcpy(made, from, bytes);
	return made;
}

static void set_fields(const struct vkr_stripe_head *head, const uint32_t *from, uint32_t *fields)
{
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++) {
		uint64_t left = head->elements[word];
		while (left != 0) {
			const unsigned at = (unsigned)__builtin_ctzll(left);
			const uint64_t gaps = ~(left >> at);
			const unsigned count = gaps ? (unsigned)__builtin_ctzll(gaps) : 64;
			memcpy(&fields[word * 64 + at], &from[word * 64 + at],
			       count * sizeof *fields);
			left = at + count >= 64 ? 0 : left & UINT64_MAX << (at + count);
		}
	}
}

// Takes from the elements of a head those at whose bytes a stripe behind stripe i says something.
static void leave_free(const struct vkr_stripes *stripes, unsigned i,
		       const struct vkr_stripe_head *head, uint64_t *elements)
{
	while (++i < stripes->count) {
		const struct vkr_stripe_head *other = &stripes->items[i]->head;
		if (other->low >= head->high || other->high <= head->low)
			continue;
		for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++)
			elements[word] &= ~other->elements[word];
	}
}

static bool is_like(const struct vkr_stripe_head *a, const struct vkr_stripe_head *b)
{
	return a->epoch == b->epoch && a->low == b->low && a->high == b->high;
}

enum vkr_result vkr_stripes_add(struct vkr_stripes *stripes, const struct vkr_stripe_head *head,
				const uint32_t *fields, struct vkr_pool *pool,
				struct vkr_error *error)
{
	struct vkr_stripe_head left = *head;
	uint64_t any = 0;
	for (unsigned i = 0; i < stripes->count; i++) {
		struct vkr_stripe *own = stripes->items[i];
		struct vkr_stripe_head now = left;
		if (!is_like(&own->head, head))
			continue;
		// What comes last stands last.
		leave_free(stripes, i, head, now.elements);
		for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++) {
			own->head.elements[word] |= now.elements[word];
			left.elements[word] &= ~now.elements[word];
		}
		set_fields(&now, fields, own->fields);
	}
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++)
		any |= left.elements[word];
	if (any == 0)
		return VKR_OK;
	struct vkr_stripe *made = vkr_pool_take(pool, stripe_bytes(stripes->stride));
	if (!made)
		return vkr_error_memory(error, "shadow memory");
	made->head = left;
	set_fields(&left, fields, made->fields);
	stripes->items[stripes->count++] = made;
	return VKR_OK;
}

// Puts what is left of the elements of stripe i, bytes [low, high), behind it.
static enum vkr_result stripes_leave(struct vkr_stripes *stripes, unsigned i, unsigned low,
				     unsigned high, const uint64_t *elements, struct vkr_pool *pool,
				     struct vkr_error *error)
{
	struct vkr_stripe *made = copy_of(stripes, stripes->items[i], pool);
	if (!made)
		return vkr_error_memory(error, "shadow memory");
	made->head.low = (uint16_t)low;
	made->head.high = (uint16_t)high;
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++)
		made->head.elements[word] &= elements[word];
	memmove(&stripes->items[i + 2], &stripes->items[i + 1],
		(stripes->count - i - 1) * sizeof stripes->items[0]);
	stripes->items[i + 1] = made;
	stripes->count++;
	return VKR_OK;
}

enum vkr_result vkr_stripes_cut(struct vkr_stripes *stripes, unsigned *i, unsigned low,
				unsigned high, const uint64_t *elements, struct vkr_pool *pool,
				struct vkr_error *error)
{
	const unsigned at = *i;
	struct vkr_stripe *stripe = stripes->items[at];
	uint64_t any = 0;
	enum vkr_result result = VKR_OK;
	if (high < stripe->head.high) {
		result = stripes_leave(stripes, at, high, stripe->head.high, elements, pool, error);
		++*i;
	}
	if (low > stripe->head.low && result == VKR_OK) {
		result = stripes_leave(stripes, at, stripe->head.low, low, elements, pool, error);
		++*i;
	}
	if (result != VKR_OK)
		return result;
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++) {
		stripe->head.elements[word] &= ~elements[word];
		any |= stripe->head.elements[word];
	}
	if (any != 0)
		return VKR_OK;
	stripes_give(stripes, stripe, pool);
	stripes->count--;
	memmove(&stripes->items[at], &stripes->items[at + 1],
		(stripes->count - at) * sizeof stripes->items[0]);
	--*i; // wraps below the first, and back
	return VKR_OK;
}

static enum vkr_result stripes_spread(const struct vkr_stripes *stripes, uint64_t *words,
				      struct vkr_pool *pool, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (unsigned i = 0; i < stripes->count; i++) {
		const struct vkr_stripe *stripe = stripes->items[i];
		for (unsigned k = 0; k < vkr_stripes_elements(stripes->stride); k++) {
			const unsigned start = k * stripes->stride;
			const unsigned high = start + stripe->head.high < VKR_PAGE_BYTES
						      ? start + stripe->head.high
						      : (unsigned)VKR_PAGE_BYTES;
			if (!(stripe->head.elements[k / 64] >> k % 64 & 1))
				continue;
			for (unsigned at = start + stripe->head.low; at < high && result == VKR_OK;
			     at += (unsigned)VKR_WORD_BYTES) {
				uint64_t *word = &words[at / VKR_WORD_BYTES];
				if (*word == 0)
					*word = vkr_stripe_slot(stripe, k);
				else
					result = vkr_slot_set_add(word, vkr_stripe_slot(stripe, k),
								  pool, error);
			}
		}
	}
	return result;
}

// The slot of a line of words; gives up nothing where there is no memory.
static enum vkr_result gather_line(const uint64_t *words, uint64_t *slot, struct vkr_pool *pool,
				   struct vkr_error *error)
{
	bool alike = vkr_slot_kind(words[0]) == VKR_SLOT_SINGLE;
	for (unsigned i = 1; i < LINE_WORDS && alike; i++)
		alike = words[i] == words[0];
	if (alike) {
		*slot = words[0];
		return VKR_OK;
	}
	uint64_t *children = vkr_pool_take(pool, LINE_WORDS * sizeof *children);
	if (!children)
		return vkr_error_memory(error, "shadow memory");
	memcpy(children, words, LINE_WORDS * sizeof *children);
	*slot = (uint64_t)(uintptr_t)children | VKR_SLOT_SPLIT;
	return VKR_OK;
}

enum vkr_result vkr_stripes_expand(uint64_t *slot, struct vkr_pool *pool, struct vkr_error *error)
{
	const uint64_t old = *slot;
	uint64_t words[PAGE_WORDS] = {0};
	uint64_t *lines = vkr_pool_take(pool, PAGE_LINES * sizeof *lines);
	if (!lines)
		return vkr_error_memory(error, "shadow memory");
	enum vkr_result result = stripes_spread(vkr_slot_stripes(old), words, pool, error);
	for (unsigned i = 0; i < PAGE_LINES; i++) {
		lines[i] = 0;
		if (result == VKR_OK)
			result = gather_line(&words[i * LINE_WORDS], &lines[i], pool, error);
	}
	*slot = (uint64_t)(uintptr_t)lines | VKR_SLOT_SPLIT;
	vkr_stripes_release(old, pool);
	return result;
}

// ---- Gathering ----------------------------------------------------------------------------------

// Of more the page is not made.
#define GATHERED_MOST 40u

// Stripes of single words of a page that is being gathered.
struct gathering {
	struct vkr_stripes *stripes;
	const struct vkr_epochs *epochs;
	struct vkr_pool *pool;
	unsigned behind; // of the word's stripes so far
	bool failed;     // for lack of memory
};

// What one word remembers; false where stripes cannot say it, or there would be too many.
static bool gather_single(struct gathering *gathering, unsigned word, uint64_t slot)
{
	struct vkr_stripes *stripes = gathering->stripes;
	const unsigned at = word * (unsigned)VKR_WORD_BYTES;
	const unsigned element = at / stripes->stride, low = at % stripes->stride;
	const uint64_t bit = UINT64_C(1) << element % 64;
	struct vkr_stripe *stripe;
	if (slot == 0 || !vkr_stripes_can_make(slot, gathering->epochs))
		return slot == 0;
	for (unsigned i = gathering->behind; i < stripes->count; i++) {
		stripe = stripes->items[i];
		if (stripe->head.epoch != vkr_slot_epoch(slot) || stripe->head.low != low ||
		    (stripe->head.elements[element / 64] & bit))
			continue;
		gathering->behind = i + 1;
		stripe->head.elements[element / 64] |= bit;
		stripe->fields[element] = (uint32_t)vkr_slot_field(slot);
		return true;
	}
	if (stripes->count == GATHERED_MOST)
		return false;
	stripe = vkr_pool_take(gathering->pool, stripe_bytes(stripes->stride));
	gathering->failed = !stripe;
	if (!stripe)
		return false;
	stripe->head = (struct vkr_stripe_head){.epoch = vkr_slot_epoch(slot),
						.low = (uint16_t)low,
						.high = (uint16_t)(low + VKR_WORD_BYTES)};
	stripe->head.elements[element / 64] = bit;
	stripe->fields[element] = (uint32_t)vkr_slot_field(slot);
	stripes->items[stripes->count++] = stripe;
	gathering->behind = stripes->count;
	return true;
}

static bool gather_word(struct gathering *gathering, unsigned word, uint64_t slot)
{
	gathering->behind = 0;
	if (vkr_slot_kind(slot) != VKR_SLOT_SET)
		return gather_single(gathering, word, slot);
	const struct vkr_slot_set *set = vkr_slot_set(slot);
	for (uint32_t i = 0; i < set->count; i++)
		if (!gather_single(gathering, word, set->slots[i]))
			return false;
	return true;
}

static bool gather_parts(struct gathering *gathering, unsigned first, const struct vkr_parts *parts)
{
	for (unsigned at = 0; at < LINE_WORDS; at++) {
		gathering->behind = 0;
		for (unsigned i = 0; i < parts->count; i++) {
			const struct vkr_part part = vkr_part_at(parts, i);
			if (at >= part.low && at < part.high &&
			    !gather_single(gathering, first + at, part.slot))
				return false;
		}
	}
	return true;
}

static bool gather_page(struct gathering *gathering, const uint64_t *lines)
{
	for (unsigned line = 0; line < PAGE_LINES; line++) {
		const uint64_t slot = lines[line];
		const unsigned first = line * LINE_WORDS;
		if (vkr_slot_kind(slot) == VKR_SLOT_PARTS) {
			if (!gather_parts(gathering, first, vkr_slot_parts(slot)))
				return false;
			continue;
		}
		for (unsigned i = 0; i < LINE_WORDS; i++) {
			const uint64_t word = vkr_slot_kind(slot) == VKR_SLOT_SPLIT
						      ? vkr_slot_children(slot)[i]
						      : slot;
			if (!gather_word(gathering, first + i, word))
				return false;
		}
	}
	return true;
}

// Whether nothing between stripes i and j says something of the bytes of j.
static bool may_move(const struct vkr_stripes *stripes, unsigned i, unsigned j)
{
	const struct vkr_stripe_head *moved = &stripes->items[j]->head;
	for (unsigned k = (i < j ? i : j) + 1; k < (i < j ? j : i); k++) {
		const struct vkr_stripe_head *other = &stripes->items[k]->head;
		uint64_t both = 0;
		for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++)
			both |= other->elements[word] & moved->elements[word];
		if (other->low < moved->high && other->high > moved->low && both != 0)
			return false;
	}
	return true;
}

// Lengthens a stripe by the next one of its epoch, where they are of the same invocations. What is
// said beyond the page's end, in its last element, is said of nothing.
static bool stripes_lengthen(const struct vkr_stripes *stripes, struct vkr_stripe *stripe,
			     const struct vkr_stripe *by)
{
	const unsigned last = vkr_stripes_elements(stripes->stride) - 1;
	const bool beyond = last * stripes->stride + by->head.low >= VKR_PAGE_BYTES;
	if (by->head.epoch != stripe->head.epoch || by->head.low != stripe->head.high)
		return false;
	for (unsigned word = 0; word < VKR_STRIPE_BITWORDS; word++) {
		uint64_t apart = stripe->head.elements[word] ^ by->head.elements[word];
		if (beyond && word == last / 64)
			apart &= ~(UINT64_C(1) << last % 64);
		if (apart != 0)
			return false;
		for (uint64_t left = by->head.elements[word]; left != 0; left &= left - 1) {
			const unsigned at = word * 64 + (unsigned)__builtin_ctzll(left);
			if (stripe->fields[at] != by->fields[at])
				return false;
		}
	}
	stripe->head.high = by->head.high;
	return true;
}

static void join_stripes(struct vkr_stripes *stripes, struct vkr_pool *pool)
{
	for (unsigned i = 0; i < stripes->count; i++) {
		for (unsigned j = 0; j < stripes->count; j++) {
			if (j == i || !may_move(stripes, i, j) ||
			    !stripes_lengthen(stripes, stripes->items[i], stripes->items[j]))
				continue;
			stripes_give(stripes, stripes->items[j], pool);
			stripes->count--;
			memmove(&stripes->items[j], &stripes->items[j + 1],
				(stripes->count - j) * sizeof stripes->items[0]);
			i -= j < i;
			j = UINT32_MAX; // from the first one on
		}
	}
}

enum vkr_result vkr_stripes_gather(uint64_t slot, unsigned stride, const struct vkr_epochs *epochs,
				   struct vkr_pool *pool, uint64_t *made, struct vkr_error *error)
{
	*made = 0;
	enum vkr_result result = vkr_stripes_make(made, stride, pool, error);
	if (result != VKR_OK)
		return result;
	struct gathering gathering = {.epochs = epochs, .pool = pool};
	result = vkr_stripes_reserve(made, GATHERED_MOST, pool, error);
	gathering.stripes = vkr_slot_stripes(*made);
	if (result == VKR_OK && gather_page(&gathering, vkr_slot_children(slot))) {
		join_stripes(gathering.stripes, pool);
		return VKR_OK;
	}
	vkr_stripes_release(*made, pool);
	*made = 0;
	return gathering.failed ? vkr_error_memory(error, "shadow memory") : result;
}

enum vkr_result vkr_stripes_translate(uint64_t slot, const struct vkr_translation *by,
				      struct vkr_pool *pool, uint64_t *made,
				      struct vkr_error *error)
{
	const struct vkr_stripes *from = vkr_slot_stripes(slot);
	struct vkr_stripes *to = vkr_pool_take(pool, stripes_bytes(from->capacity));
	if (!to)
		return vkr_error_memory(error, "shadow memory");
	*to = (struct vkr_stripes){.stride = from->stride, .capacity = from->capacity};
	*made = (uint64_t)(uintptr_t)to | VKR_SLOT_STRIPES;
	for (; to->count < from->count; to->count++) {
		struct vkr_stripe *copy = copy_of(from, from->items[to->count], pool);
		if (!copy)
			return vkr_error_memory(error, "shadow memory");
		copy->head.epoch = by->name(by->user, copy->head.epoch);
		to->items[to->count] = copy;
	}
	return VKR_OK;
}

static bool has_same_fields(const struct vkr_stripe *a, const struct vkr_stripe *b,
			    unsigned elements)
{
	if (a->head.low != b->head.low || a->head.high != b->head.high ||
	    memcmp(a->head.elements, b->head.elements, sizeof a->head.elements) != 0)
		return false;
	for (unsigned at = 0; at < elements; at++)
		if (a->head.elements[at / 64] >> at % 64 & 1 && a->fields[at] != b->fields[at])
			return false;
	return true;
}

bool vkr_stripes_is_like(uint64_t slot, uint64_t other, const struct vkr_likeness *by)
{
	const struct vkr_stripes *a = vkr_slot_stripes(slot), *b = vkr_slot_stripes(other);
	if (a->stride != b->stride || a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (!has_same_fields(a->items[i], b->items[i], vkr_stripes_elements(a->stride)) ||
		    !by->agrees(by->user, a->items[i]->head.epoch, b->items[i]->head.epoch))
			return false;
	return true;
}
