// SPDX-License-Identifier: Apache-2.0
// Every invocation stores the same value to one word; FIXED: only one does.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
#ifdef FIXED
	if (gl_LocalInvocationID.x == 0)
#endif
		data[0] = 1; // @write
}
