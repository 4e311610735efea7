// SPDX-License-Identifier: Apache-2.0
#include "sparse_places.h"

#include "array.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

void vkr_sparse_places_finish(struct vkr_sparse_places *places)
{
	free(places->of_resources.items);
	free(places->of_memory.items);
	*places = (struct vkr_sparse_places){0};
}

static bool ends_until(const struct vkr_sparse_place *place, uint64_t resource, uint64_t offset)
{
	return place->resource < resource || (place->resource == resource && place->high <= offset);
}

static bool begins_before(const struct vkr_sparse_place *place, uint64_t memory, uint64_t offset)
{
	return place->memory < memory || (place->memory == memory && place->memory_low < offset);
}

// The first place of the resource that ends after the offset, or of a later resource.
static size_t first_of_resource(const struct vkr_sparse_places *places, uint64_t resource,
				uint64_t offset)
{
	size_t low = 0;
	VKR_SEARCH(low, places->of_resources.count, at,
		   ends_until(&places->of_resources.items[at], resource, offset));
	return low;
}

// The first place of the memory that does not begin before the offset there, or of a later one.
static size_t first_of_memory(const struct vkr_sparse_places *places, uint64_t memory,
			      uint64_t offset)
{
	size_t low = 0;
	VKR_SEARCH(low, places->of_memory.count, at,
		   begins_before(&places->of_memory.items[at], memory, offset));
	return low;
}

// Into both lists; false for lack of memory.
static bool insert_place(struct vkr_sparse_places *places, struct vkr_sparse_place place)
{
	if (place.low >= place.high || place.memory == 0)
		return true;
	if (!VKR_ARRAY_RESERVE(&places->of_resources, 1) ||
	    !VKR_ARRAY_RESERVE(&places->of_memory, 1))
		return false;
	const size_t first = first_of_resource(places, place.resource, place.low);
	struct vkr_sparse_place *at = &places->of_resources.items[first];
	memmove(at + 1, at, (places->of_resources.count++ - first) * sizeof *at);
	*at = place;
	const size_t second = first_of_memory(places, place.memory, place.memory_low);
	at = &places->of_memory.items[second];
	memmove(at + 1, at, (places->of_memory.count++ - second) * sizeof *at);
	*at = place;
	if (places->widest < place.high - place.low)
		places->widest = place.high - place.low;
	return true;
}

// Out of both lists.
static struct vkr_sparse_place take_place(struct vkr_sparse_places *places, size_t index)
{
	struct vkr_sparse_place *at = &places->of_resources.items[index];
	const struct vkr_sparse_place taken = *at;
	memmove(at, at + 1, (--places->of_resources.count - index) * sizeof *at);
	size_t other = first_of_memory(places, taken.memory, taken.memory_low);
	while (places->of_memory.items[other].resource != taken.resource ||
	       places->of_memory.items[other].low != taken.low)
		other++;
	at = &places->of_memory.items[other];
	memmove(at, at + 1, (--places->of_memory.count - other) * sizeof *at);
	return taken;
}

// Whether it is known which bytes of one place are those of the other.
static bool are_known(const struct vkr_sparse_place *a, const struct vkr_sparse_place *b)
{
	return a->mapped && b->mapped && a->shape == b->shape &&
	       (a->shape == 0 || a->memory_low == b->memory_low);
}

static bool is_shared(const struct vkr_sparse_places *places, const struct vkr_sparse_place *place)
{
	const uint64_t end = place->memory_low + (place->high - place->low);
	const uint64_t back =
		places->widest < place->memory_low ? place->memory_low - places->widest : 0;
	for (size_t at = first_of_memory(places, place->memory, back); at < places->of_memory.count;
	     at++) {
		const struct vkr_sparse_place *other = &places->of_memory.items[at];
		if (other->memory != place->memory || other->memory_low >= end)
			break;
		if (other->resource != place->resource && !are_known(other, place) &&
		    other->memory_low + (other->high - other->low) > place->memory_low)
			return true;
	}
	return false;
}

bool vkr_sparse_places_bind(struct vkr_sparse_places *places, const struct vkr_sparse_place *place,
			    bool *shared)
{
	for (;;) {
		const size_t at = first_of_resource(places, place->resource, place->low);
		if (at == places->of_resources.count ||
		    places->of_resources.items[at].resource != place->resource ||
		    places->of_resources.items[at].low >= place->high)
			break;
		// Parts on either side of the new place stay bound.
		const struct vkr_sparse_place old = take_place(places, at);
		struct vkr_sparse_place left = old, right = old;
		left.high = place->low;
		right.low = place->high;
		right.memory_low += place->high - old.low;
		if ((old.low < place->low && !insert_place(places, left)) ||
		    (place->high < old.high && !insert_place(places, right)))
			return false;
	}
	*shared = place->memory != 0 && is_shared(places, place);
	return insert_place(places, *place);
}
