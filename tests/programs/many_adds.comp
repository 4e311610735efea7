// SPDX-License-Identifier: Apache-2.0
// Each invocation makes a few accesses, or, where push constant 0 is not 0, few invocations do.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint few; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (few != 0 && i % 1000 != 0)
		return;
	for (uint k = 0; k < 8; k++)
		atomicAdd(data[(i + k * k) & 63], 1);
}
