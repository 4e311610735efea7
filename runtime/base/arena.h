// SPDX-License-Identifier: Apache-2.0
// Memory with one lifetime: allocated piece by piece, released at once.
// Knows nothing of what lies in it.
#pragma once

#include "vkrace/result.h"

#include <stddef.h>

struct vkr_arena_block;

struct vkr_arena {
	struct vkr_arena_block *newest;
	size_t used;  // bytes used of the newest block
	size_t bytes; // bytes of all blocks
};

void vkr_arena_init(struct vkr_arena *arena);

// `size` zeroed bytes, aligned for any type; NULL for lack of memory.
void *vkr_arena_alloc(struct vkr_arena *arena, size_t size);

// A copy of the string's first `length` bytes followed by a NUL; NULL for lack of memory.
char *vkr_arena_string(struct vkr_arena *arena, const char *text, size_t length);

// What printf() prints; NULL for lack of memory.
char *vkr_arena_print(struct vkr_arena *arena, const char *format, ...) VKR_PRINTF(2, 3);

// Releases everything; the arena is as after init.
void vkr_arena_finish(struct vkr_arena *arena);
