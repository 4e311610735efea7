// SPDX-License-Identifier: Apache-2.0
// Binary relations over at most 64 events, as matrices of bits. Knows nothing of what the events
// and the relations mean.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { VKR_RELATION_MAX = 64 };

// A set of events: bit i stands for event i.
static inline bool vkr_set_has(uint64_t set, uint32_t event)
{
	return (set >> event) & 1u;
}

static inline uint64_t vkr_set_of(uint32_t event)
{
	return UINT64_C(1) << event;
}

// The smallest event of a set that is not empty.
static inline uint32_t vkr_set_first(uint64_t set)
{
	return (uint32_t)__builtin_ctzll(set);
}

// row[a] is the set of all b that a is related to. Only the first `count` rows are ever in use.
struct vkr_relation {
	uint64_t row[VKR_RELATION_MAX];
};

static inline void vkr_relation_clear(struct vkr_relation *relation, uint32_t count)
{
	memset(relation->row, 0, count * sizeof *relation->row);
}

static inline void vkr_relation_add(struct vkr_relation *relation, uint32_t a, uint32_t b)
{
	relation->row[a] |= vkr_set_of(b);
}

static inline bool vkr_relation_has(const struct vkr_relation *relation, uint32_t a, uint32_t b)
{
	return vkr_set_has(relation->row[a], b);
}

static inline void vkr_relation_unite(struct vkr_relation *relation,
				      const struct vkr_relation *other, uint32_t count)
{
	for (uint32_t a = 0; a < count; a++)
		relation->row[a] |= other->row[a];
}

// Warshall's transitive closure.
static inline void vkr_relation_close(struct vkr_relation *relation, uint32_t count)
{
	for (uint32_t via = 0; via < count; via++) {
		if (relation->row[via] == 0)
			continue;
		for (uint32_t a = 0; a < count; a++) {
			if (vkr_relation_has(relation, a, via))
				relation->row[a] |= relation->row[via];
		}
	}
}

// Of a transitive relation.
static inline bool vkr_relation_is_acyclic(const struct vkr_relation *closed, uint32_t count)
{
	for (uint32_t a = 0; a < count; a++) {
		if (vkr_relation_has(closed, a, a))
			return false;
	}
	return true;
}
