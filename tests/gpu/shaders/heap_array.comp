// SPDX-License-Identifier: Apache-2.0
// Each invocation writes a word of its own, in one of two buffers.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; } buffers[2];
layout(push_constant) uniform Push { uint which; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	buffers[which].data[i] = i; // @write
}
