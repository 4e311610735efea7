// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// Loops that are gone through a number of times that is known have room for all of it before them.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };

uint left_early(uint at)
{
	for (int i = -2; i <= 2; i++) { // 5 times
		at = words[at];
		if (at > 7)
			break;
		at += words[at];
	}
	return at;
}

void main()
{
	uint at = left_early(gl_LocalInvocationIndex);
	for (uint i = 7; i > 1; i -= 2) // 3 times
		for (int k = 0; 4 > k; k++)
			at = words[at];
	for (uint i = 3; i != 9; i += 2) // 3 times
		at = words[at];
	words[at] = 1;
}
