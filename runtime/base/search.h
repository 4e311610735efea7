// SPDX-License-Identifier: Apache-2.0
// Binary search in ordered items. Knows indices; nothing of what the items are.
#pragma once

#include <stddef.h>

// Moves `low`, a size_t, to the first index in [low, end) whose item is not before what is
// searched, or to `end`. `is_before` says that of the item at index `at`, whose name the caller
// chooses: it holds up to some index, and for none from there on.
#define VKR_SEARCH(low, end, at, is_before)                                                        \
	do {                                                                                       \
		size_t search_high = (end);                                                        \
		while ((low) < search_high) {                                                      \
			const size_t at = (low) + (search_high - (low)) / 2;                       \
			if (is_before)                                                             \
				(low) = at + 1;                                                    \
			else                                                                       \
				search_high = at;                                                  \
		}                                                                                  \
	} while (0)
