#version 450
// SPDX-License-Identifier: Apache-2.0
// Coordinates that follow from those of other samples of the record: equal ones, beside by a
// constant, by a multiple of a push constant or of another value, mixed of constants; and what does
// not follow: products, other arms, projections, arrays' layers.
// args: --share
layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 1) uniform sampler2D other;
layout(set = 0, binding = 2) uniform sampler2DArray layers;
layout(set = 0, binding = 3) uniform sampler3D volume;
layout(push_constant) uniform Steps
{
	vec2 pixel;
};
layout(location = 0) in vec2 place;
layout(location = 1) in float far;
layout(location = 0) out vec4 color;
void main()
{
	color = texture(picture, place);
	color += texture(other, place);
	color += texture(picture, place + vec2(0.25, -0.5));
	color += texture(picture, place - pixel * 3);
	color += texture(picture, place + far * vec2(2, 0));
	color += texture(picture, place * far);
	color += texture(other, vec2(mix(0.125, 0.875, far), 1));
	color += textureProj(picture, vec3(place, far));
	color += textureLod(picture, place * 2, far);
	color += textureLod(picture, vec2(far) - place, far);
	color += texture(layers, vec3(place, 1));
	color += texture(volume, vec3(place, far));
	color += textureOffset(picture, place, ivec2(1, -2));
	color += textureGather(picture, place + 0.5, 1);
	if (far > 0.5)
		color += texture(picture, place + vec2(0.25, -0.5));
	color += texelFetch(picture, ivec2(gl_FragCoord.xy), 0);
}
