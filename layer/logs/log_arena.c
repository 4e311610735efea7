// SPDX-License-Identifier: Apache-2.0
#include "log_arena.h"

#include <stddef.h>
#include <sys/mman.h>

// Where little else is; each device of a process takes the first that is free. The first of them
// are where ThreadSanitizer lets programs have memory, the others where AddressSanitizer does.
static const uint64_t places[] = {
	UINT64_C(0x4000000000),   UINT64_C(0x4800000000),   UINT64_C(0x5000000000),
	UINT64_C(0x5800000000),   UINT64_C(0x5a0000000000), UINT64_C(0x5a0800000000),
	UINT64_C(0x5a1000000000), UINT64_C(0x5a1800000000),
};

// Whatever the size of a page.
#define ALIGNMENT UINT64_C(65536)

#define PARTS      16u
#define LEAST_PART (UINT64_C(1) << 20)

void vkr_log_arena_start(struct vkr_log_arena *arena, uint64_t bytes)
{
	*arena = (struct vkr_log_arena){0};
	for (size_t at = 0; at < sizeof places / sizeof *places; at++) {
		void *wanted = (void *)(uintptr_t)places[at];
		// A hint, which the kernel takes where nothing is, and ThreadSanitizer may change.
		void *map = mmap(wanted, bytes, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (map == MAP_FAILED)
			continue;
		if (map == wanted) {
			*arena = (struct vkr_log_arena){.memory = map, .bytes = bytes};
			return;
		}
		munmap(map, bytes);
	}
}

void vkr_log_arena_finish(struct vkr_log_arena *arena)
{
	if (arena->memory && arena->used < arena->bytes)
		munmap(arena->memory + arena->used, arena->bytes - arena->used);
	*arena = (struct vkr_log_arena){0};
}

uint64_t vkr_log_arena_part(const struct vkr_log_arena *arena, uint64_t wanted)
{
	if (arena->used < arena->bytes / 2)
		return wanted;
	uint64_t part = (arena->bytes - arena->used) / PARTS;
	part -= part % ALIGNMENT;
	if (part < LEAST_PART)
		part = LEAST_PART;
	return wanted < part ? wanted : part;
}

// A place for a mapping, never to be had again; NULL where there is no room, or no arena.
static void *take_place(struct vkr_log_arena *arena, uint64_t bytes)
{
	bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (!arena->memory || bytes > arena->bytes - arena->used)
		return NULL;
	void *place = arena->memory + arena->used;
	arena->used += bytes;
	return place;
}

void *vkr_log_arena_map(struct vkr_log_arena *arena, uint64_t bytes)
{
	void *place = take_place(arena, bytes);
	if (arena->memory && !place)
		return NULL;
	void *map =
		mmap(place, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (place ? MAP_FIXED : 0), -1, 0);
	return map == MAP_FAILED ? NULL : map;
}
