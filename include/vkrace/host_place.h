// SPDX-License-Identifier: Apache-2.0
// A number for a place of a program at which host threads access a memory, equal in the layer and
// in the judge. Knows a HOST_ACCESS event's members; not what is done with the number.
#pragma once

#include <stdint.h>

// Never 0. `operation` is an enum vkr_trace_host_operation; frames as HOST_ACCESS has them.
static inline uint64_t vkr_host_place(uint32_t memory, uint32_t operation, const uint64_t *frames,
				      uint32_t frame_count)
{
	uint64_t place = (uint64_t)memory << 32 | operation;
	for (uint32_t i = 0; i < frame_count; i++) {
		place = (place ^ frames[i]) * UINT64_C(0xff51afd7ed558ccd);
		place ^= place >> 32;
	}
	return place | 1;
}
