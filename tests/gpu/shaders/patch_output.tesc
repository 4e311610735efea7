// SPDX-License-Identifier: Apache-2.0
// The vertices of a patch read each other's outputs, or one of the patch.
#version 450
layout(vertices = 3) out;
layout(location = 0) out float heights[];
layout(location = 1) patch out float top;

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
#ifdef OF_PATCH
	if (gl_InvocationID == 0)
		top = 1.0; // @top
#endif
	heights[gl_InvocationID] = 1.0; // @write
#ifdef FIXED
	barrier();
#endif
#ifdef OF_PATCH
	float level = top; // @level
#else
	float level = heights[(gl_InvocationID + 1) % 3]; // @read
#endif
	gl_TessLevelOuter[gl_InvocationID] = level;
	if (gl_InvocationID == 0)
		gl_TessLevelInner[0] = 1.0;
}
