// SPDX-License-Identifier: Apache-2.0
// Offsets that count a loop's turns are not logged; but where the block is not executed in each
// turn, in an inner loop, or where the counter is set in another way, they are.
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Bounds { uint bounds[]; };

void main()
{
	uint row = gl_GlobalInvocationID.x, most = bounds[0];
	for (uint k = row * 8; k < most; k += 2) {
		if (data[k + 1] == 7)
			continue;
		data[k] = 1;
	}
	for (int i = 3; i < int(most); i++)
		for (int j = 0; j < int(most); j++)
			data[i + j] = 2;
	for (uint k = 0; k < most; k++) {
		data[k * 4] = 3;
		if (data[row] > 3)
			k += 2;
	}
}
