// SPDX-License-Identifier: Apache-2.0
#include "chunk_checksum.h"

#define XXH_STATIC_LINKING_ONLY // the size of XXH3_state_t
#include <xxhash.h>

uint64_t vkr_chunk_checksum(struct vkr_trace_chunk chunk, const void *stored)
{
	XXH3_state_t state;
	chunk.checksum = 0;
	XXH3_INITSTATE(&state);
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, &chunk, sizeof chunk);
	XXH3_64bits_update(&state, stored, chunk.stored_bytes);
	return XXH3_64bits_digest(&state);
}
