// SPDX-License-Identifier: Apache-2.0
// Workgroups that pass as many barriers as a word of each tells: races where that is none.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint tile[64];

void main()
{
	uint i = gl_LocalInvocationID.x, barriers = data[gl_WorkGroupID.x];
	tile[i] = i; // @write
	for (uint at = 0u; at < barriers; at++)
		barrier();
	result[gl_GlobalInvocationID.x] = tile[63u - i]; // @read
}
