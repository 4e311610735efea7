// SPDX-License-Identifier: Apache-2.0
// A set of bytes of several memories, as ranges. Knows nothing of what is in them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_byte_range {
	uint32_t memory;
	uint64_t low, high; // [low, high)
};

// Zeroed before its first use. What was added lately stands, as it came, after the first `settled`
// ranges, which are ascending and do not touch.
struct vkr_byte_ranges {
	struct vkr_byte_range *items;
	size_t count, capacity, settled;
};

// False for lack of memory.
bool vkr_byte_ranges_add(struct vkr_byte_ranges *ranges, uint32_t memory, uint64_t low,
			 uint64_t high);

// From now on, until more is added, all ranges are ascending and do not touch.
void vkr_byte_ranges_settle(struct vkr_byte_ranges *ranges);

void vkr_byte_ranges_finish(struct vkr_byte_ranges *ranges);
