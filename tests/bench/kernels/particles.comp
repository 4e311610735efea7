// SPDX-License-Identifier: Apache-2.0
#version 450
// Particles that a point attracts, each for itself.
struct Particle {
	vec2 pos, vel;
	vec4 gradient;
};
layout(local_size_x = 256) in;
layout(std140, binding = 0) buffer Particles { Particle particles[]; };
layout(binding = 2) uniform Parameters {
	float delta, x, y;
	int count;
};

vec2 attraction(vec2 pos, vec2 to)
{
	vec2 away = to - pos;
	const float close = 1.0 / sqrt(dot(away, away) + 0.5);
	return away * close * close * close * 0.0035;
}

vec2 repulsion(vec2 pos, vec2 to)
{
	vec2 away = to - pos;
	float far = sqrt(dot(away, away));
	return away * (1.0 / (far * far * far)) * -0.000035;
}

void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i >= count)
		return;
	vec2 vel = particles[i].vel;
	vec2 pos = particles[i].pos;
	vel += repulsion(pos, vec2(x, y)) * 0.05;
	pos += vel * delta;
	if (pos.x < -1.0 || pos.x > 1.0 || pos.y < -1.0 || pos.y > 1.0)
		vel = vel * -0.1 + attraction(pos, vec2(x, y)) * 12;
	else
		particles[i].pos = pos;
	particles[i].vel = vel;
	particles[i].gradient.x += 0.02 * delta;
	if (particles[i].gradient.x > 1.0)
		particles[i].gradient.x -= 1.0;
}
