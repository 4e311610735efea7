// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// args: --summary
// A function's branches in a loop depend on what all invocations read alike: they stay together, and
// what they do is summarized.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Sizes { uint sizes[24]; };
layout(set = 0, binding = 1) buffer Words { uint words[]; };

void put(uint plane)
{
	uint i = gl_GlobalInvocationID.x;
	if (i < sizes[plane])
		words[plane * 64 + i] = 1;
}

void main()
{
	for (uint plane = 0; plane < 3; plane++)
		put(plane);
}
