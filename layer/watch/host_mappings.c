// SPDX-License-Identifier: Apache-2.0
#include "host_mappings.h"

#include "array.h"
#include "search.h"

#include <pthread.h>
#include <string.h>

// Innermost lock. Sorted by pointer; mappings do not overlap.
static struct {
	pthread_rwlock_t lock;
	struct vkr_host_mapping *items;
	size_t count, capacity;
} all = {.lock = PTHREAD_RWLOCK_INITIALIZER};

// The position of the first mapping that ends after the pointer.
static size_t first_after(uintptr_t pointer)
{
	size_t low = 0;
	VKR_SEARCH(low, all.count, at, all.items[at].pointer + all.items[at].bytes <= pointer);
	return low;
}

static void take_out(size_t at, size_t count)
{
	memmove(&all.items[at], &all.items[at + count],
		(all.count - at - count) * sizeof *all.items);
	all.count -= count;
}

bool vkr_host_mappings_add(const struct vkr_host_mapping *mapping)
{
	pthread_rwlock_wrlock(&all.lock);
	const bool room = VKR_ARRAY_RESERVE(&all, 1);
	if (room) {
		const size_t at = first_after(mapping->pointer);
		size_t end = at;
		while (end < all.count &&
		       all.items[end].pointer < mapping->pointer + mapping->bytes)
			end++;
		take_out(at, end - at);
		memmove(&all.items[at + 1], &all.items[at], (all.count - at) * sizeof *all.items);
		all.items[at] = *mapping;
		all.count++;
	}
	pthread_rwlock_unlock(&all.lock);
	return room;
}

void vkr_host_mappings_remove(const void *pointer)
{
	pthread_rwlock_wrlock(&all.lock);
	const size_t at = first_after((uintptr_t)pointer);
	if (at < all.count && all.items[at].pointer == (uintptr_t)pointer)
		take_out(at, 1);
	pthread_rwlock_unlock(&all.lock);
}

bool vkr_host_mappings_find(uintptr_t pointer, size_t bytes, struct vkr_host_mapping *found)
{
	pthread_rwlock_rdlock(&all.lock);
	const size_t at = first_after(pointer);
	const bool there = at < all.count && all.items[at].pointer < pointer + bytes;
	if (there)
		*found = all.items[at];
	pthread_rwlock_unlock(&all.lock);
	if (!there)
		return false;
	const uintptr_t first = found->pointer > pointer ? found->pointer : pointer;
	const uintptr_t mapped_end = found->pointer + found->bytes;
	const uintptr_t end = mapped_end < pointer + bytes ? mapped_end : pointer + bytes;
	found->offset += first - found->pointer;
	found->pointer = first;
	found->bytes = end - first;
	return true;
}
