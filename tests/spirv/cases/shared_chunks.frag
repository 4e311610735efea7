#version 450
// SPDX-License-Identifier: Apache-2.0
// Fragments that only read share chunks: samples in an arm, and an array's element that one of them
// logs for all.
// args: --share
layout(set = 0, binding = 0) uniform sampler2D picture;
layout(set = 0, binding = 1) uniform Lights
{
	vec4 lights[8];
};
layout(location = 0) in vec2 place;
layout(location = 1) flat in uint light;
layout(location = 0) out vec4 color;
void main()
{
	color = vec4(0);
	if (place.x > 0.5)
		color = texture(picture, place);
	color += lights[light];
}
