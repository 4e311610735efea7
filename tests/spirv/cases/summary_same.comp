// SPDX-License-Identifier: Apache-2.0
// No summary: nodes of a list lead all invocations along the same way, and what few of them read is
// logged for all.
// args: --summary
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Nodes { uint next[]; };
layout(set = 0, binding = 1) buffer Data { uint data[256]; };

void main()
{
	uint node = next[0], steps = 0;
	while (node != 0 && steps < gl_LocalInvocationIndex) {
		node = next[node];
		steps++;
	}
	data[gl_GlobalInvocationID.x] = steps;
}
