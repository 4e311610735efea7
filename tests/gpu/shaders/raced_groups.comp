// SPDX-License-Identifier: Apache-2.0
// Workgroups of which all but one race in shared memory, all in one way; FIXED: none does.
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
	uint other = gl_WorkGroupID.x == 5u ? i : 63u - i;
	result[gl_GlobalInvocationID.x] = tile[other]; // @read
}
