// SPDX-License-Identifier: Apache-2.0
// Invocations reach into each other's words in the turns of loops, behind a subgroup's barrier, in
// whose shader records are also read one by one; FIXED: each has words of its own.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint halved[64 * 9], stepped[64 * 9];

#ifdef FIXED
#define APART 64
#else
#define APART 1
#endif

void main()
{
	uint local = gl_LocalInvocationIndex;
	subgroupBarrier();
	for (uint k = 8; k > 3; k >>= 1)
		halved[local + k * APART] = local; // @halved
	for (uint k = 4; k <= 8; k += 4)
		stepped[local + k * APART] = local; // @stepped
	result[local] = local;
}
