// SPDX-License-Identifier: Apache-2.0
// Each invocation writes a word of its own, from where the second and the last word of 256 bytes of
// push data tell together.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint words[64]; };

void main()
{
	uint i = words[1] + words[63] + gl_GlobalInvocationID.x;
	data[i] = words[gl_LocalInvocationIndex]; // @write
}
