// SPDX-License-Identifier: Apache-2.0
// Workgroups that read rows of words, each another number of them, some beyond the end of the buffer,
// and then write what another one does; FIXED: what none does.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	uint group = gl_WorkGroupID.x, rows = data[group] % 5u + group % 5u, sum = 0;
	for (uint row = 0; row < rows; row++)
		sum += data[data.length() - 96u + row * 32u + gl_LocalInvocationID.x];
#ifndef FIXED
	group /= 2u;
#endif
	result[group * 64u + gl_LocalInvocationID.x] = sum; // @write
}
