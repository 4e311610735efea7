// SPDX-License-Identifier: Apache-2.0
// The next fill of a tile overtakes the readers of the last one; FIXED: a barrier holds it back.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint tile[64];

void main()
{
	uint i = gl_LocalInvocationID.x, sum = 0;
	for (uint t = 0; t < 4; t++) {
		tile[i] = data[t * 64 + i]; // @write
		barrier();
		for (uint k = 0; k < 64; k++)
			sum += tile[k]; // @read
#ifdef FIXED
		barrier();
#endif
	}
	result[gl_GlobalInvocationID.x] = sum;
}
