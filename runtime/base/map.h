// SPDX-License-Identifier: Apache-2.0
// A hash map from uint64_t to uint64_t (open addressing, linear probing, backward-shift removal).
// Knows nothing of what keys and values mean.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_map_slot {
	uint64_t key, value;
	bool used;
};

struct vkr_map {
	struct vkr_map_slot *slots;
	size_t count, capacity; // capacity is 0 or a power of two
};

void vkr_map_init(struct vkr_map *map);
void vkr_map_finish(struct vkr_map *map);

// Sets key to value, also where it stands already. False for lack of memory.
bool vkr_map_set(struct vkr_map *map, uint64_t key, uint64_t value);

// The key's value in *value and true, or false where the key is absent.
bool vkr_map_get(const struct vkr_map *map, uint64_t key, uint64_t *value);

// True where the key was there.
bool vkr_map_remove(struct vkr_map *map, uint64_t key);

// A well-mixed hash of one word, also of use for keys of several words.
uint64_t vkr_map_hash(uint64_t key);
