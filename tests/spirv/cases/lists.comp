// SPDX-License-Identifier: Apache-2.0
// A loop that logs nothing but one run without words logs how often it went through it: also in an
// outer loop, and where not each turn does. Not so where a barrier is in it, where it is left
// otherwise, where more is logged in it, where a counter goes on from one time to the next, or where
// what is called logs.
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Bounds { uint bounds[]; };
shared uint tile[64];

uint called(uint at)
{
	return data[at];
}

void main()
{
	uint local = gl_LocalInvocationIndex, most = bounds[local], sum = 0;
	for (uint i = 0; i < most; i++) {
		for (uint j = 0; j < 16; j++)
			sum += tile[local + 2 * j];
		data[i * most] = sum;
	}
	for (uint i = 0; i < most; i++)
		if ((i & most) != 0)
			tile[local] += i;
	for (uint i = 0; i < 4; i++) {
		tile[local + i] = sum;
		barrier();
	}
	for (uint i = 0; i < most; i++) {
		tile[local + 3 * i] = 1;
		if ((sum & i) != 0)
			return;
	}
	for (uint i = 0; i < most; i++) {
		tile[local + 5 * i] = 1;
		if ((sum & i) != 0)
			tile[i] = 2;
	}
	uint on = 0;
	for (uint i = 0; i < most; i++)
		for (; on < 9 * i; on++)
			tile[local + on] = 3;
	for (uint i = 0; i < most; i++)
		tile[local] = called(i);
}
