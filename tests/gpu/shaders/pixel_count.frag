// SPDX-License-Identifier: Apache-2.0
// All fragments count in one word.
#version 450
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
#ifdef FIXED
	atomicAdd(data[0], 1u);
#else
	data[0]++; // @count
#endif
}
