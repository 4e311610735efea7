// SPDX-License-Identifier: Apache-2.0
#version 450
// The cells of a grid of numbers that a surface goes through: each appends what is in it to a list.
struct Vertex {
	vec4 pos, normal;
};
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(std430, binding = 0) readonly buffer Grid { float grid[]; };
layout(std430, binding = 1) buffer List {
	uint count;
	Vertex vertices[];
};
layout(binding = 2) uniform Parameters { uint side; float level; };

float value(uvec3 at)
{
	at = min(at, uvec3(side - 1));
	return grid[(at.z * side + at.y) * side + at.x];
}

vec3 gradient(uvec3 at)
{
	float here = value(at);
	return vec3(value(at + uvec3(1, 0, 0)), value(at + uvec3(0, 1, 0)),
		    value(at + uvec3(0, 0, 1))) - here;
}

void main()
{
	uvec3 id = gl_GlobalInvocationID;
	if (any(greaterThanEqual(id, uvec3(side - 1))))
		return;
	uint inside = 0;
	for (uint corner = 0; corner < 8; corner++)
		if (value(id + uvec3(corner & 1, corner >> 1 & 1, corner >> 2)) < level)
			inside |= 1u << corner;
	if (inside == 0 || inside == 255)
		return;
	uint at = atomicAdd(count, 1);
	if (at >= vertices.length())
		return;
	vertices[at].pos = vec4(vec3(id) + 0.5, float(inside));
	vertices[at].normal = vec4(normalize(gradient(id)), 0);
}
