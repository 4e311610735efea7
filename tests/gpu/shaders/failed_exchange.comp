// SPDX-License-Identifier: Apache-2.0
// A compare-exchange that succeeds writes a word that others read plainly; FIXED: it fails, and
// only reads. The word is 0.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
#ifdef FIXED
#define EXPECTED 1u
#else
#define EXPECTED 0u
#endif

void main()
{
	uint value;
	if (gl_LocalInvocationIndex == 0u)
		value = atomicCompSwap(data[0], EXPECTED, 2u); // @exchange
	else
		value = data[0]; // @read
	result[gl_LocalInvocationIndex] = value;
}
