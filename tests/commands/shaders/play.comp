// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_samplerless_texture_functions : require
// Each invocation reads a word of FROM and writes one of TO.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(set = 0, binding = 2) uniform Constants { uvec4 constants[4]; };
layout(set = 0, binding = 3, rgba8) uniform image2D texels;
layout(set = 0, binding = 4) uniform texture2D picture;

void main()
{
	const uint at = gl_GlobalInvocationID.x;
#ifdef FROM_BUFFER
	const uint value = from[at];
#elif defined FROM_CONSTANTS
	const uint value = constants[at / 4][at % 4];
#elif defined FROM_PICTURE
	const ivec2 side = textureSize(picture, 0);
	const uint value =
		uint(texelFetch(picture, ivec2(at % side.x, (at / side.x) % side.y), 0).x) * 0;
#else
	const ivec2 side = imageSize(texels);
	const uint value =
		uint(imageLoad(texels, ivec2(at % side.x, (at / side.x) % side.y)).x) * 0;
#endif
#ifdef TO_TEXELS
	const ivec2 extent = imageSize(texels);
	if (at < extent.x * extent.y)
		imageStore(texels, ivec2(at % extent.x, at / extent.x), vec4(value * 0));
#else
	to[at] = value * 0;
#endif
}
