// SPDX-License-Identifier: Apache-2.0
// The workgroup's size, the length of a shared array, and what each invocation reads of it, are
// specialization constants.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint length = 1;
layout(constant_id = 2) const uint shift = 1;
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint before[length];
shared uint tile[length];

void main()
{
	uint i = gl_LocalInvocationIndex;
	before[i] = i;
	tile[i] = i; // @write
	result[i] = tile[(i + shift) % length] + before[i]; // @read
}
