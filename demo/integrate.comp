// SPDX-License-Identifier: Apache-2.0
// Moves each body by its velocity.
#version 450

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) buffer Positions { vec4 positions[]; };
layout(set = 0, binding = 1) readonly buffer Velocities { vec4 velocities[]; };
layout(push_constant) uniform Step { float seconds; uint bodies; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	positions[i] += velocities[i] * seconds;
}
