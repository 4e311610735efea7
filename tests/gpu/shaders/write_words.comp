// SPDX-License-Identifier: Apache-2.0
// Each invocation writes a word of its own.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
#ifdef SPECIAL
layout(constant_id = 0) const uint first = 0;
#else
layout(push_constant) uniform Push { uint first; };
#endif

void main()
{
	uint i = first + gl_GlobalInvocationID.x;
	data[i] = i; // @write
}
