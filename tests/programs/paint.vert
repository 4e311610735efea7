// SPDX-License-Identifier: Apache-2.0
// Triangles around the middle, turned and coloured by what buffers and push constants say.
#version 450
layout(set = 0, binding = 0) readonly buffer Turns { float turns[]; };
layout(set = 0, binding = 2) uniform Scale { vec4 scale; };
layout(push_constant) uniform Push { layout(offset = 0) vec4 shift; };
layout(location = 0) out vec3 tint;

void main()
{
	float turn = turns[gl_InstanceIndex] + 2.0944 * gl_VertexIndex;
	vec2 corner = vec2(cos(turn), sin(turn)) * scale.xy;
	tint = vec3(gl_VertexIndex % 3 == 0, gl_VertexIndex % 3 == 1, gl_InstanceIndex & 1);
	gl_Position = vec4(corner + shift.xy, 0.1 + 0.1 * gl_InstanceIndex, 1);
}
