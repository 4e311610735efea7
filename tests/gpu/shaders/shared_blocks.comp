// SPDX-License-Identifier: Apache-2.0
// Two shared blocks are one memory: each invocation writes a word of the one, and reads the last
// vector of the other, which four of them have written. FIXED: behind a barrier.
#version 450
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared Words { uint words[64]; };
shared Vectors { layout(offset = 128) uvec4 vectors[8]; };

void main()
{
	uint i = gl_LocalInvocationID.x;
	words[i] = i; // @write
#ifdef FIXED
	barrier();
#endif
	uvec4 last = vectors[7]; // @read
	result[i] = last.x + last.w;
}
