// SPDX-License-Identifier: Apache-2.0
// Shared memory that begins as zeros: each invocation reads the word of another one. FIXED: nobody
// writes it before that.
#version 450
#extension GL_EXT_null_initializer : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint tile[64] = {};

void main()
{
	uint i = gl_LocalInvocationID.x;
#ifndef FIXED
	tile[i] = i; // @write
#endif
	uint value = tile[63 - i]; // @read
	result[i] = value;
}
