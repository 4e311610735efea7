// SPDX-License-Identifier: Apache-2.0
// Memory for the nodes of shadow memory: pieces of few sizes, taken from large blocks whose pages
// are accessed beforehand. Knows nothing of what lies in the pieces.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Piece sizes are powers of two from 32 bytes on, and, from 256 on, such with 64 bytes more.
#define VKR_POOL_SMALLEST 5u
#define VKR_POOL_SIZES    80u

struct vkr_pool_block {
	struct vkr_pool_block *next;
	size_t bytes;
};

struct vkr_pool {
	void *free[VKR_POOL_SIZES]; // lists, by twice the size's binary logarithm, 1 more for the
				    // 64
	struct vkr_pool_block *blocks;
	size_t block_bytes;  // of the newest block
	char *at, *end;      // unused rest of the newest block
	char *ready;         // its pages before this one are memory already
	uint64_t held, peak; // bytes of pieces in use
};

void vkr_pool_init(struct vkr_pool *pool);
void vkr_pool_finish(struct vkr_pool *pool);

// At least `bytes` bytes, not initialized, aligned to 32, or to 64 where they are more; NULL for
// lack of memory.
void *vkr_pool_take(struct vkr_pool *pool, size_t bytes);

// Gives back a piece that was taken with the same `bytes`.
void vkr_pool_give(struct vkr_pool *pool, void *piece, size_t bytes);
