// SPDX-License-Identifier: Apache-2.0
// No summary: where a sample is comes of a value in memory, and its precision would not be known.
// args: --summary
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) uniform sampler2D source;
layout(set = 0, binding = 1) buffer Data
{
	vec2 places[];
};
layout(set = 0, binding = 2, r32f) uniform writeonly image2D target;

void main()
{
	vec2 at = places[gl_GlobalInvocationID.x] * 0.5;
	imageStore(target, ivec2(gl_GlobalInvocationID.x, 0), textureLod(source, at, 0.0));
}
