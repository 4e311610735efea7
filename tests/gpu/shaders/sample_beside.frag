// SPDX-License-Identifier: Apache-2.0
// Each fragment samples a texel of the upper left quarter, and those half the image beside and below
// it: the distance is a multiple of a value, or constant.
#version 450
layout(set = 0, binding = 0) uniform sampler2D texels;
layout(location = 0) out vec4 color;

void main()
{
	vec2 place = gl_FragCoord.xy / 128.0;
	vec2 right = vec2(gl_FragCoord.w, 0);
	color = texture(texels, place);
	color += texture(texels, place + right * 0.5); // @right
	color += texture(texels, place + vec2(0, 0.5)); // @below
}
