// SPDX-License-Identifier: Apache-2.0
#version 450
// Histogram of 2048 numbers a workgroup: shared-memory atomics, then global ones.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Input { uint x[]; };
layout(set = 0, binding = 1) buffer Output { uint bins[256]; };
shared uint counts[256];

void main()
{
	uint local = gl_LocalInvocationIndex;
	counts[local] = 0u;
	barrier();
	uint first = gl_WorkGroupID.x * 2048u + local;
	for (uint k = 0u; k < 8u; k++)
		atomicAdd(counts[x[first + k * 256u] & 255u], 1u);
	barrier();
	atomicAdd(bins[local], counts[local]);
}
