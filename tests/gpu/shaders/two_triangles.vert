// SPDX-License-Identifier: Apache-2.0
// Six vertices: both triangles over everything, or each over its half of it.
#version 450

void main()
{
#ifdef FIXED
	const vec2 corners[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(-1, 1), vec2(-1, 1),
				       vec2(1, -1), vec2(1, 1));
	gl_Position = vec4(corners[gl_VertexIndex], 0.5, 1);
#else
	int corner = gl_VertexIndex % 3;
	gl_Position = vec4(corner == 1 ? 3 : -1, corner == 2 ? 3 : -1, 0.5, 1);
#endif
}
