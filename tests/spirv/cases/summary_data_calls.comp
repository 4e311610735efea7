// SPDX-License-Identifier: Apache-2.0
// Values of main and of a function that is called once are logged where they stand, in front of
// calls, too; a function that is called twice has none.
// args: --summary
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
layout(std430, binding = 1) buffer Sums { uint sums[]; };

uint half_of(uint at)
{
	return sums[at / 2];
}

uint chosen(uint at)
{
	uint other = data[at] & 63;
	if (data[other] == 0)
		return half_of(at);
	return sums[other];
}

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint to = data[i] & 1023;
	uint sum = half_of(i);
	if (bitCount(i) > 2)
		sum += chosen(i);
	sums[to] = sum;
}
