// SPDX-License-Identifier: Apache-2.0
// Each vertex of a triangle is captured as a point: 16 bytes.
#version 450
layout(triangles) in;
layout(points, max_vertices = 3) out;
layout(xfb_buffer = 0, xfb_stride = 16) out;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0) out vec4 captured;

void main()
{
	for (int i = 0; i < 3; i++) {
		captured = vec4(i);
		gl_Position = gl_in[i].gl_Position;
		gl_PointSize = 1.0;
		EmitVertex();
	}
}
