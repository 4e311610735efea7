// SPDX-License-Identifier: Apache-2.0
// Each pass of a push constant's number works on what the one before it wrote, behind a barrier
// that holds no accesses: 0 stores, 1 adds atomically to what nobody else does, 2 reads both.
// FIXED: the words are coherent, which makes them available and visible to the queue family.
#version 450
layout(local_size_x = 1) in;
#ifdef FIXED
#define KIND coherent
#else
#define KIND
#endif
layout(set = 0, binding = 0) buffer Data { KIND uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result; };
layout(push_constant) uniform Push { uint first; };

void main()
{
	if (first == 0)
		data[0] = 7; // @stored
	else if (first == 1)
		atomicAdd(data[1], 1u); // @counted
	else
		result = data[0] + // @read
			 data[1]; // @count
}
