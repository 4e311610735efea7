// SPDX-License-Identifier: Apache-2.0
// The last turn of a loop in a loop reaches into the row of the next invocation; FIXED: it ends
// before. Nothing else is logged in the inner loop: its turns are one record.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint rows[64 * 8 + 1];

#ifdef FIXED
#define TURNS 8
#else
#define TURNS 9
#endif

void main()
{
	uint i = gl_LocalInvocationID.x, sum = 0;
	for (uint t = 0; t < 2; t++) {
		sum += data[t * 64 + i];
		for (uint k = 0; k < TURNS; k++)
			rows[i * 8 + k] = sum; // @write
	}
	result[gl_GlobalInvocationID.x] = sum;
}
