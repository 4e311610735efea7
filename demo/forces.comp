// SPDX-License-Identifier: Apache-2.0
// Pulls each body towards all others. The bodies are read through a tile of shared memory.
#version 450

layout(local_size_x = 64) in;
layout(constant_id = 0) const bool FIXED = false;

layout(set = 0, binding = 0) readonly buffer Positions { vec4 positions[]; }; // w: mass
layout(set = 0, binding = 1) buffer Velocities { vec4 velocities[]; };
layout(push_constant) uniform Step { float seconds; uint bodies; };

shared vec4 tile[64];

vec3 pull(vec3 here, vec4 other)
{
	vec3 d = other.xyz - here;
	float squared = dot(d, d) + 0.01;
	return d * (other.w * inversesqrt(squared * squared * squared));
}

void main()
{
	uint i = gl_GlobalInvocationID.x;
	vec3 here = positions[i].xyz, acceleration = vec3(0);
	for (uint first = 0; first < bodies; first += 64) {
		tile[gl_LocalInvocationID.x] = positions[first + gl_LocalInvocationID.x];
		barrier();
		for (uint k = 0; k < 64; k++)
			acceleration += pull(here, tile[k]);
		// The bug: without this barrier the next round overwrites what slower
		// invocations still read.
		if (FIXED)
			barrier();
	}
	velocities[i] += vec4(acceleration * seconds, 0);
}
