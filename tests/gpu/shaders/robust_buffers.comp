// SPDX-License-Identifier: Apache-2.0
// Reads and writes behind the end of both buffers: with robustBufferAccess2 all of these reads give
// zero, and the writes are none. FIXED: what is written within the buffer is each invocation's own.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	uint i = gl_LocalInvocationID.x;
	uint none = data[data.length() + i] + result[result.length() + 2 * i];
	result[result.length() + i * i] = i;
	atomicAdd(result[result.length() + 1], i);
#ifdef FIXED
	result[i] = none;
#else
	result[i / 2] = none; // @write
#endif
}
