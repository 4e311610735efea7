// SPDX-License-Identifier: Apache-2.0
// Workgroups that write their own words, or, as each finds in memory, those of another one; the last
// one half of them.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	uint group = gl_WorkGroupID.x, moved = data[group], word = data[64u + moved];
	if (gl_GlobalInvocationID.x < 23u * 64u + 32u)
		result[(group + moved) * 64u + gl_LocalInvocationID.x] = word; // @write
}
