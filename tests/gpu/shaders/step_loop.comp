// SPDX-License-Identifier: Apache-2.0
// Sums up to each number of a tile, by steps that are twice as long each turn: the next turn reads
// what others write in this one. FIXED: a barrier holds it back. No turn logs anything by itself.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint sums[64];

void main()
{
	uint i = gl_LocalInvocationID.x;
	sums[i] = data[i];
	barrier();
	for (uint step = 1; step < 64; step <<= 1) {
		uint before = 0;
		if (i >= step)
			before = sums[i - step]; // @read
		barrier();
		if (i >= step)
			sums[i] += before; // @write
#ifdef FIXED
		barrier();
#endif
	}
	result[gl_GlobalInvocationID.x] = sums[i];
}
