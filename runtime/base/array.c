// SPDX-License-Identifier: Apache-2.0
#include "array.h"

#include <stdint.h>
#include <stdlib.h>

bool vkr_array_reserve(void **items, size_t *capacity, size_t wanted, size_t size)
{
	if (wanted <= *capacity)
		return true;
	size_t grown = *capacity + *capacity / 2;
	if (grown < wanted)
		grown = wanted < 8 ? 8 : wanted;
	if (grown > SIZE_MAX / size)
		return false;
	void *moved = realloc(*items, grown * size);
	if (!moved)
		return false;
	*items = moved;
	*capacity = grown;
	return true;
}
