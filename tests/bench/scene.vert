// SPDX-License-Identifier: Apache-2.0
// Instances of a mesh, placed by matrices and a table of objects, as forward renderers do.
#version 450
struct Object {
	vec4 place;
	uint material;
};
layout(location = 0) in vec4 position;
layout(set = 0, binding = 2) uniform Camera {
	mat4 view;
	vec4 eye, fog;
	vec4 lights[10];
};
layout(std430, set = 0, binding = 0) readonly buffer Objects { Object objects[]; };
layout(location = 0) out vec3 at;
layout(location = 1) flat out uint material;
void main()
{
	const Object own = objects[gl_InstanceIndex + 8];
	const vec4 place = view * vec4(position.xyz * 0.1 + own.place.xyz, 1);
	at = place.xyz;
	material = own.material;
	gl_Position = view * place + fog * eye.w;
}
