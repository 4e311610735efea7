// SPDX-License-Identifier: Apache-2.0
// Vertices from a buffer.
#version 450
layout(location = 0) in vec4 position;
#ifdef MORE
layout(location = 1) in vec4 more;
#endif
void main()
{
	gl_Position = position;
#ifdef READ
	gl_Position += more;
#endif
}
