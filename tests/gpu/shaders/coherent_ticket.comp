// SPDX-License-Identifier: Apache-2.0
// Each invocation stores a part, one of each workgroup takes a ticket, and the workgroup that takes
// the last adds up all parts: by a coherent buffer, memory barriers and relaxed atomics. RACE: no
// memory barrier stands between the parts and the workgroup's barrier; FIXED: one does.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) coherent buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint ticket, sum; };
shared bool is_last;

void main()
{
	data[gl_GlobalInvocationID.x] = gl_WorkGroupID.x; // @part
#ifdef FIXED
	memoryBarrierBuffer();
#endif
	barrier();
	if (gl_LocalInvocationID.x == 0) {
		memoryBarrierBuffer();
		is_last = atomicAdd(ticket, 1) % gl_NumWorkGroups.x == gl_NumWorkGroups.x - 1;
		memoryBarrierBuffer();
	}
	barrier();
	if (!is_last)
		return;
	memoryBarrierBuffer();
	uint all = 0;
	for (uint i = gl_LocalInvocationID.x; i < 64 * gl_NumWorkGroups.x; i += 64)
		all += data[i]; // @sum
	atomicAdd(sum, all);
}
