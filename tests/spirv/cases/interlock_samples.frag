// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// An interlock of single samples: invocations say which ones they cover.
#version 450
#extension GL_ARB_fragment_shader_interlock : require
layout(sample_interlock_ordered) in;
layout(std430, binding = 0) coherent buffer Data { uint data[]; };

void main()
{
	beginInvocationInterlockARB();
	data[uint(gl_FragCoord.x)] += 1;
	endInvocationInterlockARB();
}
