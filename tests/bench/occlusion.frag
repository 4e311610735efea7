// SPDX-License-Identifier: Apache-2.0
// How much of 64 samples around a place of a map is nearer, as ambient light is shaded.
#version 450
layout(location = 0) in vec3 at;
layout(set = 0, binding = 0) uniform sampler2D map;
layout(location = 0) out vec4 color;
void main()
{
	float sum = 0;
	for (int i = 0; i < 64; i++) {
		float turn = i * 2.4, radius = 0.05 * sqrt(i / 64.0);
		sum += step(at.z, texture(map, at.xy + vec2(cos(turn), sin(turn)) * radius).r);
	}
	color = vec4(sum / 64);
}
