// SPDX-License-Identifier: Apache-2.0
// A counter that is set anew within the loop counts no turns: its offsets are logged.
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Bounds { uint bounds[]; };

void main()
{
	for (uint k = 0; k < bounds[0]; k++) {
		data[k * 4] = 3;
		if (bounds[1] > 3)
			k = 40;
	}
}
