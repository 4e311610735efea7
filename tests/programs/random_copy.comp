// SPDX-License-Identifier: Apache-2.0
// Each invocation copies a word of its own.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };

void main()
{
	to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x];
}
