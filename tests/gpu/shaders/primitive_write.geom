// SPDX-License-Identifier: Apache-2.0
// Each triangle writes a word of its own, or both write one.
#version 450
layout(triangles) in;
layout(points, max_vertices = 1) out;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
#ifdef FIXED
	data[gl_PrimitiveIDIn] = 1;
#else
	data[0] = 1; // @write
#endif
	gl_Position = gl_in[0].gl_Position;
	gl_PointSize = 1.0;
	EmitVertex();
}
