// SPDX-License-Identifier: Apache-2.0
// Each fragment reads as many elements as it stands to the right.
#version 450
layout(set = 0, binding = 2) uniform Data { uvec4 data[9]; };
layout(location = 0) out vec4 color;

void main()
{
	uint sum = 0;
	for (uint i = 0; i < uint(gl_FragCoord.x) + 1; i++)
		sum += data[i].x; // @loop
	color = vec4(sum);
}
