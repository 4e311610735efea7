// SPDX-License-Identifier: Apache-2.0
#version 450
layout(vertices = 3) out;
layout(set = 0, binding = 0) readonly buffer Turns { float turns[]; };
layout(location = 0) in vec3 tint[];
layout(location = 0) out vec3 tints[];

void main()
{
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	tints[gl_InvocationID] = tint[gl_InvocationID];
	gl_TessLevelOuter[gl_InvocationID] = 1.0 + turns[gl_InvocationID + 1];
	barrier();
	if (gl_InvocationID == 0)
		gl_TessLevelInner[0] = gl_TessLevelOuter[1];
}
