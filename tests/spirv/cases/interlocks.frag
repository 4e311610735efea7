// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// Accesses before, within and behind an interlock; within it also those of a function, of a branch
// and of a loop.
#version 450
#extension GL_ARB_fragment_shader_interlock : require
layout(pixel_interlock_unordered) in;
layout(std430, binding = 0) coherent buffer Data { uint data[]; };
layout(r32ui, binding = 1) coherent uniform uimage2D picture;

void add(uint at)
{
	data[at] += 1;
}

void main()
{
	uint pixel = uint(gl_FragCoord.y) * 8 + uint(gl_FragCoord.x);
	data[1000] = pixel;
	beginInvocationInterlockARB();
	add(pixel);
	if (data[pixel] > 3)
		imageStore(picture, ivec2(gl_FragCoord.xy), uvec4(1));
	for (uint i = 0; i < data[2000]; i++)
		data[pixel + i] = i;
	endInvocationInterlockARB();
	data[1001] = pixel;
}
