// SPDX-License-Identifier: Apache-2.0
// A triangle over everything, with where it is on a map.
#version 450
layout(location = 0) out vec3 at;
void main()
{
	vec2 place = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1;
	at = vec3(place * 0.4 + 0.5, 0.5);
	gl_Position = vec4(place, 0.5, 1);
}
