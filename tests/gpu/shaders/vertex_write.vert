// SPDX-License-Identifier: Apache-2.0
// One triangle over everything; each vertex writes a word of its own.
#version 450
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
	data[FIRST + gl_VertexIndex] = 1; // @write
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);
}
