// SPDX-License-Identifier: Apache-2.0
// Workgroups that read as often as each finds in memory, and write words as far from their own as
// they find there, too: most do alike, between others that do not.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	uint group = gl_WorkGroupID.x, local = gl_LocalInvocationID.x, sum = 0u;
	uint turns = data[group], moved = data[group + 80u];
	for (uint at = 0u; at < turns; at++)
		sum += data[160u + ((local * 7u + sum + at * at) & 63u)];
	result[(group + moved) * 64u + local] = sum; // @write
}
