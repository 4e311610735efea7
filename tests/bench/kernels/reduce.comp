// SPDX-License-Identifier: Apache-2.0
#version 450
// Tree reduction of 256 numbers a workgroup in shared memory.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Input { uint x[]; };
layout(set = 0, binding = 1) buffer Output { uint sums[]; };
shared uint partial[256];

void main()
{
	uint local = gl_LocalInvocationIndex;
	partial[local] = x[gl_GlobalInvocationID.x];
	barrier();
	for (uint stride = 128u; stride > 0u; stride >>= 1) {
		if (local < stride)
			partial[local] += partial[local + stride];
		barrier();
	}
	if (local == 0u)
		sums[gl_WorkGroupID.x] = partial[0];
}
