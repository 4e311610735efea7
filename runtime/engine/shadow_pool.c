// SPDX-License-Identifier: Apache-2.0
// Blocks from the system, pieces to the shadow. A first access of a page costs many times more than
// judging an access, so that blocks are populated by huge pages. Knows nothing of the pieces'
// contents.
#include "shadow_pool.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_BLOCK   ((size_t)2 << 20)
#define LARGEST_BLOCK ((size_t)64 << 20)
#define HUGE_PAGE     ((size_t)2 << 20)
#define BLOCK_HEADER  ((size_t)64)

void vkr_pool_init(struct vkr_pool *pool)
{
	*pool = (struct vkr_pool){0};
}

void vkr_pool_finish(struct vkr_pool *pool)
{
	while (pool->blocks) {
		struct vkr_pool_block *next = pool->blocks->next;
		munmap(pool->blocks, pool->blocks->bytes);
		pool->blocks = next;
	}
	*pool = (struct vkr_pool){0};
}

#define LINE          ((size_t)64)
#define MORE_BYTES    ((size_t)64)
#define LEAST_OF_MORE ((size_t)256)

static unsigned size_class(size_t bytes)
{
	unsigned class = VKR_POOL_SMALLEST;
	while (((size_t)1 << class) < bytes)
		class ++;
	if (bytes > LEAST_OF_MORE && bytes <= ((size_t)1 << (class - 1)) + MORE_BYTES)
		return 2 * (class - 1) + 1;
	return 2 * class;
}

static size_t class_bytes(unsigned class)
{
	return ((size_t)1 << class / 2) + (class % 2 ? MORE_BYTES : 0);
}

static int block_add(struct vkr_pool *pool, size_t at_least)
{
	struct vkr_pool_block *block;
	size_t bytes = pool->block_bytes ? pool->block_bytes * 2 : FIRST_BLOCK, before;
	char *start;
	if (bytes > LARGEST_BLOCK)
		bytes = LARGEST_BLOCK;
	if (bytes < at_least + BLOCK_HEADER)
		bytes = (at_least + BLOCK_HEADER + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	// Random accesses to shadow memory need huge pages, and these need aligned blocks.
	start = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (start == MAP_FAILED)
		return 0;
	before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
	if (before)
		munmap(start, before);
	munmap(start + before + bytes, HUGE_PAGE - before);
	block = (struct vkr_pool_block *)(void *)(start + before);
	madvise(block, bytes, MADV_HUGEPAGE);
	block->next = pool->blocks;
	block->bytes = bytes;
	pool->blocks = block;
	pool->block_bytes = bytes;
	pool->at = (char *)block + BLOCK_HEADER;
	pool->ready = (char *)block;
	pool->end = (char *)block + bytes;
	return 1;
}

// Makes memory of what comes next in the block.
static void make_ready(struct vkr_pool *pool)
{
#ifdef MADV_POPULATE_WRITE
	madvise(pool->ready, HUGE_PAGE, MADV_POPULATE_WRITE);
#endif
	pool->ready += HUGE_PAGE;
}

// Keeps the first 1 << part bytes of the unused rest for pieces of that size.
static void shadow_pool_spare(struct vkr_pool *pool, unsigned part)
{
	if ((size_t)(pool->end - pool->at) < (size_t)1 << part)
		return;
	memcpy(pool->at, &pool->free[(size_t)2 * part], sizeof(void *));
	pool->free[(size_t)2 * part] = pool->at;
	pool->at += (size_t)1 << part;
}

// The rest of the old block serves smaller pieces later.
static void spare_rest(struct vkr_pool *pool)
{
	while (pool->end - pool->at >= 1 << VKR_POOL_SMALLEST) {
		unsigned part = VKR_POOL_SMALLEST;
		while ((uintptr_t)pool->at % LINE == 0 &&
		       ((size_t)2 << part) <= (size_t)(pool->end - pool->at))
			part++;
		shadow_pool_spare(pool, part);
	}
}

void *vkr_pool_take(struct vkr_pool *pool, size_t bytes)
{
	const unsigned class = size_class(bytes);
	const size_t size = class_bytes(class);
	void *piece = pool->free[class];
	if (piece) {
		memcpy(&pool->free[class], piece, sizeof(void *));
	} else {
		if (size >= LINE && (uintptr_t)pool->at % LINE != 0)
			shadow_pool_spare(pool, VKR_POOL_SMALLEST);
		if ((size_t)(pool->end - pool->at) < size) {
			spare_rest(pool);
			if (!block_add(pool, size))
				return NULL;
		}
		piece = pool->at;
		pool->at += size;
		while (pool->at > pool->ready)
			make_ready(pool);
	}
	pool->held += size;
	if (pool->held > pool->peak)
		pool->peak = pool->held;
	return piece;
}

void vkr_pool_give(struct vkr_pool *pool, void *piece, size_t bytes)
{
	const unsigned class = size_class(bytes);
	memcpy(piece, &pool->free[class], sizeof(void *));
	pool->free[class] = piece;
	pool->held -= class_bytes(class);
}
