// SPDX-License-Identifier: Apache-2.0
// Each corner of the patch writes a word of its own, or all write one.
#version 450
layout(triangles, point_mode) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
#ifdef FIXED
	uint corner = gl_TessCoord.x > 0.5 ? 0 : gl_TessCoord.y > 0.5 ? 1 : 2;
#ifndef QUIET
	result[corner] = 1;
#endif
#else
	result[0] = 1; // @write
#endif
	gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * gl_TessCoord.y +
		      gl_in[2].gl_Position * gl_TessCoord.z;
	gl_PointSize = 1.0;
}
