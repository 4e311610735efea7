// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// The counter is changed in the loop: how often that is gone through is not known.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };

void main()
{
	uint at = gl_LocalInvocationIndex;
	for (uint i = 0; i < 5; i++) {
		at = words[at];
		i = at > 9 ? 0 : i;
	}
	words[at] = 1;
}
