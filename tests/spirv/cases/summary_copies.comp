// SPDX-License-Identifier: Apache-2.0
// No summary: what decides where a function writes stands in that function, which is called twice.
// args: --summary
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { uint data[256]; };

void put(uint at)
{
	data[data[at]] = at;
}

void main()
{
	put(gl_GlobalInvocationID.x);
	put(gl_GlobalInvocationID.x + 8);
}
