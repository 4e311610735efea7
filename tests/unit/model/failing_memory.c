// SPDX-License-Identifier: Apache-2.0
#include "failing_memory.h"

#include <stdbool.h>
#include <stddef.h>

static unsigned made, fails_at;
static bool goes_on;

unsigned failing_memory(unsigned number, int forever)
{
	const unsigned before = made;
	made = 0;
	fails_at = number;
	goes_on = forever != 0;
	return before;
}

static bool fails(void)
{
	made++;
	return fails_at != 0 && (goes_on ? made >= fails_at : made == fails_at);
}

// The names are the linker's.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
	return fails() ? NULL : __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}
