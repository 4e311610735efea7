// SPDX-License-Identifier: Apache-2.0
// How much of 3 x 3 samples of a map is nearer, as shadows are filtered.
#version 450
layout(location = 0) in vec3 at;
layout(set = 0, binding = 0) uniform sampler2D map;
layout(location = 0) out vec4 color;
float light(vec2 beside)
{
	float lit = 1;
	if (at.z > -1 && at.z < 1 && texture(map, at.xy + beside).r < at.z)
		lit = 0.3;
	return lit;
}
void main()
{
	vec2 texel = 0.75 / vec2(textureSize(map, 0));
	float sum = 0;
	for (int x = -1; x <= 1; x++)
		for (int y = -1; y <= 1; y++)
			sum += light(texel * vec2(x, y));
	color = vec4(sum / 9);
}
