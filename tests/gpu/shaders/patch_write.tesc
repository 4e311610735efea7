// SPDX-License-Identifier: Apache-2.0
// The vertices of a patch pass words on to each other.
#version 450
layout(vertices = 3) out;
layout(set = 0, binding = 0) coherent buffer Data { uint data[]; };

void main()
{
	data[gl_InvocationID] = 1; // @write
#ifdef FIXED
	memoryBarrierBuffer();
	barrier();
	memoryBarrierBuffer();
#endif
	uint next = data[(gl_InvocationID + 1) % 3]; // @read
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	gl_TessLevelOuter[gl_InvocationID] = next == 7 ? 2.0 : 1.0;
	if (gl_InvocationID == 0)
		gl_TessLevelInner[0] = 1.0;
}
