// SPDX-License-Identifier: Apache-2.0
#version 450
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(location = 0) out vec4 color;

void main()
{
	color = vec4(data[uint(gl_FragCoord.x) & 1]); // @read
}
