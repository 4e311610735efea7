// SPDX-License-Identifier: Apache-2.0
// A loop of few iterations whose segments have no words logs its paths: with barriers, choices,
// breaks and continues in it, in an outer loop, and with counters that are doubled or halved. Not if
// the number of iterations is unknown or too large, if a segment has words, if the loop is left in
// another way, if it contains a loop or calls a function that logs, or if an access is in its
// continue construct, or after its test at the end.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1, r32ui) uniform uimage2D image;
layout(constant_id = 0) const uint SIZE = 64;
shared uint tile[256];

uint called(uint at)
{
	return data[at];
}

void main()
{
	uint local = gl_LocalInvocationIndex, most = data[local], sum = 0;
	for (uint step = SIZE / 2; step > 0; step >>= 1) {
		if (local < step)
			tile[local] += tile[local + step];
		barrier();
	}
	for (uint step = 1; step < SIZE; step *= 2) {
		if (local >= step)
			sum += tile[local - step];
		barrier();
		tile[local] = sum;
		barrier();
	}
	for (uint i = 0; i < most; i++) {
		for (int k = 31; k >= 3; k /= 2) {
			if (k == int(most))
				continue;
			tile[local + 8 * k] = 1;
			if (k < int(sum))
				break;
			switch (most & 3) {
			case 0:
				tile[local] = 2;
			case 1:
				tile[local + k] = 3;
				break;
			default:
				break;
			}
			tile[local + 2 * k] = 4;
		}
		data[i * most] = sum;
	}
	for (uint i = 3; ; i--) {
		tile[local + i] = sum;
		if (i == 0)
			break;
		barrier();
	}
	for (uint i = 0; i < 32; i++) { // one bit a turn
		if (i != most)
			tile[local + i] = 1;
		barrier();
		tile[local + 2 * i] = 1;
	}
	for (uint i = 0; i < 33; i++) {
		tile[local + i] = 1;
		barrier();
	}
	for (uint i = 0; i < most; i++) {
		tile[local + i] = 1;
		barrier();
	}
	for (uint i = 0; i < 4; i++) {
		tile[sum] = 1;
		barrier();
	}
	for (uint i = 0; i < 4; i++) {
		tile[local + i] = 1;
		barrier();
		if ((sum & i) != 0)
			return;
	}
	for (uint i = 0; i < 4; i++) {
		tile[local + i] = 1;
		barrier();
		for (uint k = 0; k < 4; k++)
			sum += k;
	}
	for (uint i = 0; i < 4; i++) {
		tile[local + i] = 1;
		barrier();
		sum += called(i);
	}
	for (uint i = 0; i < 4; i += 1 + 0 * tile[local]) {
		tile[local + 1] = 1;
		barrier();
	}
	uint times = 0;
	do {
		tile[local + 2] = 1;
		barrier();
	} while (++times < 4);
	for (uint i = 0; i < 4; i++) {
		barrier();
		imageStore(image, ivec2(local, i), uvec4(sum));
	}
}
