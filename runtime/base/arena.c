// SPDX-License-Identifier: Apache-2.0
#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 * 1024)
#define ALIGNMENT   _Alignof(max_align_t)

struct vkr_arena_block {
	struct vkr_arena_block *older;
	size_t size;
	_Alignas(max_align_t) unsigned char bytes[];
};

void vkr_arena_init(struct vkr_arena *arena)
{
	*arena = (struct vkr_arena){0};
}

void *vkr_arena_alloc(struct vkr_arena *arena, size_t size)
{
	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!arena->newest || arena->newest->size - arena->used < size) {
		size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
		struct vkr_arena_block *block = calloc(1, sizeof *block + room);
		if (!block)
			return NULL;
		block->older = arena->newest;
		block->size = room;
		arena->newest = block;
		arena->used = 0;
		arena->bytes += room;
	}
	void *piece = arena->newest->bytes + arena->used;
	arena->used += size;
	return piece;
}

char *vkr_arena_string(struct vkr_arena *arena, const char *text, size_t length)
{
	char *copy = vkr_arena_alloc(arena, length + 1);
	if (copy && length)
		memcpy(copy, text, length);
	return copy;
}

char *vkr_arena_print(struct vkr_arena *arena, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *text = length < 0 ? NULL : vkr_arena_alloc(arena, (size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

void vkr_arena_finish(struct vkr_arena *arena)
{
	while (arena->newest) {
		struct vkr_arena_block *older = arena->newest->older;
		free(arena->newest);
		arena->newest = older;
	}
	vkr_arena_init(arena);
}
