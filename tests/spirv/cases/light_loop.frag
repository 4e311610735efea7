#version 450
// SPDX-License-Identifier: Apache-2.0
// Reads of an array's elements, by an index that each of them loads anew: one record for the
// elements of one iteration, in which a line reads none twice.
// glslang: -g --target-env vulkan1.2
layout(set = 0, binding = 0) uniform Lights
{
	vec4 lights[8];
	vec4 colors[8];
};
layout(location = 0) in vec3 place;
layout(location = 0) out vec4 color;
void main()
{
	color = vec4(0);
	for (int i = 0; i < 8; i++) {
		color.xyz += lights[i].rgb / distance(place, lights[i].xyz);
		color += colors[i];
	}
}
