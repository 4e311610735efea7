// SPDX-License-Identifier: Apache-2.0
#include "map.h"

#include <stdlib.h>

void vkr_map_init(struct vkr_map *map)
{
	*map = (struct vkr_map){0};
}

void vkr_map_finish(struct vkr_map *map)
{
	free(map->slots);
	vkr_map_init(map);
}

uint64_t vkr_map_hash(uint64_t key)
{
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	return key ^ (key >> 32);
}

static size_t find_slot(const struct vkr_map *map, uint64_t key)
{
	size_t mask = map->capacity - 1;
	size_t at = (size_t)vkr_map_hash(key) & mask;
	while (map->slots[at].used && map->slots[at].key != key)
		at = (at + 1) & mask;
	return at;
}

static bool grow_map(struct vkr_map *map)
{
	struct vkr_map larger = {.capacity = map->capacity ? map->capacity * 2 : 16};
	larger.slots = calloc(larger.capacity, sizeof *larger.slots);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < map->capacity; i++) {
		if (map->slots[i].used)
			larger.slots[find_slot(&larger, map->slots[i].key)] = map->slots[i];
	}
	larger.count = map->count;
	free(map->slots);
	*map = larger;
	return true;
}

bool vkr_map_set(struct vkr_map *map, uint64_t key, uint64_t value)
{
	if ((map->count + 1) * 4 > map->capacity * 3 && !grow_map(map))
		return false;
	struct vkr_map_slot *slot = &map->slots[find_slot(map, key)];
	if (!slot->used)
		map->count++;
	*slot = (struct vkr_map_slot){key, value, true};
	return true;
}

bool vkr_map_get(const struct vkr_map *map, uint64_t key, uint64_t *value)
{
	if (!map->capacity)
		return false;
	const struct vkr_map_slot *slot = &map->slots[find_slot(map, key)];
	if (!slot->used)
		return false;
	*value = slot->value;
	return true;
}

bool vkr_map_remove(struct vkr_map *map, uint64_t key)
{
	if (!map->capacity)
		return false;
	size_t mask = map->capacity - 1;
	size_t hole = find_slot(map, key);
	if (!map->slots[hole].used)
		return false;
	// Close the hole with each follower whose own probe path crosses it.
	for (size_t at = (hole + 1) & mask; map->slots[at].used; at = (at + 1) & mask) {
		size_t home = (size_t)vkr_map_hash(map->slots[at].key) & mask;
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			map->slots[hole] = map->slots[at];
			hole = at;
		}
	}
	map->slots[hole].used = false;
	map->count--;
	return true;
}
