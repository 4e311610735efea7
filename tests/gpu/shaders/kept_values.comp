// SPDX-License-Identifier: Apache-2.0
// Where each invocation writes is what a loop that some leave earlier than others has made last, and
// what another loop has exchanged. Compiled so that values, not variables, carry that. RACE: some
// leave the first loop alike.
#version 450
#ifdef RACE
#define TURNS 1
#else
#define TURNS 3
#endif
layout(local_size_x = 32) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	const uint own = gl_LocalInvocationIndex;
	uint turn = 0, one = own, other = 5;
	int at;
	do
		at = int((turn << 5) + (own >> 2));
	while (turn++ < (own & TURNS));
	result[at] = own; // @write
	for (uint i = 0; i < 2 * gl_NumWorkGroups.x + 1; i++) {
		const uint last = one;
		one = other;
		other = last;
	}
	result[128 + other] = own;
}
