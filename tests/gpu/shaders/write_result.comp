// SPDX-License-Identifier: Apache-2.0
// Writes the result only.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	result[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x;
}
