// SPDX-License-Identifier: Apache-2.0
#version 450
#ifdef FETCHES
layout(location = 0) in vec4 unused;
#endif
// One triangle over the whole area, or with FETCHES from vertices that are all 0.
void main()
{
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
#ifdef FETCHES
	gl_Position += unused;
#endif
}
