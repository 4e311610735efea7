// SPDX-License-Identifier: Apache-2.0
// Each invocation reads and writes a word of its own.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint value = data[i]; // @read
	data[i] = value + 1;  // @write
}
