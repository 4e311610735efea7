// SPDX-License-Identifier: Apache-2.0
// Of what offsets and branches follow from, the fewest words are logged: behind a loop what it has
// found, where a function is called what it returns, and of floats the integer that they become.
// args: --summary
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Grid { float grid[]; };
layout(set = 0, binding = 1) buffer Data { uint data[256]; };

uint pick(uint at)
{
	return data[at] ^ data[at + 1];
}

void main()
{
	uint id = gl_GlobalInvocationID.x, inside = 0;
	for (uint corner = 0; corner < 8; corner++)
		if (grid[id + corner] < 0.5)
			inside |= 1u << corner;
	if (inside == 0 || inside == 255)
		return;
	uint first = pick(id), second = pick(first);
	data[second] = inside;
	data[uint(grid[id] * 3.0 + grid[id + 1])] = inside;
	for (uint turn = 0; turn < 3; turn++)
		data[(data[id] + data[id + 8]) * turn] = turn;
}
