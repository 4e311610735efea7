// SPDX-License-Identifier: Apache-2.0
// Each fragment adds to the word of its pixel, behind the others that overlap it or beside them.
#version 450
#extension GL_ARB_fragment_shader_interlock : require
layout(pixel_interlock_unordered) in;
layout(set = 0, binding = 0) ACCESS buffer Data { uint data[]; };
layout(location = 0) out vec4 color;

void main()
{
	uint pixel = uint(gl_FragCoord.y) * 8 + uint(gl_FragCoord.x);
#ifdef LATE
	beginInvocationInterlockARB();
	endInvocationInterlockARB();
	data[pixel] += 1; // @late
#else
	beginInvocationInterlockARB();
	data[pixel] += 1; // @add
	endInvocationInterlockARB();
#endif
	color = vec4(1);
}
