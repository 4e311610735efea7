// SPDX-License-Identifier: Apache-2.0
// Shared words are handed on behind a subgroup's barrier: to invocations of other subgroups; FIXED:
// to a neighbour in the same one.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 128) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint words[128];

void main()
{
	uint local = gl_LocalInvocationIndex;
#ifdef FIXED
	uint other = local ^ 1u;
#else
	uint other = local ^ 64u;
#endif
	words[local] = local; // @write
	subgroupBarrier();
	result[local] = words[other]; // @read
}
