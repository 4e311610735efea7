// SPDX-License-Identifier: Apache-2.0
// Each invocation reads a word of a uniform buffer.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 2) uniform Data { uvec4 data[16]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	result[i] = data[i / 4 & 15][i & 3]; // @read
}
