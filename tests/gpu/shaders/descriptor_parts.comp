// SPDX-License-Identifier: Apache-2.0
// Texels of a buffer are kept in an image's first row, or those of that row, sampled, in its second.
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
layout(set = 0, binding = 1) uniform utextureBuffer words;
layout(set = 0, binding = 2) uniform utexture2D level;
layout(set = 0, binding = 3) uniform sampler nearest;

void main()
{
	int x = int(gl_GlobalInvocationID.x);
#ifdef STORE
	uvec4 value = texelFetch(words, x); // @fetch
	imageStore(image, ivec2(x, 0), value); // @store
#else
	vec2 place = vec2(float(x) + 0.5, 0.5) / 16.0;
	uvec4 value = textureLod(usampler2D(level, nearest), place, 0); // @sample
	imageStore(image, ivec2(x, 1), value);
#endif
}
