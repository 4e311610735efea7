// SPDX-License-Identifier: Apache-2.0
// Every workgroup writes the same words; FIXED: each has words of its own.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
#ifdef FIXED
	uint i = gl_GlobalInvocationID.x;
#else
	uint i = gl_LocalInvocationID.x;
#endif
	data[i] = gl_WorkGroupID.x; // @write
}
