// SPDX-License-Identifier: Apache-2.0
// Each invocation reads as many words as word 3 says. All workgroups write word 4
// before that and word 5 behind it: the two races.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
	const uint accesses = data[3];
	if (gl_LocalInvocationIndex == 0)
		data[4] = gl_WorkGroupID.x; // @first
	uint sum = 0;
	for (uint i = 0; i < accesses; i++)
		sum += data[16 + (i + gl_GlobalInvocationID.x & 4095)];
	if (gl_LocalInvocationIndex == 0)
		data[5] = sum; // @last
}
