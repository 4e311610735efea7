// SPDX-License-Identifier: Apache-2.0
// Each fragment writes the word of its pixel; the derivative asks for helper invocations.
#version 450
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(location = 0) out vec4 color;

void main()
{
	uint pixel = uint(gl_FragCoord.y) * 8 + uint(gl_FragCoord.x);
	data[pixel] = pixel; // @write
	color = vec4(dFdx(gl_FragCoord.x * 0.5));
}
