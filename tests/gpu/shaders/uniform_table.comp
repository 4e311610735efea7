// SPDX-License-Identifier: Apache-2.0
// Where each invocation writes follows from a table in a uniform buffer, by the turns of a loop.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 1) buffer Result { uint result[]; };
layout(set = 0, binding = 2) uniform Table { uvec4 places[2]; };

void main()
{
	for (uint turn = 0; turn < 2; turn++)
		result[places[turn].y + gl_LocalInvocationID.x] = turn; // @write
}
