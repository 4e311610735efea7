// SPDX-License-Identifier: Apache-2.0
// Behind a barrier that makes zeros available and nothing visible: an update, which is a write as
// well, asks for no more, nor does a compare-exchange that writes. RACE: it fails, and only reads.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
#ifdef FIXED
#define EXPECTED 0u
#else
#define EXPECTED 1u
#endif

void main()
{
	uint i = gl_LocalInvocationIndex;
	atomicAdd(data[32 + i], 1u);
	atomicCompSwap(data[i], i == 7u ? EXPECTED : 0u, 2u); // @exchange
}
