// SPDX-License-Identifier: Apache-2.0
// Workgroups write elements of a large array of descriptors, of which few are bound.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Element { uint words[]; } elements[64];
layout(push_constant) uniform Push { uint chosen[2]; };

void main()
{
	uint element = chosen[gl_WorkGroupID.x];
	elements[nonuniformEXT(element)].words[gl_LocalInvocationID.x] = element; // @write
}
