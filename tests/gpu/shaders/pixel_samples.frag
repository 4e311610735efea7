// SPDX-License-Identifier: Apache-2.0
// An invocation for each sample adds to the word of its pixel, behind those of the same sample. FIXED:
// to a word of its sample.
#version 450
#extension GL_ARB_fragment_shader_interlock : require
layout(sample_interlock_ordered) in;
layout(set = 0, binding = 0) coherent buffer Data { uint data[]; };
layout(location = 0) out vec4 color;

void main()
{
	uint word = uint(gl_FragCoord.y) * 4 + uint(gl_FragCoord.x);
#ifdef FIXED
	word = word * 4 + gl_SampleID;
#endif
	beginInvocationInterlockARB();
	data[word] += gl_SampleID; // @add
	endInvocationInterlockARB();
	color = vec4(1);
}
