// SPDX-License-Identifier: Apache-2.0
#include "byte_planes.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#define PLANES 8u

static inline uint64_t byte_planes_load(const unsigned char *from)
{
	uint64_t row;
	memcpy(&row, from, sizeof row);
	return row;
}

// Bytes above and below the diagonal of squares change places, of `bits` each: `mask` has the low
// ones of a row.
static inline void byte_planes_exchange(uint64_t *low, uint64_t *high, unsigned bits, uint64_t mask)
{
	const uint64_t differs = (*low >> bits ^ *high) & mask;
	*low ^= differs << bits;
	*high ^= differs;
}

// Makes columns of the rows of a square of bytes, the first of each row being its lowest: by halves
// of it, quarters, and eighths. Written out, so that the rows stay in registers.
static void byte_planes_transpose(const unsigned char *from, size_t from_step, unsigned char *to,
				  size_t to_step)
{
	const uint64_t half = UINT64_C(0x00000000ffffffff);
	const uint64_t quarter = UINT64_C(0x0000ffff0000ffff);
	const uint64_t eighth = UINT64_C(0x00ff00ff00ff00ff);
	uint64_t rows[PLANES] = {byte_planes_load(from),
				 byte_planes_load(from + from_step),
				 byte_planes_load(from + 2 * from_step),
				 byte_planes_load(from + 3 * from_step),
				 byte_planes_load(from + 4 * from_step),
				 byte_planes_load(from + 5 * from_step),
				 byte_planes_load(from + 6 * from_step),
				 byte_planes_load(from + 7 * from_step)};
	byte_planes_exchange(&rows[0], &rows[4], 32, half);
	byte_planes_exchange(&rows[1], &rows[5], 32, half);
	byte_planes_exchange(&rows[2], &rows[6], 32, half);
	byte_planes_exchange(&rows[3], &rows[7], 32, half);
	byte_planes_exchange(&rows[0], &rows[2], 16, quarter);
	byte_planes_exchange(&rows[1], &rows[3], 16, quarter);
	byte_planes_exchange(&rows[4], &rows[6], 16, quarter);
	byte_planes_exchange(&rows[5], &rows[7], 16, quarter);
	byte_planes_exchange(&rows[0], &rows[1], 8, eighth);
	byte_planes_exchange(&rows[2], &rows[3], 8, eighth);
	byte_planes_exchange(&rows[4], &rows[5], 8, eighth);
	byte_planes_exchange(&rows[6], &rows[7], 8, eighth);
	memcpy(to, &rows[0], sizeof rows[0]);
	memcpy(to + to_step, &rows[1], sizeof rows[1]);
	memcpy(to + 2 * to_step, &rows[2], sizeof rows[2]);
	memcpy(to + 3 * to_step, &rows[3], sizeof rows[3]);
	memcpy(to + 4 * to_step, &rows[4], sizeof rows[4]);
	memcpy(to + 5 * to_step, &rows[5], sizeof rows[5]);
	memcpy(to + 6 * to_step, &rows[6], sizeof rows[6]);
	memcpy(to + 7 * to_step, &rows[7], sizeof rows[7]);
}

void vkr_planes_split(const unsigned char *from, unsigned char *to, size_t bytes)
{
	const size_t pairs = bytes / PLANES;
	size_t i = 0;
	assert(bytes % PLANES == 0);
	for (; pairs - i >= PLANES; i += PLANES)
		byte_planes_transpose(from + i * PLANES, PLANES, to + i, pairs);
	for (; i < pairs; i++)
		for (size_t plane = 0; plane < PLANES; plane++)
			to[plane * pairs + i] = from[i * PLANES + plane];
}

void vkr_planes_join(const unsigned char *from, unsigned char *to, size_t bytes)
{
	const size_t pairs = bytes / PLANES;
	size_t i = 0;
	assert(bytes % PLANES == 0);
	for (; pairs - i >= PLANES; i += PLANES)
		byte_planes_transpose(from + i, pairs, to + i * PLANES, PLANES);
	for (; i < pairs; i++)
		for (size_t plane = 0; plane < PLANES; plane++)
			to[i * PLANES + plane] = from[plane * pairs + i];
}
