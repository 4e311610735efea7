// SPDX-License-Identifier: Apache-2.0
#include "byte_planes.h"

#include <assert.h>

#define PLANES 8u

void vkr_planes_split(const unsigned char *from, unsigned char *to, size_t bytes)
{
	const size_t pairs = bytes / PLANES;
	assert(bytes % PLANES == 0);
	for (size_t i = 0; i < pairs; i++)
		for (size_t plane = 0; plane < PLANES; plane++)
			to[plane * pairs + i] = from[i * PLANES + plane];
}

void vkr_planes_join(const unsigned char *from, unsigned char *to, size_t bytes)
{
	const size_t pairs = bytes / PLANES;
	assert(bytes % PLANES == 0);
	for (size_t i = 0; i < pairs; i++)
		for (size_t plane = 0; plane < PLANES; plane++)
			to[i * PLANES + plane] = from[plane * pairs + i];
}
