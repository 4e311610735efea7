// SPDX-License-Identifier: Apache-2.0
// Ownership of bytes by queue families. "If [...] no ownership transfer is defined, the contents of
// that resource are undefined for any read accesses performed by the second queue family" (Vulkan
// specification, "Queue Family Ownership Transfer"). Knows nothing of barriers.
#include "ownership.h"

#include "array.h"
#include "error.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

void vkr_ownership_finish(struct vkr_ownership *ownership)
{
	free(ownership->ranges.items);
	free(ownership->transfers.items);
	free(ownership->tried.items);
	*ownership = (struct vkr_ownership){0};
}

// ---- Exclusive ranges ---------------------------------------------------------------------------

static enum vkr_result insert_range(struct vkr_ownership *ownership, size_t at,
				    struct vkr_exclusive_range range, struct vkr_error *error)
{
	if (!VKR_ARRAY_RESERVE(&ownership->ranges, 1))
		return vkr_error_memory(error, "ownership");
	struct vkr_exclusive_range *items = ownership->ranges.items;
	memmove(items + at + 1, items + at, (ownership->ranges.count - at) * sizeof *items);
	items[at] = range;
	ownership->ranges.count++;
	return VKR_OK;
}

// The first range that ends after the offset.
static size_t first_after(const struct vkr_ownership *ownership, uint64_t offset)
{
	size_t low = 0;
	VKR_SEARCH(low, ownership->ranges.count, at, ownership->ranges.items[at].high <= offset);
	return low;
}

// The first transfer that does not begin before the offset.
static size_t first_from(const struct vkr_ownership *ownership, uint64_t offset)
{
	size_t low = 0;
	VKR_SEARCH(low, ownership->transfers.count, at,
		   ownership->transfers.items[at].low < offset);
	return low;
}

static void drop_transfers(struct vkr_ownership *ownership, uint64_t low, uint64_t high)
{
	const size_t first = first_from(ownership, low), end = first_from(ownership, high);
	size_t kept = first;
	for (size_t at = first; at < ownership->transfers.count; at++)
		if (at >= end || ownership->transfers.items[at].high > high)
			ownership->transfers.items[kept++] = ownership->transfers.items[at];
	ownership->transfers.count = kept;
}

enum vkr_result vkr_ownership_range(struct vkr_ownership *ownership, uint64_t low, uint64_t high,
				    bool exclusive, struct vkr_error *error)
{
	size_t at = first_after(ownership, low);
	enum vkr_result result = VKR_OK;
	if (low >= high)
		return VKR_OK;
	drop_transfers(ownership, low, high);
	// What is there is cut to make room.
	while (result == VKR_OK && at < ownership->ranges.count &&
	       ownership->ranges.items[at].low < high) {
		struct vkr_exclusive_range *there = &ownership->ranges.items[at];
		const struct vkr_exclusive_range rest = {high, there->high, there->exclusive};
		if (there->low < low) {
			there->high = low;
			at++;
			if (rest.low < rest.high)
				result = insert_range(ownership, at, rest, error);
		} else if (rest.low < rest.high) {
			there->low = high;
		} else {
			memmove(there, there + 1,
				(ownership->ranges.count - at - 1) * sizeof *there);
			ownership->ranges.count--;
		}
	}
	return result == VKR_OK
		       ? insert_range(ownership, at,
				      (struct vkr_exclusive_range){low, high, exclusive}, error)
		       : result;
}

// Narrows [*low, *high) around the offset by [from, to).
static bool ownership_narrow(uint64_t offset, uint64_t from, uint64_t to, uint64_t *low,
			     uint64_t *high)
{
	const bool inside = offset >= from && offset < to;
	if (from <= offset && inside)
		*low = *low > from ? *low : from;
	if (to <= offset)
		*low = *low > to ? *low : to;
	if (from > offset)
		*high = *high < from ? *high : from;
	if (to > offset && inside)
		*high = *high < to ? *high : to;
	return inside;
}

static bool is_exclusive(const struct vkr_ownership *ownership, uint64_t offset, uint64_t *low,
			 uint64_t *high)
{
	const size_t at = first_after(ownership, offset);
	if (at > 0)
		ownership_narrow(offset, ownership->ranges.items[at - 1].low,
				 ownership->ranges.items[at - 1].high, low, high);
	return at < ownership->ranges.count &&
	       ownership_narrow(offset, ownership->ranges.items[at].low,
				ownership->ranges.items[at].high, low, high) &&
	       ownership->ranges.items[at].exclusive;
}

// ---- Transfers ----------------------------------------------------------------------------------

static bool is_of(const struct vkr_transfer *kept, const struct vkr_engine_transfer *half)
{
	return kept->low == half->offset && kept->high == half->offset + half->bytes &&
	       kept->from == half->from && kept->to == half->to && kept->key == half->key;
}

// NULL for lack of memory.
static struct vkr_transfer *transfer_of(struct vkr_ownership *ownership,
					const struct vkr_engine_transfer *half)
{
	const uint64_t high = half->offset + half->bytes;
	size_t at = first_from(ownership, half->offset);
	for (; at < ownership->transfers.count; at++) {
		struct vkr_transfer *kept = &ownership->transfers.items[at];
		if (kept->low != half->offset || kept->high > high)
			break;
		if (is_of(kept, half))
			return kept;
	}
	if (!VKR_ARRAY_RESERVE(&ownership->transfers, 1) ||
	    !VKR_ARRAY_RESERVE(&ownership->tried, ownership->transfers.count + 1))
		return NULL;
	struct vkr_transfer *made = &ownership->transfers.items[at];
	memmove(made + 1, made, (ownership->transfers.count++ - at) * sizeof *made);
	*made = (struct vkr_transfer){.low = half->offset,
				      .high = high,
				      .from = half->from,
				      .to = half->to,
				      .key = half->key};
	if (ownership->widest < half->bytes)
		ownership->widest = half->bytes;
	return made;
}

// The transfers among which all are that reach the offset.
struct window {
	const struct vkr_transfer *items;
	size_t count;
};

static struct window window_at(const struct vkr_ownership *ownership, uint64_t offset)
{
	const size_t first = first_from(
		ownership, offset < ownership->widest ? 0 : offset - ownership->widest + 1);
	const size_t end = first_from(ownership, offset + 1);
	if (first >= end)
		return (struct window){NULL, 0}; // there need be no items
	return (struct window){ownership->transfers.items + first, end - first};
}

enum vkr_result vkr_ownership_transfer(struct vkr_ownership *ownership,
				       const struct vkr_engine_transfer *half, uint64_t commands,
				       struct vkr_error *error)
{
	struct vkr_transfer *transfer = transfer_of(ownership, half);
	if (transfer == NULL)
		return vkr_error_memory(error, "ownership");
	const struct vkr_transfer_half here = {++ownership->halves, commands, half->tag};
	if (!half->acquire) {
		transfer->released = here;
		return VKR_OK;
	}
	// What comes from outside was released there.
	const bool outside = half->from == VKR_ENGINE_ANY_FAMILY;
	transfer->unmatched = (struct vkr_transfer_half){0};
	if (transfer->released.order == 0 && !outside) {
		transfer->unmatched = here;
		return VKR_OK;
	}
	transfer->transferred_from = outside ? here : transfer->released;
	transfer->transferred_to = here;
	transfer->released = (struct vkr_transfer_half){0};
	return VKR_OK;
}

// Whether transfers lead from a family, that owns the bytes after `since`, to the reader's before
// the read. `tried`: a byte for each transfer; what one leads to is looked at once.
static bool ownership_leads(const struct window *window,
			    const struct vkr_ownership_question *question, uint64_t offset,
			    uint32_t from, const struct vkr_transfer_half *since,
			    unsigned char *tried)
{
	for (size_t at = 0; at < window->count; at++) {
		const struct vkr_transfer *by = &window->items[at];
		if (tried[at] || by->transferred_to.order == 0 || offset < by->low ||
		    offset >= by->high || (by->from != from && by->from != VKR_ENGINE_ANY_FAMILY) ||
		    by->transferred_from.commands < since->commands ||
		    by->transferred_from.order <= since->order ||
		    by->transferred_to.commands >= question->read)
			continue;
		tried[at] = 1;
		if (by->to == question->to ||
		    ownership_leads(window, question, offset, by->to, &by->transferred_to, tried))
			return true;
	}
	return false;
}

static bool is_handed_on(const struct vkr_ownership *ownership, const struct window *window,
			 const struct vkr_ownership_question *question, uint64_t offset)
{
	const struct vkr_transfer_half write = {0, question->write, 0};
	unsigned char *tried = ownership->tried.items;
	if (window->count == 0)
		return false;
	memset(tried, 0, window->count);
	return ownership_leads(window, question, offset, question->from, &write, tried);
}

static bool is_between(const struct vkr_transfer_half *half,
		       const struct vkr_ownership_question *question)
{
	return half->order != 0 && half->commands >= question->write &&
	       half->commands < question->read;
}

// Whether the bytes were given away after the write.
static bool is_away(const struct window *window, const struct vkr_ownership_question *question,
		    uint64_t offset)
{
	for (size_t at = 0; at < window->count; at++) {
		const struct vkr_transfer *by = &window->items[at];
		if (by->from == question->from && offset >= by->low && offset < by->high &&
		    (is_between(&by->released, question) ||
		     is_between(&by->transferred_from, question)))
			return true;
	}
	return false;
}

// The last half that was given without its other one.
static const struct vkr_transfer *half_of(const struct window *window,
					  const struct vkr_ownership_question *question,
					  uint64_t offset, uint32_t *lacks)
{
	const struct vkr_transfer *found = NULL;
	uint64_t order = 0;
	uint32_t of = 0;
	for (size_t at = 0; at < window->count; at++) {
		const struct vkr_transfer *by = &window->items[at];
		if (offset < by->low || offset >= by->high || by->from != question->from)
			continue;
		if (is_between(&by->released, question) && by->released.order > order) {
			found = by;
			of = VKR_SHORT_NOT_ACQUIRED;
			order = by->released.order;
		}
		if (is_between(&by->unmatched, question) && by->to == question->to &&
		    by->unmatched.order > order) {
			found = by;
			of = VKR_SHORT_NOT_RELEASED;
			order = by->unmatched.order;
		}
	}
	*lacks |= of;
	return found;
}

// Narrows [*low, *high) to where the same transfers reach as at the offset.
static void narrow_to(const struct vkr_ownership *ownership, const struct window *window,
		      uint64_t offset, uint64_t *low, uint64_t *high)
{
	const size_t next = first_from(ownership, offset + 1);
	for (size_t at = 0; at < window->count; at++)
		ownership_narrow(offset, window->items[at].low, window->items[at].high, low, high);
	if (next < ownership->transfers.count && ownership->transfers.items[next].low < *high)
		*high = ownership->transfers.items[next].low;
	if (next > window->count) // those further back end somewhere before
		*low = offset;
}

uint32_t vkr_ownership_lacks(const struct vkr_ownership *ownership,
			     const struct vkr_ownership_question *question, uint64_t offset,
			     uint64_t *low, uint64_t *high)
{
	uint32_t lacks = VKR_SHORT_OWNERSHIP;
	if (!is_exclusive(ownership, offset, low, high))
		return 0;
	const struct window window = window_at(ownership, offset);
	narrow_to(ownership, &window, offset, low, high);
	if (question->from == question->to && !is_away(&window, question, offset))
		return 0;
	if (is_handed_on(ownership, &window, question, offset))
		return 0;
	half_of(&window, question, offset, &lacks);
	return lacks;
}

bool vkr_ownership_half(const struct vkr_ownership *ownership,
			const struct vkr_ownership_question *question, uint64_t offset,
			uint64_t *tag)
{
	uint32_t lacks = 0;
	const struct window window = window_at(ownership, offset);
	const struct vkr_transfer *half = half_of(&window, question, offset, &lacks);
	if (half != NULL)
		*tag = lacks & VKR_SHORT_NOT_ACQUIRED ? half->released.tag : half->unmatched.tag;
	return half != NULL;
}

void vkr_ownership_tags(const struct vkr_ownership *ownership,
			void (*tag)(void *context, uint64_t tag), void *context)
{
	for (size_t i = 0; i < ownership->transfers.count; i++) {
		if (ownership->transfers.items[i].released.order != 0)
			tag(context, ownership->transfers.items[i].released.tag);
		if (ownership->transfers.items[i].unmatched.order != 0)
			tag(context, ownership->transfers.items[i].unmatched.tag);
	}
}
