// SPDX-License-Identifier: Apache-2.0
// A workgroup whose loop reads 1.75 million times where memory leads it, and which then writes what
// another one does; FIXED: what none does.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
#define STEP(by)  sum += result[data[(at + by) & 63] + gl_GlobalInvocationID.x];
#define STEPS(by) STEP(by) STEP(by + 1) STEP(by + 2) STEP(by + 3) STEP(by + 4) STEP(by + 5) STEP(by + 6)

void main()
{
	uint sum = 0;
	for (uint at = 0; at < 50000 && gl_WorkGroupID.x == 0; at++) {
		STEPS(0) STEPS(7) STEPS(14) STEPS(21) STEPS(28)
	}
#ifdef FIXED
	result[gl_WorkGroupID.x + 1] = sum;
#else
	result[1] = sum; // @write
#endif
}
