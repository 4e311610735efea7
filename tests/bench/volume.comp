// SPDX-License-Identifier: Apache-2.0
// Each invocation, or where word 6 is set each of the first workgroup, reads as many words as word 3
// says. All workgroups write word 4 before that and word 5 behind it: the two races.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
	const uint accesses = data[6] == 0 || gl_WorkGroupID.x == 0 ? data[3] : 0;
	if (gl_LocalInvocationIndex == 0)
		data[4] = gl_WorkGroupID.x; // @first
	uint sum = 0;
	for (uint i = 0; i < accesses; i++)
		sum += data[16 + (i + gl_GlobalInvocationID.x & 4095)];
	if (gl_LocalInvocationIndex == 0)
		data[5] = sum; // @last
}
