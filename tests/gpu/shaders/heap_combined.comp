// SPDX-License-Identifier: Apache-2.0
// Texels of an image's first row, sampled, are kept in its second.
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
layout(set = 0, binding = 4) uniform usampler2D level;

void main()
{
	int x = int(gl_GlobalInvocationID.x);
	uvec4 value = textureLod(level, vec2(float(x) + 0.5, 0.5) / 16.0, 0); // @sample
	imageStore(image, ivec2(x, 1), value);
}
