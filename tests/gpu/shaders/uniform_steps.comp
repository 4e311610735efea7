// SPDX-License-Identifier: Apache-2.0
// Where each invocation writes follows from a uniform buffer, which is read in a function that is
// called in two places. OWN: the buffer is also bound as one that the shader writes, at word AT.
#version 450
#ifdef OWN
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };
#else
layout(local_size_x = 32) in;
#endif
layout(set = 0, binding = 1) buffer Result { uint result[]; };
layout(set = 0, binding = 2) uniform Params { uint first, step; uvec2 counts; };

uint place(uint turn)
{
	return first + gl_GlobalInvocationID.x * step + turn; // @read
}

void main()
{
	result[place(0)] = 1; // @first
#ifdef OWN
	words[AT] = 5; // @own
#endif
	for (uint turn = 1; turn < counts.y; turn++)
		result[place(turn)] = turn; // @write
}
