// SPDX-License-Identifier: Apache-2.0
#version 450
// Fourier transforms of 512 numbers, one a workgroup, in shared memory.
#define COUNT 512u
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { vec2 from[]; };
layout(std430, binding = 1) buffer Out { vec2 to[]; };
layout(binding = 2) uniform Parameters { float scale, direction; };
shared vec2 line[COUNT];

vec2 times(vec2 a, vec2 b)
{
	return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

void butterfly(uint low, uint high, float angle)
{
	vec2 a = line[low], b = times(line[high], vec2(cos(angle), sin(angle)));
	line[low] = a + b;
	line[high] = a - b;
}

void main()
{
	uint i = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * COUNT;
	for (uint at = i; at < COUNT; at += 256)
		line[bitfieldReverse(at) >> 23] = from[first + at];
	barrier();
	for (uint width = 1; width < COUNT; width *= 2) {
		uint part = i % width, low = (i / width) * width * 2 + part;
		butterfly(low, low + width, direction * 3.14159265 * float(part) / float(width));
		barrier();
	}
	for (uint at = i; at < COUNT; at += 256)
		to[first + at] = line[at] * scale;
}
