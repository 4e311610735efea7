// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// A loop that begins with two tests, of which the second one says how often it is gone through: there
// is room in the log for all of its samples at once. What the first one counts is not known.
#version 450
layout(location = 0) in vec2 at;
layout(location = 1) flat in uint most;
layout(set = 0, binding = 0) uniform sampler2D map;
layout(location = 0) out vec4 color;
void main()
{
	uint left = most;
	vec4 sum = vec4(0);
	for (int i = -1;; i++) {
		if (left == 0)
			break;
		left -= uint(texture(map, at).x);
		if (i > 1)
			break;
		sum += texture(map, at + vec2(i, 0) * 0.01);
	}
	color = sum;
}
