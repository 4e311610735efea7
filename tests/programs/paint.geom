// SPDX-License-Identifier: Apache-2.0
// Each triangle and a smaller one upside down.
#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 3) out;
layout(set = 0, binding = 0) readonly buffer Turns { float turns[]; };
layout(location = 0) in vec3 tints[];
layout(location = 0) out vec3 tint;

void main()
{
	float size = gl_InvocationID == 0 ? 1.0 : -turns[gl_PrimitiveIDIn + 1];
	for (int i = 0; i < 3; i++) {
		gl_Position = vec4(gl_in[i].gl_Position.xy * size,
				   gl_in[i].gl_Position.z - 0.05 * gl_InvocationID, 1);
		tint = tints[i].zyx;
		EmitVertex();
	}
	EndPrimitive();
}
