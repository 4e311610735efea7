// SPDX-License-Identifier: Apache-2.0
// Shared memory is written and read by another invocation without a barrier; FIXED: with one.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint tile[64];

void main()
{
	uint i = gl_LocalInvocationID.x;
	tile[i] = i; // @write
#ifdef FIXED
	barrier();
#endif
	uint value = tile[63 - i]; // @read
	result[gl_GlobalInvocationID.x] = value;
}
