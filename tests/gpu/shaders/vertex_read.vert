// SPDX-License-Identifier: Apache-2.0
// One triangle over everything; each vertex reads a word of its own.
#version 450
#ifndef SET
#define SET 0
#endif
#ifdef UNIFORM
layout(set = 0, binding = 2) uniform Data { uvec4 data[4]; };
#else
layout(set = SET, binding = 0) readonly buffer Data { uint data[]; };
#endif

void main()
{
#ifdef UNIFORM
	uint value = data[gl_VertexIndex].x; // @uniform
#else
	uint value = data[gl_VertexIndex]; // @read
#endif
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1,
			   value == 7 ? 0.25 : 0.5, 1);
}
