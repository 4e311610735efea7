// SPDX-License-Identifier: Apache-2.0
// Sorting of items that may be none. Knows nothing of what the items are.
#pragma once

#include <stddef.h>
#include <stdlib.h>

// qsort() for `count` items of `size` bytes; where there are none `items` may be NULL, which C does
// not allow of qsort() (C17 7.22.5).
static inline void vkr_sort(void *items, size_t count, size_t size,
			    int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, size, compare);
}
