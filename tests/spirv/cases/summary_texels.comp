// SPDX-License-Identifier: Apache-2.0
// Texels by coordinates that follow from the invocation, push constants and the sizes of images, in
// functions that are called: of the sum of floats and of a quotient, early where the image ends.
// args: --summary
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform sampler2D source[2];
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D target[2];
layout(set = 0, binding = 2) uniform textureBuffer weights;
layout(push_constant) uniform Pushed
{
	vec2 step_size;
	int radius;
};

vec4 blur(int plane, vec2 at)
{
	vec4 sum = vec4(0);
	for (int i = -radius; i <= radius; i++)
		sum += texelFetch(weights, i + radius) *
		       textureLod(source[plane], at + float(i) * step_size, 0.0);
	return sum;
}

void do_plane(int plane, ivec2 pos)
{
	ivec2 size = imageSize(target[plane]);
	if (pos.x >= size.x || pos.y >= size.y)
		return;
	imageStore(target[plane], pos, blur(plane, (vec2(pos) + 0.5) / vec2(size)));
}

void main()
{
	do_plane(0, ivec2(gl_GlobalInvocationID.xy));
	do_plane(1, ivec2(gl_GlobalInvocationID.xy) / 2);
}
