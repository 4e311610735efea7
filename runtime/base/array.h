// SPDX-License-Identifier: Apache-2.0
// Growable arrays. An array is three plain members of its owner: items, count, capacity.
// Knows nothing of what the items are.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Makes room for at least `wanted` items of `size` bytes in the heap block *items, growing by
// half at least, and updates *capacity. False for lack of memory: then nothing has changed.
// New room is not initialized. The block is released with free().
bool vkr_array_reserve(void **items, size_t *capacity, size_t wanted, size_t size);

// `struct thing *items; size_t count, capacity;` in ARRAY: room for MORE further items.
#define VKR_ARRAY_RESERVE(array, more)                                                             \
	vkr_array_reserve((void **)&(array)->items, &(array)->capacity, (array)->count + (more),   \
			  sizeof *(array)->items)
