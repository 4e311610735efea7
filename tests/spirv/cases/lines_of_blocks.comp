// SPDX-License-Identifier: Apache-2.0
// Blocks that begin without a line go on with that of the selection or loop before them: the store
// behind the choice in the switch's last case.
// glslang: --target-env vulkan1.2 -g
#version 450
layout(local_size_x = 8) in;
layout(set=0,binding=0) buffer A { uint a[]; };
layout(set=0,binding=1) buffer B { uint b[]; };
uint f(uint i) { return i < 4 && a[i] > 2 ? b[i] : a[i + 1]; }
void main() {
	for (uint i = a[0]; i < a[1]; i += a[2])
		b[i] = f(i);
	uint j = 0;
	do {
		if (a[j] == 1 || b[j] == 2) continue;
		b[j] += a[j];
	} while (++j < b[3]);
	switch (a[5]) { case 0: b[0] = 1; case 1: b[1] = 2; break; default: b[2] = a[3] > 1 ? a[4] : a[5]; }
	b[9] = (a[9] > 1 && b[8] > 2) ? 1 : 2;
	while (a[j] > 0) j += b[j];
}
