// SPDX-License-Identifier: Apache-2.0
// Each invocation follows words from one to the next, `first` times.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
layout(push_constant) uniform Push { uint first; };

void main()
{
	uint at = gl_GlobalInvocationID.x;
	for (uint turn = 0; turn < first; turn++)
		at = data[(at + turn) & 1023];
	result[gl_GlobalInvocationID.x] = at;
}
