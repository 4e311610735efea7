// SPDX-License-Identifier: Apache-2.0
// Address space at a place of the layer's own, the same in every run where it is free, that regions
// are moved into: so that shaders can have its address as a constant, and drivers' caches of
// shaders stay useful. Knows mappings; not what is in them, nor what a device makes of them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vkr_log_arena {
	unsigned char *memory; // a multiple of 4 GiB; NULL: there is none
	uint64_t bytes, used;
};

// Reserves the address space, where some can be had.
void vkr_log_arena_start(struct vkr_log_arena *arena, uint64_t bytes);

// Returns the memory that is not taken; what is taken stays its taker's.
void vkr_log_arena_finish(struct vkr_log_arena *arena);

// How many bytes should be taken next, at most `wanted`. Once half of the arena is taken, each
// taker gets a part of what is left, so that it suffices for ever more takers.
uint64_t vkr_log_arena_part(const struct vkr_log_arena *arena, uint64_t wanted);

// So many bytes of memory, all zeros: of the arena, or anywhere without one. NULL where there are
// none. They are unmapped as any others, and their place is never had again.
void *vkr_log_arena_map(struct vkr_log_arena *arena, uint64_t bytes);
