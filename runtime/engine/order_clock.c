// SPDX-License-Identifier: Apache-2.0
#include "order_clock.h"

#include "map.h"

static bool order_clock_single(uint64_t key)
{
	return key % VKR_CLOCK_KINDS == VKR_CLOCK_SINGLE;
}

// Where an entry stands against a node: negative for less.
static int compare_node(uint64_t key, uint64_t position, const struct vkr_clock *node)
{
	if (key != node->key)
		return key < node->key ? -1 : 1;
	if (!order_clock_single(key) || position == node->position)
		return 0;
	return position < node->position ? -1 : 1;
}

// Ties go by key, so that the shape is one all the same.
static bool order_clock_above(const struct vkr_clock *one, const struct vkr_clock *other)
{
	uint64_t a =
		vkr_map_hash(one->key ^ (order_clock_single(one->key) ? one->position << 32 : 0));
	uint64_t b = vkr_map_hash(other->key ^
				  (order_clock_single(other->key) ? other->position << 32 : 0));
	return a != b ? a > b : compare_node(one->key, one->position, other) < 0;
}

const struct vkr_clock *vkr_clock_find(const struct vkr_clock *clock, uint64_t agent,
				       enum vkr_clock_kind kind, uint64_t position)
{
	uint64_t key = agent * VKR_CLOCK_KINDS + (uint64_t)kind;
	while (clock) {
		int side = compare_node(key, position, clock);
		if (side == 0)
			return clock;
		clock = side < 0 ? clock->less : clock->greater;
	}
	return NULL;
}

uint16_t vkr_sets_within(unsigned semantics)
{
	uint16_t sets = 0;
	for (unsigned set = semantics; set != 0; set = (set - 1) & semantics)
		sets |= (uint16_t)(1u << set);
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

// The node with other children or another position; itself where nothing is other.
static const struct vkr_clock *
order_clock_remake(struct vkr_clock_arena *memory, const struct vkr_clock *node,
		   const struct vkr_clock *less, const struct vkr_clock *greater, uint64_t position)
{
	if (node->less == less && node->greater == greater && node->position == position)
		return node;
	struct vkr_clock *made = vkr_arena_alloc(&memory->arena, sizeof *made);
	if (!made) {
		memory->failed = true;
		return node;
	}
	*made = (struct vkr_clock){less, greater, node->key, position};
	return made;
}

// Splits the clock into the parts before and after the entry of `at`, and that entry itself if it
// exists. Depth, as everywhere here, is logarithmic in the number of entries.
static const struct vkr_clock *order_clock_split(struct vkr_clock_arena *memory,
						 const struct vkr_clock *clock,
						 const struct vkr_clock *at,
						 const struct vkr_clock **less,
						 const struct vkr_clock **greater)
{
	const struct vkr_clock *inner = NULL, *found = NULL;
	if (!clock) {
		*less = *greater = NULL;
		return NULL;
	}
	int side = compare_node(at->key, at->position, clock);
	if (side == 0) {
		*less = clock->less;
		*greater = clock->greater;
		return clock;
	}
	if (side < 0) {
		found = order_clock_split(memory, clock->less, at, less, &inner);
		*greater =
			order_clock_remake(memory, clock, inner, clock->greater, clock->position);
	} else {
		found = order_clock_split(memory, clock->greater, at, &inner, greater);
		*less = order_clock_remake(memory, clock, clock->less, inner, clock->position);
	}
	return found;
}

struct united {
	const struct vkr_clock *clock;
	bool is_left, is_right; // it has no more than that one
};

// The union, the later position where both have an entry. Equal parts are left as they are, found
// by their address. A clock that holds the other is the result itself, so that what comes of both
// shares it; the left one where they are equal.
static struct united join_clocks(struct vkr_clock_arena *memory, const struct vkr_clock *left,
				 const struct vkr_clock *right)
{
	const struct vkr_clock *less = NULL, *greater = NULL;
	if (!right || left == right)
		return (struct united){left, true, left == right};
	if (!left)
		return (struct united){right, false, true};
	if (compare_node(left->key, left->position, right) != 0 && order_clock_above(right, left)) {
		order_clock_split(memory, left, right, &less, &greater);
		const struct united before = join_clocks(memory, less, right->less);
		const struct united after = join_clocks(memory, greater, right->greater);
		if (before.is_right && after.is_right)
			return (struct united){right, false, true};
		return (struct united){.clock = order_clock_remake(memory, right, before.clock,
								   after.clock, right->position)};
	}
	const struct vkr_clock *other = order_clock_split(memory, right, left, &less, &greater);
	const uint64_t position =
		other && other->position > left->position ? other->position : left->position;
	const struct united before = join_clocks(memory, left->less, less);
	const struct united after = join_clocks(memory, left->greater, greater);
	const bool is_left = before.is_left && after.is_left && position == left->position;
	const bool is_right =
		before.is_right && after.is_right && other && position == other->position;
	if (is_left || is_right)
		return (struct united){is_left ? left : right, is_left, is_right};
	return (struct united){
		.clock = order_clock_remake(memory, left, before.clock, after.clock, position)};
}

static const struct vkr_vector_clock empty;

const struct vkr_vector_clock *vkr_vector_clock_join(struct vkr_clock_arena *memory,
						     const struct vkr_vector_clock *left,
						     const struct vkr_vector_clock *right,
						     uint16_t sets)
{
	struct vkr_vector_clock joined;
	if (!right || !sets || left == right)
		return left;
	const struct vkr_vector_clock *base = left ? left : &empty;
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
				clock = join_clocks(memory, clock, right->clocks[set]).clock;
		}
		joined.clocks[set] = clock;
		same_as_left = same_as_left && clock == base->clocks[set];
		same_as_right = same_as_right && clock == right->clocks[set];
	}
	if (same_as_left)
		return left;
	if (same_as_right)
		return right;
	struct vkr_vector_clock *vector = vkr_arena_alloc(&memory->arena, sizeof *vector);
	if (!vector) {
		memory->failed = true;
		return left;
	}
	*vector = joined;
	return vector;
}

const struct vkr_vector_clock *vkr_vector_clock_add(struct vkr_clock_arena *memory,
						    const struct vkr_vector_clock *vector,
						    uint64_t agent, enum vkr_clock_kind kind,
						    uint64_t position, uint16_t sets)
{
	if (!sets)
		return vector;
	struct vkr_clock *clock = vkr_arena_alloc(&memory->arena, sizeof *clock);
	if (!clock) {
		memory->failed = true;
		return vector;
	}
	clock->key = agent * VKR_CLOCK_KINDS + (uint64_t)kind;
	clock->position = position;
	struct vkr_vector_clock added = {{0}};
	for (unsigned set = 0; set < VKR_CLOCK_SETS; set++) {
		if (sets & (1u << set))
			added.clocks[set] = clock;
	}
	// A view returned as it stands must outlive this call.
	const struct vkr_vector_clock *joined = vkr_vector_clock_join(memory, vector, &added, sets);
	if (joined != &added)
		return joined;
	struct vkr_vector_clock *kept = vkr_arena_alloc(&memory->arena, sizeof *kept);
	if (!kept) {
		memory->failed = true;
		return vector;
	}
	*kept = added;
	return kept;
}
