// SPDX-License-Identifier: Apache-2.0
// A word is counted up atomically and read plainly; FIXED: read atomically.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	atomicAdd(data[0], 1); // @count
#ifdef FIXED
	uint value = atomicOr(data[0], 0);
#else
	uint value = data[0]; // @read
#endif
	result[gl_GlobalInvocationID.x] = value;
}
