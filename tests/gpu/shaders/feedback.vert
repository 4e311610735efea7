// SPDX-License-Identifier: Apache-2.0
// One triangle over everything, from no buffer; each vertex is captured: 16 bytes of every 32.
#version 450
layout(xfb_buffer = 0, xfb_stride = 32) out;
layout(location = 0, xfb_buffer = 0, xfb_offset = 8) out vec4 captured;

void main()
{
	captured = vec4(gl_VertexIndex);
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);
}
