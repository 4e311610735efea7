// SPDX-License-Identifier: Apache-2.0
#version 450
// A cloth of particles that springs hold together: each reads its neighbours, some are pinned, and a
// sphere is in the way.
struct Particle {
	vec4 pos, vel, uv, normal;
	float pinned;
};
layout(local_size_x = 10, local_size_y = 10) in;
layout(std430, binding = 0) buffer In { Particle from[]; };
layout(std430, binding = 1) buffer Out { Particle to[]; };
layout(binding = 2) uniform Parameters {
	float delta, mass, stiffness, damping, rest, rest_diagonal, radius;
	vec4 sphere, gravity;
	ivec2 count;
};
layout(push_constant) uniform Constants { uint normals; };

vec3 spring(vec3 a, vec3 b, float rest_length)
{
	vec3 between = a - b;
	return normalize(between) * stiffness * (length(between) - rest_length);
}

void main()
{
	uvec3 id = gl_GlobalInvocationID;
	uint i = id.y * count.x + id.x;
	if (i >= count.x * count.y)
		return;
	if (from[i].pinned == 1.0) {
		to[i].pos = to[i].pos;
		to[i].vel = vec4(0);
		return;
	}
	vec3 force = gravity.xyz * mass;
	vec3 pos = from[i].pos.xyz, vel = from[i].vel.xyz;
	if (id.x > 0)
		force += spring(from[i - 1].pos.xyz, pos, rest);
	if (id.x < count.x - 1)
		force += spring(from[i + 1].pos.xyz, pos, rest);
	if (id.y < count.y - 1)
		force += spring(from[i + count.x].pos.xyz, pos, rest);
	if (id.y > 0)
		force += spring(from[i - count.x].pos.xyz, pos, rest);
	if (id.x > 0 && id.y < count.y - 1)
		force += spring(from[i + count.x - 1].pos.xyz, pos, rest_diagonal);
	if (id.x > 0 && id.y > 0)
		force += spring(from[i - count.x - 1].pos.xyz, pos, rest_diagonal);
	if (id.x < count.x - 1 && id.y < count.y - 1)
		force += spring(from[i + count.x + 1].pos.xyz, pos, rest_diagonal);
	if (id.x < count.x - 1 && id.y > 0)
		force += spring(from[i - count.x + 1].pos.xyz, pos, rest_diagonal);
	force += -damping * vel;
	vec3 f = force * (1.0 / mass);
	to[i].pos = vec4(pos + vel * delta + 0.5 * f * delta * delta, 1);
	to[i].vel = vec4(vel + f * delta, 0);
	vec3 away = to[i].pos.xyz - sphere.xyz;
	if (length(away) < radius + 0.01) {
		to[i].pos.xyz = sphere.xyz + normalize(away) * (radius + 0.01);
		to[i].vel = vec4(0);
	}
	if (normals == 1) {
		vec3 normal = vec3(0), a, b, c;
		if (id.y > 0) {
			if (id.x > 0) {
				a = from[i - 1].pos.xyz - pos;
				b = from[i - count.x - 1].pos.xyz - pos;
				c = from[i - count.x].pos.xyz - pos;
				normal += cross(a, b) + cross(b, c);
			}
			if (id.x < count.x - 1) {
				a = from[i - count.x].pos.xyz - pos;
				b = from[i - count.x + 1].pos.xyz - pos;
				c = from[i + 1].pos.xyz - pos;
				normal += cross(a, b) + cross(b, c);
			}
		}
		to[i].normal = vec4(normalize(normal), 0);
	}
}
