// SPDX-License-Identifier: Apache-2.0
// Loops of samples and fetches, whose texels have marks; and of others, whose have none.
#version 450
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1) uniform sampler2DArrayShadow shadows;
layout(set = 0, binding = 2) uniform samplerCube around;
layout(set = 0, binding = 3, r32f) uniform readonly image2D words;
layout(set = 0, binding = 4) uniform texture2DArray layers;
layout(set = 0, binding = 5) uniform sampler nearest;
layout(push_constant) uniform Turns
{
	int turns;
};
layout(location = 0) in vec4 at;
layout(location = 0) out vec4 color;
void main()
{
	color = vec4(0);
	for (int i = 0; i < turns; i++)
		color += texture(plane, at.xy + i * 0.1);
	for (int i = 0; i < turns; i++)
		color += textureProjOffset(plane, at.xyz * i, ivec2(1, -2));
	for (int i = 0; i < turns; i++)
		color += texture(shadows, vec4(at.xy, i, 0.5));
	for (int i = 0; i < turns; i++)
		color += textureGather(plane, at.xy * i);
	for (int i = 0; i < turns; i++)
		color += texelFetch(plane, ivec2(at.xy) + i, i);
	for (int i = 0; i < turns; i++)
		color += imageLoad(words, ivec2(at.xy) * i);
	for (int i = 0; i < turns; i++)
		color += textureLod(sampler2DArray(layers, nearest), vec3(at.xy, i), 0) +
			 textureLod(plane, at.xy, 0);
	for (int i = 0; i < turns; i++)
		color += texture(around, at.xyz * i);
	for (int i = 0; i < turns; i++)
		color += texture(plane, at.xy * i) + texture(plane, at.xy * i + 0.25);
}
