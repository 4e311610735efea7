// SPDX-License-Identifier: Apache-2.0
// Arrays of one descriptor, as compilers from OpenGL make them of every block and image: what is
// constant in them is constant.
#version 450
layout(set = 0, binding = 0) uniform Block
{
	vec4 colors[8];
} block[1];
layout(set = 0, binding = 1) uniform sampler2D plane[1];
layout(set = 0, binding = 2) uniform sampler2D planes[2];
layout(location = 0) in vec2 other;
layout(location = 0) out vec4 color;
void main()
{
	color = block[0].colors[1] + block[0].colors[5] + texture(plane[0], other) +
		texture(planes[1], other);
}
