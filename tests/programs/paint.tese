// SPDX-License-Identifier: Apache-2.0
#version 450
layout(triangles) in;
layout(set = 0, binding = 0) readonly buffer Turns { float turns[]; };
layout(location = 0) in vec3 tints[];
layout(location = 0) out vec3 tint;

void main()
{
	vec3 at = gl_TessCoord;
	gl_Position = gl_in[0].gl_Position * at.x + gl_in[1].gl_Position * at.y +
		      gl_in[2].gl_Position * at.z;
	gl_Position.xy *= 1.0 - 0.3 * turns[gl_PrimitiveID] * at.x * at.y;
	tint = tints[0] * at.x + tints[1] * at.y + tints[2] * at.z;
}
