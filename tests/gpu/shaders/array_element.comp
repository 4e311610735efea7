// SPDX-License-Identifier: Apache-2.0
// Workgroups write elements of an array of descriptors.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Element { uint words[]; } elements[2];
layout(push_constant) uniform Push { uint step; };

void main()
{
	elements[gl_WorkGroupID.x * step].words[gl_LocalInvocationID.x] = step; // @write
}
