// SPDX-License-Identifier: Apache-2.0
// Each invocation reads a word of its own and keeps it elsewhere.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint value = data[i]; // @read
	result[i] = value;
}
