// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Each fragment reads the word or texel at its place, or writes the word.
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(set = 0, binding = 2) uniform Constants { uvec4 constants[4]; };
layout(set = 0, binding = 4) uniform texture2D picture;
#ifdef FROM_INPUT
layout(input_attachment_index = 0, set = 0, binding = 5) uniform subpassInput attachment;
#endif
layout(location = 0) out vec4 color;

void main()
{
	const ivec2 pixel = ivec2(gl_FragCoord.xy);
	const uint at = uint(pixel.y * 4 + pixel.x);
	color = vec4(0);
#ifdef FROM_BUFFER
	color = vec4(from[at]) * 0;
#elif defined FROM_CONSTANTS
	color = vec4(constants[at / 4][at % 4]) * 0;
#elif defined FROM_PICTURE
	color = texelFetch(picture, pixel, 0) * 0;
#elif defined FROM_INPUT
	color = subpassLoad(attachment) * 0;
#elif defined TO_BUFFER
	to[at] = 0;
#endif
}
