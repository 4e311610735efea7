// SPDX-License-Identifier: Apache-2.0
#version 450
// y = 2 x + y: three accesses an invocation, no loop, no synchronization.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer Input { float x[]; };
layout(set = 0, binding = 1) buffer Output { float y[]; };
layout(push_constant) uniform Parameters { uint n; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i < n)
		y[i] = 2.0 * x[i] + y[i];
}
