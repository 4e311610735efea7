// SPDX-License-Identifier: Apache-2.0
// Samples of the left of a picture around each fragment there, again and again.
#version 450
layout(set = 0, binding = 0) uniform sampler2D texels;
layout(location = 0) out vec4 color;
void main()
{
	color = vec4(0);
	for (int turn = 0; gl_FragCoord.x < 24 && turn < 80; turn++) {
		const vec2 beside = vec2(turn % 4, turn / 20);
		color += textureLod(texels, (gl_FragCoord.xy + beside) / 64, 0); // @around
	}
}
