// SPDX-License-Identifier: Apache-2.0
// Workgroups that do the same at other places, where one overlaps with another, and another's mates
// with one another; FIXED: none does.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint tile[64];

void main()
{
	uint i = gl_LocalInvocationID.x, group = gl_WorkGroupID.x;
	uint first = group * group * 64u, place = (i * 5u) % 64u;
#ifndef FIXED
	if (group == 6u)
		first = 25u * 64u + 32u;
	if (group == 3u)
		place /= 2u;
#endif
	tile[place] = i; // @tile
	barrier();
	data[first + (i ^ 1u)] = tile[place]; // @write
}
