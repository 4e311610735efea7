// SPDX-License-Identifier: Apache-2.0
#version 450
// A picture is blurred, as effects on a frame are: texels go from it to a buffer, and back.
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) buffer Sums { uint sums[]; };
layout(binding = 3, rgba8) uniform image2D picture;
layout(push_constant) uniform Constants { uint odd; };

void main()
{
	ivec2 size = imageSize(picture), at = ivec2(gl_GlobalInvocationID.xy);
	uint place = at.y * size.x + at.x;
	if (odd == 1) {
		imageStore(picture, at, unpackUnorm4x8(sums[place]));
		return;
	}
	vec4 sum = vec4(0);
	for (int y = -1; y <= 1; y++)
		for (int x = -1; x <= 1; x++)
			sum += imageLoad(picture, clamp(at + ivec2(x, y), ivec2(0), size - 1));
	sums[place] = packUnorm4x8(sum / 9);
}
