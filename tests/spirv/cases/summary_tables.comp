// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// args: --summary
// Elements of small arrays, of a uniform buffer and of push constants, that a loop's counter or an
// invocation chooses follow from the words of all; those of larger arrays, of arrays of
// arrays, and of one that a buffer may not reach to the end of are logged.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(set = 0, binding = 1) uniform Tables {
	ivec2 corners[3];
	uint first[4];
	uint many[17];
	uvec4 wide[5];
	uint grid[2][2];
	layout(offset = 16368) uint far[2];
};
layout(push_constant) uniform Push { uint steps[2]; };

void main()
{
	uint i = gl_LocalInvocationID.x;
	for (int plane = 0; plane < 3; plane++)
		words[corners[plane].y * 64 + i] = 1;
	words[first[i & 3] + steps[i >> 5]] = 2;
	words[many[i & 15]] = 3;
	uvec4 all = wide[i & 3];
	words[all.x + all.y + all.z + all.w] = 4;
	words[grid[i & 1][i >> 5]] = 5;
	words[far[i & 1]] = 6;
}
