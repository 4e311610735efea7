// SPDX-License-Identifier: Apache-2.0
// Vertices from a buffer, moved by a uniform.
#version 450
layout(location = 0) in vec4 position;
layout(set = 0, binding = 2) uniform Place { vec4 place; };
void main()
{
	gl_Position = position + place;
}
