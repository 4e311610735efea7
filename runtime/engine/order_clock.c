// SPDX-License-Identifier: Apache-2.0
#include "order_clock.h"

#include <string.h>

const struct vkr_clock_entry *vkr_clock_find(const struct vkr_clock *clock, uint64_t agent,
					     const struct vkr_clock_entry **end)
{
	uint64_t key = agent * VKR_CLOCK_KINDS;
	size_t low = 0, high = clock->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (clock->entries[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	const struct vkr_clock_entry *first = &clock->entries[low];
	for (high = low; high < clock->count && clock->entries[high].key < key + VKR_CLOCK_KINDS;)
		high++;
	*end = &clock->entries[high];
	return low < high ? first : NULL;
}

uint16_t vkr_sets_within(unsigned semantics)
{
	uint16_t sets = 0;
	for (unsigned set = 1; set < VKR_CLOCK_SETS; set++) {
		if ((set & semantics) == set)
			sets |= (uint16_t)(1u << set);
	}
	return sets;
}

uint16_t vkr_sets_with(unsigned storage_class)
{
	uint16_t sets = 0;
	for (unsigned set = 1; set < VKR_CLOCK_SETS; set++) {
		if (set & storage_class)
			sets |= (uint16_t)(1u << set);
	}
	return sets;
}

// Merges two clocks into *merged, which has room for both; without it only counts.
static size_t merge(const struct vkr_clock *left, const struct vkr_clock *right,
		    struct vkr_clock_entry *merged)
{
	size_t l = 0, r = 0, count = 0;
	while (l < left->count || r < right->count) {
		const struct vkr_clock_entry *a = l < left->count ? &left->entries[l] : NULL;
		const struct vkr_clock_entry *b = r < right->count ? &right->entries[r] : NULL;
		struct vkr_clock_entry next;
		bool single = a && a->key % VKR_CLOCK_KINDS == VKR_CLOCK_SINGLE;
		if (!b || (a && a->key < b->key)) {
			next = *a;
			l++;
		} else if (!a || b->key < a->key) {
			next = *b;
			r++;
		} else if (single && a->position != b->position) {
			bool first = a->position < b->position;
			next = first ? *a : *b;
			l += first;
			r += !first;
		} else {
			next = a->position > b->position ? *a : *b;
			l++;
			r++;
		}
		if (merged)
			merged[count] = next;
		count++;
	}
	return count;
}

// True where every entry of right is in left, or under a later position of the same key.
static bool holds(const struct vkr_clock *left, const struct vkr_clock *right)
{
	size_t l = 0;
	for (size_t r = 0; r < right->count; r++) {
		const struct vkr_clock_entry *entry = &right->entries[r];
		bool single = entry->key % VKR_CLOCK_KINDS == VKR_CLOCK_SINGLE;
		while (l < left->count && (left->entries[l].key < entry->key ||
					   (left->entries[l].key == entry->key &&
					    left->entries[l].position < entry->position)))
			l++;
		if (l == left->count || left->entries[l].key != entry->key ||
		    (single && left->entries[l].position != entry->position))
			return false;
	}
	return true;
}

static const struct vkr_clock *join(struct vkr_clock_arena *memory, const struct vkr_clock *left,
				    const struct vkr_clock *right)
{
	if (!right || left == right)
		return left;
	if (!left)
		return right;
	if (holds(left, right))
		return left;
	if (holds(right, left))
		return right;
	size_t count = merge(left, right, NULL);
	struct vkr_clock *merged =
		vkr_arena_alloc(&memory->arena, sizeof *merged + count * sizeof *merged->entries);
	if (!merged) {
		memory->failed = true;
		return left;
	}
	merged->count = merge(left, right, merged->entries);
	return merged;
}

static const struct vkr_view empty;

const struct vkr_view *vkr_view_join(struct vkr_clock_arena *memory, const struct vkr_view *left,
				     const struct vkr_view *right, uint16_t sets)
{
	struct vkr_view joined;
	if (!right || !sets || left == right)
		return left;
	const struct vkr_view *base = left ? left : &empty;
	bool same_as_left = true, same_as_right = true;
	for (unsigned set = 0; set < VKR_CLOCK_SETS; set++) {
		const struct vkr_clock *clock = base->clocks[set];
		if (sets & (1u << set)) {
			bool known = false;
			// Most sets have the clocks of another set: then so have the results.
			for (unsigned other = 0; other < set && !known; other++) {
				known = (sets & (1u << other)) && base->clocks[other] == clock &&
					right->clocks[other] == right->clocks[set];
				if (known)
					clock = joined.clocks[other];
			}
			if (!known)
				clock = join(memory, clock, right->clocks[set]);
		}
		joined.clocks[set] = clock;
		same_as_left = same_as_left && clock == base->clocks[set];
		same_as_right = same_as_right && clock == right->clocks[set];
	}
	if (same_as_left)
		return left;
	if (same_as_right)
		return right;
	struct vkr_view *view = vkr_arena_alloc(&memory->arena, sizeof *view);
	if (!view) {
		memory->failed = true;
		return left;
	}
	*view = joined;
	return view;
}

const struct vkr_view *vkr_view_add(struct vkr_clock_arena *memory, const struct vkr_view *view,
				    uint64_t agent, enum vkr_clock_kind kind, uint64_t position,
				    uint16_t sets)
{
	if (!sets)
		return view;
	struct vkr_clock *clock =
		vkr_arena_alloc(&memory->arena, sizeof *clock + sizeof *clock->entries);
	if (!clock) {
		memory->failed = true;
		return view;
	}
	clock->count = 1;
	clock->entries[0] = (struct vkr_clock_entry){
		.key = agent * VKR_CLOCK_KINDS + (uint64_t)kind,
		.position = position,
	};
	struct vkr_view single = {{0}};
	for (unsigned set = 0; set < VKR_CLOCK_SETS; set++) {
		if (sets & (1u << set))
			single.clocks[set] = clock;
	}
	// A view returned as it stands must outlive this call.
	const struct vkr_view *joined = vkr_view_join(memory, view, &single, sets);
	if (joined != &single)
		return joined;
	struct vkr_view *kept = vkr_arena_alloc(&memory->arena, sizeof *kept);
	if (!kept) {
		memory->failed = true;
		return view;
	}
	*kept = single;
	return kept;
}
