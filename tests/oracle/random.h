// SPDX-License-Identifier: Apache-2.0
// Random numbers from a seed, the same on every machine (splitmix64, Steele and others 2014).
// Knows nothing of what they are for.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vkr_random {
	uint64_t state;
};

static inline uint64_t vkr_random_next(struct vkr_random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

// From 0 to count - 1; the bias of the multiplication does not matter here.
static inline uint32_t vkr_random_below(struct vkr_random *random, uint32_t count)
{
	return (uint32_t)(((vkr_random_next(random) >> 32) * count) >> 32);
}

static inline bool vkr_random_percent(struct vkr_random *random, uint32_t percent)
{
	return vkr_random_below(random, 100) < percent;
}
