// SPDX-License-Identifier: Apache-2.0
// A loop over lights, with a material that the object says.
#version 450
layout(location = 0) in vec3 at;
layout(location = 1) flat in uint material;
layout(set = 0, binding = 2) uniform Camera {
	mat4 view;
	vec4 eye, fog;
	vec4 lights[10];
};
layout(std430, set = 0, binding = 1) readonly buffer Materials { vec4 colors[]; };
layout(location = 0) out vec4 color;
void main()
{
	vec3 sum = vec3(0);
	for (int i = 0; i < 10; i++)
		sum += lights[i].rgb / (1 + distance(at, lights[i].xyz));
	color = colors[material % 64] * vec4(sum, 1) + fog;
}
