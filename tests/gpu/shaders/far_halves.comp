// SPDX-License-Identifier: Apache-2.0
// Each workgroup reads what one of the other half of them writes, so that parts of the memory are
// accessed by workgroups far apart; FIXED: what it wrote itself.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	data[i] = i; // @write
#ifdef FIXED
	uint from = i;
#else
	uint from = (i + 8192) % 16384;
#endif
	uint value = data[from]; // @read
	result[i] = value;
}
