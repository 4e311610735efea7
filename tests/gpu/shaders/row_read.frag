// SPDX-License-Identifier: Apache-2.0
// Fragments of the first row read the words of its first two pixels, all others that of their own.
#version 450
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(location = 0) out vec4 color;

void main()
{
	uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y);
	uint word = y == 0 ? x & 1 : y * 8 + x;
	color = vec4(data[word]); // @read
}
