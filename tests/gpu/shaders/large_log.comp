// SPDX-License-Identifier: Apache-2.0
// A log of many words, in many events, and in it one race of two far
// workgroups; FIXED: none.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
	uint sum = 0;
	for (uint i = 0; i < 16; i++)
		sum += data[(gl_LocalInvocationID.x * 7 + sum + i * i) & 63];
	if (gl_WorkGroupID.x == 3 && gl_LocalInvocationID.x == 7)
		data[100] = sum; // @first
	if (gl_WorkGroupID.x == 400 && gl_LocalInvocationID.x == 9)
#ifdef FIXED
		data[101] = sum; // @second
#else
		data[100] = sum; // @second
#endif
}
