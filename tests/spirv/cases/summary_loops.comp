// SPDX-License-Identifier: Apache-2.0
// Loops whose counters follow from the grid, one within the other, with breaks and barriers; a
// switch; invocations that end early.
// args: --summary
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint tile[32];

void main()
{
	uint l = gl_LocalInvocationID.x;
	for (uint stride = 8; stride > 0; stride >>= 1) {
		if (l < stride)
			tile[l] += tile[l + stride];
		barrier();
	}
	for (int k = 0; k < 4; k++) {
		if (k * 2 == int(gl_WorkGroupID.y))
			continue;
		for (uint j = l; j < 20; j += 7) {
			if (j % 3 == 1)
				break;
			data[j * 4 + k] = 1;
		}
	}
	switch (l & 3) {
	case 0:
		return;
	case 2:
		data[l] = 2;
	default:
		data[l / 2] = 3;
	}
	atomicAdd(data[gl_WorkGroupID.x], 1);
}
