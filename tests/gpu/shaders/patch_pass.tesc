// SPDX-License-Identifier: Apache-2.0
#version 450
layout(vertices = 3) out;

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	gl_TessLevelOuter[gl_InvocationID] = 1.0;
	if (gl_InvocationID == 0)
		gl_TessLevelInner[0] = 1.0;
}
